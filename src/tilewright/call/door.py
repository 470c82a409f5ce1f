"""What takes a call before its arrays are looked at: torch's compiler, gradients and overrides, JAX's tracing.

The libraries' sub-packages register here, so that public functions know none of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call of a public function: its arrays (None where there is none), and all else by its keyword."""

    function: Callable[..., Any]
    operation: str
    a: object
    b: object
    options: dict[str, Any]
    out: object = None
    c: object = None
    bias: object = None

    @property
    def arrays(self) -> tuple[object, ...]:
        """A, B, c, bias and out."""
        return self.a, self.b, self.c, self.bias, self.out

    @property
    def named(self) -> dict[str, object]:
        """The arrays, by their names in messages."""
        return {"A": self.a, "B": self.b, "out": self.out, "c": self.c, "bias": self.bias}


_takers: dict[str, Callable[[Call], Any]] = {}


def register(library: str, take: Callable[[Call], Any]) -> None:
    """Let ``take`` see every call once a library's module of this name is imported.

    What it returns is the call's result, or NotImplemented for a call that is not the library's to make.
    """
    _takers[library] = take


def taken(call: Call) -> Any:
    """What a library makes of a call; NotImplemented where none takes it."""
    for library, take in _takers.items():
        if library in sys.modules:
            result = take(call)
            if result is not NotImplemented:
                return result
    return NotImplemented
