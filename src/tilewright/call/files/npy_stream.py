"""One array of NumPy's format from a stream of bytes: what its header claims is checked before anything is made.

NumPy's own reader believes the header: it makes the array that is promised, and reads a header of any length.
"""

from __future__ import annotations

import ast
import math
import re
import struct
import warnings
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy
from numpy.typing import NDArray

from .errors import FileError

MAGIC = b"\x93NUMPY"
MOST_HEADER_BYTES = 10_000
"""As NumPy has it; what it writes has 118."""
CHUNK_BYTES = 1 << 20

_DTYPE = re.compile(r"[<>=|]?[?a-zA-Z]\d{0,4}(\[\w{1,8}\])?", re.ASCII)
_LONG = re.compile(r"(?<=\d)L\b", re.ASCII)


class DamagedError(ValueError):
    """The bytes are no array of this format, or less than one."""


def read_array(stream: BinaryIO, source: str, length: int, check_fits: Callable[[int], None]) -> NDArray[Any]:
    """Return the array that a stream of `length` bytes holds, and nothing beside it.

    source: names the stream in errors. check_fits: is asked before memory is taken for so many bytes, and raises.

    Raises:
        FileError: it holds something else than a vector or matrix of real numbers, or more.
        DamagedError: it ends too early, or is no array at all.
    """
    header = _header(stream)
    dtype, shape, is_fortran = _described(header, source)
    count = math.prod(shape)
    rest = length - stream.tell()
    if count * dtype.itemsize > rest:
        raise DamagedError("cut short")
    check_fits(count * dtype.itemsize)
    array = numpy.empty(count, dtype)
    _fill(stream, array.view(numpy.uint8))
    behind = rest - array.nbytes
    if stream.read(1):  # at its end an archive compares its checksum
        raise FileError(f"{source} goes on for {max(behind, 1):,} bytes behind its array, and one array is read.")
    return array.reshape(shape, order="F" if is_fortran else "C")


def _header(stream: BinaryIO) -> str:
    start = stream.read(len(MAGIC) + 2)
    if len(start) < len(MAGIC) + 2 or not start.startswith(MAGIC):
        raise DamagedError("no mark")
    version = start[len(MAGIC) :]
    form = {b"\1\0": "<H", b"\2\0": "<I", b"\3\0": "<I"}.get(version)
    if form is None:
        raise DamagedError("a version that nobody writes")
    size = stream.read(struct.calcsize(form))
    if len(size) < struct.calcsize(form):
        raise DamagedError("cut short")
    (length,) = struct.unpack(form, size)
    if length > MOST_HEADER_BYTES:
        raise DamagedError("a header without end")
    header = stream.read(length)
    if len(header) < length:
        raise DamagedError("cut short")
    return header.decode("utf-8" if version == b"\3\0" else "latin-1")


def _described(header: str, source: str) -> tuple[numpy.dtype[Any], tuple[int, ...], bool]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of what looks like a mistake in source code
            found = ast.literal_eval(_LONG.sub("", header).strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise DamagedError("no header") from error
    if not isinstance(found, dict) or found.keys() != {"descr", "fortran_order", "shape"}:
        raise DamagedError("no header")
    shape, is_fortran = found["shape"], found["fortran_order"]
    if not isinstance(shape, tuple) or not all(type(side) is int and side >= 0 for side in shape):
        raise DamagedError("no shape")
    if not isinstance(is_fortran, bool):
        raise DamagedError("no order")
    dtype = _dtype(found["descr"], source)
    if len(shape) not in (1, 2):
        raise FileError(f"{source} holds an array of shape {_short(shape)}, and vectors and matrices are accepted.")
    return dtype, shape, is_fortran


def _dtype(described: object, source: str) -> numpy.dtype[Any]:
    if isinstance(described, list):
        raise FileError(f"{source} holds records, and real numbers are accepted.")
    if not isinstance(described, str) or not _DTYPE.fullmatch(described):
        raise DamagedError("no type")
    if described.lstrip("<>=|").startswith("O"):
        raise FileError(f"{source} holds Python objects, which are never unpickled; save numbers.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names of types that NumPy will drop
            dtype = numpy.dtype(described)
    except (TypeError, ValueError) as error:
        raise DamagedError("no type") from error
    if dtype.kind not in "biuf":
        raise FileError(f"{source} holds {dtype} elements, and real numbers are accepted.")
    return dtype


def _short(shape: tuple[int, ...]) -> str:
    try:
        said = str(shape)
    except ValueError:  # a number with more digits than Python writes
        return f"with {len(shape)} sides"
    return said if len(said) <= 60 else f"{said[:60]}..."


def _fill(stream: BinaryIO, place: NDArray[numpy.uint8]) -> None:
    while len(place):
        chunk = stream.read(min(len(place), CHUNK_BYTES))
        if not chunk:
            raise DamagedError("cut short")
        place[: len(chunk)] = numpy.frombuffer(chunk, numpy.uint8)
        place = place[len(chunk) :]
