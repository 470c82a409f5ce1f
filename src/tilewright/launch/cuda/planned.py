"""A GPU's plan, ready to run: kernels loaded, arguments packed. A run puts in addresses and a stream, and launches.

Any plan of `tilewright.choose` runs here; no kernel is known by name. A run neither allocates nor waits, so
that it can be captured into a CUDA graph.
"""

from __future__ import annotations

import ctypes
import itertools
import struct
import threading
from collections.abc import Sequence
from math import prod
from typing import Any

from tilewright.choose.plan import Plan
from tilewright.compile.kept_code import Code
from tilewright.compile.planned import compile_launches
from tilewright.compile.signature import check_signature
from tilewright.kernels.launch import BUFFERS, KEPT, Launch, Launches, Parameter, Pointer, Scalar, TensorMap, packed
from tilewright.launch.machine import MachineError, Record

from .device import CudaDevice
from .gpu import said_by_cuda
from .tensor_maps import MAP_ALIGNMENT_BYTES, MAP_BYTES, TensorMapEncoder

MOST_MAPS_KEPT = 1024
"""The most encoded maps kept per parameter of a plan; beyond that, the cache is cleared."""

LAUNCHED = Record()
"""The record of every run, which is asynchronous."""

Ready = tuple[Any, Any, int, str]
"""The driver's configuration and function, the address of the list of arguments, the entry's name."""


class PlannedRun:
    """A plan on a device. Threads may run it concurrently: each in turn fills in the arguments and launches.

    codes: of each launch, if already compiled. buffers: names of the arguments' buffers, in the order of addresses.
    kept: the address of the buffer `KEPT`, which is the same in every run.
    """

    def __init__(
        self,
        plan: Plan | Launches,
        device: CudaDevice,
        codes: Sequence[Code] | None = None,
        buffers: Sequence[str] = BUFFERS,
        kept: int = 0,
    ) -> None:
        self.plan = plan
        self.workspace_bytes = plan.workspace_bytes
        self.device = device
        self._launch = device.driver.cuLaunchKernelEx
        self._lock = threading.Lock()
        results = device.driver.CUresult
        self._wrong_context = (results.CUDA_ERROR_INVALID_CONTEXT, results.CUDA_ERROR_INVALID_HANDLE)
        self._stream: int | None = None
        self._addresses: tuple[int, ...] | None = None
        self._arguments = Arguments(plan.launches, device, buffers, kept)
        if codes is None:
            codes = compile_launches(plan.launches, device.capability)
            for launch, code in zip(plan.launches, codes, strict=True):
                check_signature(launch, code)
        self._launches: list[Ready] = [
            (
                _configuration(device, launch),
                device.function(
                    code, launch.entry, shared_bytes=launch.shared_bytes, cluster_blocks=prod(launch.cluster)
                ),
                parameters,
                launch.entry,
            )
            for launch, code, parameters in zip(plan.launches, codes, self._arguments.parameters, strict=True)
        ]

    def run(
        self,
        addresses: Sequence[int],
        stream: int = 0,
        *,
        observers: Sequence[Any] = (),
        budget: int | None = None,
        schedule: int | None = None,
    ) -> Record:
        """Launch the kernels asynchronously on a stream.

        Args:
            addresses: of each of `BUFFERS`, in that order; 0 for one that the plan does not name.
            stream: the stream's handle, of this device; 0 is the default stream.
            observers: none, as with budget and schedule: those are the emulator's.
            budget: None.
            schedule: None.

        Raises:
            DeviceUnavailableError: this process was forked from the one that opened the GPU.
            MachineError: the driver refuses a launch; the message names both.
        """
        if self.device.inherited:
            self.device.check_process()
        if observers or budget is not None or schedule is not None:
            raise MachineError("A GPU has nothing to observe, no budget and no schedule of warps; the emulator has.")
        given = tuple(addresses)
        with self._lock:
            if given != self._addresses:
                self._addresses = None
                self._arguments.fill(given)
                self._addresses = given
            if stream != self._stream:
                self._stream = None
                for configuration, *_ in self._launches:
                    configuration.hStream = stream
                self._stream = stream
            for launch in self._launches:
                configuration, function, parameters, _ = launch
                (status,) = self._launch(configuration, function, parameters, 0)
                if status:
                    self._launch_in_context(launch, status)
        return LAUNCHED

    def _launch_in_context(self, launch: Ready, status: Any) -> None:
        """Repeat, in the device's context, a launch that was refused because another context or none was current.

        Asking which one is current would cost every call what the refusal costs a few: the driver runs nothing then
        (tests/gpu/test_streams_on_gpu.py).
        """
        configuration, function, parameters, entry = launch
        if status in self._wrong_context and self.device.enter():
            try:
                (status,) = self._launch(configuration, function, parameters, 0)
            finally:
                self.device.leave()
        if status:
            with said_by_cuda(f"launching {entry}"):
                raise MachineError(str(getattr(status, "name", status)))

    def refused(self, index: int, status: int) -> None:
        """Raise MachineError for a launch that the driver refused with this status; -1 is the encoding of a map."""
        entry = self._launches[index][-1] if index >= 0 else self.entries
        with said_by_cuda(
            f"launching {entry}" if index >= 0 else f"describing an operand of {entry} to the copy engine"
        ):
            raise MachineError(self.device.driver.CUresult(status).name)

    @property
    def entries(self) -> str:
        """The kernels' names."""
        return ", ".join(launch[-1] for launch in self._launches)

    def as_numbers(self) -> tuple[int, bytes, list[Any], list[Any], list[Any]]:
        """The context, the arguments, and where addresses and maps go in them, for `tilewright.launch.cuda.native`."""
        launches = [
            (int(configuration.getPtr()), int(function), offsets)
            for (configuration, function, *_), offsets in zip(self._launches, self._arguments.offsets, strict=True)
        ]
        return self.device.context_handle, *self._arguments.as_numbers(), launches


class Arguments:
    """The arguments of all launches in one block of memory, as the driver reads them.

    First come all addresses, so that a run packs them in one go, then numbers, then tensor maps. `parameters` has for
    each launch the address of its list of addresses of arguments. Addresses and maps of `KEPT` are written here, once.
    """

    def __init__(self, launches: Sequence[Launch], device: CudaDevice, buffers: Sequence[str], kept: int) -> None:
        each_launch = [[_in_place(each, kept) for each in launch.parameters.values()] for launch in launches]
        parameters = [parameter for of_launch in each_launch for parameter in of_launch]
        pointers = [parameter for parameter in parameters if isinstance(parameter, Pointer)]
        numbers = [_bytes(parameter) for parameter in parameters if isinstance(parameter, Scalar | bytes)]
        maps = [each for parameter in parameters for each in _maps(parameter)]
        self._pointers = [(buffers.index(pointer.buffer), pointer.offset_bytes) for pointer in pointers]
        self._format = struct.Struct(f"<{len(pointers)}Q")
        numbers_offsets = list(itertools.accumulate(map(len, numbers), initial=8 * len(pointers)))
        maps_offset = _rounded_up(numbers_offsets[-1], MAP_ALIGNMENT_BYTES)
        memory = ctypes.create_string_buffer(maps_offset + MAP_BYTES * len(maps) + MAP_ALIGNMENT_BYTES)
        start = ctypes.addressof(memory)
        self._base = _rounded_up(start, MAP_ALIGNMENT_BYTES)
        self._memory = memoryview(memory).cast("B")[self._base - start :]
        for offset, number in zip(numbers_offsets, numbers, strict=False):
            self._memory[offset : offset + len(number)] = number
        self._maps: list[tuple[int, int, TensorMapEncoder, dict[int, bytes]]] = []
        for index, planned in enumerate(maps):
            place, encoder = maps_offset + MAP_BYTES * index, TensorMapEncoder(planned, device)
            if planned.buffer == KEPT:
                encoder.encode(self._base + place, kept)
            else:
                self._maps.append((buffers.index(planned.buffer), place, encoder, {}))
        pointer_offsets, number_offsets = itertools.count(0, 8), iter(numbers_offsets)
        map_offsets = itertools.count(maps_offset, MAP_BYTES)

        def offset_of(parameter: Parameter) -> int:
            if isinstance(parameter, Pointer):
                return next(pointer_offsets)
            if isinstance(parameter, Scalar | bytes):
                return next(number_offsets)
            first, *_ = [next(map_offsets) for _ in _maps(parameter)]
            return first

        self.offsets = [[offset_of(parameter) for parameter in of_launch] for of_launch in each_launch]
        self._lists = [
            (ctypes.c_void_p * max(len(offsets), 1))(*(self._base + offset for offset in offsets))
            for offsets in self.offsets
        ]
        self.parameters = [ctypes.addressof(each) for each in self._lists]

    def as_numbers(self) -> tuple[bytes, list[tuple[int, int]], list[tuple[int, ...]]]:
        """The block of memory; for each pointer and each map its buffer and its parts."""
        maps = [(index, place, *encoder.as_numbers()) for index, place, encoder, _ in self._maps]
        return bytes(self._memory), self._pointers, maps

    def fill(self, addresses: Sequence[int]) -> None:
        """Fill in the addresses and their tensor maps."""
        memory = self._memory
        self._format.pack_into(memory, 0, *[addresses[index] + more for index, more in self._pointers])
        for index, place, encoder, kept in self._maps:
            address = addresses[index]
            encoded = kept.get(address)
            if encoded is None:
                encoder.encode(self._base + place, address)
                if len(kept) >= MOST_MAPS_KEPT:
                    kept.clear()
                kept[address] = bytes(memory[place : place + MAP_BYTES])
            else:
                memory[place : place + MAP_BYTES] = encoded


def _configuration(device: CudaDevice, launch: Launch) -> Any:
    """The configuration of a launch for cuLaunchKernelEx; only the stream changes from run to run."""
    driver = device.driver
    names = driver.CUlaunchAttributeID
    attributes = []
    if prod(launch.cluster) > 1:
        attribute = driver.CUlaunchAttribute()
        attribute.id = names.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z = launch.cluster
        attributes.append(attribute)
    if launch.overlaps_previous and device.overlaps_launches:
        attribute = driver.CUlaunchAttribute()
        attribute.id = names.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        attribute.value.programmaticStreamSerializationAllowed = 1
        attributes.append(attribute)
    if launch.waits_for_grid:
        attribute = driver.CUlaunchAttribute()
        attribute.id = names.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        attribute.value.cooperative = 1
        attributes.append(attribute)
    configuration = driver.CUlaunchConfig()
    configuration.gridDimX, configuration.gridDimY, configuration.gridDimZ = launch.grid
    configuration.blockDimX, configuration.blockDimY, configuration.blockDimZ = launch.block
    configuration.sharedMemBytes = launch.shared_bytes
    if attributes:
        configuration.attrs = attributes
    configuration.numAttrs = len(attributes)
    return configuration


def _in_place(parameter: Parameter, kept: int) -> Parameter:
    """The parameter, and where it points into `KEPT`, which never moves, the address as a number."""
    if isinstance(parameter, Pointer) and parameter.buffer == KEPT:
        return Scalar("long long", kept + parameter.offset_bytes)
    return parameter


def _bytes(number: Scalar | bytes) -> bytes:
    """A number or a struct of them, filled up to a multiple of 8 bytes."""
    data = packed([number]) if isinstance(number, Scalar) else number
    return data.ljust(_rounded_up(len(data), 8), b"\0")


def _maps(parameter: Parameter) -> tuple[TensorMap, ...]:
    return (parameter,) if isinstance(parameter, TensorMap) else parameter if isinstance(parameter, tuple) else ()


def _rounded_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
