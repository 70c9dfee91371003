"""Hooks: which run, in what order, what they may do, and what happens when they raise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from poolkit import (
    DespawnReason,
    IPoolableComponent,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
)
from recorder import Reasoned, Recorder, assert_counts, notes_of, raising, stats_of

if TYPE_CHECKING:
    from collections.abc import Callable


class Orc:
    pass


class Part(IPoolableComponent):
    """A component that notes its hooks in a log it shares with others."""

    def __init__(self, name: str, log: list[str], order: int = 0) -> None:
        self.name = name
        self.log = log
        self.execution_order = order
        self.acts: dict[str, Callable[[], object]] = {}

    def awake(self) -> None:
        self._note("awake")

    def spawned(self) -> None:
        self._note("spawned")

    def despawned(self) -> None:
        self._note("despawned")

    def destroyed(self) -> None:
        self._note("destroyed")

    def _note(self, hook: str) -> None:
        self.log.append(f"{self.name} {hook}")
        if hook in self.acts:
            self.acts[hook]()


class Crew(PooledSprite):
    """A sprite of parts a, b and c, of which b comes first."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []
        self.a = self.add_component(Part("a", self.log))
        self.b = self.add_component(Part("b", self.log, order=-1))
        self.c = self.add_component(Part("c", self.log))


def test_u03_spawned_runs_at_every_spawn_and_despawned_at_every_despawn(
    system: PoolingSystem,
) -> None:
    orc = system.spawn(Recorder)
    assert orc.log == ["awake", "spawned"]
    system.despawn(orc)
    assert system.spawn(Recorder) is orc
    system.despawn(orc)
    assert orc.log == ["awake", "spawned", "despawned", "spawned", "despawned"]
    system.reset()
    assert orc.log[-1] == "destroyed"
    assert orc.log.count("awake") == 1


def test_u16_execution_order_then_attachment_orders_the_hooks(system: PoolingSystem) -> None:
    crew = system.spawn(Crew)
    crew.kill()
    system.pool(Crew).clear()
    assert crew.log == [
        *("b awake", "a awake", "c awake"),
        *("b spawned", "a spawned", "c spawned"),
        *("c despawned", "a despawned", "b despawned"),
        *("c destroyed", "a destroyed", "b destroyed"),
    ]


def test_order1_an_instance_is_placed_active_and_known_before_spawned(
    system: PoolingSystem,
) -> None:
    seen: list[object] = []

    class Curious(PooledSprite):
        def spawned(self) -> None:
            seen.append((self.position, self.rotation, self.active, system.is_spawned(self)))
            seen.append(self in system.pool(Curious).active)

    system.spawn(Curious, (3, 4), 90)
    assert seen == [((3, 4), 90, True, True), True]


def test_order2_scope_then_children_are_undone_after_the_hooks_and_before_reuse(
    system: PoolingSystem,
) -> None:
    log: list[str] = []

    class Child(IPoolableComponent):
        def despawned(self) -> None:
            log.append("child")

    class Parent(IPoolableComponent):
        def spawned(self) -> None:
            self.scope.callback(self.undo)
            system.spawn(Child, parent=self)

        def undo(self) -> None:
            log.append("scope")
            system.spawn(Orc)

        def despawned(self) -> None:
            log.append("hook")
            assert not system.is_spawned(self)

    parent = system.spawn(Parent)
    system.despawn(parent)
    assert log == ["hook", "scope", "child"]
    assert_counts(system)


@pytest.mark.parametrize("stage", ["hook", "scope", "child"])
def test_p09_spawning_from_a_despawned_hook_never_gets_the_instance_being_despawned(
    system: PoolingSystem, stage: str
) -> None:
    got: list[object] = []

    class Phoenix(Recorder):
        def spawned(self) -> None:
            if stage == "scope":
                self.scope.callback(lambda: got.append(system.spawn(Phoenix)))
            if stage == "child":
                system.spawn(Recorder, parent=self).acts["despawned"] = lambda: got.append(
                    system.spawn(Phoenix)
                )

        def despawned(self) -> None:
            if stage == "hook":
                got.append(system.spawn(Phoenix))

    phoenix = system.spawn(Phoenix)
    system.despawn(phoenix)
    assert len(got) == 1
    assert got[0] is not phoenix
    assert system.is_spawned(got[0])
    assert system.pool(Phoenix).inactive_count == 1
    assert_counts(system)


def test_order3_a_life_ended_by_its_own_spawned_hook(system: PoolingSystem) -> None:
    class Doomed(Crew):
        def __init__(self) -> None:
            super().__init__()
            self.a.acts["spawned"] = self.kill

    crew = system.spawn(Doomed)
    assert not crew.active
    assert not system.is_spawned(crew)
    assert crew.log[3:] == ["b spawned", "a spawned", "a despawned", "b despawned"]
    assert system.pool(Doomed).inactive_count == 1
    assert system.spawn(Doomed) is crew
    assert stats_of(system, Doomed).spawned == stats_of(system, Doomed).despawned == 2
    again = crew.log[7:]  # on the quick path, as the first life was not
    assert again == ["b spawned", "a spawned", "a despawned", "b despawned"]
    assert_counts(system)


@pytest.mark.parametrize("call", ["reset", "dispose"])
@pytest.mark.parametrize("hook", ["awake", "spawned", "despawned", "destroyed"])
@pytest.mark.parametrize("late", [False, True])
def test_order7_reset_and_dispose_inside_a_hook_are_an_error(
    system: PoolingSystem, hook: str, call: str, *, late: bool
) -> None:
    errors: list[str] = []

    class Rebel(Recorder):
        def __init__(self) -> None:
            super().__init__()
            self.acts[hook] = self.rebel

        def rebel(self) -> None:
            if late and hook == "spawned":
                system.despawn(self)
            try:
                getattr(system, call)()
            except PoolError as error:
                errors.append(str(error))

    rebel = Prefab(Rebel, awake_on_first_spawn=late)
    system.spawn(Orc)
    system.prespawn(rebel, 1)
    instance = system.spawn(rebel)
    system.despawn(instance)
    system.pool(rebel).clear()
    assert len(errors) == 1
    assert f"{call}() was called inside a hook" in errors[0]
    assert system.pool(Orc).active_count == 1
    assert_counts(system)


def test_order4_a_spawned_hook_that_raises(system: PoolingSystem) -> None:
    crews: list[Crew] = []

    class Bad(Crew):
        def __init__(self) -> None:
            super().__init__()
            crews.append(self)
            self.a.acts["spawned"] = raising(RuntimeError("a"))

    prefab = Prefab(Bad, name="bad")
    for _ in range(2):  # by a new instance, and by one at rest
        system.prespawn(prefab, 1)
        with pytest.raises(RuntimeError, match="a") as caught:
            system.spawn(prefab)
        crew = crews[-1]
        assert f"in Part.spawned of bad #{len(crews):04}" in notes_of(caught.value)
        assert crew.log[3:] == [
            *("b spawned", "a spawned"),
            *("a despawned", "b despawned"),
            *("c destroyed", "a destroyed", "b destroyed"),
        ]
        assert not crew.active
        assert "destroyed" in repr(crew)
    stats = stats_of(system, prefab)
    assert (stats.created, stats.destroyed, stats.spawned, stats.despawned) == (2, 2, 2, 2)
    assert_counts(system)


@pytest.mark.parametrize("rare", [False, True])
def test_order4_several_errors_come_as_a_group(system: PoolingSystem, *, rare: bool) -> None:
    crew = system.spawn(Crew)
    if rare:
        crew.scope.callback(raising(RuntimeError("scope")))
    for part in (crew.a, crew.b, crew.c):
        part.acts["despawned"] = raising(RuntimeError(part.name))
    crew.b.acts["destroyed"] = raising(ValueError("b"))
    with pytest.raises(ExceptionGroup, match="despawning Crew #0001") as caught:
        system.despawn(crew)
    notes = [notes_of(error) for error in caught.value.exceptions]
    assert len(notes) == 4 + rare
    assert all("Crew #0001" in note for note in notes)
    assert "in Part.destroyed of Crew #0001" in notes[-1]
    if rare:
        assert "in the scope of Crew #0001" in notes[3]
    assert_counts(system)


@pytest.mark.parametrize("first_spawn", [False, True])
def test_order4_an_awake_hook_that_raises(system: PoolingSystem, *, first_spawn: bool) -> None:
    crews: list[Crew] = []

    class Bad(Crew):
        def __init__(self) -> None:
            super().__init__()
            crews.append(self)
            self.a.acts["awake"] = raising(RuntimeError("a"))
            self.b.acts["destroyed"] = raising(ValueError("b"))

    bad = Prefab(Bad, awake_on_first_spawn=first_spawn)
    if first_spawn:
        assert system.prespawn(bad, 1) == 1
    with pytest.raises(RuntimeError, match="a") as caught:
        system.spawn(bad)
    assert "in Part.awake of Bad #0001" in notes_of(caught.value)
    assert "then Part.destroyed raised ValueError('b')" in notes_of(caught.value)
    # Only where awake returned; never for the one that failed, nor for those after it.
    assert crews[0].log == ["b awake", "a awake", "b destroyed"]
    assert system.pool(bad).capacity == 0
    assert stats_of(system, bad).spawned == 0
    assert_counts(system)
    with pytest.raises(RuntimeError):
        system.prespawn(bad.variant(awake_on_first_spawn=False), 1)
    assert_counts(system)


def test_k02_awake_may_be_kept_for_the_first_spawn(system: PoolingSystem) -> None:
    made: list[Recorder] = []

    def build() -> Recorder:
        made.append(Recorder())
        return made[-1]

    orc = Prefab(build, awake_on_first_spawn=True, settings=PoolSettings(prespawn=2))
    system.register(orc)
    assert [one.log for one in made] == [[], []]
    first = system.spawn(orc)
    assert first.log == ["awake", "spawned"]
    system.despawn(first)
    system.reset()
    assert first.log == ["awake", "spawned", "despawned", "destroyed"]
    assert made[1].log == []  # never awake, so never destroyed
    eager = Prefab(build)
    system.prespawn(eager, 1)
    assert made[-1].log == ["awake"]


def test_the_reason_tells_why_a_life_ended(system: PoolingSystem) -> None:
    parent = system.spawn(Orc)
    one = system.spawn(Reasoned)
    system.despawn(one)
    assert system.spawn(Reasoned, parent=parent) is one
    system.despawn(parent)
    assert system.spawn(Reasoned) is one
    system.despawn_after(one, 1)
    system.update(1)
    assert system.spawn(Reasoned) is one
    system.pool(Reasoned).clear()
    other = system.spawn(Reasoned)
    system.reset()
    third = system.spawn(Reasoned)
    system.dispose()
    reason = DespawnReason
    assert one.reasons == [reason.DESPAWNED, reason.PARENT, reason.DESPAWNED, reason.DISPOSED]
    assert other.reasons == [reason.RESET]
    assert third.reasons == [reason.DISPOSED]


def test_order7_reset_works_again_after_a_hook_failed(system: PoolingSystem) -> None:
    class Bad(Recorder):
        def __init__(self) -> None:
            super().__init__()
            self.acts["spawned"] = self.act

        def act(self) -> None:
            system.despawn(self)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        system.spawn(Bad)
    with pytest.raises(TypeError):
        system.spawn(Recorder, nonsense=1)
    system.reset()
    assert_counts(system)


def test_order7_reset_inside_other_things_that_a_life_calls(system: PoolingSystem) -> None:
    errors: list[str] = []

    def reset() -> None:
        try:
            system.reset()
        except PoolError as error:
            errors.append(str(error))

    orc = system.spawn(Orc)
    system.scope(orc).callback(reset)
    system.despawn(orc)

    class Leaver(IPoolableComponent):
        def spawned(self) -> None:
            system.detach(self)
            reset()

    system.spawn(Leaver)
    adopted = Recorder()
    adopted.acts["awake"] = reset
    system.adopt(Recorder, adopted)

    def factory() -> Orc:
        reset()
        return Orc()

    system.spawn(factory)
    assert len(errors) == 4
    assert all("inside a hook" in error for error in errors)
    system.reset()
    assert_counts(system)


def test_order4_a_destroyed_hook_that_raises(system: PoolingSystem) -> None:
    for act in (
        lambda: system.pool(Recorder).clear(),
        lambda: system.pool(Recorder).trim(0),
        lambda: system.pool(Recorder).decrease_capacity(1),
        system.reset,
        lambda: system.configure(pooling=False),
    ):
        system.configure(pooling=True)
        orc = system.spawn(Recorder)
        orc.acts["destroyed"] = raising(RuntimeError("grave"))
        system.despawn(orc)
        with pytest.raises(RuntimeError, match="grave") as caught:
            act()
        assert "in Recorder.destroyed of Recorder #" in notes_of(caught.value)
        assert system.pool(Recorder).capacity == 0
        assert_counts(system)
