"""The command line: ``python -m poolkit audit``, ``content``, ``demo`` and others."""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import io
import json
import os
import re
import runpy
import sys
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pygame

from poolkit import scenes
from poolkit.content import ContentError, PrefabFile
from poolkit.content.export import check_level, json_schema, tiled_types
from poolkit.core.errors import did_you_mean
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.prefab import Prefab
from poolkit.core.system import pools
from poolkit.devtools import RecordingError, ReplayDifference, audit, enable_strict, record, verdict
from poolkit.devtools.code import in_a_line, source_of
from poolkit.devtools.gallery import show
from poolkit.devtools.new import new_game
from poolkit.devtools.recordings import play_again, with_tape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType

    _Add = Callable[..., Any]  # adds an argument to a command

_PROGRAM = "python -m poolkit"
_CLEAN, _LEAKS, _FAILED, _INTERRUPTED = 0, 1, 2, 130
_PACKAGE = Path(__file__).parents[1]
# As installed with poolkit-demos, and beside the package in a checkout.
_DEMOS = (_PACKAGE.parent / "poolkit_demos" / "demos", _PACKAGE.parent / "demos")


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
        code: int = chosen.run(chosen)
    except (ShellError, ContentError) as error:
        for fault in getattr(error, "faults", [error]):
            _complain(f"{chosen.command}: {fault}")
        is_found = isinstance(error, ContentError) and chosen.command == "content"
        return _LEAKS if is_found else _FAILED
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

    def add(name: str, run: Callable[[Any], int], summary: str, example: str) -> _Add:
        epilog = f"example: {_PROGRAM} {name} {example}"
        command = commands.add_parser(name, help=summary, description=summary, epilog=epilog)
        command.set_defaults(run=run)
        return command.add_argument

    _add_tools(add)
    _add_games(add)
    return parser.parse_args(arguments)


def _add_tools(add: Callable[..., _Add]) -> None:
    leaks = "find what one life leaves to the next; exit code: 0 clean, 1 leaks, 2 could not run"
    auditing = add("audit", _try_each, leaks, "game.monsters:orc")
    auditing("--seconds", type=float, default=3.0, help="how long it lives (default: 3)")
    kept = "an attribute that is kept from life to life, as health.best; may be given again"
    auditing("--ignore", action="append", default=[], metavar="PATH", help=kept)
    pays = "measure whether pooling pays for a prefab, on this machine"
    judging = add("verdict", _try_each, pays, "game/monsters.py:orc")
    judging("--rounds", type=int, default=100, help="how often to measure (default: 100)")
    target = (
        "a module by its dotted name or its file; after a colon one prefab of it, by its variable, "
        "its name, or its class"
    )
    data: Any = {"action": "append", "default": [], "type": _assignment, "metavar": "NAME=VALUE"}
    data["help"] = "data that its spawned hooks require, as velocity=(3,0); may be given again"
    setup = "called first, to open the display or load images"
    for argument in (auditing, judging):
        argument("target", metavar="MODULE[:PREFAB]", help=target)
        argument("--data", **data)
        argument("--setup", metavar="MODULE:FUNCTION", help=setup)
    codes = "0 as recorded, 1 it differs, leaves early or crashes, 2 not run"
    again = f"play a recording again; exit code: {codes}"
    replaying = add("replay", _replay, again, "crash.rec game.main:main")
    replaying("file", metavar="FILE", help="what record(...) wrote")
    playing = add("run", _run, "play a scene, or a game", "game:Title --record run.rec --strict")
    playing("--record", metavar="FILE", type=Path, help="record the run there, for replay")
    playing("--strict", action="store_true", help="find uses of instances whose life is over")
    game = (
        "a scene or its class; or a function that plays the game: it takes the tape, or calls "
        "record(...) itself, which returns the tape in a replay"
    )
    for argument in (replaying, playing):
        argument("target", metavar="MODULE:GAME", help=game)
        size = "width and height of a scene's picture, in pixels (default: 640x360)"
        argument("--size", type=_size, default=(640, 360), metavar="WxH", help=size)


def _add_games(add: Callable[..., _Add]) -> None:
    what = "what: faults of files and levels; a JSON schema of the files; Tiled's custom types"
    summary = "check prefabs in files, or tell editors of them"
    checking = add("content", _content, summary, "check game:book")
    checking("action", choices=["check", "schema", "tiled"], help=what)
    showing = add("show", _show, "show all prefabs of files in a window, alive", "game:book")
    for argument in (checking, showing):
        book = "the PrefabFile, or a function that returns it"
        argument("target", metavar="MODULE:BOOK", help=book)
    levels = "for check: files of Tiled (.tmx, .tmj) and LDtk (.ldtk)"
    checking("levels", nargs="*", metavar="LEVEL", help=levels)
    showing("--frames", type=int, metavar="N", help="end after N frames")
    making = add("new", _new, "make a folder with a small game, to begin with", "mygame --physics")
    making("folder", metavar="FOLDER", type=Path, help="its name is the game's name")
    making("--physics", action="store_true", help="its sprite has a pymunk body")
    playing = add("demo", _demo, "play a demo, or list the demos", "monsters --frames 300")
    playing("name", nargs="?", metavar="NAME", help="which; without it they are listed")
    options = "for the demo, as --help"
    playing("options", nargs=argparse.REMAINDER, metavar="...", help=options)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        message = f"{text!r} is not of the form WIDTHxHEIGHT, as 640x360"
        raise argparse.ArgumentTypeError(message)
    return int(width), int(height)


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
    data = dict(chosen.data) or None  # else the prefab's own sample_data
    codes = [_CLEAN]
    for name, prefab in named_prefabs(chosen.target, chosen.setup).items():
        try:
            if chosen.command == "audit":
                pools.reset()  # the module may have spawned, as a game that was left does
                report = audit(prefab, data=data, seconds=chosen.seconds, ignore=chosen.ignore)
                _say(str(report))
                codes.append(_CLEAN if report.ok else _LEAKS)
            else:
                _say(str(verdict(prefab, data=data, rounds=chosen.rounds, system=pools)))
        except Exception as error:
            hint = ""
            if isinstance(error, pygame.error) and chosen.setup is None:
                hint = "; where it needs a display or images, name what prepares them with --setup"
            elif isinstance(error, TypeError) and " requires it" in str(error):
                hint = "; give it with --data, or as Prefab(sample_data=...)"
            _complain(f"{chosen.command}: {name} could not run: {in_a_line(error)}{hint}")
            codes.append(_FAILED)
    return max(codes)


def _demo(chosen: argparse.Namespace) -> int:
    folder = next((demos for demos in _DEMOS if (demos / "shared").is_dir()), None)
    if folder is None:
        _fail("the demos are not installed: pip install poolkit-demos, or get them with the source")
    demos = {path.stem: path for path in folder.glob("[!_]*.py")}
    demos |= {path.parent.name: path for path in folder.glob("*/__main__.py")}
    name = chosen.name
    if name is None:
        width = max(map(len, demos))
        for demo, path in sorted(demos.items()):
            text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
            _say(f"{demo:<{width}}  {text.partition(chr(10))[0]}")
        return _CLEAN
    if name not in demos:
        _fail(f"there is no demo {name!r}: {_hint_for(name, sorted(demos), 'the demos')}")
    sys.argv = [str(demos[name]), *chosen.options]
    sys.path.insert(0, str(folder))
    runpy.run_path(str(demos[name]), run_name="__main__")
    return _CLEAN


def _replay(chosen: argparse.Namespace) -> int:
    game = _game_at(chosen)
    try:
        play_again(chosen.file, game)
    except RecordingError as error:
        _fail(str(error))
    except ReplayDifference as error:
        _complain(f"replay: {error}")
        return _LEAKS
    except Exception:
        traceback.print_exc()  # usually the crash that was recorded
        return _LEAKS
    _say(f"{chosen.file}: replayed as it was recorded")
    return _CLEAN


def _run(chosen: argparse.Namespace) -> int:
    game = _game_at(chosen)
    if chosen.strict:
        enable_strict()
    if chosen.record is None:
        (with_tape(game, None) or game)()
        return _CLEAN
    if with_tape(game, None) is None:
        _fail(f"{chosen.target} takes no tape: write it as def main(tape), or record(...) in it")
    try:
        tape = record(chosen.record)
    except OSError as error:
        _fail(f"the recording can't be written: {in_a_line(error)}")
    with tape:
        (with_tape(game, tape) or game)()
    return _CLEAN


def _content(chosen: argparse.Namespace) -> int:
    _open_screen()
    book = _book(chosen.target)
    if chosen.action != "check":
        made = json_schema(book) if chosen.action == "schema" else tiled_types(book)
        _say(json.dumps(made, indent=2))
        return _CLEAN
    faults: list[str] = []
    for level in chosen.levels:
        new_faults, left = check_level(Path(level), book)
        faults += new_faults
        if left:
            _say(f"{level}: no prefab: {', '.join(left)}")
    if faults:
        raise ContentError(faults)
    _say(f"{chosen.target}: {len(book)} prefabs, no fault")
    return _CLEAN


def _show(chosen: argparse.Namespace) -> int:
    try:
        pygame.display.init()
    except pygame.error as error:
        _fail(f"a window needs a display: {error}")
    show(lambda: _book(chosen.target), chosen.frames)
    return _CLEAN


def _new(chosen: argparse.Namespace) -> int:
    folder = chosen.folder
    try:
        files = new_game(folder, physics=chosen.physics)
    except FileExistsError:
        _fail(f"{folder} is there already: choose another name, or move it away")
    except (OSError, ValueError) as error:
        _fail(str(error))
    _say(f"{folder}: {', '.join(files)}\nplay it: cd {folder} && python main.py")
    return _CLEAN


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - how a command speaks


def _complain(line: str) -> None:
    print(f"poolkit {line}", file=sys.stderr, flush=True)  # noqa: T201 - as above


# -- finding prefabs ------------------------------------------------------------------------------


def named_prefabs(target: str, setup: str | None = None) -> dict[str, Any]:
    """Return the prefabs that ``MODULE[:PREFAB]`` means, by what to call them."""
    _open_screen()
    if setup is not None:
        prepare = _function_at(setup, f"--setup {setup}", "game.main:load_images")
        try:
            prepare()
        except Exception as error:
            _fail(f"--setup {setup} raised {in_a_line(error)}")
    # A drive's colon parts nothing.
    module_name, name = re.findall(r"(?s)^(.*?\.py|[^:]*)(?::(.*))?$", target)[0]
    before = set(pools.all_pools())
    module = _import(module_name)
    prefabs = _prefabs_of(module)
    prefabs += [(pool.name, pool.prefab) for pool in pools.all_pools() if pool not in before]
    factory = getattr(module, name, None)
    named: dict[str, Any] = {
        prefab.name: prefab
        for variable, prefab in prefabs
        if not name or name in {variable, prefab.name}
    }
    if not named and (callable(factory) or isinstance(factory, Prefab)):
        named = {name: factory}
    if not named:
        known_names = [label for variable, prefab in prefabs for label in (variable, prefab.name)]
        _fail_to_find(name, known_names, module, module_name)
    return named


def _fail_to_find(
    name: str, known_names: list[str], module: ModuleType, module_name: str
) -> NoReturn:
    """Say that a module has no such prefab, and what it has."""
    kinds = (IPoolableComponent, pygame.sprite.Sprite)
    classes = [
        variable
        for variable, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, kinds)
        if value.__module__ == module.__name__
    ]
    if not name:
        hint = f"; for a class write {module_name}:{classes[0]}" if classes else ""
        _fail(f"{module_name} defines no prefab: it needs a Prefab(...) at its top{hint}")
    hint = _hint_for(name, [*known_names, *classes], "its prefabs and classes")
    _fail(f"{module_name} has no prefab {name!r}: {hint}")


def _open_screen() -> None:
    """Open a hidden screen, for modules that convert their images at import."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
    if pygame.display.get_surface() is None:
        pygame.display.init()
        pygame.display.set_mode((640, 360), pygame.HIDDEN)


def _prefabs_of(module: ModuleType) -> list[tuple[str, Prefab[Any]]]:
    """Return the prefabs that a module defines, with their variables."""
    nodes = ast.walk(ast.parse("".join(source_of(getattr(module, "__file__", None)).lines)))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in froms for alias in node.names}
    prefabs: list[tuple[str, Prefab[Any]]] = []
    for name, value in vars(module).items():
        if isinstance(value, Prefab) and name not in imported:
            prefabs.append((name, value))
        elif type(value) in {dict, list, tuple, PrefabFile} and name not in imported:
            entries = value if isinstance(value, list | tuple) else value.values()
            prefabs += [(entry.name, entry) for entry in entries if type(entry) is Prefab]
    return prefabs


def _object_at(target: str) -> Any:
    """Return what ``MODULE:NAME`` means; `None` if the module has no such name."""
    name, _, variable = target.rpartition(":")
    return getattr(_import(name), variable, None)


def _function_at(target: str, what: str, example: str) -> Callable[..., Any]:
    function: Any = _object_at(target)
    if not callable(function):
        _fail(f"{what} names no function: write it as {example}")
    return function  # type: ignore[no-any-return]


def _game_at(chosen: argparse.Namespace) -> Callable[..., Any]:
    """Return a function that plays what is named: a scene in a window, or a game by itself."""
    game: Any = _object_at(chosen.target)
    if hasattr(game, "handle_event"):  # of a class with the methods of one, too
        return partial(scenes.run, game, chosen.size)
    if not callable(game):
        _fail(f"{chosen.target} names no scene and no function: write it as game:Title")
    return game  # type: ignore[no-any-return]


def _book(target: str) -> PrefabFile:
    book = _object_at(target)
    if callable(book):
        book = book()
    if not isinstance(book, PrefabFile):
        _fail(f"{target} is not a PrefabFile or a function that returns one: write game:book")
    return book


def _import(name: str) -> ModuleType:
    if not name:
        _fail("name a module, as in game.monsters:orc")
    if os.getcwd() not in sys.path:  # noqa: PTH109 - sys.path takes texts
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        return _by_file(Path(name)) if name.endswith(".py") else importlib.import_module(name)
    except (ShellError, ContentError):
        raise
    except KeyboardInterrupt:
        _complain(f"importing {name} was interrupted: {_GUARD}")
        raise
    except SystemExit:
        _fail(f"importing {name} ends the program: {_GUARD}")
    except BaseException as error:
        _fail(f"{name} can't be imported: {in_a_line(error)}")


_GUARD = "what plays the game belongs under if __name__ == '__main__':"


def _by_file(path: Path) -> ModuleType:
    if not path.is_file():
        _fail(f"there is no file {path}")
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


def _hint_for(name: str, known: Iterable[str], what: str) -> str:
    names = [other for other in dict.fromkeys(known) if other != name]
    return did_you_mean(name, names, f"{what} are {', '.join(names) or 'none'}")
