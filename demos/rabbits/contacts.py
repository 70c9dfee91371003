"""What happens when two of them touch. In here anything may be spawned and killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit import pools
from rabbits.backdrop import Solid
from rabbits.boss import Boss, Carrot
from rabbits.dinosaur import Dinosaur
from rabbits.effects import burst, shout, spark
from rabbits.phones import Phone
from rabbits.powerups import PowerUp
from rabbits.rabbits import Rabbit
from rabbits.stage import camera, world
from rabbits.tally import tally

if TYPE_CHECKING:
    import pymunk

__all__ = ["watch_contacts"]


def phone_on_ground(phone: Phone, ground: Solid, arbiter: pymunk.Arbiter) -> None:
    """Bounce."""
    del ground, arbiter
    phone.knock()


def phone_on_rabbit(phone: Phone, rabbit: Rabbit, arbiter: pymunk.Arbiter) -> None:
    """Hurt the rabbit. Each further victim of one throw brings more."""
    del arbiter
    burst(spark, phone.position)
    place = rabbit.position
    points = rabbit.hit()
    if not rabbit.active:
        phone.victims += 1
        points *= phone.victims
    tally.score += points
    shout(f"{points}", place, "#ffe45c" if phone.victims > 1 else "white")
    phone.knock()


def phone_on_boss(phone: Phone, boss: Boss, arbiter: pymunk.Arbiter) -> None:
    """Hurt the boss, if it has no ears any more."""
    del arbiter
    burst(spark, phone.position)
    points = boss.hit()
    tally.score += points
    shout(f"{points}" if points else "clonk", phone.position, "white" if points else "#8890b8")
    phone.knock()


def phone_on_carrot(phone: Phone, carrot: Carrot, arbiter: pymunk.Arbiter) -> None:
    """Stop the carrot."""
    del arbiter
    tally.score += 25
    shout("25", carrot.position)
    carrot.burst()
    phone.knock()


def dinosaur_on_rabbit(dinosaur: Dinosaur, rabbit: Rabbit, arbiter: pymunk.Arbiter) -> bool:
    """Jump on its head, or be bitten; then walk through each other."""
    del arbiter
    if dinosaur.body.velocity.y > 60 and dinosaur.rect.bottom < rabbit.rect.centery + 6:
        points = rabbit.hit()
        tally.score += points
        shout(f"{points}", rabbit.position, "#c0f8c0")
        camera.shake(3)
        dinosaur.bounce()
    else:
        dinosaur.hit(dinosaur.position.x - rabbit.position.x)
    return False


def dinosaur_on_boss(dinosaur: Dinosaur, boss: Boss, arbiter: pymunk.Arbiter) -> bool:
    """Be bitten."""
    del arbiter
    dinosaur.hit(dinosaur.position.x - boss.position.x)
    return False


def dinosaur_on_carrot(dinosaur: Dinosaur, carrot: Carrot, arbiter: pymunk.Arbiter) -> bool:
    """Be hit."""
    del arbiter
    carrot.burst()
    dinosaur.hit(dinosaur.position.x - carrot.position.x)
    return False


def carrot_on_ground(carrot: Carrot, ground: Solid, arbiter: pymunk.Arbiter) -> None:
    """Burst."""
    del ground, arbiter
    carrot.burst()


def dinosaur_on_powerup(dinosaur: Dinosaur, powerup: PowerUp, arbiter: pymunk.Arbiter) -> bool:
    """Take what is in it."""
    del arbiter
    dinosaur.gain(powerup.kind)
    pools.despawn(powerup)  # `powerup.kill()` by another name
    return False


def watch_contacts() -> None:
    """Let the world call these, for the classes that they name and all that derive from them."""
    world.on_contact(Phone, Solid, phone_on_ground)
    world.on_contact(Phone, Rabbit, phone_on_rabbit)
    world.on_contact(Phone, Boss, phone_on_boss)
    world.on_contact(Phone, Carrot, phone_on_carrot)
    world.on_contact(Dinosaur, Rabbit, dinosaur_on_rabbit)
    world.on_contact(Dinosaur, Boss, dinosaur_on_boss)
    world.on_contact(Dinosaur, Carrot, dinosaur_on_carrot)
    world.on_contact(Dinosaur, PowerUp, dinosaur_on_powerup)
    world.on_contact(Carrot, Solid, carrot_on_ground)
