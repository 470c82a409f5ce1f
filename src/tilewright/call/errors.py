"""What a call refuses, before anything runs. Every message is a sentence that names what was given.

ShapeError and DtypeError are RuntimeErrors too, because that is what users of torch catch.
"""

from __future__ import annotations

from tilewright.choose.printable import PrintableError


class ShapeError(ValueError, RuntimeError):
    """The shapes do not fit the operation; the message names both shapes and both types."""


class DtypeError(TypeError, RuntimeError):
    """The types are not accepted; the message names both, and what would be accepted."""


class FileError(PrintableError):
    """A file holds no matrix that can be multiplied; the message names the file and what is wrong with it."""
