"""Capacity profiles: what pools needed in play, kept in a file, and prespawned at the next start.

The file is TOML, for people to read, edit and commit.
"""

from poolkit.devtools.profiles.applying import AppliedProfile, apply_profile
from poolkit.devtools.profiles.files import merge_profiles, read_profile
from poolkit.devtools.profiles.needs import CapacityProfile, Need, ProfileError, SceneNeeds
from poolkit.devtools.profiles.recording import ProfileRecorder, record_profile

__all__ = [
    "AppliedProfile",
    "CapacityProfile",
    "Need",
    "ProfileError",
    "ProfileRecorder",
    "SceneNeeds",
    "apply_profile",
    "merge_profiles",
    "read_profile",
    "record_profile",
]
