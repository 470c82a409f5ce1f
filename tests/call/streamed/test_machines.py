"""Where a product that streams is computed, at which rates, and what is reported while it runs."""

from __future__ import annotations

import errno
import sys
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import tilewright
from tilewright.arrays.errors import StoreError
from tilewright.call import trip_rates
from tilewright.call.streamed import machines
from tilewright.call.streamed.lock import locked
from tilewright.call.streamed.machines import IN_MEMORY, machine_of, rates_of
from tilewright.call.streamed.progress import _Lines, reporting
from tilewright.call.streamed.request import check_streamed
from tilewright.call.streamed.tile_steps import steps_of
from tilewright.choose.streamed import Rate, StreamedPlan, StreamRates
from tilewright.choose.streamed_tiles import usual_rates
from tilewright.choose.trip import LEAST_FLOPS, Rates
from tilewright.launch import DeviceUnavailableError, DriverReport, MachineError


def asked_of(dtype: Any = "f4", operation: str = "matmul", sizes: tuple[int, int, int] = (4, 6, 8)):
    """A product of arrays in memory."""
    m, n, k = sizes
    shapes = ((k,), (k,)) if operation == "dot" else ((m, k), (k, n))
    a, b = (numpy.broadcast_to(numpy.ones((), dtype), shape) for shape in shapes)
    return check_streamed(operation, a, b, None, {}, runs=False)


@pytest.fixture
def driver(monkeypatch):
    """A driver, whose problem is set."""
    found = SimpleNamespace(problem=None)
    monkeypatch.setattr(machines, "driver_report", lambda: DriverReport(problem=found.problem))
    return found


@pytest.mark.parametrize(
    ("device", "machine"),
    [
        ("host", ("host", ())),
        (["host"], ("host", ())),
        ("gpu", ("gpu", (0,))),
        ("cuda", ("gpu", (0,))),
        ("cuda:3", ("gpu", (3,))),
        (("cuda:1", "gpu"), ("gpu", (1, 0))),
        (["cuda:2", "cuda:10"], ("gpu", (2, 10))),
    ],
)
def test_devices_by_name(device, machine):
    """The host, a GPU or several."""
    assert machine_of(asked_of(), device, "auto") == machine


@pytest.mark.parametrize(
    ("device", "said"),
    [
        ([], r"^device is \[\], and different GPUs such as"),
        (["cuda:1", "cuda:1"], "and different GPUs such as"),
        (["gpu", "cuda:0"], "and different GPUs such as"),
        ("cuda:", "^device is 'cuda:', and a product that streams takes 'auto', 'host', 'gpu', 'cuda:0' or a list"),
        ("cuda:x", "^device is 'cuda:x', and a product"),
        ("emulator", "^device is 'emulator', and a product"),
        (0, "^device is 0, and a product"),
        (["gpu", "host"], "^device is 'host', and a product"),
    ],
)
def test_devices_that_are_none(device, said):
    """In one sentence."""
    with pytest.raises(tilewright.PlanError, match=said):
        machine_of(asked_of(), device, "auto")


@pytest.mark.parametrize(
    ("dtype", "operation", "k", "problem", "machine"),
    [
        ("f4", "matmul", LEAST_FLOPS // 2**13, None, "gpu"),
        ("f4", "matmul", LEAST_FLOPS // 2**13 - 1, None, "host"),
        ("f4", "matmul", LEAST_FLOPS // 2**13, "no driver", "host"),
        ("i4", "matmul", LEAST_FLOPS // 2**13, None, "host"),
        ("f8", "reduced_matmul", LEAST_FLOPS // 2**11, None, "gpu"),
        ("f4", "dot", 2**40, None, "host"),
    ],
)
def test_large_products_go_to_a_gpu(driver, dtype, operation, k, problem, machine):
    """If there is one, and it multiplies the type."""
    driver.problem = problem
    assert machine_of(asked_of(dtype, operation, (64, 64, k)), "auto", "auto")[0] == machine


def test_what_a_machine_does_not_multiply(driver):
    """Precisions of float32 that the host has not, and types that a GPU has not."""
    assert driver.problem is None
    assert machine_of(asked_of(), "host", "ieee") == ("host", ())
    with pytest.raises(tilewright.PlanError, match=r"^The host does not multiply float32 with precision 'tf32'"):
        machine_of(asked_of(), "host", "tf32")
    assert machine_of(asked_of(), "gpu", "tf32") == ("gpu", (0,))
    for asked, said in ((asked_of("i4"), "matmul of int32"), (asked_of("f4", "dot"), "dot of float32")):
        with pytest.raises(tilewright.PlanError, match=f"^{said} streams on the host alone; leave device out"):
            machine_of(asked, "gpu", "auto")


@pytest.mark.parametrize("opened", [(9, 0), (8, 0), MachineError("It fails."), DeviceUnavailableError("None.")])
@pytest.mark.parametrize("measured", [None, Rates(1.0, 700.0, 24.0, 12.0, 1e-4)])
def test_rates_of_a_gpu(monkeypatch, opened, measured):
    """Measured ones, but on Hopper, where a small product says too little; assumed where they cannot be measured."""

    def device(ordinal):
        assert ordinal == 0
        if isinstance(opened, Exception):
            raise opened
        return SimpleNamespace(facts=SimpleNamespace(compute_capability=opened))

    types: list[str] = []
    monkeypatch.setattr(machines, "cuda_device", device)

    def measured_rates(dtype):
        types.append(dtype)
        return measured

    monkeypatch.setattr(trip_rates, "measured_rates", measured_rates)
    found = rates_of(asked_of(), "gpu")

    if opened == (9, 0):
        assert found == usual_rates(asked_of().problem("gpu"))
    elif measured is None:
        assert found == StreamRates(IN_MEMORY, IN_MEMORY, Rate(10_000.0), Rate(1000.0), Rate(20.0))
    else:
        product, link = Rate(700.0, "measured"), Rate(12.0, "measured")
        assert found == StreamRates(IN_MEMORY, IN_MEMORY, product, Rate(1000.0), link)
    assert types == ([] if opened == (9, 0) else ["float32"])


def test_rates_of_the_host(monkeypatch, tmp_path):
    """Memory is faster than files, of which one is enough; integers have no BLAS."""
    monkeypatch.setattr(trip_rates, "host_gflops", lambda dtype: {"float32": 77.0}[dtype])
    machines.host_rate.cache_clear()
    stored = numpy.memmap(tmp_path / "a.raw", "f4", "w+", 0, (8, 8))
    plain = numpy.ones((8, 8), "f4")
    for a, b, out, read, write in (
        (plain, plain, plain.copy(), IN_MEMORY, IN_MEMORY),
        (stored, plain, plain.copy(), StreamRates.read, IN_MEMORY),
        (plain, stored, plain.copy(), StreamRates.read, IN_MEMORY),
        (plain, plain, stored, IN_MEMORY, StreamRates.write),
    ):
        rates = rates_of(check_streamed("matmul", a, b, out, {}), "host")
        assert (rates.read, rates.write, rates.flops) == (read, write, Rate(77.0, "measured"))
        assert rates.link is None
    assert rates_of(asked_of("i4"), "host").flops == Rate(0.5)
    machines.host_rate.cache_clear()


def test_progress_in_lines(capsys, monkeypatch):
    """Each tenth once, where there is no rich; a function is called as it is, and nothing for False."""
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    with reporting(True) as report:
        assert isinstance(report, _Lines)
        for done in (0, 1, 2, 2, 5, 19, 20):
            report(done, 20)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"multiplying: {percent} %" for percent in (10, 20, 90, 100)]
    for nothing in (False, None):
        with reporting(nothing) as report:
            assert report is None
    with reporting(print) as report:
        assert report is print
    for other in (1, "yes"):
        with (
            pytest.raises(tilewright.PlanError, match=r"progress is .*, and True, False or a function"),
            reporting(other),
        ):
            pass
    _Lines()(0, 0)


def test_one_writer_at_a_time(tmp_path):
    """Another is refused until the first one ends, in whatever way; a folder that cannot be made is said."""
    folder = tmp_path / "lock.d"
    with locked(folder, "out (c.zarr)"):
        assert folder.is_dir()
        with (
            pytest.raises(StoreError, match=r"^out \(c\.zarr\) is being written by another process; wait"),
            locked(folder, "out (c.zarr)"),
        ):
            pass
    with pytest.raises(ZeroDivisionError), locked(folder, "out"):
        raise ZeroDivisionError
    with locked(folder, "out"):
        pass
    (tmp_path / "file").touch()
    with (
        pytest.raises(StoreError, match=r"file.inner cannot be written: Not a directory\.$") as refused,
        locked(tmp_path / "file" / "inner", "out"),
    ):
        pass
    assert refused.value.errno == errno.ENOTDIR


def test_steps_of_tiles():
    """Those of each tile in the order of k; the first and the last are marked."""
    plan = StreamedPlan(asked_of(sizes=(8, 6, 20)).problem("host"), (4, 6), 8, 2**30, StreamRates())
    found = [
        (step.number, step.rows.start, step.along.start, step.along.stop, step.is_first, step.is_last)
        for step in steps_of(plan, [1, 0])
    ]
    spans = [(0, 8, True, False), (8, 16, False, False), (16, 20, False, True)]
    assert found == [(number, 4 * number, *span) for number in (1, 0) for span in spans]
    whole = StreamedPlan(asked_of(sizes=(8, 6, 0)).problem("host"), (8, 6), 8, 2**30, StreamRates())
    assert [(step.is_first, step.is_last) for step in steps_of(whole, [0])] == [(True, True)]
