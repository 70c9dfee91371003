"""Reports tell what the surfaces of a pool hold, and which lives its game has lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import PooledGroup, PooledSprite, PoolingSystem, Prefab
from poolkit.core.seams import surface_size_fns
from poolkit.sprites.records import bytes_shown

if TYPE_CHECKING:
    from collections.abc import Callable

SHEET = pygame.Surface((64, 16), pygame.SRCALPHA)
SHEET_BYTES = 64 * 16 * 4
PICTURE = SHEET.subsurface((16, 0, 16, 16))


class Orc(PooledSprite):
    def __init__(self) -> None:
        super().__init__(PICTURE)


class Banner(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((10, 10), pygame.SRCALPHA))
        self.add_child(PooledSprite(pygame.Surface((2, 2), pygame.SRCALPHA)), (0, 0))


class Plain(pygame.sprite.Sprite):
    image = pygame.Surface((4, 4), pygame.SRCALPHA)
    rect = pygame.FRect(0, 0, 4, 4)


class Unhashable(pygame.Surface):
    __hash__ = None  # type: ignore[assignment]


class Thing:
    image = SHEET


@pytest.mark.parametrize(
    ("factory", "angles", "expected"),
    [
        (Orc, [0] * 9, SHEET_BYTES),  # cut out of one sheet
        (Orc, [0, 90, 90, 180], SHEET_BYTES + 2 * 16 * 16 * 4),  # turned ones once each, besides
        (Banner, [0] * 3, 3 * 4 * (10 * 10 + 2 * 2)),  # each draws its own, its part as well
        (Plain, [0, 0], 4 * 4 * 4),
        (lambda: PooledSprite(Unhashable((4, 4), pygame.SRCALPHA)), [0, 0], 2 * 4 * 4 * 4),
        (PooledSprite, [0, 0], 0),
        (Thing, [0, 0], 0),  # no sprite: what its image is for, nobody knows
    ],
)
def test_a_report_tells_what_the_surfaces_of_a_pool_hold(
    system: PoolingSystem, factory: Callable[[], object], angles: list[int], expected: int
) -> None:
    prefab = Prefab(factory, name="it")
    system.prespawn(prefab, len(angles))
    for angle in angles[1:]:
        system.spawn(prefab, rotation=angle)
    assert system.report()["it"].surface_bytes == expected
    assert surface_size_fns.count(bytes_shown) == 1


def test_the_closed_screen_holds_nothing(system: PoolingSystem) -> None:
    pygame.display.init()
    screen = pygame.display.set_mode((32, 32))
    system.spawn(Prefab(lambda: PooledSprite(screen), name="it"))
    pygame.display.quit()
    assert system.report()["it"].surface_bytes == 0


@pytest.mark.parametrize("kind", [Orc, Plain])
def test_lives_that_were_lost_from_their_groups_are_no_reason_to_prespawn(
    system: PoolingSystem, kind: type[pygame.sprite.Sprite]
) -> None:
    game, other = PooledGroup[Any](), pygame.sprite.Group[Any]()
    orc = Prefab(kind, name="orc", groups=[game])
    for name in ("named", "joined"):
        system.register(Prefab(kind, name=name))
    asked = Prefab(kind, name="asked", groups=lambda: [game])
    for _ in range(10):
        system.spawn_many(orc, [(0, 0)] * 30)
        system.spawn(asked)
        system.spawn("named", groups=[game, other])
        system.spawn("joined").add(game)
        game.empty()
        other.empty()
    other.add(system.spawn(orc), *list(system.pool(orc).active)[:5])  # these are in some group
    system.spawn_many(Prefab(kind, name="loner"), [(0, 0)] * 3)  # it belongs in none
    report = system.report()
    names = ("orc", "asked", "named", "joined", "loner")
    assert [report[name].groupless for name in names] == [295, 10, 10, 10, 0]
    found = "295 are alive in no group: end them with kill(), then ask again"
    assert report["orc"].advice == f"orc: 0 prespawned, 301 ever used; {found}"
    assert report["loner"].advice == "loner: 0 prespawned, 3 ever used, 3 made late; 4 would do"
    system.despawn_where(lambda life: not life.groups())
    assert [report.groupless for report in system.report()] == [0] * 5
