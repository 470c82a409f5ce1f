"""Values of a host program as the bytes that a kernel is given."""

from __future__ import annotations

from typing import Any

import numpy

from .host_types import Number, PointerTo, RecordType, UnreadError, placed, size_of
from .memory import DeviceMemory, HostFaultError, Pointer, RecordValue


def packed(value: Any, kind: Any) -> bytes:
    """Return a value as the bytes of a kernel's argument."""
    if isinstance(kind, Number):
        return numpy.array([value], numpy.dtype(kind.code)).tobytes()
    if isinstance(kind, PointerTo):
        return numpy.array([address_of(value)], numpy.uint64).tobytes()
    if isinstance(kind, RecordType) and isinstance(value, RecordValue):
        whole = bytearray(size_of(kind))
        for each, place in placed(kind):
            part = packed(value.f[each.name], each.type)
            whole[place : place + len(part)] = part
        return bytes(whole)
    raise UnreadError(f"an argument of {kind}")


def address_of(value: Any) -> int:
    """Return the device's address of a place."""
    if value is None:
        return 0
    if not isinstance(value, Pointer):
        raise UnreadError("an argument that is no pointer")
    if isinstance(value.s, DeviceMemory):
        if value.s.is_free:
            raise HostFaultError("a launch is given memory that was freed")
        return int(value.s.allocation.address) + value.offset
    if value.s.raw is not None and value.s.raw.allocation is not None:
        return int(value.s.raw.allocation.address) + value.offset
    raise HostFaultError("a launch is given memory of the host")
