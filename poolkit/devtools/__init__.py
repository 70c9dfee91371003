"""Tools for developing a game: they watch, and cost nothing until they are used."""

from poolkit.devtools.audit import AuditReport, Leak, audit
from poolkit.devtools.inspector import Inspector
from poolkit.devtools.profiles import apply_profile, record_profile
from poolkit.devtools.recordings import ReplayDifference, record, replay
from poolkit.devtools.strict import (
    Unreturned,
    disable_strict,
    enable_strict,
    is_strict,
    unreturned,
)
from poolkit.devtools.tape_file import RecordingError
from poolkit.devtools.unplayed import UnplayedLeak
from poolkit.devtools.verdicts import Verdict, verdict

__all__ = [
    "AuditReport",
    "Inspector",
    "Leak",
    "RecordingError",
    "ReplayDifference",
    "UnplayedLeak",
    "Unreturned",
    "Verdict",
    "apply_profile",
    "audit",
    "disable_strict",
    "enable_strict",
    "is_strict",
    "record",
    "record_profile",
    "replay",
    "unreturned",
    "verdict",
]
