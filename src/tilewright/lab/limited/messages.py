"""Messages between processes: JSON, and arrays as raw bytes with their type and shape. Reading one executes no code.

A message is two lengths, the JSON's and the arrays', in eight bytes each, then both.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_TEXT_BYTES = 256 << 20
MOST_ARRAY_BYTES = 64 << 30
MOST_DIMENSIONS = 32
KINDS = "biuf"
"""Booleans, integers and floating-point numbers: types without references."""
_TYPE = re.compile(rf"[<>|][{KINDS}](?:1|2|4|8|16)", re.ASCII)
_LENGTHS = struct.Struct(">QQ")


class MessageError(ValueError):
    """Received data is no message, or data cannot be sent as one; the text says why."""


class Message(NamedTuple):
    """JSON data, and arrays by name."""

    value: Any
    arrays: dict[str, NDArray[Any]]


def pack(value: object, arrays: Mapping[str, NDArray[Any]] | None = None) -> bytes:
    """Return a message as bytes; raise MessageError for an array of anything else than numbers."""
    described, data = [], []
    for name, array in (arrays or {}).items():
        if array.dtype.kind not in KINDS or array.dtype.hasobject:
            raise MessageError(f"{name} holds {array.dtype}, and numbers are accepted.")
        described.append([name, array.dtype.str, list(array.shape)])
        data.append(array.tobytes())
    text = json.dumps([value, described]).encode()
    body = b"".join(data)
    return _LENGTHS.pack(len(text), len(body)) + text + body


def read(stream: BinaryIO) -> Message | None:
    """Return the next message; None at the end of the stream; raise MessageError for anything else."""
    head = _exactly(stream, _LENGTHS.size)
    if not head:
        return None
    if len(head) < _LENGTHS.size:
        raise MessageError("a message breaks off.")
    text_bytes, array_bytes = _LENGTHS.unpack(head)
    if text_bytes > MOST_TEXT_BYTES or array_bytes > MOST_ARRAY_BYTES:
        raise MessageError(f"a message has {text_bytes + array_bytes:,} bytes.")
    text, body = _exactly(stream, text_bytes), _exactly(stream, array_bytes)
    if len(text) < text_bytes or len(body) < array_bytes:
        raise MessageError("a message breaks off.")
    try:
        value, described = json.loads(text)
        return Message(value, _arrays(described, body))
    except MessageError:
        raise
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise MessageError(f"a message cannot be read: {error}.") from error


def _exactly(stream: BinaryIO, count: int) -> bytes:
    """Return so many bytes, or fewer at the end of the stream; memory grows only with what arrives."""
    parts = []
    while count > 0 and (part := stream.read(min(count, 1 << 24))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _arrays(described: list[tuple[str, str, list[int]]], body: bytes) -> dict[str, NDArray[Any]]:
    if not described:
        return {}
    import numpy

    found: dict[str, NDArray[Any]] = {}
    at = 0
    for name, kind, shape in described:
        is_known = isinstance(kind, str) and _TYPE.fullmatch(kind) is not None  # NumPy would evaluate some texts
        if not is_known or not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS:
            raise MessageError(f"an array of {kind!r:.99} and {shape!r:.99}.")
        dtype, sides = numpy.dtype(kind), [int(side) for side in shape]
        if min(sides, default=0) < 0:
            raise MessageError(f"an array of the shape {shape!r:.99}.")
        nbytes = dtype.itemsize * prod(sides)
        if nbytes > len(body) - at:
            raise MessageError("an array has fewer bytes than its shape says.")
        found[str(name)] = numpy.frombuffer(body, dtype, prod(sides), at).reshape(sides).copy()
        at += nbytes
    return found
