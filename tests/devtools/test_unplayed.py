"""What the audit finds by reading methods that didn't run, and what silences it.

The shapes of `leaky_shapes` and `clean_shapes` are read as well, by `test_audit_shapes`.
"""

from __future__ import annotations

import linecache
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

import leaky_shapes
from poolkit import PoolingSystem
from poolkit.devtools import UnplayedLeak, audit
from poolkit.devtools.unplayed import unplayed_leaks

HEAD = """\
from poolkit import IPoolableComponent, PooledSprite, Prefab, pools
"""

HEALTH = """
class Health(IPoolableComponent):
    def __init__(self):
        self.current = 30
        self.maximum = 30

    def hit(self):
        self.current -= 12
"""

numbers = iter(range(10_000))


def module(text: str) -> Any:
    """Write a module, and import it."""
    return leaky_shapes.module(f"linted_{next(numbers)}", HEAD + text)


def problems(cls: type) -> list[str]:
    return [leak.problem for leak in unplayed_leaks([cls])]


def read(target: Any) -> Any:
    """Audit a prefab in a life in which nothing happens."""
    return audit(target, lambda _: None, system=PoolingSystem())


LEAK = "Health.current is changed in hit(), but reset in neither spawned nor despawned"


# -- the report -----------------------------------------------------------------------------------


def test_a_leak_that_was_read_says_file_line_attribute_method_and_what_mends_it() -> None:
    game = module(HEALTH)
    report = read(game.Health)
    assert str(report).splitlines() == [
        "Health: nothing leaked in the life that was played",
        "  not played, but by their source these leak (pass live= to see):",
        f"    {game.__file__}:9: {LEAK}",
    ]
    [leak] = report.unplayed
    assert isinstance(leak, UnplayedLeak)
    assert leak.file == game.__file__
    assert (leak.line, leak.owner, leak.attribute) == (9, "Health", "current")
    assert leak.hint == "hint: in spawned: self.current = 30, or say # poolkit: kept"
    assert not report.ok


@pytest.mark.parametrize(
    ("first", "change", "hint"),
    [
        ("self.x = 30", "self.x = 3", "in spawned: self.x = 30"),
        ("self.x = maximum", "self.x = 3", "in spawned: self.x = ..."),
        ("self.x = [1, 2]", "self.x.append(3)", "in spawned: self.x = [1, 2]"),
        ("pass", "self.x = 3", "in spawned: self.x = ..."),
    ],
)
def test_the_hint_is_the_line_that_is_missing(first: str, change: str, hint: str) -> None:
    text = f"""
DECK = ()
class Orc(IPoolableComponent):
    def __init__(self, maximum=3):
        {first}

    def hit(self):
        {change}
"""
    [leak] = unplayed_leaks([module(text).Orc])
    assert leak.hint == f"hint: {hint}, or say # poolkit: kept"


# -- what is looked at ----------------------------------------------------------------------------

SPRITE = f"""{HEALTH}
import functools

class Orc(PooledSprite):
    def __init__(self):
        super().__init__()
        self.health = self.add_component(Health())

    def update(self):
        self.clock = 3

def make_orc():
    return Orc()

orc = Prefab(Orc, name="orc")
made = Prefab(make_orc, name="made")
partly = Prefab(functools.partial(Orc), name="partly")
"""
ORC = "Orc.clock is set in update(), but reset in neither spawned nor despawned"


@pytest.mark.parametrize("name", ["Orc", "orc", "made", "make_orc", "partly"])
def test_an_instance_is_read_with_its_components(name: str) -> None:
    report = read(getattr(module(SPRITE), name))
    assert [leak.problem for leak in report.unplayed] == [LEAK, ORC]


def test_a_base_is_judged_by_what_extends_it() -> None:
    base = """
class Base(IPoolableComponent):
    def __init__(self):
        super().__init__()

    def hit(self):
        self.current = 3

class Clean(Base):
    def __init__(self):
        super().__init__()

    def spawned(self):
        self.current = 30
"""
    game = module(base)
    assert problems(game.Clean) == []
    assert problems(game.Base) != []


# -- silence --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("self.current -= 12", "self.current -= 12  # poolkit: kept", []),
        ("self.current -= 12", "self.current -= 12  # type: ignore  #poolkit:kept - so", []),
        ("self.current = 30", "self.current = 30  # poolkit: kept", []),
        ("def hit(self):", "def hit(self):  # poolkit: kept", []),
        ("(IPoolableComponent):", "(IPoolableComponent):  # poolkit: kept", []),
        ("def __init__", "current = 3  # poolkit: kept\n    def __init__", []),
        ("def __init__", "audit_ignore = {'cur*'}\n    def __init__", []),
        ("def __init__", "audit_ignore = 'current'\n    def __init__", []),
        ("self.current -= 12", "self.current -= 12  # poolkit: keptt", [LEAK]),
        ("self.maximum = 30", "self.maximum = 30  # poolkit: kept", [LEAK]),
        ("def __init__", "audit_ignore = ['cur', 'c']\n    def __init__", [LEAK]),
    ],
)
def test_what_is_said_to_be_kept_is_no_finding_what_is_said_elsewhere_is(
    old: str, new: str, found: list[str]
) -> None:
    assert problems(module(HEALTH.replace(old, new)).Health) == found


def test_bad_input_audit_ignore_is_names() -> None:
    for wrong in ("3", "[3]"):
        game = module(HEALTH.replace("def __init__", f"audit_ignore = {wrong}\n    def __init__"))
        with pytest.raises(TypeError, match=r"Health.audit_ignore must be names of attributes"):
            read(game.Health)


# -- what can't be read ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["class Health(:\n", "x = 3\n", ""])
def test_of_a_class_whose_source_is_gone_or_broken_a_note_says_so(text: str) -> None:
    game = module(HEALTH)
    Path(game.__file__).write_text(text)
    linecache.clearcache()
    report = read(game.Health)
    assert report.notes == (f"not read: the methods of Health are not found in {game.__file__}",)
    assert report.unplayed == ()


# -- hooks that are none --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "hook"), [("spawn", "spawned"), ("on_spawned", "spawned"), ("on_despawn", "despawned")]
)
def test_what_looks_like_a_hook_and_is_none_is_named(name: str, hook: str) -> None:
    game = module(f"class Orc(PooledSprite):\n    def {name}(self):\n        self.x = 3\n")
    said = f"Orc.{name} is called by no pool: the hook is named {hook}"
    assert said in [leak.problem for leak in read(game.Orc).unplayed]
    used = module(f"class Nest(PooledSprite):\n    def {name}(self): pass\nNest().{name}()\n")
    assert read(used.Nest).ok


def test_a_kill_of_its_own_is_named_unless_it_does_nothing_else() -> None:
    text = "class Orc(PooledSprite):\n    def kill(self):\n        {}super().kill()\n"
    [problem] = problems(module(text.format("pools.spawn(Orc); ")).Orc)
    assert problem.startswith("Orc.kill is overridden, but despawn_all, reset and")
    assert problems(module(text.format("")).Orc) == []


@pytest.mark.parametrize(
    "change",
    [
        "self.hit0()\n" + "".join(f"    def hit{n}(self): self.hit{n + 1}()\n" for n in range(300)),
        f"self{'.hit()' * 450}\n",
        f"return {' + '.join(['self'] * 2000)}\n",
    ],
    ids=["calls in calls", "calls of what calls return", "an expression of many terms"],
)
def test_code_that_is_nested_deeply_is_read_as_well(change: str) -> None:
    game = module(f"{HEALTH}\n    def deep(self):\n        {change}")
    assert LEAK.removeprefix("Health.") in "".join(problems(game.Health))


# -- a case each ---------------------------------------------------------------------------------

PARTS = """
import contextlib, datetime, functools, random
from time import monotonic
from dataclasses import dataclass, field
import pygame, pymunk
from poolkit.physics import PhysicsWorld, RigidBody

class Stats:
    def zero(self): self.hits = 0

class Parent(IPoolableComponent):
    def reset(self): self.total = 0

class Career:
    audit_ignore = "wins"
    def __init__(self):
        self.wins = 0
        self.titles = []  # poolkit: kept
"""

SHORT = {
    "ONCE": "is the same in all lives: __init__() takes it from",
    "DICE": "random.random() once",
    "~": "but reset in neither spawned nor despawned",
    "SELDOM": "but reset only under a condition (line N)",
}
# A class's bases and body; a comment on a line that leaks is what is said of it, in `SHORT`.
LEAKS = {
    "in many ways": """
        angry = False
        lives = 0
        def __init__(self, listen):
            self.targets = []
            def flare():
                self.fire = True  # It.fire is set in __init__(), ~
            listen(flare)
        def spawned(self):
            self.lives += 1  # It.lives is changed in spawned(), ~
        def move(self, place):
            a, b = place
            self.x, (self.y, *_) = a, b  # It.x is set in move(), ~ / It.y is set in move(), ~
        def anger(self, target):
            me = self
            targets = self.targets
            me.angry = True  # It.angry is set in anger(), ~
            targets.append(target)  # It.targets is changed by append() in anger(), ~
        @functools.lru_cache
        def sulk(self): self.mood = "bad"  # It.mood is set in sulk(), ~
    """,
    "one branch": """
        dazed = False
        def hit(self): self.dazed = True  # It.dazed is set in hit(), SELDOM
        def spawned(self, reason):
            if self.dazed:
                match reason:
                    case "kill":
                        self.dazed = False
    """,
    "a reset that comes late": """
        dazed = False
        def hit(self):
            self.dazed = True  # It.dazed is set in hit(), ~
            self.scope.after(0.3, self.recover)
        def recover(self): self.dazed = False
        def spawned(self): self.scope.start(self.wake())
        def wake(self):
            yield 0.3
            self.dazed = False
    """,
    "by methods that call each other in circles": """
        def spawned(self): self.walk()
        def walk(self): self.run()
        def run(self):
            self.walk()
            self.steps += 3  # It.steps is changed in run(), ~
    """,
    "a body (PooledSprite)": """
        def __init__(self):
            super().__init__()
            self.body = pymunk.Body(1, 1)
            self.add_component(RigidBody(PhysicsWorld(), self.body, pymunk.Circle(self.body, 3)))
        def jump(self):
            self.body.velocity = (0, -300)  # It.body.velocity is set in jump(), ~
            self.body.angular_velocity += 3  # It.body.angular_velocity is changed in jump(), ~
            self.body.force = (3, 3)  # It.body.force is set in jump(), ~
            self.body.torque = 3  # It.body.torque is set in jump(), ~
            self.body.mass = 3
    """,
    "written before it is read, but pygame reads it too (PooledSprite)": """
        def grow(self):
            self.radius = 3  # It.radius is set in grow(), ~
            self.size = 3
            return self.radius + self.size
    """,
    "taken of the moment, once": """
        def __init__(self):
            self.born = pygame.time.get_ticks()  # It.born ONCE pygame.time.get_ticks() once
            self.luck = max(1, random.randint(0, 9))  # It.luck ONCE random.randint() once
            self.now = monotonic()  # It.now ONCE monotonic() once
            if self.born:
                self.day = datetime.datetime.now().hour  # It.day ONCE datetime.datetime.now() once
            self.x = self.y = random.random()  # It.x ONCE DICE / It.y ONCE DICE
            self.later = pygame.mouse.get_pos
        def update(self, dt): return self.born + self.luck + self.x + dt
    """,
    "another object, of which only a part is set again": """
        def __init__(self): self.stats = Stats()
        def spawned(self): self.stats.hits = 0
        def learn(self, stats): self.stats = stats  # It.stats is set in learn(), ~
    """,
    "what a part does to itself": """
        class Marks:
            def add(self): self.count += 1  # It.marks.count is changed in add(), ~
        def __init__(self): self.marks = It.Marks()
        def hit(self): self.marks.add()
    """,
    "reset by the parent of a part, not by its own (Parent)": """
        class Marks(Stats):
            def reset(self): super().reset()
        def __init__(self): self.marks = It.Marks()
        def spawned(self): self.marks.reset()
        def hit(self): self.total = 3  # It.total is set in hit(), ~
    """,
    "no memo, for nobody asks for it": """
        target = None
        def update(self):
            if self.target is None:
                self.target = object()  # It.target is set in update(), ~
    """,
}
CLEAN = {
    "reset by a base, whose method is called by its long name (Parent)": """
        def add(self): self.total += 1
        def spawned(self): self.reset()
        def reset(self): super(It, self).reset()
    """,
    "a branch that raises, and what is only looked at": """
        def __init__(self): self.words = ["aim"]
        def word(self): return self.words.index("aim")
        def spawned(self, target=None):
            if target is None:
                raise ValueError
            self.target = target
        def aim(self, target): self.target = target
    """,
    "what is handed in is the game's": """
        SHARED = {}
        _cache = {}
        def __init__(self, log, cache, game): self.log, self.cache, self.game = log, cache, game
        def hit(self, other):
            self.log.append("hit")
            self.cache["x"] = self.SHARED["x"] = self._cache["x"] = 3
            self.game.score += 1
            other.health.current = 0
            other.seen["x"] = 3
    """,
    "what every spawn restores (PooledSprite)": """
        def update(self, dt):
            self.image = pygame.Surface((3, 3))
            self.image.set_alpha(30)
            self.rect.x += dt
            self.rect.move_ip(3, 3)
            self.rect = self.rect.copy()
            self.position = 3, 3
            self.sprite.rotation += 3
            self.layer = 3
            super().update(dt)
    """,
    "made when it is first asked for": """
        def __init__(self): self._sounds, self._words, self._pictures = {}, {}, {}
        @functools.cached_property
        def mask(self): return object()
        def picture(self, name):
            if name not in self._pictures:
                self._pictures[name] = object()
            return self._pictures[name]
        def sound(self, name):
            sound = self._sounds.get(name)
            if sound is None:
                sound = self._sounds[name] = object()
            return sound
        def word(self, name):
            try:
                return self._words[name]
            except KeyError:
                self._words[name] = word = object()
                return word
        def forget(self): del self.mask
    """,
    "taken of the moment, and again in each life (PooledSprite)": """
        def __init__(self):
            super().__init__(pygame.Surface((3, 3)))
            self.born = pygame.time.get_ticks()
            self.dice = random.Random(3)
            self.rect.x = random.randrange(9)
            self.step = random.random()
            self.speed = random.random()  # poolkit: kept
            self.image = random.choice([self.image])
        def spawned(self, born=None):
            self.born = pygame.time.get_ticks() if born is None else born
        def update(self, dt):
            self.step = dt
            self.rect.x += self.step
    """,
    "fonts and sounds, loaded when they are first needed": """
        font = title = noise = None
        def update(self):
            if self.font is None:
                self.font = pygame.font.Font(None, 12)
            if self.title is None:
                self.title = pygame.font.SysFont("serif", 12)
            if self.noise is None:
                self.noise = pygame.mixer.Sound("noise.ogg")
    """,
    "reset by what a part does to itself": """
        def __init__(self): self.stats = Stats()
        def spawned(self): self.stats.zero()
        def hit(self): self.stats.hits += 1
    """,
    "odd calls": """
        def spawned(self, pair=("x", 3)):
            self.x = 0
            setattr(self, *pair)
            self.scope.callback(self.undo())
            self.scope.callback(*[self.undo()])
            self.scope.callback(functools.partial(setattr, self, "hat", None))
            [each for each in () for self.y in each]
        def undo(self): return lambda: self.x
        def wear(self): self.hat = self.x = self.y = 3
    """,
    "kept by a part": """
        def __init__(self): self.career = Career()
        def win(self):
            self.career.wins += 1
            self.career.titles.append("champion")
    """,
    "fields of a dataclass": """
        maximum: int = 30
        log: list[str] = field(default_factory=list)
        current: int = field(init=False, default=30)
        def spawned(self):
            self.current = self.maximum
            del self.log[:]
        def hit(self):
            self.log.append("hit")
            self.current -= 1
    """,
}


def it(name: str, body: str) -> tuple[Any, list[str]]:
    """Return the class of a case, and the lines of its file."""
    bases = re.search(r"\((.*)\)", name)
    decorator = "@dataclass\n" if "dataclass" in name else ""
    text = f"{PARTS}\n{decorator}class It({bases[1] if bases else 'IPoolableComponent'}):"
    game = module(text + textwrap.indent(textwrap.dedent(body), "    "))
    return game.It, Path(game.__file__).read_text().splitlines()


@pytest.mark.parametrize("name", LEAKS)
def test_reading_finds_what_no_hook_resets(name: str) -> None:
    kind, lines = it(name, LEAKS[name])
    expected = {
        (number, re.sub("|".join(SHORT), lambda found: SHORT[found[0]], problem))
        for number, line in enumerate(lines, 1)
        for problem in line.partition("  # ")[2].split(" / ")
        if " is " in problem or " ONCE " in problem
    }
    leaks = unplayed_leaks([kind])
    assert {(leak.line, re.sub(r"line \d+", "line N", leak.problem)) for leak in leaks} == expected
    if name.startswith("a body"):
        assert "attach a ResetPooledBodyComponent()" in leaks[0].hint


@pytest.mark.parametrize("name", CLEAN)
def test_reading_finds_nothing_in_a_clean_class(name: str) -> None:
    assert problems(it(name, CLEAN[name])[0]) == []
