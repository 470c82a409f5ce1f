"""The device of a running host program: its memory, what is copied, and what is still under way."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy

from tilewright.emulate.observers import Finding
from tilewright.lab.check.run.watching import ERROR

from .constants import BY_PLACE, ON_DEVICE, TO_DEVICE, TO_HOST
from .host_types import (
    CopiedReal,
    CopiedWhole,
    Number,
    UnreadError,
)
from .memory import DeviceMemory, HostFaultError, Pointer, Raw, RecordValue
from .packing import packed

if TYPE_CHECKING:
    from .launching import Kernels

OF_HOST, UNINITIALISED = "host code", "uninitialised read"


@dataclass(frozen=True)
class Launched:
    """A launch of a running program. line: where it stands. made: where its grid is declared."""

    kernel: str
    line: int
    made: int
    grid: tuple[int, ...]
    block: tuple[int, ...]


@dataclass
class Device:
    """The device of a running program. found: mistakes. copied_back: whether a result came back to the host."""

    kernels: Kernels
    file: str
    found: list[Finding] = field(default_factory=list)
    managed: list[Raw] = field(default_factory=list)
    memories: list[DeviceMemory] = field(default_factory=list)
    launches: list[Launched] = field(default_factory=list)
    under_way: list[Raw] = field(default_factory=list)
    has_copied_back: bool = False

    def allocate(self, nbytes: int, name: str, line: int) -> DeviceMemory:
        """Return memory of the device that nothing has written."""
        allocation = self.kernels.emulator.allocate(nbytes, name)
        memory = DeviceMemory(allocation, nbytes, name, line)
        self.memories.append(memory)
        return memory

    def count_as_written(self) -> None:
        """Take all memory for written: a launch that was not watched may have."""
        for memory in self.memories:
            memory.allocation.note_written(0, memory.nbytes)

    def with_its_copy(self, finding: Finding) -> Finding:
        """Return a finding; if a kernel reads what was never written, with the line that wrote the array in part."""
        if finding.kind != UNINITIALISED or finding.other is not None:
            return finding
        name = re.split(r"[+\[]", finding.address)[0]
        lines = [memory.written_in or memory.line for memory in self.memories if memory.name == name]
        return replace(finding, other=(self.file, lines[-1])) if lines else finding

    def accuse(self, line: int, made: int, message: str, advice: str) -> None:
        """Note a mistake of the host, with the line where its number is computed."""
        other = (self.file, line) if made != line else None
        self.found.append(Finding(OF_HOST, ERROR, (self.file, made), message, advice, other=other))

    def before_launch(self) -> None:
        """Give the device what the host has written to managed memory."""
        for raw in self.managed:
            raw.allocation.write(numpy.frombuffer(bytes(raw.data), numpy.uint8))

    def behind_launch(self, line: int) -> None:
        """Give the host what the device has written to managed memory; it may be read once something has waited."""
        for raw in self.managed:
            now = raw.allocation.read(numpy.uint8, len(raw.data)).tobytes()
            if now != bytes(raw.data):
                raw.data[:] = now
                raw.mark_copied()
                self.has_copied_back = True
                self.is_under_way(raw, line, "what this launch writes")

    def is_under_way(self, raw: Raw, line: int, what: str) -> None:
        """Note that memory of the host is still being written; a read of it is a mistake, which is noted once."""

        def read() -> None:
            raw.on_read = None
            self.accuse(
                line,
                line,
                f"The host reads {what} while it may still be under way: nothing has waited for it.",
                "Call cudaDeviceSynchronize(), or wait for the stream, before the host reads.",
            )

        raw.on_read = read
        self.under_way.append(raw)

    def wait(self) -> None:
        """Take all that was under way for done."""
        for raw in self.under_way:
            raw.on_read = None
        self.under_way.clear()

    def copy(self, to: Any, source: Any, nbytes: int, kind: int, line: int, made: int) -> None:
        """Copy bytes; note copies behind the end of an array. made: the line where their number is computed."""
        if nbytes == 0:
            return
        if to is None or source is None:
            raise HostFaultError("a copy from or to no place")
        is_from, is_to = isinstance(source.s, DeviceMemory), isinstance(to.s, DeviceMemory)
        is_managed = any(each.s.raw is not None and each.s.raw.allocation is not None for each in (source, to))
        expected = {(False, True): TO_DEVICE, (True, False): TO_HOST, (True, True): ON_DEVICE}.get((is_from, is_to), 0)
        if kind not in (expected, BY_PLACE) and not is_managed:
            raise UnreadError("a copy in another direction")
        for place, what in ((source, "from"), (to, "to")):
            room = room_at(place)
            if room is not None and nbytes > room:
                self.accuse(
                    line,
                    made,
                    f"The copy takes {nbytes} bytes {what} an array that has {room} left there.",
                    "Let the copy have as many bytes as the array: its own number of elements times their size.",
                )
                nbytes = room
        if is_from and is_to:
            data = source.s.allocation.read(numpy.uint8, nbytes, offset=source.offset)
            write_to(to, data)
            to.s.allocation.set_written(_with(to, source.s.allocation.written[source.offset : source.offset + nbytes]))
        elif is_from:
            data = source.s.allocation.read(numpy.uint8, nbytes, offset=source.offset)
            self.has_copied_back = True
            to_host(to, data)
        elif is_to:
            to.s.written_in = made
            write_to(to, numpy.frombuffer(bytes_of(source, nbytes), numpy.uint8))
        else:
            to_host(to, numpy.frombuffer(bytes_of(source, nbytes), numpy.uint8))


def _with(to: Pointer, written: Any) -> Any:
    whole = numpy.array(to.s.allocation.written, numpy.uint8)
    whole[to.offset : to.offset + len(written)] = written
    return whole


def room_at(place: Pointer) -> int | None:
    """Return how many bytes are left behind a place; None where that is not known."""
    if isinstance(place.s, DeviceMemory):
        return place.s.nbytes - place.offset
    return len(place.s.raw.data) - place.offset if place.s.raw is not None else None


def write_to(to: Pointer, data: Any) -> None:
    """Write bytes to memory of the device."""
    to.s.allocation.write(data, to.offset)


def to_host(to: Pointer, data: Any) -> None:
    """Write bytes to memory of the host, which are a result from then on."""
    raw = to.s.raw
    if raw is not None:
        raw.data[to.offset : to.offset + len(data)] = data.tobytes()
        raw.mark_copied()
        return
    if isinstance(to.of, Number):
        if len(data) != to.of.size:
            raise UnreadError("a copy of another size into a variable")
        value = data.view(numpy.dtype(to.of.code))[0].item()
        to.s.v[to.at] = CopiedReal(value) if to.of.is_real else CopiedWhole(value)
        return
    raise UnreadError(f"a copy into {to.of}")


def bytes_of(source: Pointer, nbytes: int) -> bytes:
    """Return bytes of the host's memory."""
    raw = source.s.raw
    if raw is not None:
        return bytes(raw.data[source.offset : source.offset + nbytes])
    value = source.s.v[source.at]
    if isinstance(source.of, Number) and nbytes == source.of.size:
        return numpy.array([value], numpy.dtype(source.of.code)).tobytes()
    if isinstance(value, RecordValue):
        return packed(value, source.of)[:nbytes]
    raise UnreadError(f"a copy of {source.of}")
