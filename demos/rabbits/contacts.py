"""What happens when two of them touch. In here, too, anything may be spawned and killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit import pools
from rabbits.backdrop import Solid
from rabbits.boss import Carrot
from rabbits.dinosaur import Dinosaur
from rabbits.effects import shout, spark
from rabbits.enemies import Enemy
from rabbits.phones import Phone
from rabbits.powerups import PowerUp
from rabbits.stage import camera, world
from rabbits.tally import tally

if TYPE_CHECKING:
    import pymunk


def phone_on_solid(phone: Phone, solid: Solid, arbiter: pymunk.Arbiter) -> None:
    """Bounce."""
    del solid, arbiter
    phone.knock()


def phone_on_enemy(phone: Phone, enemy: Enemy, arbiter: pymunk.Arbiter) -> None:
    """Hurt the enemy. Each further victim of one throw brings more."""
    del arbiter
    pools.spawn(spark, phone.position)
    place = enemy.position
    points = enemy.hit()
    if not enemy.active:
        phone.victims += 1
        points *= phone.victims
    tally.score += points
    shout(f"{points or 'clonk'}", place, "#ffe45c" if phone.victims > 1 else "white")
    phone.knock()


def dinosaur_on_enemy(dinosaur: Dinosaur, enemy: Enemy, arbiter: pymunk.Arbiter) -> bool:
    """Jump on its head, or be hit; then pass through each other, for that is what False says."""
    del arbiter
    is_above = dinosaur.body.velocity.y > 60 and dinosaur.rect.bottom < enemy.rect.centery + 6
    if is_above and enemy.has_soft_head:
        dinosaur.bounce()
        camera.shake(3)
        points = enemy.hit()
        tally.score += points
        shout(f"{points}", enemy.position, "#c0f8c0")
    else:
        dinosaur.hit(dinosaur.position.x - enemy.position.x)
    return False


def dinosaur_on_powerup(dinosaur: Dinosaur, powerup: PowerUp, arbiter: pymunk.Arbiter) -> bool:
    """Take what is in it."""
    del arbiter
    dinosaur.gain(powerup.kind)
    powerup.kill()
    return False


def carrot_on_solid(carrot: Carrot, solid: Solid, arbiter: pymunk.Arbiter) -> None:
    """Burst."""
    del solid, arbiter
    carrot.hit()


def watch_contacts() -> None:
    """Have these called for sprites of the classes, and of all that derive from them."""
    world.on_contact(Phone, Solid, phone_on_solid)
    world.on_contact(Phone, Enemy, phone_on_enemy)
    world.on_contact(Dinosaur, Enemy, dinosaur_on_enemy)
    world.on_contact(Dinosaur, PowerUp, dinosaur_on_powerup)
    world.on_contact(Carrot, Solid, carrot_on_solid)
