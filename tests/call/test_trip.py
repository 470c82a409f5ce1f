"""The host's arrays by way of a GPU, with the emulator in the GPU's place: every layout, the rule, and what is said."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu
from tests.launch import fake_driver, memory_driver
from tilewright.call import trip, trip_rates
from tilewright.choose import PlanError
from tilewright.choose.trip import Rates
from tilewright.compile import CompileError, CompilerMissingError
from tilewright.launch import DeviceUnavailableError, DriverReport, Gpu, OutOfMemoryError
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import planned, staging

measured_rates = trip_rates.measured_rates
FAST_GPU = Rates(host_gflops=1, gpu_gflops=1e6, there_gb_per_s=1e3, back_gb_per_s=1e3, fixed_seconds=0)


@pytest.fixture
def gpu(monkeypatch):
    """An empty GPU behind copies in small pieces."""
    found = emulated_gpu.install(monkeypatch)
    driver = memory_driver.install(monkeypatch, found.emulator)
    monkeypatch.setattr(staging, "PIECE_BYTES", 256)

    def planned_run(plan, device):
        run = found.planned_run(plan, device)
        at_once = run.run

        def in_order(addresses, stream):
            driver.run_until(driver.queued)
            at_once(addresses, stream)

        run.run = in_order
        return run

    monkeypatch.setattr(planned, "PlannedRun", planned_run)
    found.driver = driver
    yield found
    cuda_device.cuda_device.cache_clear()
    staging.staged_copies.cache_clear()


@pytest.fixture
def pays(gpu, monkeypatch):
    """A machine whose GPU is worth the way for anything."""
    report = DriverReport("580.0", (13, 0), (Gpu("NVIDIA H200", (9, 0), 2**37),), None)
    monkeypatch.setattr(trip_rates, "driver_report", lambda: report)
    monkeypatch.setattr(trip_rates, "LEAST_FLOPS", 0)
    monkeypatch.setattr("tilewright.call.small_arrays.LEAST_FLOPS", 0)
    monkeypatch.setattr(trip_rates, "LEAST_HOST_SECONDS", 0)
    monkeypatch.setattr("tilewright.choose.trip.LEAST_HOST_SECONDS", 0)
    monkeypatch.setattr(trip_rates, "host_gflops", lambda _: 1)
    monkeypatch.setattr(trip_rates, "measured_rates", lambda _: FAST_GPU)
    return gpu


def numbers(*shape, dtype="float32", seed=0):
    """Small integers, so that sums are exact."""
    return numpy.random.default_rng(seed + sum(shape)).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (numbers(5, 7), numbers(7, 6)),
        (numbers(7, 5).T, numbers(7, 12)[:, ::2]),
        (numbers(5, 7)[::-1, ::-1], numbers(6, 7).T),
        (numpy.broadcast_to(numbers(7), (5, 7)), numbers(7, 6)),
        (numbers(3, 5, 7), numbers(7, 6)),
        (numbers(2, 1, 5, 7), numbers(3, 7, 6)),
        (numpy.broadcast_to(numbers(5, 7), (3, 5, 7)), numbers(3, 6, 7).transpose(0, 2, 1)),
        (numbers(7), numbers(7, 6)),
        (numbers(5, 7), numbers(7)),
        (numbers(7), numbers(7)),
        (numbers(5, 0), numbers(0, 6)),
        (numbers(0, 5), numbers(5, 6)),
        (numbers(5, 7, dtype=">f4"), numbers(7, 6, dtype="f8")),
    ],
)
def test_device_gpu_sends_any_layout(gpu, a, b):
    """There, multiplied, back: NumPy's result, and the GPU's memory is given back."""
    result = tilewright.matmul(a, b, device="gpu")

    numpy.testing.assert_array_equal(result, a @ b)
    assert numpy.asarray(result).dtype == (a @ b).dtype
    gpu.driver.run_until(gpu.driver.queued)
    assert gpu.driver.allocations == {}
    assert len(gpu.runs) == (a.size and b.size > 0)


def test_what_is_repeated_crosses_once(gpu):
    """A batch that is one matrix is sent as one."""
    one = numbers(8, 8)
    tilewright.matmul(numpy.broadcast_to(one, (10, 8, 8)), numpy.broadcast_to(one, (10, 8, 8)), device="gpu")

    sent = gpu.driver.steps.count("cuMemcpyHtoDAsync")
    assert sent == 2  # 256 bytes each, where all would be 20 pieces


def test_out_and_epilogue(gpu):
    """The host finishes what the GPU multiplied; out is written, and may be an input."""
    a, b, bias = numbers(6, 6), numbers(6, 6, seed=1), numbers(6)
    out = a.copy()

    assert tilewright.matmul(out, b, out=out, device="gpu") is out
    numpy.testing.assert_array_equal(out, a @ b)
    result = tilewright.matmul(a, b, alpha=2, bias=bias, activation="relu", device="gpu")
    numpy.testing.assert_array_equal(result, numpy.maximum(2 * a @ b + bias, 0))
    assert len(gpu.runs) == 2


def test_integers_are_refused_for_a_gpu(gpu):
    """As by any kernel: nothing is cast without being asked."""
    with pytest.raises(tilewright.DtypeError, match=r"float32 and float64, but A is .* int64"):
        tilewright.matmul(numbers(3, 3, dtype="i8"), numbers(3, 3), device="gpu")
    assert gpu.runs == []


def test_auto_goes_where_it_pays(pays):
    """By the rule, and explain says so in the same words; by name the host stays the host."""
    a, b = numbers(6, 7), numbers(7, 5)

    numpy.testing.assert_array_equal(tilewright.matmul(a, b), a @ b)
    assert len(pays.runs) == 1
    plan: Any = tilewright.explain(a, b)
    assert plan.reasons[0].startswith("The arrays go to the GPU and back: here it takes some")
    assert len(plan.launches) == 1
    numpy.testing.assert_array_equal(tilewright.matmul(a, b, device="host"), a @ b)
    numpy.testing.assert_array_equal(tilewright.matmul(a, b, kernel="numpy"), a @ b)
    numpy.testing.assert_array_equal(tilewright.matmul(a.astype(int), b.astype(int)), a @ b)
    numpy.testing.assert_array_equal(tilewright.matmul(a.astype("f2"), b.astype("f2")), a @ b)
    assert len(pays.runs) == 2  # the 16-bit types are float32 on the host


def test_auto_stays_where_it_does_not(pays, monkeypatch):
    """And the plan says why; so it does where the GPU has no room."""
    a, b = numbers(6, 7), numbers(7, 5)
    monkeypatch.setattr(trip_rates, "measured_rates", lambda _: Rates(1e6, 1e6, 1e3, 1e3, 1.0))

    numpy.testing.assert_array_equal(tilewright.matmul(a, b), a @ b)
    assert pays.runs == []
    plan = tilewright.explain(a, b)
    assert plan.machine == "host"
    assert plan.reasons[-1].startswith("The arrays stay on the host: here it takes some")

    monkeypatch.setattr(trip_rates, "measured_rates", lambda _: FAST_GPU)
    pays.driver.most_bytes = 10
    numpy.testing.assert_array_equal(tilewright.matmul(a, b), a @ b)
    with pytest.raises(OutOfMemoryError, match=r"Allocating .* bytes on GPU 0 failed"):
        tilewright.matmul(a, b, device="gpu")


@pytest.mark.usefixtures("pays")
@pytest.mark.parametrize(
    "refusal",
    [
        CompilerMissingError("NVRTC 13.0 makes no code for compute capability 7.0."),
        CompileError("wgmma.cu", 1, "no such instruction", ""),
        PlanError("Products in float16 run on GPUs from compute capability 7.5 on."),
    ],
)
def test_auto_stays_where_the_gpu_cannot_multiply(monkeypatch, refusal):
    """A GPU without a compiler, or too old for one, is as none; whoever asks for it by name is told."""

    def refused(*_):
        raise refusal

    monkeypatch.setattr(trip, "planned_run", refused)
    monkeypatch.setattr(trip_rates, "measured_rates", measured_rates.__wrapped__)
    monkeypatch.setattr(trip_rates, "PROBE_SIDE", 16)
    monkeypatch.setattr(trip_rates, "PROBE_BYTES", 1024)
    a, b = numbers(6, 7), numbers(7, 5)

    numpy.testing.assert_array_equal(tilewright.matmul(a, b), a @ b)
    monkeypatch.setattr(trip_rates, "measured_rates", lambda _: FAST_GPU)
    numpy.testing.assert_array_equal(tilewright.matmul(a, b), a @ b)
    with pytest.raises(type(refusal)):
        tilewright.matmul(a, b, device="gpu")


def test_a_forked_child_stays_on_the_host(pays):
    """It inherits the rates, and not the GPU."""
    a, b = numbers(6, 7), numbers(7, 5)
    tilewright.matmul(a, b)
    fake_driver.fork()

    numpy.testing.assert_array_equal(tilewright.matmul(a, b), a @ b)
    assert len(pays.runs) == 1
    with pytest.raises(DeviceUnavailableError, match="spawn"):
        tilewright.matmul(a, b, device="gpu")


def test_explain_with_the_gpu_asked_for(gpu):
    """The launches, and that they were asked for; nothing runs."""
    plan: Any = tilewright.explain(numbers(4, 4), numbers(4, 4), device="gpu")

    assert "device='gpu' was asked for" in plan.reasons[0]
    assert gpu.runs == []


def test_no_gpu_is_looked_for_without_need(monkeypatch):
    """A product of a few operations asks no driver; a large one asks, and stays where there is none."""
    asked = []

    def report():
        asked.append(1)
        return DriverReport(problem="there is none")

    monkeypatch.setattr(trip_rates, "driver_report", report)
    a = numbers(64, 64)
    tilewright.matmul(a, a)
    assert asked == []
    monkeypatch.setattr(trip_rates, "LEAST_FLOPS", 0)
    monkeypatch.setattr("tilewright.call.small_arrays.LEAST_FLOPS", 0)
    tilewright.matmul(a, a)
    assert asked == [1]


def test_rates_are_measured(gpu, monkeypatch):
    """On this host and this driver: all above zero, once per type."""
    monkeypatch.setattr(trip_rates, "PROBE_SIDE", 16)
    monkeypatch.setattr(trip_rates, "PROBE_BYTES", 1024)
    trip_rates.host_gflops.cache_clear()
    trip_rates.measured_rates.cache_clear()

    rates = trip_rates.measured_rates("float32")

    assert rates is not None
    assert all(rate > 0 for rate in vars(rates).values())
    runs = len(gpu.runs)
    assert trip_rates.measured_rates("float32") is rates
    assert len(gpu.runs) == runs
    trip_rates.host_gflops.cache_clear()
    trip_rates.measured_rates.cache_clear()
