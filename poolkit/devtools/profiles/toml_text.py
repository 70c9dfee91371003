"""A capacity profile as TOML: written for people, read with everything looked at twice."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from typing import TYPE_CHECKING, Any, NoReturn

from poolkit.devtools.profiles.needs import CapacityProfile, Need, ProfileError, SceneNeeds

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["as_toml", "profile_of"]

_FORMAT = "poolkit capacity profile"
_VERSION = 1
_MOST_INSTANCES = 1_000_000  # beyond it is a slip of the pen, and would take all memory
_HEAD = f"""\
# What pools really needed, scene by scene: recorded by poolkit.devtools.record_profile.
# Read it, edit it, commit it: apply_profile prespawns each peak, and a margin.
#   peak       the most instances in use at once
#   peak_rate  the most spawns within a second
# A later recording raises these numbers where it needs more. It keeps no comments.
format = "{_FORMAT}"
version = {_VERSION}
"""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SPECIAL = {
    "\b": r"\b",
    "\t": r"\t",
    "\n": r"\n",
    "\f": r"\f",
    "\r": r"\r",
    '"': r"\"",
    "\\": r"\\",
}


def as_toml(profile: CapacityProfile) -> str:
    """Return a profile as TOML, in a fixed order, so that version control shows what changed."""
    parts = [_HEAD]
    for name, needs in sorted(profile.scenes.items()):
        scene = f"scenes.{_key(name)}"
        parts.append(f"[{scene}]\nruns = {needs.runs}\nseconds = {round(needs.seconds, 1)}\n")
        pools = [
            f"{_key(pool)} = {{ peak = {need.peak}, peak_rate = {need.peak_rate} }}\n"
            for pool, need in sorted(needs.pools.items())
        ]
        parts.append("".join([f"[{scene}.pools]\n", *pools]))
    return "\n".join(parts)


def profile_of(text: str, source: str) -> CapacityProfile:
    """Return the profile that `text` says.

    Args:
        text: TOML.
        source: What errors call it: the name of its file.

    Raises:
        ProfileError: It is none. The message says where, what is wrong, and what to do.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"{source} is no TOML: {error}; mend it, or delete it and record it anew"
        raise ProfileError(message) from None
    except RecursionError:
        message = f"{source} is no capacity profile: it is nested too deeply; delete it"
        raise ProfileError(message) from None
    if found.get("format") != _FORMAT:
        message = (
            f'{source} is no capacity profile, for it lacks the line format = "{_FORMAT}": '
            "name another file, or record one with record_profile"
        )
        raise ProfileError(message)
    version = found.get("version")
    if type(version) is not int or version != _VERSION:
        message = (
            f"{source} has version {version!r}, and this poolkit reads version {_VERSION}: "
            "record it anew"
        )
        raise ProfileError(message)
    reader = _Reader(source)
    reader.known(found, "", {"format", "version", "scenes"})
    scenes = reader.table(found, "", "scenes") if "scenes" in found else {}
    return CapacityProfile({name: reader.scene(scenes, name) for name in scenes})


class _Reader:
    """Takes values out of tables, and says where one is not what it must be."""

    def __init__(self, source: str) -> None:
        self._source = source

    def scene(self, scenes: dict[str, Any], name: str) -> SceneNeeds:
        table, path = self.table(scenes, "scenes", name), f"scenes.{_key(name)}"
        self.known(table, path, {"runs", "seconds", "pools"})
        pools = self.table(table, path, "pools") if "pools" in table else {}
        needs = {pool: self._need(pools, f"{path}.pools", pool) for pool in pools}
        runs = self._count(table, path, "runs", 0)
        return SceneNeeds(needs, runs, self._seconds(table, path))

    def _need(self, pools: dict[str, Any], path: str, name: str) -> Need:
        table, path = self.table(pools, path, name), f"{path}.{_key(name)}"
        self.known(table, path, {"peak", "peak_rate"})
        peak = self._count(table, path, "peak", None)
        if peak > _MOST_INSTANCES:
            self._refuse(path, "peak", f"must be at most {_MOST_INSTANCES:,}, not {peak!r}")
        return Need(peak, self._count(table, path, "peak_rate", 0))

    def table(self, table: dict[str, Any], path: str, name: str) -> dict[str, Any]:
        found = table[name]
        if not isinstance(found, dict):
            self._refuse(path, name, f"must be a table, not {found!r}")
        return found

    def known(self, table: dict[str, Any], path: str, names: Collection[str]) -> None:
        for name in table:
            if name not in names:
                close = difflib.get_close_matches(name, names, n=1)
                hint = (
                    f"did you mean {close[0]}?"
                    if close
                    else f"known are {', '.join(sorted(names))}"
                )
                self._refuse(path, name, f"is not known: {hint}")

    def _count(self, table: dict[str, Any], path: str, name: str, default: int | None) -> int:
        found = table.get(name, default)
        if found is None:
            self._refuse(path, name, "is missing: write how many instances are needed")
        if type(found) is not int or found < 0:
            self._refuse(path, name, f"must be a whole number of 0 or more, not {found!r}")
        return found

    def _seconds(self, table: dict[str, Any], path: str) -> float:
        found = table.get("seconds", 0.0)
        if type(found) not in {int, float} or not 0 <= found < math.inf:
            self._refuse(path, "seconds", f"must be a number of 0 or more, not {found!r}")
        return float(found)

    def _refuse(self, path: str, name: str, what: str) -> NoReturn:
        where = f"{path}.{_key(name)}" if path else _key(name)
        message = f"{self._source}: {where} {what}"
        raise ProfileError(message)


def _key(name: str) -> str:
    """Return a name as a TOML key, quoted where it must be."""
    if _BARE.fullmatch(name):
        return name
    return f'"{"".join(map(_escaped, name))}"'


def _escaped(letter: str) -> str:
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if "\ud800" <= letter <= "\udfff":
        return "\ufffd"  # half a letter, which no file can hold
    if letter.isprintable():
        return letter
    return f"\\U{ord(letter):08X}"
