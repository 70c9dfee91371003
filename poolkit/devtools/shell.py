"""The command line: ``python -m poolkit audit``, ``content``, ``demo`` and others."""

from __future__ import annotations

import _thread
import argparse
import ast
import contextlib
import importlib
import importlib.util
import io
import json
import os
import pkgutil
import re
import runpy
import signal
import sys
import threading
import traceback
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pygame

from poolkit.content import ContentError, PrefabFile
from poolkit.content.export import check_level, json_schema, tiled_types
from poolkit.core.errors import did_you_mean
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.prefab import Prefab
from poolkit.core.system import pools
from poolkit.devtools import RecordingError, ReplayDifference, audit, verdict
from poolkit.devtools.code import Source, is_of_the_game, source_of
from poolkit.devtools.gallery import show
from poolkit.devtools.new import new_game
from poolkit.devtools.recordings import play_again

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import ModuleType

_PROGRAM = "python -m poolkit"
_CLEAN, _LEAKS, _FAILED, _INTERRUPTED = 0, 1, 2, 130
_PACKAGE = Path(__file__).parents[1]
# As installed with poolkit-demos, and beside the package in a checkout.
_DEMOS = (_PACKAGE.parent / "poolkit_demos" / "demos", _PACKAGE.parent / "demos")


_CONTENT = "what: faults of files and levels; a JSON schema of the files; Tiled's custom types"


class ShellError(Exception):
    """A command can't be carried out; the message says why in a line."""


def _fail(why: str) -> NoReturn:
    raise ShellError(why)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the words after ``python -m poolkit``, and return the exit code.

    It is 1 if an audit found leaks or a replay differs, 2 with a line on the standard error if
    something can't be done, 130 after Ctrl-C, and else 0.
    """
    chosen = _parse(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names may have letters that the terminal lacks
    try:
        commands = {
            "demo": lambda: _play(chosen.name, chosen.options),
            "replay": lambda: _replay(chosen.file, chosen.target),
            "content": lambda: _content(chosen.action, chosen.target, chosen.levels),
            "show": lambda: _show(chosen.target, chosen.frames),
            "new": lambda: _new(chosen.folder, physics=chosen.physics),
        }
        code = commands.get(chosen.command, lambda: _try_each(chosen))()
    except ShellError as error:
        _complain(f"{chosen.command}: {error}")
        return _FAILED
    except ContentError as error:
        for fault in error.faults:
            _complain(f"{chosen.command}: {fault}")
        return _LEAKS if chosen.command == "content" else _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # the reader is gone, as after `| head`; drop the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    return code


# -- the words ------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(_FAILED, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(prog=_PROGRAM, description="Tools for games that pool sprites with poolkit.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(name: str, summary: str, example: str) -> argparse.ArgumentParser:
        epilog = f"example: {_PROGRAM} {name} {example}"
        return commands.add_parser(name, help=summary, description=summary, epilog=epilog)

    leaks = "find what one life leaves to the next; exit code: 0 clean, 1 leaks, 2 could not run"
    auditing = add("audit", leaks, "game.monsters:orc")
    auditing.add_argument("--seconds", type=float, help="how long it lives (default: 3)")
    kept = "an attribute that is kept from life to life, as health.best; may be given again"
    auditing.add_argument("--ignore", action="append", metavar="PATH", help=kept)
    pays = "measure whether pooling pays for a prefab, on this machine"
    judging = add("verdict", pays, "game/monsters.py:orc --heap 300000")
    alive = "how many other objects a full pass of the collector looks at (default: 100000)"
    judging.add_argument("--heap", type=int, help=alive)
    judging.add_argument("--rounds", type=int, help="how often to measure (default: 100)")
    target = (
        "a module by its dotted name or its file; after a colon one prefab of it, by its variable, "
        "its name, or its class"
    )
    data = "data that its spawned hooks require, as velocity=(3,0); may be given again"
    setup = "called first, to open the display or load images"
    for command in (auditing, judging):
        command.add_argument("target", metavar="MODULE[:PREFAB]", help=target)
        command.add_argument(
            "--data", action="append", type=_assignment, metavar="NAME=VALUE", help=data
        )
        command.add_argument("--setup", metavar="MODULE:FUNCTION", help=setup)
    again = "play a recording again; exit code: 0 as recorded, 1 it differs or crashes, 2 not run"
    replaying = add("replay", again, "crash.rec game.main:main")
    replaying.add_argument("file", metavar="FILE", help="what record(...) wrote")
    game = "plays the game; it takes the tape, or calls record(...) itself, which returns the tape"
    replaying.add_argument("target", metavar="MODULE:FUNCTION", help=game)
    content = add("content", "check prefabs in files, or tell editors of them", "check game:book")
    content.add_argument("action", choices=["check", "schema", "tiled"], help=_CONTENT)
    book = "the PrefabFile, or a function that returns it"
    content.add_argument("target", metavar="MODULE:BOOK", help=book)
    levels = "for check: files of Tiled (.tmx, .tmj) and LDtk (.ldtk)"
    content.add_argument("levels", nargs="*", metavar="LEVEL", help=levels)
    showing = add("show", "show all prefabs of files in a window, alive", "game:book")
    showing.add_argument("target", metavar="MODULE:BOOK", help=book)
    showing.add_argument("--frames", type=int, metavar="N", help="end after N frames")
    making = add("new", "make a folder with a small game, to begin with", "mygame --physics")
    making.add_argument("folder", metavar="FOLDER", type=Path, help="its name is the game's name")
    making.add_argument("--physics", action="store_true", help="its sprite has a pymunk body")
    demo = add("demo", "play a demo, or list the demos", "monsters --frames 300")
    demo.add_argument("name", nargs="?", metavar="NAME", help="which; without it they are listed")
    options = "for the demo, as --help"
    demo.add_argument("options", nargs=argparse.REMAINDER, metavar="...", help=options)
    return parser.parse_args(arguments)


def _assignment(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        message = f"{text!r} is not of the form NAME=VALUE, as velocity=(3,0)"
        raise argparse.ArgumentTypeError(message)
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value  # a text needs no quotation marks


# -- what the commands do -------------------------------------------------------------------------


def _try_each(chosen: argparse.Namespace) -> int:
    options = {"seconds", "ignore", "heap", "rounds"}
    given = {e: value for e, value in vars(chosen).items() if e in options and value is not None}
    data = dict(chosen.data) if chosen.data else None  # else the prefab's own sample_data
    codes = [_CLEAN]
    for name, prefab in named_prefabs(chosen.target, chosen.setup).items():
        try:
            if chosen.command == "audit":
                pools.reset()  # the module may have spawned, as a game that was left does
                report = audit(prefab, data=data, **given)
                text, code = str(report), _CLEAN if report.ok else _LEAKS
            else:
                found = verdict(prefab, data=data, system=pools, **given)  # which hooks use
                text, code = f"{found}\n{found.details}", _CLEAN
        except Exception as error:
            hint = ""
            if isinstance(error, pygame.error) and chosen.setup is None:
                hint = "; where it needs a display or images, name what prepares them with --setup"
            elif isinstance(error, TypeError) and " requires it" in str(error):
                hint = "; give it with --data, or as Prefab(sample_data=...)"
            _complain(f"{chosen.command}: {name} could not run: {_in_a_line(error)}{hint}")
            codes.append(_FAILED)
            continue
        print(text, flush=True)  # noqa: T201 - how a command speaks
        codes.append(code)
    return max(codes)


def _play(name: str | None, options: list[str]) -> int:
    folder = next((each for each in _DEMOS if (each / "shared").is_dir()), None)
    if folder is None:
        _fail("the demos are not installed: pip install poolkit-demos, or get them with the source")
    demos = {path.stem: path for path in folder.glob("[!_]*.py")}
    demos |= {path.parent.name: path for path in folder.glob("*/__main__.py")}
    if name is None:
        for each, path in sorted(demos.items()):
            text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
            summary, _, _ = text.partition("\n")
            print(f"{each:<{max(map(len, demos))}}  {summary}", flush=True)  # noqa: T201
        return 0
    if name not in demos:
        _fail(f"there is no demo {name!r}: {_hint_for(name, sorted(demos), 'the demos')}")
    sys.argv = [str(demos[name]), *options]
    sys.path.insert(0, str(folder))
    runpy.run_path(str(demos[name]), run_name="__main__")
    return 0


def _replay(file: str, target: str) -> int:
    name, _, function = target.rpartition(":")
    game = getattr(_import(name), function, None)
    if not callable(game):
        _fail(f"{target} names no function: write it as game.main:main")
    try:
        play_again(file, game)
    except RecordingError as error:
        _fail(str(error))
    except ReplayDifference as error:
        _complain(f"replay: {error}")
        return _LEAKS
    except SystemExit:
        pass
    except Exception:
        traceback.print_exc()  # usually the crash that was recorded
        return _LEAKS
    print(f"{file}: replayed as it was recorded", flush=True)  # noqa: T201 - how a command speaks
    return _CLEAN


def _content(action: str, target: str, levels: list[str]) -> int:
    _open_screen()
    book = _book(target)
    if action != "check":
        text = json.dumps(json_schema(book) if action == "schema" else tiled_types(book), indent=2)
        print(text, flush=True)  # noqa: T201 - how a command speaks
        return _CLEAN
    faults: list[str] = []
    for level in levels:
        found, left = check_level(Path(level), book)
        faults += found
        if left:
            print(f"{level}: no prefab: {', '.join(left)}", flush=True)  # noqa: T201 - as above
    if faults:
        raise ContentError(faults)
    print(f"{target}: {len(book)} prefabs, no fault", flush=True)  # noqa: T201 - as above
    return _CLEAN


def _show(target: str, frames: int | None) -> int:
    try:
        pygame.display.init()
    except pygame.error as error:
        _fail(f"a window needs a display: {error}")
    show(lambda: _book(target), frames)
    return _CLEAN


def _book(target: str) -> PrefabFile:
    name, _, variable = target.rpartition(":")
    book = getattr(_import(name), variable, None)
    if callable(book):
        book = book()
    if not isinstance(book, PrefabFile):
        _fail(f"{target} is not a PrefabFile or a function that returns one: write game:book")
    return book


def _new(folder: Path, *, physics: bool) -> int:
    try:
        files = new_game(folder, physics=physics)
    except FileExistsError:
        _fail(f"{folder} is there already: choose another name, or move it away")
    except (OSError, ValueError) as error:
        _fail(str(error))
    print(f"{folder}: {', '.join(files)}", flush=True)  # noqa: T201 - how a command speaks
    print(f"play it: cd {folder} && python main.py", flush=True)  # noqa: T201 - as above
    return _CLEAN


# -- finding prefabs ------------------------------------------------------------------------------


def named_prefabs(target: str, setup: str | None = None) -> dict[str, Any]:
    """Return the prefabs that ``MODULE[:PREFAB]`` means, by what to call them."""
    _open_screen()
    if setup is not None:
        _set_up(setup)
    # A drive's colon parts nothing.
    name, wanted = re.findall(r"(?s)^(.*?\.py|[^:]*)(?::(.*))?$", target)[0]
    before = set(pools.all_pools())
    module = _import(name)
    prefabs = _prefabs_of(module)
    prefabs += [(pool.name, pool.prefab) for pool in pools.all_pools() if pool not in before]
    meant: dict[str, Any] = {
        prefab.name: prefab
        for variable, prefab in prefabs
        if not wanted or wanted in {variable, prefab.name}
    }
    factory = getattr(module, wanted, None)
    if not meant and (callable(factory) or isinstance(factory, Prefab)):
        meant = {wanted: factory}
    if meant:
        return meant
    classes = [
        variable
        for variable, kind in vars(module).items()
        if isinstance(kind, type)
        and issubclass(kind, IPoolableComponent | pygame.sprite.Sprite)
        and kind.__module__ == module.__name__
    ]
    if not wanted:
        hint = f"; for a class write {name}:{classes[0]}" if classes else ""
        _fail(f"{name} defines no prefab: it needs a Prefab(...) at its top{hint}")
    names = [each for variable, prefab in prefabs for each in (variable, prefab.name)]
    hint = _hint_for(wanted, [*names, *classes], "its prefabs and classes")
    _fail(f"{name} has no prefab {wanted!r}: {hint}")


def _open_screen() -> None:
    """Open a hidden screen, for modules that convert their images at import."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
    if pygame.display.get_surface() is None:
        pygame.display.init()
        pygame.display.set_mode((640, 360), pygame.HIDDEN)


def _prefabs_of(module: ModuleType) -> list[tuple[str, Prefab[Any]]]:
    source = source_of(getattr(module, "__file__", None))
    nodes = ast.walk(ast.parse("".join(source.lines))) if isinstance(source, Source) else ()
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in froms for alias in node.names}
    found: list[tuple[str, Prefab[Any]]] = []
    for name, value in vars(module).items():
        if isinstance(value, Prefab) and name not in imported:
            found.append((name, value))
        elif type(value) in {dict, list, tuple} and name not in imported:
            held = value.values() if isinstance(value, dict) else value
            found += [(each.name, each) for each in held if type(each) is Prefab]
    return found


def _set_up(setup: str) -> None:
    name, _, function = setup.rpartition(":")
    call = getattr(_import(name), function, None)
    if not callable(call):
        _fail(f"--setup {setup} names no function: write it as game.main:load_images")
    try:
        call()
    except Exception as error:
        _fail(f"--setup {setup} raised {_in_a_line(error)}")


def _import(name: str) -> ModuleType:
    if not name:
        _fail("name a module, as in game.monsters:orc")
    if os.getcwd() not in sys.path:  # noqa: PTH109 - sys.path takes texts
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        with _time_limit(name):
            return _by_file(Path(name)) if name.endswith(".py") else importlib.import_module(name)
    except (KeyboardInterrupt, ShellError, ContentError):
        raise
    except SystemExit:
        _fail(f"importing {name} ends the program: {_GUARD}")
    except BaseException as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{name}.".startswith(f"{missing}."):  # or a package it is in
            parent, _, last = missing.rpartition(".")
            places = getattr(sys.modules.get(parent), "__path__", sys.path[:1])
            found = pkgutil.iter_modules(places)
            near = [each.name for each in found if PathFinder.find_spec(each.name, places)]
            _fail(f"there is no module {missing}: {_hint_for(last, near, 'modules there')}")
        _fail(f"{name} can't be imported: {_in_a_line(error)}")


_LONGEST_IMPORT = 30.0  # seconds: more than a loading screen takes


@contextlib.contextmanager
def _time_limit(name: str) -> Iterator[None]:
    """Give up on a module whose import doesn't end, as one that plays the game."""
    late, over = threading.Event(), threading.Event()

    def interrupt() -> None:  # again and again: code that swallows exceptions may be running
        while not over.wait(1.0 if late.is_set() else _LONGEST_IMPORT):
            late.set()
            _thread.interrupt_main()

    # Where Ctrl-C is ignored, as in the background of a script, so would the interrupt be.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        yield
    except KeyboardInterrupt:
        if late.is_set():
            _fail(f"importing {name} takes more than {_LONGEST_IMPORT:g} seconds: {_GUARD}")
        raise
    finally:
        over.set()
        signal.signal(signal.SIGINT, before)


_GUARD = "what plays the game belongs under if __name__ == '__main__':"


def _by_file(path: Path) -> ModuleType:
    if not path.is_file():
        near = [each.name for each in path.parent.glob("*.py") if each.is_file()]
        _fail(f"there is no file {path}: {_hint_for(path.name, near, 'files there')}")
    path = path.resolve()
    folder, names = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():  # in a package, whose relative imports need its name
        names.insert(0, folder.name)
        folder = folder.parent
    sys.path.insert(0, str(folder))
    module = importlib.import_module(".".join(names).removesuffix(".__init__"))
    if module.__file__ != str(path):  # another module has its name, as one of Python's own
        spec: Any = importlib.util.spec_from_file_location(f"_poolkit_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    return module


# -- what went wrong ------------------------------------------------------------------------------


def _complain(line: str) -> None:
    print(f"poolkit {line}", file=sys.stderr, flush=True)  # noqa: T201 - how a command speaks


def _hint_for(name: str, known: Iterable[str], what: str) -> str:
    names = [each for each in dict.fromkeys(known) if each != name]
    return did_you_mean(name, names, f"{what} are {', '.join(names) or 'none'}")


def _in_a_line(error: BaseException) -> str:
    """Return an exception as a line, with the place in the game's code that it came from."""
    said = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
    places = [
        f" ({Path(frame.filename).name}:{frame.lineno})"
        for frame in traceback.extract_tb(error.__traceback__)
        if is_of_the_game(frame.filename)
    ]
    return said + "".join(places[-1:])
