"""What is written over the play: one announcement and one lesson at a time."""

import pygame

from rabbits.kept import kept

KEYS = {  # of each action; lessons name the first
    "left": (pygame.K_a, pygame.K_LEFT),
    "right": (pygame.K_d, pygame.K_RIGHT),
    "jump": (pygame.K_w, pygame.K_UP, pygame.K_SPACE),
    "throw": (pygame.K_x, pygame.K_j, pygame.K_LCTRL, pygame.K_RCTRL),
    "steep": (pygame.K_s, pygame.K_DOWN),
}
LESSONS = {
    "run": "{left} and {right} run, {jump} jumps: the longer, the higher",
    "throw": "The mouse aims and throws. Or {throw}: ahead, with {steep} steeply",
    "stomp": "Landing on a rabbit's head hurts it, too",
    "charge": "Out of charge! Phones recharge fast while you don't throw",
    "fast": "fast: you throw and charge twice as quickly",
    "triple": "triple: three phones for the charge of one",
    "shield": "shield: the next bite does no harm",
    "heart": "a heart: one more life",
    "digger": "This one digs until it is below you: don't stand still",
    "ears": "Nothing hurts it while it has ears: shoot them first",
    "slider": "It lies down before it slides: jump over it",
    "pelter": "Its snowballs fly to where you are now. You can shoot them",
    "tin": "Its breastplate is in front. Jump on it, or hit it from behind",
    "drone": "It drops bolts when it is above you",
}


class Words:
    """A text that is shown for some seconds, or until the next one."""

    def __init__(self, seconds: float) -> None:
        self.text, self.seconds, self.age = "", seconds, 0.0

    def say(self, text: str) -> None:
        """Show a text from now on."""
        self.text, self.age = text, 0.0

    def update(self, dt: float) -> None:
        """Let time pass."""
        self.age += dt
        if self.age > self.seconds:
            self.text = ""


banner, lesson = Words(2.0), Words(6.0)
announce = banner.say


def keys_for(action: str) -> tuple[int, ...]:
    """Return the keys for an action: the one that the player chose, or the usual ones."""
    return (kept.keys[action],) if action in kept.keys else KEYS[action]


def key_name(action: str) -> str:
    """Return the name of the key for an action."""
    return pygame.key.name(keys_for(action)[0]).upper() or "?"


def teach(name: str) -> bool:
    """Give a lesson once, but not while another is being read; return whether it was given."""
    if name in kept.lessons or (lesson.text and lesson.age < 2.5):
        return False
    kept.lessons.append(name)
    lesson.say(LESSONS[name].format(**{action: key_name(action) for action in KEYS}))
    return True
