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
    """Values of many kinds, built for each life."""
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

# -- parts of subclasses of PooledSprite, whose looks every spawn restores

class TurningHat(Hat):
    """Also a part: what a part of it looks like is its own to restore."""

class PartsOfASubclass(Thing):  # live: (it.tip(), it.show(), it.flip())
    def __init__(self):
        super().__init__()
        self.hat = self.add_child(TurningHat(), (0, -8))
        self.hats = [self.add_child(Hat(), (n, -8)) for n in range(3)]
    def tip(self):
        self.hat.rotation += 20
        self.hat.position = (5, 5)
        self.hat.rect.x += 3
    def show(self):
        self.hat.image = pygame.Surface((2, 2))
        self.hat.rect = self.hat.image.get_rect()
        self.hat.layer = 3
    def flip(self):
        for hat in self.hats:
            hat.image = pygame.Surface((4, 4))
            hat.rotation = 90
        self.hats[0].image = pygame.Surface((6, 6))

class PartOfAPart(Thing):  # live: it.body.wave()
    class Arm(PooledSprite):
        def __init__(self):
            super().__init__(pygame.Surface((2, 2)))
            self.hand = self.add_child(TurningHat(), (0, 0))
        def wave(self):
            self.hand.rotation += 10
            self.image = pygame.Surface((3, 3))
    def __init__(self):
        super().__init__()
        self.body = self.add_child(PartOfAPart.Arm(), (0, 0))

class Flag(PooledSprite, pygame.sprite.DirtySprite):
    def __init__(self):
        super().__init__(pygame.Surface((8, 8)))

class DirtyOne(Flag):  # live: it.blink()
    def blink(self):
        self.visible = 0
        self.dirty = 2
        self.blendmode = pygame.BLEND_ADD

class DirtyPart(Thing):  # live: it.hide()
    def __init__(self):
        super().__init__()
        self.flag = self.add_child(Flag(), (0, 0))
    def hide(self):
        self.flag.visible = 0

# -- helpers that are given the instance

DEFAULTS = {"hp": 30, "mood": "calm"}

def begin(orc, hp=30):
    orc.hp = hp
    orc.loot.clear()

def calm_down(orc):
    soothe(who=orc)

def soothe(who):
    who.mood = "calm"

def empty_all(stats, *more):
    stats.wounds.clear()
    stats.strength = 5

class HelpedByAFunction(Thing):  # live: it.hit()
    def __init__(self):
        super().__init__()
        self.loot = []
        begin(self)
    def spawned(self):
        begin(self, hp=30)
        calm_down(self)
    def hit(self):
        self.hp -= 3
        self.mood = "angry"
        self.loot.append(1)

class Director:
    def prepare(self, actor):
        actor.lines = 0
        outfit(actor, director=self)
    @staticmethod
    def light(actor):
        actor.lit = False
    @classmethod
    def seat(cls, actor):
        actor.seated = True

def outfit(actor, director):
    actor.hat = None

director = Director()

class HelpedByAnObject(Thing):  # live: it.act()
    def spawned(self):
        director.prepare(self)
        Director.light(self)
        Director.seat(self)
    def act(self):
        self.lines = 3
        self.hat = "top hat"
        self.lit = True
        self.seated = False

class Brain:
    def wake(self, owner):
        owner.idea = None
        owner.plans = []

class HelpedByItsBrain(Thing):  # live: it.think()
    def __init__(self):
        super().__init__()
        self.brain = Brain()
        self.brain.wake(self)
    def spawned(self):
        self.brain.wake(self)
    def think(self):
        self.idea = "run"
        self.plans.append("hide")

class HelpedByWhatIsHandedIn(Thing):  # live: it.hit()
    """Nobody knows what a stage is, but for the names of what it does."""
    def __init__(self, stage=director):
        super().__init__()
        self.stage = stage
    def spawned(self):
        self.stage.prepare(self)
    def hit(self):
        self.lines = 7

class PartsGivenToAHelper(Thing):  # live: it.wound()
    def __init__(self):
        super().__init__()
        self.stats = Stats()
    def despawned(self):
        empty_all(self.stats, 3)
    def wound(self):
        self.stats.wounds.append(1)
        self.stats.strength -= 1

class Undressed(Thing):
    def take_off(self):
        self.coat = None

class ByTheBasesOwnName(Undressed):  # live: it.dress()
    coat = None
    def despawned(self):
        Undressed.take_off(self)
    def dress(self):
        self.coat = "red"
    def take_off(self):
        pass

class LateHelp(Thing):  # live: it.hit()
    mood, hp = "calm", 30
    def spawned(self):
        self.loot = []
        self.scope.callback(functools.partial(begin, self))
        self.scope.callback(functools.partial(setattr, self, "mood", "calm"))
    def hit(self):
        self.hp = 3
        self.mood = "sad"

class ByItsConstructor(IPoolableComponent):
    def __init__(self, maximum=30):
        self.current = maximum
        self.log = []
    def spawned(self):
        self.__init__()
    def hit(self):
        self.current -= 1
        self.log.append("hit")

class WithSuchAPart(Thing):  # live: it.part.hit()
    def __init__(self):
        super().__init__()
        self.part = self.add_component(ByItsConstructor())

# -- setattr, and all attributes at once

class FromATable(Thing):  # live: it.hit()
    def __init__(self):
        super().__init__()
        self.__dict__.update(DEFAULTS)
    def spawned(self):
        for name, value in DEFAULTS.items():
            setattr(self, name, value)
    def hit(self):
        self.hp -= 1
        self.mood = "angry"

class FromItsDict(Thing):  # live: it.hit()
    def __init__(self):
        super().__init__()
        vars(self).update(DEFAULTS)
    def spawned(self):
        vars(self).update(DEFAULTS)
    def hit(self):
        self.hp -= 1

class SetByName(Thing):  # live: it.hit()
    hp = 30
    def __init__(self):
        super().__init__()
        self.mood = "calm"
    def despawned(self):
        self.mood = "calm"
    def spawned(self):
        setattr(self, "hp", 30)
        delattr(self, "mood")
        setattr(self, "mood", "calm")
    def hit(self):
        setattr(self, "hp", self.hp - 1)
        self.mood = "angry"

# -- containers

class Cleared(Thing):  # live: it.play()
    def __init__(self):
        super().__init__()
        self.loot, self.seen = [], set()
        self.counts = {"hits": 0}
        self.slots = [None, None]
        self.deck = collections.deque(range(3))
        self.grid = [[0, 0], [0, 0]]
        self.bag = {}
    def spawned(self):
        self.loot.clear()
        self.seen.clear()
        self.counts["hits"] = 0
        self.slots[0] = None
        self.slots[1] = None
        self.deck.clear()
        self.deck.extend(range(3))
        for row in self.grid:
            row[:] = 0, 0
        self.bag = {}
    def play(self):
        self.loot.append("coin")
        self.seen.add(3)
        self.counts["hits"] += 1
        self.slots[0] = "sword"
        self.deck.popleft()
        self.grid[1][0] = 3
        self.bag["coin"] = 1

class EachOfThem(Thing):  # live: it.fill()
    def __init__(self):
        super().__init__()
        self.boxes = [[], []]
        self.named = {"a": [], "b": []}
        self.rows = [[0], [0]]
    def despawned(self):
        for box in self.boxes:
            box.clear()
        for name, box in self.named.items():
            box.clear()
        [row.__setitem__(0, 0) for row in self.rows]
        for number, row in enumerate(self.rows):
            row[0] = 0
    def fill(self):
        self.boxes[1].append(3)
        self.named["a"].append(3)
        self.rows[0][0] = 7

class OnlyTheKeyThatChanges(Thing):  # live: it.count("hits")
    def __init__(self):
        super().__init__()
        self.counts = dict.fromkeys(("hits", "misses"), 0)
    def spawned(self):
        for key in self.counts:
            self.counts[key] = 0
    def count(self, what):
        self.counts[what] += 1

class SetToZero(Thing):  # live: (it.fall(0.1), it.glow())
    def __init__(self):
        super().__init__()
        self.velocity = pygame.Vector2()
        self.tint = pygame.Color("red")
        self.box = pygame.Rect(0, 0, 3, 3)
    def spawned(self):
        self.velocity.update(0, 0)
        self.tint.update("red")
        self.box.update(0, 0, 3, 3)
    def fall(self, dt):
        self.velocity += (0, 3)
        self.velocity.y += dt
        self.box.x += 1
    def glow(self):
        self.tint.r = 3
        self.tint = pygame.Color("blue")
        self.box.move_ip(3, 3)

# -- what is taken of the moment

class BornAgain(Thing):  # live: it.update(0.1)
    def __init__(self):
        super().__init__()
        self.born = pygame.time.get_ticks()
        self.luck = random.random()
        self.dice = random.Random(3)
        self.aim = time.monotonic()
        self.rect.x = random.randrange(100)
    def spawned(self, luck=None):
        self.begin()
        if luck is not None:
            self.aim = luck
        self.luck = random.random()
    def begin(self):
        self.born = pygame.time.get_ticks()
        self.aim = (0, 0)
    def update(self, dt):
        self.luck += dt

class NamedOnce(Thing):  # live:
    def __init__(self):
        super().__init__()
        self.key = random.random()  # poolkit: kept

# -- some more that games have

class Shielded(Thing):  # live: it.shield()
    shielded = False
    def shield(self):
        self.shielded = True
        self.scope.callback(self.unshield)
    def unshield(self):
        self.shielded = False

class Machine:
    def __init__(self):
        self.reset()
    def reset(self):
        self.state, self.since = "idle", 0.0
    def go(self, state):
        self.state = state
        self.since += 1

class WithAMachine(Thing):  # live: (it.machine.go("run"), it.scare())
    def __init__(self):
        super().__init__()
        self.machine = Machine()
    def spawned(self):
        self.machine.reset()
    def scare(self):
        self.machine.state = "flee"

class Tally(Thing):  # live: (it.count(), it.walk(), it.animate(0.1))
    def __init__(self):
        super().__init__()
        self.kills = collections.Counter()
    def spawned(self):
        self.kills.clear()
        self.path = [(0, 0), (3, 3)]
        self.frames = itertools.cycle("abc")
        self.stats = Stats()
    def count(self):
        self.kills["orc"] += 1
        self.kills.update(orc=3)
    def walk(self):
        self.path.pop(0)
        self.stats.strength -= 1
        self.stats.wounds.append(3)
    def animate(self, dt):
        self.frame = next(self.frames)
        assert self.frame and dt

class Paused(IPoolableComponent):
    """Its `update` is another one while it waits."""
    def spawned(self):
        self.update = self.walk
        self.waited = 0.0
    def walk(self, dt):
        self.waited += dt
        self.update = self.rest
    def rest(self, dt):
        self.waited -= dt
        self.update = self.walk

class WithPauses(Thing):  # live: it.pause.update(0.1)
    def __init__(self):
        super().__init__()
        self.pause = self.add_component(Paused())

class Marker(IPoolableComponent):
    """Resets what its sprite has."""
    def spawned(self):
        self.sprite.marks = []
        self.sprite.marked = False

class Marked(Thing):  # live: it.mark(3)
    def __init__(self):
        super().__init__()
        self.marker = self.add_component(Marker())
    def mark(self, number):
        self.marks.append(number)
        self.marked = True

# -- sprites that know their game

class World:
    def __init__(self):
        self.score, self.noise, self.rows = 0, [], [[0, 0], [0, 0]]
        self.seen = {}
    def count(self):
        self.score += 1
        self.noise.append("bang")

game = World()
grid = [[0, 0], [0, 0]]
bus = []

class HandedTheGame(Thing):  # live: it.die()
    def __init__(self, game=game):
        super().__init__()
        self.game = game
    def die(self):
        self.game.score += 1
        self.game.noise.append("bang")

class ThePlayerInTheClass(Thing):  # live: it.hit()
    player = game
    def hit(self):
        self.player.score -= 1
        self.player.rows[0][1] += 1

class HandedABus(Thing):  # live: it.tell()
    def __init__(self, bus=bus):
        super().__init__()
        self.bus = bus
    def tell(self):
        self.bus.append("told")

class ABusInTheClass(Thing):  # live: it.tell()
    bus = bus
    def tell(self):
        self.bus.append("told")

class Assets(Thing):  # live: it.load("orc")
    def __init__(self, assets=game.seen):
        super().__init__()
        self.assets = assets
    def load(self, name):
        self.assets[name] = len(self.assets)

class TheCameraOfTheGame(Thing):  # live: it.shake()
    def __init__(self):
        super().__init__()
        self.camera = game
    def shake(self):
        self.camera.power = 3
        self.camera.count()

class OnAGrid(Thing):  # live: it.step()
    grid = grid
    def __init__(self, rows=grid):
        super().__init__()
        self.rows = rows
    def step(self):
        self.grid[0][1] += 1
        self.rows[1][0] += 1

class Bell(IPoolableComponent):
    def __init__(self, game):
        self.game = game
    def ring(self):
        self.game.count()
        self.game.seen[len(self.game.seen)] = "bell"

class AComponentThatKnowsTheGame(Thing):  # live: it.bell.ring()
    def __init__(self):
        super().__init__()
        self.bell = self.add_component(Bell(game))

class KnowsItByAContext(Thing):  # live: it.die()
    context = {"game": game}
    def die(self):
        self.context["game"].count()

class SetByALambda(Thing):  # live: setattr(it, "hp", 3)
    hp = property(lambda self: self._hp, lambda s, v: setattr(s, "_hp", v))
    def spawned(self):
        self.hp = 30

class Fields(Thing):  # live: it.hit()
    hp: int = 30
    loot: list[list[str]] = [["club"]]
    speed: pygame.Vector2 = pygame.Vector2(3, 4)
    _anger: float = 0.0
    prey: "Fields | None" = None
    def hit(self):
        self.hp -= 1
        self.loot[0].append("axe")
        self.speed.x += 3
        self.speed.scale_to_length(2)
        self._anger += 0.5
        self.prey = self

@dataclass
class Mana(IPoolableComponent):
    most: int = 30
    spells: list[str] = field(default_factory=list)
    def cast(self):
        self.most -= 1
        self.spells.append("rain")

class FieldsOfComponents(Thing):  # live: it.mana.cast()
    def __init__(self):
        super().__init__()
        self.mana = self.add_component(Mana(50))

class Burns(IPoolableComponent):
    heat: int = 0
    def spawned(self):
        self.marks = []
    def burn(self):
        self.heat += 3
        self.marks.append(self.heat)

class Freezes(IPoolableComponent):
    def despawned(self):
        self.ice = 0
    def __init__(self):
        super().__init__()
        self.ice = 0
    def freeze(self):
        self.ice += 1

class Mixins(Burns, Freezes, Thing):  # live: (it.burn(), it.freeze())
    pass
''',
)
