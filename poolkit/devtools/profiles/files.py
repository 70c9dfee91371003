"""Profiles in files: read, merged, and written so that a crash leaves the old file or the new."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from poolkit.devtools.profiles.needs import CapacityProfile, ProfileError
from poolkit.devtools.profiles.toml_text import as_toml, profile_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["add_to_profile", "merge_profiles", "read_or_begin", "read_profile", "write_profile"]

_PATIENCE = 2.0  # seconds to wait for another process that is writing
_STALE = 10.0  # seconds after which a lock is that of a process which died


def read_profile(path: str | os.PathLike[str]) -> CapacityProfile:
    """Read a capacity profile.

    Raises:
        ProfileError: The file is missing, or is none. The message names it, and what is wrong.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{os.fspath(path)} is no capacity profile, for it is no text: {error.reason}"
        raise ProfileError(message) from None
    except (OSError, ValueError) as error:  # ValueError: what no file can be called
        raise ProfileError(_about(path, "read", error)) from error
    return profile_of(text, os.fspath(path))


def read_or_begin(path: str | os.PathLike[str]) -> CapacityProfile:
    """Read a capacity profile; an empty one, where there is no file yet.

    Raises:
        ProfileError: The file is no profile, or may not be read.
    """
    try:
        return read_profile(path)
    except ProfileError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return CapacityProfile()
        raise


def write_profile(path: str | os.PathLike[str], profile: CapacityProfile) -> None:
    """Replace what is at `path` by a profile, whole or not at all.

    Raises:
        ProfileError: It can't be written.
    """
    target = Path(path)
    try:
        draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                file.write(as_toml(profile))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise ProfileError(_about(path, "written", error)) from error


def add_to_profile(path: str | os.PathLike[str], more: CapacityProfile) -> None:
    """Merge `more` into the profile at `path`, which may not be there yet.

    Raises:
        ProfileError: It can't be read or written; what is there is left as it is.
    """
    with _only_one(Path(path)):
        write_profile(path, read_or_begin(path) | more)


def merge_profiles(
    paths: Iterable[str | os.PathLike[str]],
    into: str | os.PathLike[str] | None = None,
) -> CapacityProfile:
    """Return a profile that is enough for all of several, such as those of several players.

    Args:
        paths: The files.
        into: Where to write it as well; a profile that is there is replaced.

    Raises:
        ProfileError: One of the files is no profile, or `into` is something else.
        TypeError: `paths` is a single path.
    """
    if isinstance(paths, str | os.PathLike):
        message = f"merge_profiles takes several files in a list, not {paths!r} alone"
        raise TypeError(message)
    merged = CapacityProfile()
    for path in paths:
        merged |= read_profile(path)
    if into is not None:
        read_or_begin(into)  # refuses to replace what is none
        write_profile(into, merged)
    return merged


def _about(path: str | os.PathLike[str], done: str, error: OSError | ValueError) -> str:
    why = getattr(error, "strerror", None) or str(error)
    return f"the capacity profile {os.fspath(path)} can't be {done}: {why}"


@contextlib.contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Keep other processes from changing a profile between its reading and its writing."""
    try:
        lock = path.with_name(f".{path.name}.lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        _take(lock)
    except (OSError, ValueError) as error:
        raise ProfileError(_about(path, "written", error)) from error
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _take(lock: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            lock.touch(exist_ok=False)
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):  # it has just been given back
                if time.time() - lock.stat().st_mtime > _STALE:
                    lock.unlink()
                    continue
            if time.monotonic() > deadline:
                message = f"{lock} says that another process is writing it: delete it if none is"
                raise OSError(message) from None
            time.sleep(0.01)
        else:
            return
