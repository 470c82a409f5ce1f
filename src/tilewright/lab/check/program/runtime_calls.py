"""Calls of CUDA's runtime, as a host program makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from .compiler import Call, Code, Compiler, Frame, converted
from .constants import constant
from .device import Device, bytes_of, room_at, to_host, write_to
from .host_types import BYTE, GPU, GPU_NUMBERS, INT, SIZE, VOID, Number, PointerTo, UnreadError, size_of
from .memory import DeviceMemory, Pointer, Raw, RecordValue

if TYPE_CHECKING:
    from tree_sitter import Node


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
            raw.is_pinned = is_host
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
    is_async = call.whole.endswith("Async")

    def run(frame: Frame) -> int:
        if not is_async:
            device.wait()
        to, source = places[0].run(frame), places[1].run(frame)
        device.copy(to, source, nbytes(frame), kind(frame), line, made)
        if is_async and to is not None and to.s.raw is not None and to.s.raw.is_pinned:
            device.is_under_way(to.s.raw, line, "what this copy brings")
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
        room = room_at(to)
        if room is not None and count > room:
            device.accuse(line, made, f"It sets {count} bytes of an array that has {room}.", "Set as many as it has.")
            count = room
        data = numpy.full(count, value(frame) & 255, numpy.uint8)
        if isinstance(to.s, DeviceMemory):
            to.s.written_in = made
        write_to(to, data) if isinstance(to.s, DeviceMemory) else to_host(to, data)
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
        device.wait()
        if is_to:
            device.kernels.set_variable(name, bytes_of(place.run(frame), nbytes(frame)), offset(frame))
        else:
            data = device.kernels.get_variable(name, nbytes(frame), offset(frame))
            device.has_copied_back = True
            to_host(place.run(frame), numpy.frombuffer(data, numpy.uint8))
        return 0

    return Code(run, INT)


def _free(call: Call) -> Code:
    c, given = call.c, call.given
    device: Device = call.c.device
    place = c.expression(given[0]).run

    def run(frame: Frame) -> int:
        device.wait()
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
        "GetLastError",
        "PeekAtLastError",
        "SetDevice",
        "EventCreate",
        "EventRecord",
        "EventDestroy",
        "StreamCreate",
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


_WAITING = [
    f"cuda{name}"
    for name in [
        "DeviceSynchronize",
        "ThreadSynchronize",
        "EventSynchronize",
        "EventQuery",
        "StreamSynchronize",
        "StreamQuery",
        "StreamDestroy",
        "DeviceReset",
    ]
]
"""Calls after which the host may read: of one stream, too, for which stream has what is not followed."""


def _ignored(_call: Call) -> Code:
    return constant(0, INT)


def _waiting(call: Call) -> Code:
    device: Device = call.c.device

    def run(_frame: Frame) -> int:
        device.wait()
        return 0

    return Code(run, INT)


def _calls() -> dict[str, Callable[[Call], Code]]:
    calls: dict[str, Callable[[Call], Code]] = dict.fromkeys(_IGNORED, _ignored)
    calls |= dict.fromkeys(_WAITING, _waiting)
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
