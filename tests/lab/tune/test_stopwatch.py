"""The stopwatch without a card: memory and events are a stand-in's, and NumPy computes what kernels would."""

# ruff: noqa: N802  (the names are the driver's)

from __future__ import annotations

import math

import numpy
import pytest
from cuda.bindings import driver as bindings

from tests.kernels.plan_on_emulator import run_on_emulator
from tests.launch import memory_driver
from tests.launch.memory_driver import STREAM, MemoryDriver
from tilewright.choose import Plan
from tilewright.compile import CompilerMissingError
from tilewright.emulate import Emulator
from tilewright.kernels.launch import BUFFERS, Launch, Launches
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import Problem
from tilewright.lab.bench import timing
from tilewright.lab.bench.clock import LEAST_FLUSH_BYTES, flush_bytes
from tilewright.lab.tune import driver_clock, stopwatch
from tilewright.lab.tune.products import product
from tilewright.lab.tune.stopwatch import (
    FIRST_OF_B,
    RANDOM_ELEMENTS,
    DriverStopwatch,
    UnmeasurableError,
    normal_numbers,
)
from tilewright.lab.tune.tuning import contest, measured
from tilewright.launch import MachineError
from tilewright.launch.cuda import device as cuda_device

FLUSH_BYTES = 4096
NUMPY_DTYPES = {"float16": "f2", "float32": "f4", "float64": "f8"}


def plan(name: str) -> Launches:
    """A plan of one launch, of a kernel that `Card` knows by its name."""
    return Launches((Launch(name, (), (1, 1, 1), (32, 1, 1), {}),), workspace_bytes=64)


class Card(MemoryDriver):
    """A driver whose kernels are NumPy's: right, or wrong in the way that their name says."""

    def __init__(self, emulator):
        super().__init__(emulator)
        self.problem: Problem | None = None
        self.ran: list[str] = []
        self.is_always_late = False

    def cuEventQuery(self, event):
        """Whether all in front of it is done."""
        is_there = self.is_always_late or self.done >= event.after
        return (bindings.CUresult.CUDA_SUCCESS if is_there else bindings.CUresult.CUDA_ERROR_NOT_READY,)

    def cuMemcpyDtoDAsync(self, to, source, nbytes, stream):
        """Copy within the memory."""
        assert stream == STREAM
        return self._queue("cuMemcpyDtoDAsync", lambda: self._bytes(to, nbytes, self._bytes(source, nbytes)))

    def array(self, address, count, dtype):
        """Elements at an address, in float64."""
        content = self._bytes(address, count * DTYPE_BYTES[dtype])
        if dtype == "bfloat16":
            return (numpy.frombuffer(content, "u2").astype("u4") << 16).view("f4").astype("f8")
        return numpy.frombuffer(content, NUMPY_DTYPES[dtype]).astype("f8")

    def dot(self, found, addresses):
        """A product of two vectors."""
        x, y = (self.array(address, found.k, found.dtype) for address in addresses[:2])
        self._bytes(addresses[2], DTYPE_BYTES[found.out_dtype], bytes_of(x @ y, found.out_dtype))

    def multiply(self, kernel, addresses):
        """A product of matrices along rows, with a mistake or without."""
        self.ran.append(kernel)
        assert self.problem is not None
        (m, n, k), dtype = self.problem.sizes, self.problem.dtype
        a = self.array(addresses[0], m * k, dtype).reshape(m, k)
        b = self.array(addresses[1], k * n, dtype).reshape(k, n)
        c = a @ b
        c[-1, -1] *= {"wrong": 2, "rounded": 1.02}.get(kernel, 1)
        c[0, 0] = math.nan if kernel == "nan" else c[0, 0]
        rows = m - 1 if kernel == "incomplete" else m
        self._bytes(addresses[2], rows * n * DTYPE_BYTES[dtype], bytes_of(c[:rows], dtype))


def bytes_of(values, dtype) -> bytes:
    """Values in a type; bfloat16 is cut off."""
    if dtype == "bfloat16":
        return (numpy.asarray(values, "f4").view("u4") >> 16).astype("u2").tobytes()
    return numpy.asarray(values, NUMPY_DTYPES[dtype]).tobytes()


@pytest.fixture
def card(monkeypatch):
    """A card with little memory to read between two timings, and one round of timings that is quick."""
    driver = memory_driver.install(monkeypatch, Emulator())
    own = Card(driver.emulator)
    monkeypatch.setattr(cuda_device, "import_driver", lambda: own)
    memory_driver.forget()

    class Run:
        """Stands in for `PlannedRun`."""

        def __init__(self, found, _device):
            if not isinstance(found, Plan) and found.launches[0].kernel == "refused":
                raise CompilerMissingError("There is no NVRTC.")
            self.found, self.workspace_bytes = found, found.workspace_bytes

        def run(self, addresses, stream):
            """Queue it."""
            assert stream == STREAM
            if isinstance(self.found, Plan):
                own._queue("dot", lambda: own.dot(self.found.problem, addresses))
            else:
                if self.found.launches[0].kernel == "too large":
                    raise MachineError("CUDA_ERROR_INVALID_CLUSTER_SIZE")
                own._queue("matmul", lambda: own.multiply(self.found.launches[0].kernel, addresses))

    for module in (driver_clock, stopwatch):
        monkeypatch.setattr(module, "PlannedRun", Run)
    monkeypatch.setattr(driver_clock, "flush_bytes", lambda _: FLUSH_BYTES)
    monkeypatch.setattr(stopwatch, "RANDOM_ELEMENTS", 1003)
    monkeypatch.setattr(stopwatch, "FIRST_OF_B", 501)
    yield own
    memory_driver.forget()


def times(card, problem, *kernels, seconds=0.001):
    """The times of plans by these names."""
    card.problem = problem
    with DriverStopwatch.opened() as watch:
        return watch.times_us(problem, [plan(kernel) for kernel in kernels], seconds)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_those_that_agree_are_timed(card, dtype):
    """In turn, and none whose result is wrong, incomplete or NaN, or that cannot be compiled."""
    found = times(card, product((33, 70, 41), dtype), "first", "same", "wrong", "incomplete", "nan", "refused")

    assert all(us is not None and us > 0 for us in found[:2])
    assert found[2:] == [None] * 4
    assert card.ran[:5] == ["first", "same", "wrong", "incomplete", "nan"]
    assert set(card.ran[5:]) == {"first", "same"}
    assert card.ran.count("first") == card.ran.count("same")


def test_a_launch_that_the_driver_refuses_is_not_timed(card):
    """A cluster that does not fit, for example."""
    assert times(card, product((33, 70, 41), "float32"), "first", "too large", "same")[1:2] == [None]
    with pytest.raises(UnmeasurableError, match="refused by the driver"):
        times(card, product((33, 70, 41), "float32"), "too large")


def test_memory_is_given_back(card):
    """All of it, also where a product fails."""
    times(card, product((33, 70, 41), "float32"), "first", "same")
    with pytest.raises(UnmeasurableError):
        times(card, product((33, 70, 41), "float32"), "nan")
    card.run_until(card.queued)
    assert card.allocations == {}


def test_tf32_may_differ_from_float32(card):
    """By its rounding, and not by more."""
    problem = product((8, 16, 8), "float32", precision="tf32")
    assert times(card, problem, "first", "rounded")[1] is not None
    assert times(card, product((8, 16, 8), "float32"), "first", "rounded")[1] is None
    assert times(card, problem, "first", "wrong")[1] is None


@pytest.mark.parametrize(("kernel", "said"), [("refused", "There is no NVRTC"), ("nan", "are not finite")])
def test_the_planners_own_choice_must_run(card, kernel, said):
    """There is nothing to compare with."""
    with pytest.raises(UnmeasurableError, match=said):
        times(card, product((33, 70, 41), "float32"), kernel, "same")


def test_a_product_without_room_is_told(card):
    """By the driver's words."""
    with DriverStopwatch.opened() as watch:
        card.most_bytes = 10_000
        with pytest.raises(UnmeasurableError, match=r"matmul of A .*: Allocating .* bytes on GPU 0 failed"):
            watch.times_us(product((512, 512, 512), "float32"), [plan("first")], 0.001)


def test_numbers_are_random_in_all_of_both_matrices(card):
    """Those of a block of random numbers again and again; B's begin elsewhere than A's."""
    problem = card.problem = product((37, 101, 53), "float64")
    seen = {}
    multiply = card.multiply

    def note(kernel, addresses):
        seen["a"] = card.array(addresses[0], 37 * 101, "float64")
        seen["b"] = card.array(addresses[1], 101 * 53, "float64")
        multiply(kernel, addresses)

    card.multiply = note
    times(card, problem, "first")
    block = normal_numbers("float64").view("f8")
    assert block.size == stopwatch.RANDOM_ELEMENTS == 1003
    numpy.testing.assert_array_equal(seen["a"], numpy.resize(block, 37 * 101))
    numpy.testing.assert_array_equal(seen["b"], numpy.resize(numpy.roll(block, -501), 101 * 53))


def test_numbers_are_normal_in_every_type():
    """Those of bfloat16 are the upper halves of float32's."""
    wide = normal_numbers("float32").view("f4")
    assert wide.size == RANDOM_ELEMENTS > FIRST_OF_B
    assert (abs(wide.mean()) < 0.01, 0.99 < wide.std() < 1.01) == (True, True)
    cut = (normal_numbers("bfloat16").view("u2").astype("u4") << 16).view("f4")
    numpy.testing.assert_allclose(cut, wide, rtol=2**-7)
    numpy.testing.assert_allclose(normal_numbers("float16").view("f2"), wide, rtol=2**-10, atol=1e-6)


def test_a_host_that_is_late_is_told(card):
    """Where the GPU waits for the host, times are the host's."""
    card.is_always_late = True
    with pytest.raises(UnmeasurableError, match="The host was late in all 7 measurements"):
        times(card, product((33, 70, 41), "float32"), "first", "same")


@pytest.mark.parametrize(("dtype", "kernels"), [("bfloat16", 6), ("float32", 2), ("float64", 1)])
def test_candidates_agree_on_the_emulator(card, monkeypatch, dtype, kernels):
    """By the kernels' own PTX: products, the sums by which they are compared, and what is read between them."""

    class Emulated:
        """Stands in for `PlannedRun`: the plan runs on the emulator."""

        def __init__(self, found, _device):
            self.found, self.workspace_bytes = found, found.workspace_bytes

        def run(self, addresses, _stream):
            held = dict(zip(BUFFERS, addresses, strict=True))
            card._queue("plan", lambda: run_on_emulator(card.emulator, self.found, held, "compute_90a"))

    for module in (driver_clock, stopwatch):
        monkeypatch.setattr(module, "PlannedRun", Emulated)
    monkeypatch.setattr(timing, "LEAST_ROUNDS", 1)
    monkeypatch.setattr(timing, "WARM_UP", 1)
    monkeypatch.setattr(timing, "MOST_READINGS", 1)
    with DriverStopwatch.opened() as watch:
        asked = contest("emulated", product((24, 40, 16), dtype, "b"), watch.facts)
        assert asked is not None
        found = measured(asked, watch, seconds=1e-6)

    assert None not in found.candidates_us
    assert len({each.kernel for each in asked.candidates}) == kernels


def test_other_data_is_read_through_all_of_the_l2_cache():
    """Eight times its size, or half a GiB."""
    assert flush_bytes(50 * 2**20) == LEAST_FLUSH_BYTES
    assert flush_bytes(2**28) == 2**31
