"""CUDA's runtime as a host program calls it: memory, copies, and launches on the emulator."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy

from tilewright.emulate.observers import Finding
from tilewright.lab.check.run.watching import ERROR

from .compiler import Call, Code, Compiler, Frame, converted
from .constants import BY_PLACE, ON_DEVICE, TO_DEVICE, TO_HOST, constant
from .host_types import (
    BYTE,
    GPU,
    GPU_NUMBERS,
    INT,
    SIZE,
    VOID,
    CopiedReal,
    CopiedWhole,
    Number,
    PointerTo,
    UnreadError,
    size_of,
)
from .memory import DeviceMemory, HostFaultError, Pointer, Raw, RecordValue
from .packing import packed

if TYPE_CHECKING:
    from tree_sitter import Node

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

    def behind_launch(self) -> None:
        """Give the host what the device has written to managed memory."""
        for raw in self.managed:
            now = raw.allocation.read(numpy.uint8, len(raw.data)).tobytes()
            if now != bytes(raw.data):
                raw.data[:] = now
                raw.mark_copied()
                self.has_copied_back = True

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
            room = _room(place)
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
            _write(to, data)
            to.s.allocation.set_written(_with(to, source.s.allocation.written[source.offset : source.offset + nbytes]))
        elif is_from:
            data = source.s.allocation.read(numpy.uint8, nbytes, offset=source.offset)
            self.has_copied_back = True
            _to_host(to, data)
        elif is_to:
            to.s.written_in = made
            _write(to, numpy.frombuffer(_of_host(source, nbytes), numpy.uint8))
        else:
            _to_host(to, numpy.frombuffer(_of_host(source, nbytes), numpy.uint8))


def _with(to: Pointer, written: Any) -> Any:
    whole = numpy.array(to.s.allocation.written, numpy.uint8)
    whole[to.offset : to.offset + len(written)] = written
    return whole


def _room(place: Pointer) -> int | None:
    if isinstance(place.s, DeviceMemory):
        return place.s.nbytes - place.offset
    return len(place.s.raw.data) - place.offset if place.s.raw is not None else None


def _write(to: Pointer, data: Any) -> None:
    to.s.allocation.write(data, to.offset)


def _to_host(to: Pointer, data: Any) -> None:
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


def _of_host(source: Pointer, nbytes: int) -> bytes:
    raw = source.s.raw
    if raw is not None:
        return bytes(raw.data[source.offset : source.offset + nbytes])
    value = source.s.v[source.at]
    if isinstance(source.of, Number) and nbytes == source.of.size:
        return numpy.array([value], numpy.dtype(source.of.code)).tobytes()
    if isinstance(value, RecordValue):
        return packed(value, source.of)[:nbytes]
    raise UnreadError(f"a copy of {source.of}")


def _malloc(call: Call) -> Code:
    c, node, whole, given = call.c, call.node, call.whole, call.given
    device: Device = call.c.device
    place, nbytes = c.expression(given[0]), converted(c.expression(given[1]), SIZE)
    name, line = c.text(given[0]).split("&")[-1].strip("() "), c.line(node)
    is_managed, is_host = "Managed" in whole, "Host" in whole

    def run(frame: Frame) -> int:
        to, count = place.run(frame), nbytes(frame)
        if is_host or is_managed:
            raw = Raw(count)
            to.s.v[to.at] = Pointer(raw.typed(_pointed(to)), 0, _pointed(to))
            if is_managed:
                raw.allocation = device.allocate(count, name, line).allocation
                device.managed.append(raw)
        else:
            to.s.v[to.at] = Pointer(device.allocate(count, name, line), 0, _pointed(to))
        return 0

    return Code(run, INT)


def _memcpy(call: Call) -> Code:
    c, node, given = call.c, call.node, call.given
    device: Device = call.c.device
    places = [_place(c, each) for each in given[:2]]
    nbytes, kind = converted(c.expression(given[2]), SIZE), c.expression(given[3]).run
    line, made = c.line(node), c.line_of_name(given[2])

    def run(frame: Frame) -> int:
        device.copy(places[0].run(frame), places[1].run(frame), nbytes(frame), kind(frame), line, made)
        return 0

    return Code(run, INT)


def _memset(call: Call) -> Code:
    c, node, given = call.c, call.node, call.given
    device: Device = call.c.device
    place, value = _place(c, given[0]), c.expression(given[1]).run
    nbytes, line = converted(c.expression(given[2]), SIZE), c.line(node)
    made = c.line_of_name(given[2])

    def run(frame: Frame) -> int:
        to, count = place.run(frame), nbytes(frame)
        room = _room(to)
        if room is not None and count > room:
            device.accuse(line, made, f"It sets {count} bytes of an array that has {room}.", "Set as many as it has.")
            count = room
        data = numpy.full(count, value(frame) & 255, numpy.uint8)
        if isinstance(to.s, DeviceMemory):
            to.s.written_in = made
        _write(to, data) if isinstance(to.s, DeviceMemory) else _to_host(to, data)
        return 0

    return Code(run, INT)


def _symbol_copy(call: Call) -> Code:
    c, whole, given = call.c, call.whole, call.given
    device: Device = call.c.device
    is_to = "ToSymbol" in whole
    name = c.text(given[0] if is_to else given[1]).strip("&() ").split("::")[-1]
    place = _place(c, given[1] if is_to else given[0])
    nbytes = converted(c.expression(given[2]), SIZE)
    offset = converted(c.expression(given[3]), SIZE) if len(given) > 3 else (lambda _: 0)

    def run(frame: Frame) -> int:
        if is_to:
            device.kernels.set_variable(name, _of_host(place.run(frame), nbytes(frame)), offset(frame))
        else:
            data = device.kernels.get_variable(name, nbytes(frame), offset(frame))
            device.has_copied_back = True
            _to_host(place.run(frame), numpy.frombuffer(data, numpy.uint8))
        return 0

    return Code(run, INT)


def _free(call: Call) -> Code:
    c, given = call.c, call.given
    place = c.expression(given[0]).run

    def run(frame: Frame) -> int:
        memory = place(frame)
        if memory is not None and isinstance(memory.s, DeviceMemory):
            memory.s.is_free = True
        return 0

    return Code(run, INT)


def _number_of_device(call: Call) -> Code:
    """Return a call that gives a small number of a GPU through its first argument."""
    c, whole, given = call.c, call.whole, call.given
    code = c.expression(given[0])
    if not isinstance(code.type, PointerTo) or not isinstance(code.type.of, Number):
        raise UnreadError(whole)
    what = c.text(given[1]) if len(given) > 1 else ""
    value = 1024 if "Threads" in what else 49152 if "SharedMemory" in what else 2
    value = {"cudaGetDevice": 0, "cudaGetDeviceCount": 1}.get(whole, value)

    def run(frame: Frame) -> int:
        to = code.run(frame)
        to.s.v[to.at] = value
        return 0

    return Code(run, INT)


def _gpu(call: Call) -> Code:
    place = call.c.expression(call.given[0])

    def run(frame: Frame) -> int:
        to = place.run(frame)
        to.s.v[to.at] = RecordValue(GPU, dict(GPU_NUMBERS))
        return 0

    return Code(run, INT)


def _elapsed(call: Call) -> Code:
    c, given = call.c, call.given
    code = c.expression(given[0])

    def run(frame: Frame) -> int:
        to = code.run(frame)
        to.s.v[to.at] = 1.0
        return 0

    return Code(run, INT)


def _place(c: Compiler, node: Node) -> Code:
    code = c.expression(node)
    return code if isinstance(code.type, PointerTo) else Code(converted(code, PointerTo(VOID)), PointerTo(VOID))


def _pointed(to: Pointer) -> Any:
    of = to.of.of if isinstance(to.of, PointerTo) else BYTE
    try:
        size_of(of)
    except UnreadError:
        return BYTE
    return BYTE if of == VOID else of


_IGNORED = [
    f"cuda{name}"
    for name in [
        "DeviceSynchronize",
        "ThreadSynchronize",
        "GetLastError",
        "PeekAtLastError",
        "SetDevice",
        "EventCreate",
        "EventRecord",
        "EventSynchronize",
        "EventDestroy",
        "StreamCreate",
        "StreamDestroy",
        "StreamSynchronize",
        "DeviceReset",
        "FuncSetAttribute",
        "EventCreateWithFlags",
        "StreamCreateWithFlags",
        "FuncSetCacheConfig",
        "ProfilerStart",
        "ProfilerStop",
        "StreamWaitEvent",
        "DeviceSetSharedMemConfig",
        "DeviceSetLimit",
        "DeviceSetCacheConfig",
        "MemPrefetchAsync",
        "MemAdvise",
    ]
]


def _ignored(_call: Call) -> Code:
    return constant(0, INT)


def _calls() -> dict[str, Callable[[Call], Code]]:
    calls: dict[str, Callable[[Call], Code]] = dict.fromkeys(_IGNORED, _ignored)
    mallocs = ("cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync")
    calls |= dict.fromkeys(mallocs, _malloc)
    calls |= dict.fromkeys(("cudaMemcpy", "cudaMemcpyAsync"), _memcpy)
    calls |= dict.fromkeys(("cudaMemset", "cudaMemsetAsync"), _memset)
    calls |= {f"cudaMemcpy{way}Symbol{end}": _symbol_copy for way in ("To", "From") for end in ("", "Async")}
    calls |= dict.fromkeys(("cudaFree", "cudaFreeHost", "cudaFreeAsync"), _free)
    numbers = ("cudaGetDevice", "cudaGetDeviceCount", "cudaDeviceGetAttribute")
    calls |= dict.fromkeys((*numbers, "cudaOccupancyMaxActiveBlocksPerMultiprocessor"), _number_of_device)
    calls["cudaEventElapsedTime"], calls["cudaGetDeviceProperties"] = _elapsed, _gpu
    return calls


RUNTIME = _calls()
"""The readers of calls of CUDA's runtime."""
