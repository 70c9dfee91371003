"""Mixins: the hooks of every component among the bases run, in order, and none of them twice."""

from __future__ import annotations

from functools import partialmethod
from typing import TYPE_CHECKING, Any

import pytest

from poolkit import IPoolableComponent, PooledSprite, PrefabError

if TYPE_CHECKING:
    from poolkit import PoolingSystem

ran: list[str] = []


@pytest.fixture(autouse=True)
def _none_ran_yet() -> None:
    ran.clear()


def note(name: str) -> Any:
    """Return the hooks of a class of that name, which call nothing else."""
    return {
        "spawned": lambda _: ran.append(name),
        "despawned": lambda _: ran.append(f"-{name}"),
    }


def play(cls: type, system: PoolingSystem, **data: Any) -> str:
    """Let one of that class live and die; return the hooks that ran."""
    ran.clear()
    system.despawn(system.spawn(cls, **data))
    return " ".join(ran)


Burns: Any = type("Burns", (IPoolableComponent,), note("burns"))
Freezes = type("Freezes", (IPoolableComponent,), note("freezes"))
Goblin = type("Goblin", (PooledSprite,), note("goblin"))
Imp = type("Imp", (Burns, Freezes, Goblin), note("imp"))


def test_the_hooks_of_all_bases_run_in_their_order_and_backwards_at_the_end(
    system: PoolingSystem,
) -> None:
    assert play(Imp, system) == "burns freezes imp -imp -freezes -burns"
    silent = type("Silent", (Burns, Freezes, Goblin), {})
    assert play(silent, system) == "burns freezes goblin -goblin -freezes -burns"
    heir = type("Heir", (Imp,), {})
    assert play(heir, system) == "burns freezes imp -imp -freezes -burns"
    component = type("Curse", (Burns, Freezes), {})
    assert play(component, system) == "burns freezes -freezes -burns"


def test_a_hook_that_calls_super_takes_over_those_behind_it(system: PoolingSystem) -> None:
    class Glows(IPoolableComponent):
        def spawned(self, heat: int = 0) -> None:
            ran.append(f"glows {heat}")
            super().spawned()

    class Coal(Burns, Glows, Freezes, PooledSprite):  # type: ignore[misc, valid-type]
        pass

    class Ruby(Glows, Freezes, PooledSprite):  # type: ignore[misc, valid-type]
        def spawned(self, heat: int = 0) -> None:
            ran.append("ruby")
            super().spawned(heat + 1)

    assert play(Coal, system, heat=3) == "burns glows 3 freezes -freezes -burns"
    assert play(Ruby, system, heat=3) == "ruby glows 4 freezes -freezes"


def test_a_hook_that_calls_one_of_a_base_by_its_class_takes_over_that_one(
    system: PoolingSystem,
) -> None:
    class Torch(Burns, Freezes, PooledSprite):  # type: ignore[misc, valid-type]
        def spawned(self) -> None:
            ran.append("torch")
            Burns.spawned(self)

    assert play(Torch, system) == "freezes torch burns -freezes -burns"

    class Glows(IPoolableComponent):
        def spawned(self) -> None:
            ran.append("glows")
            super().spawned()

    class Candle(Glows, Freezes, PooledSprite):  # type: ignore[misc, valid-type]
        def spawned(self) -> None:
            Glows.spawned(self)  # which calls that of `Freezes`

    assert play(Candle, system) == "glows freezes -freezes"


def test_the_hook_that_a_class_shows_runs_also_if_its_base_is_no_component(
    system: PoolingSystem,
) -> None:
    stone = type("Stone", (), note("stone"))
    assert play(type("Golem", (stone, Burns, PooledSprite), {}), system) == (
        "burns stone -stone -burns"
    )
    assert play(type("Statue", (stone, PooledSprite), {}), system) == "stone -stone"


def test_hooks_of_mixins_may_be_of_any_kind_that_python_binds(system: PoolingSystem) -> None:
    class Static(IPoolableComponent):
        @staticmethod
        def spawned(heat: int) -> None:
            ran.append(f"static {heat}")

        @staticmethod
        def despawned() -> None:
            ran.append("-static")

    class OfClass(IPoolableComponent):
        @classmethod
        def spawned(cls, heat: int = 0) -> None:
            ran.append(f"{cls.__name__} {heat}")

    class Partial(IPoolableComponent):
        def add(self, name: str) -> None:
            ran.append(name)

        spawned = partialmethod(add, "partial")

    kind = type("Odd", (Static, OfClass, Partial, Goblin), {})
    assert play(kind, system, heat=2) == "static 2 Odd 2 partial goblin -goblin -static"


def test_each_mixin_gets_the_data_that_it_names_and_is_named_in_errors(
    system: PoolingSystem,
) -> None:
    class Heats(IPoolableComponent):
        def spawned(self, heat: int) -> None:
            ran.append(f"heat {heat}")
            if heat > 9:
                raise ZeroDivisionError

    class Runs(IPoolableComponent):
        def spawned(self, speed: float = 1.0, **others: Any) -> None:
            ran.append(f"speed {speed} {sorted(others)}")

    class Bat(Heats, Runs, PooledSprite):  # type: ignore[misc]
        pass

    assert play(Bat, system, heat=2) == "heat 2 speed 1.0 ['heat']"
    with pytest.raises(TypeError, match=r"spawning Bat needs heat=.*Heats.spawned requires it"):
        system.spawn(Bat)
    with pytest.raises(ZeroDivisionError) as caught:
        system.spawn(Bat, heat=10)
    assert "Heats.spawned of Bat #0001" in str(caught.value.__notes__)


def test_a_mixin_whose_hook_cannot_run_is_refused(system: PoolingSystem) -> None:
    class Waits(IPoolableComponent):
        def spawned(self) -> Any:
            yield

    with pytest.raises(PrefabError, match=r"Waits\.spawned yields or awaits|yields or awaits"):
        system.spawn(type("Guard", (Waits, Goblin), {}))
