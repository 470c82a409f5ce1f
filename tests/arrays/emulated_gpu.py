"""A GPU for the CUDA side of the calls whose memory is the emulator's: arrays by `__cuda_array_interface__`, no CUDA.

Plans run as PTX on the emulator, so that results are real; what only a driver does is noted by the fake driver.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy
import pytest

from tests.call import compiled_calls
from tests.kernels.plan_on_emulator import run_on_emulator
from tests.launch import fake_driver
from tilewright.arrays import foreign as foreign_arrays
from tilewright.arrays import memory as cuda_memory
from tilewright.arrays.cuda_array import CudaArray, from_interface, packed_strides
from tilewright.arrays.dlpack import from_dlpack
from tilewright.arrays.places import CUDA
from tilewright.call import cuda_product, explain_on_gpu
from tilewright.emulate import Emulator
from tilewright.kernels.launch import BUFFERS, KEPT
from tilewright.launch.cuda import planned

KINDS = {"float16": "f2", "bfloat16": "u2", "float32": "f4", "float64": "f8", "uint8": "u1", "int32": "i4"}
STREAM = 7
ONLY_HOPPER = ("matmul/wgmma", "matmul/wgmma_small", "matmul/wgmma_split")
"""Kernels that are compiled for it alone."""


def bits_of(values, dtype):
    """Numbers as NumPy keeps them; those of bfloat16, which it lacks, as their bits. They must fit."""
    values = numpy.asarray(values)
    if dtype != "bfloat16":
        return values.astype(KINDS[dtype])
    bits = values.astype("f4").view("u4")
    assert not numpy.any(bits & 0xFFFF)
    return (bits >> 16).astype("u2")


def values_of(bits, dtype):
    """The numbers as float64."""
    if dtype != "bfloat16":
        return bits.astype("f8")
    return (bits.astype("u4") << 16).view("f4").astype("f8")


class EmulatedArray:
    """An array in the emulator's memory, which says where it is as CuPy's and Numba's do."""

    def __init__(self, gpu, shape, dtype, strides=None, *, read_only=False, stream=None, offset=0):
        self.gpu = gpu
        self.shape, self.dtype, self.read_only, self.stream = tuple(shape), dtype, read_only, stream
        self.strides = packed_strides(self.shape) if strides is None else tuple(strides)
        steps = [stride * (extent - 1) for stride, extent in zip(self.strides, self.shape, strict=True)]
        size = numpy.dtype(KINDS[dtype]).itemsize
        before = -sum(step for step in steps if step < 0)
        elements = 1 + before + sum(step for step in steps if step > 0) if prod(self.shape) else 0
        self.allocation = gpu.emulator.allocate(max((elements + offset) * size, 1))
        self.allocation.write(numpy.full(self.allocation.nbytes, 0xFF, "u1"))  # NaN in every type
        flat = self.allocation.data[: self.allocation.nbytes // size * size].view(KINDS[dtype])[offset:]
        self.first = before
        self.address = self.allocation.address + (offset + before) * size
        self.bits = numpy.lib.stride_tricks.as_strided(
            flat[before:], self.shape, [stride * size for stride in self.strides]
        )

    def set(self, values):
        """Fill it with numbers; itself."""
        self.bits[...] = bits_of(values, self.dtype)
        return self

    @property
    def values(self):
        """Its numbers as float64."""
        return values_of(self.bits, self.dtype)

    @property
    def __cuda_array_interface__(self):
        size = self.bits.itemsize
        return {
            "shape": self.shape,
            "strides": None if self.strides == packed_strides(self.shape) else tuple(s * size for s in self.strides),
            "typestr": "<V2" if self.dtype == "bfloat16" else f"<{KINDS[self.dtype]}",
            "data": (self.address if prod(self.shape) else 0, self.read_only),
            "stream": self.stream,
            "version": 3,
        }


class EmulatedGpu:
    """The memory, the driver and the runs of plans; `runs` are the plans that ran, `plans` those that were made."""

    def __init__(self, driver: fake_driver.FakeDriver) -> None:
        self.emulator = Emulator()
        self.driver = driver
        self.runs: list[Any] = []
        self.plans: list[Any] = []
        self.streams: list[int] = []
        self.copies = 0
        self.torch: Any = None

    def array(self, values, dtype, strides=None, **options):
        """An array with these numbers."""
        values = numpy.asarray(values)
        return EmulatedArray(self, values.shape, dtype, strides, **options).set(values)

    # What torch's memory does on a real GPU.

    def empty(self, shape, dtype, device):
        """Memory for a result or for working."""
        owner = EmulatedArray(self, shape, dtype)
        return CudaArray(owner.address, tuple(shape), owner.strides, dtype, device, owner)

    def stream(self, device):
        """The current stream."""
        assert device == 0
        return STREAM

    def copy(self, source, target):
        """All elements."""
        self.copies += 1
        target.owner.bits[...] = source.owner.bits

    def packed(self, array):
        """The same elements without gaps."""
        copy = self.empty(array.shape, array.dtype, array.device)
        copy.owner.bits[...] = array.owner.bits
        return copy

    def describe(self, given, name):
        """An array by its interface, or by DLPack."""
        if hasattr(given, "__cuda_array_interface__"):
            return from_interface(given, name)
        return from_dlpack(given, name, STREAM)

    def result(self, target, inputs):
        """The array itself."""
        del inputs
        return target.owner

    # What PlannedRun does there.

    def planned_run(self, plan, device, *, kept=0):
        """A plan that runs on the emulator; ``kept`` is the address of that buffer."""
        gpu = self

        class Run:
            def __init__(self):
                self.plan, self.device, self.workspace_bytes = plan, device, plan.workspace_bytes
                gpu.plans.append(plan)

                self.numbers = compiled_calls.numbers_of(self)

            def as_numbers(self):
                return self.numbers

            def refused(self, index, status):
                raise AssertionError((index, status))

            def run(self, addresses, stream):
                gpu.runs.append(plan)
                gpu.streams.append(stream)
                held = dict(zip(BUFFERS, addresses, strict=True)) | {KEPT: kept}
                only = any(launch.kernel in ONLY_HOPPER for launch in plan.launches)
                run_on_emulator(gpu.emulator, plan, held, "compute_90a" if only else "compute_90")

        return Run()


def install(monkeypatch: pytest.MonkeyPatch) -> EmulatedGpu:
    """Put the emulated GPU in the place of torch's memory and of the driver's."""
    gpu = EmulatedGpu(fake_driver.install(monkeypatch))
    monkeypatch.setattr(cuda_product, "memory", lambda _: gpu)
    known = cuda_memory.memory
    monkeypatch.setattr(explain_on_gpu, "memory", lambda library: gpu if library == CUDA else known(library))
    monkeypatch.setattr(foreign_arrays, "memory", lambda _: gpu)
    monkeypatch.setattr(cuda_product, "_plans", {})
    monkeypatch.setattr(planned, "PlannedRun", gpu.planned_run)
    return gpu
