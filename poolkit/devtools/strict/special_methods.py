"""Special methods: those by which an object is used, and those by which it is only looked at."""

from __future__ import annotations

__all__ = ["LOOKS", "USES"]

_BINARY = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow"),
    *("lshift", "rshift", "and", "xor", "or"),
)

USES = tuple(
    f"__{name}__"
    for name in (
        *("call", "len", "iter", "next", "reversed", "contains", "getitem", "setitem", "delitem"),
        *("enter", "exit", "aenter", "aexit", "await", "aiter", "anext", "length_hint"),
        *("bool", "int", "float", "complex", "index", "bytes", "fspath", "lt", "le", "gt", "ge"),
        *("neg", "pos", "abs", "invert", "round", "trunc", "floor", "ceil"),
        *(f"{side}{operator}" for side in ("", "r", "i") for operator in _BINARY),
    )
)
"""What refuses, where a class has it: operators, containers, contexts, conversions."""

LOOKS = tuple(
    f"__{name}__"
    for name in (
        *("eq", "ne", "hash", "copy", "deepcopy", "reduce", "reduce_ex", "getstate"),
        *("getnewargs", "getnewargs_ex", "sizeof", "del"),
    )
)
"""What is answered as ever: comparing, copying, pickling, measuring, the end of the object."""
