"""Tools for developing a game: they watch, and cost nothing until they are used."""

from poolkit.devtools.audit import AuditReport, Leak, audit
from poolkit.devtools.chaos import disable_chaos, enable_chaos
from poolkit.devtools.collector_probe import CollectorPause, CollectorProbe
from poolkit.devtools.inspector import Inspector
from poolkit.devtools.lint import LintFinding, LintReport, lint
from poolkit.devtools.profiles import (
    AppliedProfile,
    CapacityProfile,
    ProfileError,
    ProfileRecorder,
    apply_profile,
    read_profile,
    record_profile,
)
from poolkit.devtools.recordings import ReplayDifference, record, replay
from poolkit.devtools.referrers import referrers
from poolkit.devtools.strict import disable_strict, enable_strict, is_strict
from poolkit.devtools.tape_file import RecordingError
from poolkit.devtools.unreturned import Unreturned, sample_spawns, unreturned
from poolkit.devtools.verdicts import Verdict, verdict

__all__ = [
    "AppliedProfile",
    "AuditReport",
    "CapacityProfile",
    "CollectorPause",
    "CollectorProbe",
    "Inspector",
    "Leak",
    "LintFinding",
    "LintReport",
    "ProfileError",
    "ProfileRecorder",
    "RecordingError",
    "ReplayDifference",
    "Unreturned",
    "Verdict",
    "apply_profile",
    "audit",
    "disable_chaos",
    "disable_strict",
    "enable_chaos",
    "enable_strict",
    "is_strict",
    "lint",
    "read_profile",
    "record",
    "record_profile",
    "referrers",
    "replay",
    "sample_spawns",
    "unreturned",
    "verdict",
]
