"""Strict mode: instances refuse to be used when their life is over."""

from poolkit.devtools.strict.watch import disable_strict, enable_strict, is_strict

__all__ = ["disable_strict", "enable_strict", "is_strict"]
