"""The process that has the GPU: guard bands round arrays, and what it launches, with what.

The driver has a double: that kernels run is tested on a GPU (tests/gpu/test_check_on_gpu.py).
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy
import pytest

from tests.launch import memory_driver
from tilewright.compile import compile_source
from tilewright.emulate import Emulator
from tilewright.lab.check.gpu import child
from tilewright.lab.check.gpu.problems import GpuProblem
from tilewright.launch import MachineError

SOURCE = 'extern "C" __global__ void k(float* C, int n, unsigned char flag) { C[threadIdx.x] = n + flag; }'


class HostMemory:
    """Device memory that is the host's."""

    def __init__(self, nbytes):
        self.array = numpy.zeros(nbytes, numpy.uint8)
        self.address = self.array.ctypes.data


class Host:
    """What a guarded array asks of a machine."""

    def __init__(self):
        self.given_back = 0

    def allocate(self, nbytes, name):
        """Allocate here."""
        assert name
        return HostMemory(nbytes)

    def copy_in(self, memory, array):
        """Copy in."""
        memory.array[...] = array

    def copy_out(self, memory, array):
        """Copy out."""
        array[...] = memory.array

    def free(self, memory):
        """Given back once."""
        assert memory.array.size
        self.given_back += 1


@pytest.fixture
def guarded():
    """Make 3 x 4 floats, filled, and a function that stores a float behind their address."""
    machine: Any = Host()
    array = child.GuardedArray(machine, "C", numpy.arange(12, dtype="float32").reshape(3, 4))
    array.fill()

    def store(offset_bytes, value=1.0):
        ctypes.c_float.from_address(array.address + offset_bytes).value = value

    yield array, store
    array.close()
    assert machine.given_back == 1


def test_stores_inside(guarded):
    """They are what is read, and no stray; `fill` undoes them."""
    array, store = guarded
    store(4 * 5, 7.0)
    values, stray = array.read()

    assert (values[1, 1], values.shape, stray) == (7, (3, 4), "")
    array.fill()
    assert array.read()[0].ravel().tolist() == list(range(12))


@pytest.mark.parametrize(
    ("offset", "sentence"),
    [
        (48, "A store lies 0 bytes past the end of C (48 bytes)."),
        (48 + 400, "A store lies 400 bytes past the end of C (48 bytes)."),
        (-4, "A store lies 4 bytes in front of C (48 bytes)."),
        (-child.GUARD_BYTES, "A store lies 65536 bytes in front of C (48 bytes)."),
    ],
)
def test_stores_outside(guarded, offset, sentence):
    """How far from which end, in bytes of the nearest one."""
    array, store = guarded
    store(offset)
    values, stray = array.read()

    assert stray == sentence
    assert values.ravel().tolist() == list(range(12))
    array.fill()
    assert array.read()[1] == ""


def test_who_reads_beside_reads_nan(guarded):
    """The bands, as numbers."""
    array, _ = guarded

    assert all(
        numpy.isnan(ctypes.c_float.from_address(array.address + offset).value) for offset in (-4, 48, child.GUARD_BYTES)
    )


@pytest.fixture
def driver(monkeypatch):
    """A driver whose memory is an emulator's, and which runs no kernel."""
    fake = memory_driver.install(monkeypatch, Emulator(workers=1))
    fake.kinds = {"k": ["pointer", "int", "int"]}
    yield fake
    memory_driver.forget()


def problem(**changes):
    """64 elements between their guards."""
    code = compile_source(SOURCE, "k.cu", architecture="sm_90")
    assert isinstance(code, bytes)
    given: dict[str, Any] = {
        "sizes": {"n": 64},
        "operation": "",
        "entry": "k",
        "code": code,
        "grid": (2, 1, 1),
        "block": (32, 1, 1),
        "shared_bytes": 60_000,
        "arguments": ("C", numpy.int32(64), numpy.uint8(3)),
        "arrays": {"C": numpy.arange(64, dtype="f4")},
        "has_variables": False,
    }
    return GpuProblem(**given | changes)


def test_arrays_and_numbers_reach_the_launch(driver):
    """Five launches, the array behind its guard band, numbers by their bytes; what was not written is as it was."""
    answer = child.Gpu().run(problem())

    assert len(driver.launches) == child.TIMED_LAUNCHES
    first = driver.launches[0]
    assert (first.entry, first.grid, first.block, first.shared_bytes) == ("k", (2, 1, 1), (32, 1, 1), 60_000)
    assert first.arguments[1:] == [64, 3]
    assert (first.arguments[0] - child.GUARD_BYTES) % 16 == 0
    assert ("k", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", 60_000) in driver.function_attributes
    assert (answer.strays, answer.error) == ((), "")
    assert answer.kernel_seconds
    numpy.testing.assert_array_equal(answer.arrays["C"], numpy.arange(64))
    assert driver.steps.count("cuLibraryLoadData") == 1


def test_variables_are_set_in_a_program_loaded_anew(driver):
    """Before each launch, so that none finds what the one before left; larger ones than the variable are refused."""
    gpu = child.Gpu()
    gpu.run(problem(has_variables=True, variables={"w": numpy.arange(4, dtype="i4")}))

    assert driver.steps.count("cuLibraryLoadData") == child.TIMED_LAUNCHES
    numpy.testing.assert_array_equal(driver.variables["w"].read("i4", (4,)), numpy.arange(4))
    with pytest.raises(ValueError, match="array for w has 20 bytes, and the variable 16"):
        gpu.run(problem(has_variables=True, variables={"w": numpy.arange(5, dtype="i4")}))


def test_a_kernel_that_waits_for_its_grid_is_launched_so(driver):
    """All of its blocks at a time, or none."""
    child.Gpu().run(problem(is_cooperative=True))
    assert driver.launches[0].attributes == {"COOPERATIVE": 1}


def test_a_store_beside_an_array_is_told(driver, monkeypatch):
    """By where it lies."""
    gpu = child.Gpu()
    launch = driver.cuLaunchKernelEx

    def stray(*given):
        answer = launch(*given)
        address = driver.launches[-1].arguments[0]
        driver._bytes(address + 256, 4, b"\1\1\1\1")
        return answer

    monkeypatch.setattr(driver, "cuLaunchKernelEx", stray)
    assert gpu.run(problem()).strays == ("A store lies 0 bytes past the end of C (256 bytes).",)


def test_what_cuda_says_is_told_alone():
    """Not what was being done, nor what to install."""
    error = MachineError("Running k failed: Launching k failed: CUDA_ERROR_ILLEGAL_ADDRESS.; use less. More.")
    assert child._said(error).startswith("CUDA_ERROR_ILLEGAL_ADDRESS")
    assert child._said(RuntimeError("CUDA_ERROR_X: What it means. Advice.")) == "CUDA_ERROR_X: What it means"
