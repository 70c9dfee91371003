"""Prefabs that leak nothing, as games have them: `shapes`, written as in `leaky_shapes`."""

from __future__ import annotations

from leaky_shapes import HEAD, written

shapes = written(
    "clean",
    HEAD
    + '''
living = []
world.space.gravity = (0, 500)

class ResetAtSpawn(Thing):  # live: it.update(0.1)
    def spawned(self, target=None):
        self.health = 3
        self.target = pools.handle(target) if target else None
        self.loot = []
    def update(self, dt):
        self.health -= int(dt > 0)
        self.loot.append("x")
        self.rotation += 5
        self.position = (40, 3)
        self.image = pygame.Surface((3, 3))

class ResetByHelpers(Thing):  # live: it.hit()
    def __init__(self):
        super().__init__()
        self.reset()
    def spawned(self):
        self.reset()
    def reset(self):
        self._heal()
        self.mood = "calm"
    def _heal(self):
        self.current = 30
    def hit(self):
        self.current -= 1
        self.mood = "angry"

class Mover(IPoolableComponent):
    def spawned(self, facing=1):
        self.facing = facing
    def turn(self):
        self.facing = -self.facing

class Hop(Mover):
    def spawned(self, facing=1):
        super().spawned(facing)
        self.height = 0.0
    def update(self, dt):
        self.height += dt

class Bar(IPoolableComponent):
    """Its sprite calls what resets it."""
    def show(self, width):
        self.width = width
        self.color = "red"
    def flash(self):
        self.color = "white"
        self.width += 1

class WithComponents(Thing):  # live: (it.mover.turn(), it.mover.update(0.1), it.bar.flash())
    def __init__(self):
        super().__init__()
        self.mover = self.add_component(Hop())
        self.bar = self.add_component(Bar())
    def spawned(self):
        self.bar.show(0)

class ResetIfNeeded(Thing):  # live: it.arm()
    timer = None
    def despawned(self):
        if self.timer is not None:
            self.timer()
            self.timer = None
    def arm(self):
        self.timer = self.scope.after(3, self.kill)

class ScopedReset(Thing):  # live: it.anger()
    angry = dazed = False
    def spawned(self):
        self.scope.callback(self.calm)
        self.scope.callback(lambda: setattr(self, "dazed", False))
    def calm(self):
        self.angry = False
    def anger(self):
        self.angry = self.dazed = True

class InGroupsByAnotherName(Thing):  # live:
    def __init__(self):
        super().__init__()
        self.groups = PooledGroup(), PooledGroup()
    def spawned(self):
        self.add(*self.groups)

class LazyFont(Thing):  # live: it.draw_name()
    _font = None
    def draw_name(self):
        if self._font is None:
            pygame.font.init()
            self._font = pygame.font.Font(None, 12)
        assert self._font.size("orc")

class Scratch(Thing):  # live: it.update(0.1)
    """What is written before each use."""
    def update(self, dt):
        self.step = 3 * dt
        self.near = []
        self.near.append(self.step)
        self.position = (self.step, 0)

class KeptByComment(Thing):  # live: (it.score(), it.train())
    def __init__(self):
        super().__init__()
        self.best = 0  # poolkit: kept - the record of all lives
        self.log = []  # poolkit: kept
        self.games = 0
    def score(self):
        self.best = max(self.best, 7)
        self.log.append("scored")
        self.games += 1  # poolkit: kept
    def train(self):  # poolkit: kept
        self.strength = 3

class KeptByName(Thing):  # live: it.remember()
    audit_ignore = ("best", "memory.*")
    def __init__(self):
        super().__init__()
        self.best = 0
        self.memory = Stats()
    def remember(self):
        self.best = 9
        self.memory.strength = 1
        self.memory.wounds.append(1)

class RandomStart(Thing):  # live: it.update(0.1)
    def spawned(self):
        self.side = random.choice((-1, 1))
        self.path = [random.randrange(9) for _ in range(random.randrange(4))]
    def update(self, dt):
        self.side += dt

class Registered(Thing):  # live:
    everyone: ClassVar = set()
    def spawned(self):
        living.append(self)
        self.everyone.add(self)
    def despawned(self):
        living.remove(self)
        self.everyone.discard(self)

class CachedTurns(Thing):  # live: it.look(45)
    turned = {}
    def look(self, degrees):
        if degrees not in self.turned:
            self.turned[degrees] = pygame.transform.rotate(self.image, degrees)
        self.image = self.turned[degrees]

class Bouncing(ResetBall):  # live: (it.jump(), world.step(0.1))
    def jump(self):
        self.body.velocity = (0, -300)
        self.body.angular_velocity += 1
        self.body.mass = 100
        self.shape.friction = 0

class Hat(PooledSprite):
    def spawned(self):
        self.tilt = 0
    def knock(self):
        self.tilt = 5
        self.position = (3, 3)

class Parts(Thing):  # live: (it.hat.knock(), it.children[1].kill())
    def __init__(self):
        super().__init__()
        self.hat = Hat()
        self.add_child(self.hat, (0, -8))
        self.add_child(Hat(), (0, -12), follow_rotation=False)

class SpawnsAnother(Thing):  # live: setattr(it, "bar", None)
    def spawned(self):
        self.bar = pools.spawn(Hat, parent=self)
    def despawned(self):
        pools.spawn(Hat)

class Cycles(Thing):  # live:
    def __init__(self):
        super().__init__()
        self.ring = [self]
        self.ring.append(self.ring)
        self.back = weakref.ref(self)
        self.methods = [self.kill, self.update]
        self.calls = {"later": functools.partial(self.move, by=3)}
        self.fn = lambda: self
    def move(self, by):
        pass

class Resources(Thing):  # live: (it.clock.tick(), it.double.kill())
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
        self.log = logging.getLogger("game")
        self.clock = pygame.Clock()
        self.double = unittest.mock.Mock(spec=PooledSprite)
        self.proxy = weakref.proxy(self)

class Rounds(Thing):  # live: it.round()
    speed = 0.3
    count = 3
    def round(self):
        self.speed = 0.1 + 0.2
        self.count = 3.0

class Mood(enum.Enum):
    CALM = 1

class Assorted(Thing):  # live: vars(it).update(it.made())
    """Values of many kinds, built anew."""
    def __init__(self):
        super().__init__()
        self.__secret = 10**400
        self.dice = random.Random(3)
        vars(self).update(self.made())
    def made(self):
        moods = {(1, 2.0): Mood.CALM, 1.5: Thing, "x": math, 3: bytearray(b"y")}
        return {"outline": pygame.Mask((3, 3)), "moods": moods, "big": 10**400}

class CachedProperty(Thing):  # live: it.table["radius"][0]
    @functools.cached_property
    def table(self):
        return {"radius": [4, math.nan]}

class Setter(Thing):  # live: it.hit()
    def spawned(self):
        self.current = 30
    @property
    def current(self):
        return self._current
    @current.setter
    def current(self, value):
        self._current = max(0, value)
    health = current
    def hit(self):
        self.health -= 1

class Vectors(Thing):  # live: it.update(0.1)
    def __init__(self):
        super().__init__()
        self.velocity = pygame.Vector2()
        self.heading = pygame.Vector2(1, 0)
    def spawned(self, velocity=(0, 0)):
        self.velocity.update(velocity)
        self.heading.xy = 1, 0
    def update(self, dt):
        self.velocity.y += dt
        self.heading.rotate_ip(dt)

class Odd(Thing):  # live:
    """Compares itself, and answers, in its own way."""
    def __eq__(self, other):
        raise RuntimeError
    def __hash__(self):
        return 1
    def __len__(self):
        raise RuntimeError
    @property
    def broken(self):
        raise RuntimeError
''',
)
