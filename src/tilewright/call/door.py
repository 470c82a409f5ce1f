"""Hooks by which libraries take over calls: torch's compiler, gradients and overrides, and JAX's tracing.

The libraries' sub-packages register here, so that the public functions do not depend on them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A call of a public function: its arrays (None for those not given), and all other arguments by keyword."""

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
        """The arrays by their names in messages."""
        return {"A": self.a, "B": self.b, "out": self.out, "c": self.c, "bias": self.bias}


_takers: dict[str, Callable[[Call], Any]] = {}


def register(library: str, take: Callable[[Call], Any]) -> None:
    """Pass every call to ``take`` once the library's module is imported.

    It returns the call's result, or NotImplemented for a call that it does not take over.
    """
    _takers[library] = take


def taken(call: Call) -> Any:
    """The result of the library that takes over a call; NotImplemented if none does."""
    for library, take in _takers.items():
        if library in sys.modules:
            result = take(call)
            if result is not NotImplemented:
                return result
    return NotImplemented
