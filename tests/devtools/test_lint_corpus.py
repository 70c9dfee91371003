"""What the lint finds, and what it must say nothing about: methods of a class, a case each.

The shapes of `leaky_shapes` and `clean_shapes` are read as well, by `test_audit_shapes`.
"""

from __future__ import annotations

import importlib
import re
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from poolkit.devtools import lint

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """
import contextlib, functools
from dataclasses import dataclass, field
import pygame, pymunk
from poolkit import IPoolableComponent, PooledSprite
from poolkit.physics import PhysicsWorld, RigidBody

def loudly(method):  # a decorator that hides what it decorates
    def wrapper(self):
        method(self)
    return wrapper

class Score:
    def __init__(self):
        self.kills = 0
    def reset(self):
        self.kills = 0

class Career:
    audit_ignore = "wins"
    def __init__(self):
        self.wins = 0
        self.titles = []  # poolkit: kept

class Armour(IPoolableComponent):
    def __init__(self):
        self.strength = 10

class Mover(IPoolableComponent):
    def __init__(self):
        self.facing = 1
    def spawned(self):
        self.facing = 1
    def turn(self):
        self.facing = -1

class Crouching:  # no hooks
    crouched = False
    def crouch(self):
        self.crouched = True
"""

SHORT = {
    "~": "but reset in neither spawned nor despawned",
    "SELDOM": "but reset in spawned only under a condition (line N)",
    "ELSE": "only under a condition: else it is what the life before left",
    "FROM": "from what the life before left, for no hook resets it",
}
# A class's bases and body; a comment on a line that leaks is what is said of it, in `SHORT`.
LEAKS = {
    "unpacked": """
        def move(self, place):
            a, b = place
            self.x, (self.y, *_) = a, b  # It.x is set in move(), ~ / It.y is set in move(), ~
    """,
    "by another name": """
        angry = False
        def __init__(self): self.targets = []
        def anger(self, target):
            me = self
            targets = self.targets
            me.angry = True  # It.angry is set in anger(), ~
            targets.append(target)  # It.targets is changed by append() in anger(), ~
    """,
    "counted in a hook": """
        lives = 0
        def spawned(self):
            self.lives += 1  # It.lives is changed in spawned() FROM
    """,
    "one branch": """
        dazed = False
        def hit(self): self.dazed = True  # It.dazed is set in hit(), SELDOM
        def spawned(self, reason):
            if reason == "kill":
                self.dazed = False
    """,
    "a reset that comes late": """
        dazed = False
        def hit(self):
            self.dazed = True  # It.dazed is set in hit(), ~
            self.scope.after(0.3, self.recover)
        def recover(self): self.dazed = False
    """,
    "in a function": """
        def __init__(self, listen):
            def anger():
                self.angry = True  # It.angry is set in __init__(), ~
            listen(anger)
    """,
    "by a setter": """
        def __init__(self): self._value = 3
        @property
        def value(self): return self._value
        @value.setter
        def value(self, value): self._value = value  # It._value is set in the setter of value, ~
    """,
    "decorated": """
        current = 30
        @loudly
        def hit(self): self.current -= 1  # It.current is changed in hit(), ~
        @functools.lru_cache
        def sulk(self): self.mood = "bad"  # It.mood is set in sulk(), ~
    """,
    "of a part": """
        def __init__(self): self.score = Score()
        def win(self): self.score.kills += 1  # It.score.kills is changed in win(), ~
    """,
    "of a component (PooledSprite)": """
        def __init__(self):
            super().__init__()
            self.armour = self.add_component(Armour())
        def hit(self): self.armour.strength -= 1  # It.armour.strength is changed in hit(), ~
    """,
    "a body (PooledSprite)": """
        def __init__(self):
            super().__init__()
            self.body = pymunk.Body(1, 1)
            self.add_component(RigidBody(PhysicsWorld(), self.body, pymunk.Circle(self.body, 3)))
        def jump(self): self.body.velocity = (0, -300)  # It.body.velocity is set in jump(), ~
    """,
    "no memo, for nobody asks for it": """
        target = None
        def update(self):
            if self.target is None:
                self.target = object()  # It.target is set in update(), ~
    """,
    "no super (Armour)": """
        def spawned(self): self.speed = 3
        def wear(self): self.strength -= 1  # It.strength is changed in wear(), ~
    """,
}
HINTS = {
    "decorated": "in spawned: self.current = 30, or say # poolkit: kept",
    "a body": "attach a ResetPooledBodyComponent()",
}

CLEAN = {
    "a branch that raises": """
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
    "a mixin (Crouching, Mover)": """
        def despawned(self): self.crouched = False
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
            self.log.clear()
        def hit(self):
            self.log.append("hit")
            self.current -= 1
    """,
}


def written(name: str, body: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the class of a case, written to a file and imported, and the lines of that file."""
    bases = re.search(r"\((.*)\)", name)
    decorator = "@dataclass\n" if "dataclass" in name else ""
    text = f"{HEAD}\n{decorator}class It({bases[1] if bases else 'IPoolableComponent'}):"
    module = f"corpus_{abs(hash(name))}"
    (folder / f"{module}.py").write_text(text + textwrap.indent(textwrap.dedent(body), "    "))
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()
    monkeypatch.setitem(sys.modules, module, importlib.import_module(module))
    return sys.modules[module].It, (folder / f"{module}.py").read_text().splitlines()


@pytest.mark.parametrize("name", LEAKS)
def test_n01_the_lint_finds_what_no_hook_resets(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, lines = written(name, LEAKS[name], tmp_path, monkeypatch)
    expected = {
        (number, re.sub("|".join(SHORT), lambda found: SHORT[found[0]], problem))
        for number, line in enumerate(lines, 1)
        for problem in line.partition("  # ")[2].split(" / ")
        if " is " in problem
    }
    report = lint(kind)
    found = {(each.line, re.sub(r"line \d+", "line N", each.problem)) for each in report.findings}
    assert found == expected
    assert all(each.certain != (" condition" in each.problem) for each in report.findings)
    hints = {word: hint for word, hint in HINTS.items() if word in name}
    assert [hint in report.findings[0].hint for hint in hints.values()] == [True] * len(hints)
    assert not report.ok


@pytest.mark.parametrize("name", CLEAN)
def test_n01_the_lint_says_nothing_of_a_clean_class(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, _ = written(name, CLEAN[name], tmp_path, monkeypatch)
    report = lint(kind)
    assert str(report).endswith("nothing found")
    assert "It" in report.classes
