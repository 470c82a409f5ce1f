"""The errors of invalid calls, raised before anything runs. Every message is a sentence that names what was given.

ShapeError and DtypeError are also RuntimeErrors, because users of torch catch those.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy

Shape = tuple[int, ...]


class ShapeError(ValueError, RuntimeError):
    """The shapes do not fit the operation; the message names both shapes and both types."""


class DtypeError(TypeError, RuntimeError):
    """The types are not accepted; the message names both, and what would be accepted."""


class StoreError(OSError):
    """A stored array cannot be read or written; the message names it and the region. ``errno`` is the system's."""

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.errno = number

    def __reduce__(self) -> Any:
        """From another process it comes with its number, which an OSError leaves behind."""
        return type(self), (str(self), self.errno)


class Shaped(Protocol):
    """Anything with a shape and a type: an array of NumPy's or a description of another."""

    @property
    def ndim(self) -> int:
        """The number of dimensions."""

    @property
    def shape(self) -> Shape:
        """The extents."""

    @property
    def dtype(self) -> Any:
        """The type, or its name."""


def describe(a: Shaped, b: Shaped) -> str:
    """Both shapes and both types in words, for error messages."""
    return f"A is {a.shape} {a.dtype} and B is {b.shape} {b.dtype}"


def unmultipliable(operation: str, a: Shaped, b: Shaped) -> DtypeError:
    """The error for arrays whose elements NumPy does not multiply."""
    return DtypeError(f"{operation} takes numbers, but {describe(a, b)}.")


def described(value: object) -> str:
    """An invalid value in a few words, as in "None", "'4' of type str" and "of type list"."""
    if value is None:
        return "None"
    kind = f"of type {type(value).__qualname__}"
    short = isinstance(value, bool | int | float | complex | str | bytes | numpy.generic) and len(repr(value)) <= 40
    return f"{value!r} {kind}" if short else kind
