"""The driver's calls that launching needs, without a driver: structures are those of cuda.bindings, calls are noted."""

# ruff: noqa: N802, D102  (the names are the driver's, and so are the descriptions)

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass, field
from typing import Any

import pytest
from cuda.bindings import driver as bindings

from tilewright.launch import DriverReport, Gpu
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import tensor_maps

CUBIN = b"\x7fELF"
"""How compiled code begins."""
SUCCESS = bindings.CUresult.CUDA_SUCCESS
PRIMARY, OTHER = 11, 12
"""Two contexts: the device's primary one, and one of somebody else."""

SIZES = {"pointer": "<Q", "int": "<i", "unsigned": "<I", "long long": "<q", "float": "<f", "double": "<d"}
ATTRIBUTES = {
    "COMPUTE_CAPABILITY_MAJOR": 9,
    "COMPUTE_CAPABILITY_MINOR": 0,
    "MULTIPROCESSOR_COUNT": 132,
    "MAX_THREADS_PER_BLOCK": 1024,
    "MAX_THREADS_PER_MULTIPROCESSOR": 2048,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": 32,
    "MAX_SHARED_MEMORY_PER_BLOCK": 48 * 1024,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 227 * 1024,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 228 * 1024,
    "RESERVED_SHARED_MEMORY_PER_BLOCK": 1024,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 65536,
    "MAX_REGISTERS_PER_BLOCK": 65536,
    "WARP_SIZE": 32,
    "MEMORY_CLOCK_RATE": 3_201_000,
    "GLOBAL_MEMORY_BUS_WIDTH": 6144,
    "L2_CACHE_SIZE": 50 * 2**20,
}


@dataclass
class Launched:
    """What one launch would have run."""

    entry: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    stream: int
    attributes: dict[str, Any]
    parameters: int
    arguments: list[Any] = field(default_factory=list)


class FakeDriver:
    """Stands in for `cuda.bindings.driver`; `kinds` says of which C types each kernel's arguments are."""

    CUfunction_attribute = bindings.CUfunction_attribute
    CUdevice_attribute = bindings.CUdevice_attribute
    CUlaunchAttributeID = bindings.CUlaunchAttributeID
    CUlaunchAttribute = bindings.CUlaunchAttribute
    CUlaunchConfig = bindings.CUlaunchConfig
    CUresult = bindings.CUresult
    CUevent_flags = bindings.CUevent_flags
    CUpointer_attribute = bindings.CUpointer_attribute
    CUstreamCaptureMode = bindings.CUstreamCaptureMode
    CUstreamCaptureStatus = bindings.CUstreamCaptureStatus

    def __init__(self) -> None:
        self.current = OTHER
        self.version = 13_000
        self.steps: list[str] = []
        self.launches: list[Launched] = []
        self.kinds: dict[str, list[str]] = {}
        self.function_attributes: list[tuple[str, str, int]] = []
        self.fail: dict[str, Any] = {}
        self.ordinals: dict[int, int] = {}
        self.waits: list[tuple[int, ...]] = []
        self.captured: set[int] = set()
        self.is_busy = False
        self.mode = bindings.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL

    def _answer(self, name: str, *values: Any) -> tuple[Any, ...]:
        self.steps.append(name)
        return (self.fail.get(name, SUCCESS), *values)

    def cuInit(self, _):
        return self._answer("cuInit")

    def cuDriverGetVersion(self):
        return self._answer("cuDriverGetVersion", self.version)

    def cuDeviceGet(self, ordinal):
        return self._answer("cuDeviceGet", ordinal)

    def cuDeviceGetName(self, length, _):
        return self._answer("cuDeviceGetName", b"NVIDIA H200".ljust(length, b"\0"))

    def cuDeviceGetAttribute(self, attribute, _):
        return self._answer("cuDeviceGetAttribute", ATTRIBUTES[attribute.name.removeprefix("CU_DEVICE_ATTRIBUTE_")])

    def cuDevicePrimaryCtxRetain(self, _):
        return self._answer("cuDevicePrimaryCtxRetain", PRIMARY)

    def cuCtxGetCurrent(self):
        return SUCCESS, self.current

    def cuCtxPushCurrent(self, context):
        self.below, self.current = self.current, context
        return self._answer("push")

    def cuCtxPopCurrent(self):
        self.current = self.below
        return self._answer("pop", self.current)

    def cuPointerGetAttribute(self, _, address):
        return self._answer("cuPointerGetAttribute", self.ordinals.get(address, 0))

    def cuEventCreate(self, flags):
        assert flags == bindings.CUevent_flags.CU_EVENT_DISABLE_TIMING
        return self._answer("cuEventCreate", [])

    def cuEventRecord(self, event, stream):
        event.append(stream)
        return self._answer("cuEventRecord")

    def cuStreamWaitEvent(self, stream, event, _):
        self.waits.append((stream, *event))
        return self._answer("cuStreamWaitEvent")

    def cuThreadExchangeStreamCaptureMode(self, mode):
        before, self.mode = self.mode, mode
        return SUCCESS, before

    def cuStreamIsCapturing(self, stream):
        statuses = bindings.CUstreamCaptureStatus
        is_captured = stream in self.captured
        return SUCCESS, statuses(statuses.CU_STREAM_CAPTURE_STATUS_ACTIVE if is_captured else 0)

    def cuEventQuery(self, _):
        assert self.mode == bindings.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        self.steps.append("cuEventQuery")
        return (bindings.CUresult.CUDA_ERROR_NOT_READY if self.is_busy else SUCCESS,)

    def cuEventSynchronize(self, _):
        assert self.mode == bindings.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        self.is_busy = False
        return self._answer("cuEventSynchronize")

    def cuEventDestroy(self, _):
        return self._answer("cuEventDestroy")

    def cuLibraryLoadData(self, image, *_):
        return self._answer("cuLibraryLoadData", image)

    def cuLibraryGetGlobal(self, library, name):
        assert library.startswith(CUBIN)
        return self._answer("cuLibraryGetGlobal", 0x7000, len(name))

    def cuLibraryGetKernel(self, library, name):
        assert library.startswith(CUBIN)
        return self._answer("cuLibraryGetKernel", name.decode())

    def cuKernelGetFunction(self, kernel):
        assert self.current == PRIMARY
        return self._answer("cuKernelGetFunction", kernel)

    def cuFuncSetAttribute(self, function, attribute, value):
        self.function_attributes.append((function, attribute.name, value))
        return self._answer("cuFuncSetAttribute")

    def cuLaunchKernelEx(self, configuration, function, parameters, _):
        if self.current != PRIMARY:  # as an H200's driver (580) answers
            self.steps.append("refused")
            return (bindings.CUresult.CUDA_ERROR_INVALID_HANDLE,)
        kinds = self.kinds.get(function, [])
        table = (ctypes.c_void_p * max(len(kinds), 1)).from_address(parameters)
        attributes = {}
        for attribute in configuration.attrs[: configuration.numAttrs]:
            name = attribute.id.name.removeprefix("CU_LAUNCH_ATTRIBUTE_")
            value = attribute.value
            extent = value.clusterDim
            attributes[name] = {
                "CLUSTER_DIMENSION": (extent.x, extent.y, extent.z),
                "PROGRAMMATIC_STREAM_SERIALIZATION": value.programmaticStreamSerializationAllowed,
                "COOPERATIVE": value.cooperative,
            }[name]
        self.launches.append(
            Launched(
                function,
                (configuration.gridDimX, configuration.gridDimY, configuration.gridDimZ),
                (configuration.blockDimX, configuration.blockDimY, configuration.blockDimZ),
                configuration.sharedMemBytes,
                int(configuration.hStream),
                attributes,
                parameters,
                [_read(address, kind) for address, kind in zip(table, kinds, strict=False)],
            )
        )
        return self._answer("cuLaunchKernelEx")


def _read(address, kind):
    if kind == "map":
        assert address % 64 == 0
        return ctypes.string_at(address, 128)
    return struct.unpack(SIZES[kind], ctypes.string_at(address, struct.calcsize(SIZES[kind])))[0]


def install(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    """Make the launching side believe in an H200; maps hold the address they are of."""
    fake = FakeDriver()
    report = DriverReport("580.0", (13, 0), (Gpu("NVIDIA H200", (9, 0), 2**37),), None)
    monkeypatch.setattr(cuda_device, "driver_report", lambda: report)
    monkeypatch.setattr(cuda_device, "import_driver", lambda: fake)
    cuda_device.cuda_device.cache_clear()

    def encode(target, data_type, rank, address, sizes, strides, box, steps, *rest):
        fake.steps.append("encode")
        if data_type == tensor_maps.DATA_TYPES["tfloat32"] and fake.current != PRIMARY:
            return tensor_maps.INVALID_CONTEXT  # as an H100's driver (580) answers; of other types it asks nothing
        shape = (*sizes[:rank], *strides[: rank - 1], *box[:rank], *steps[:rank])
        content = struct.pack(f"<QQQ{len(shape)}Q4Q", address, data_type, rank, *shape, *rest)
        ctypes.memmove(target, content.ljust(128, b"\0"), 128)
        return fake.fail.get("encode", 0)

    monkeypatch.setattr(tensor_maps, "_driver_call", lambda: encode)
    return fake


def fork() -> None:
    """As if this were a child of the process that has opened the GPUs so far."""
    cuda_device._inherit()
