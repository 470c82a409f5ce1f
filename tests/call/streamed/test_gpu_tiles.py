"""Tiles of C on a GPU, with the emulator in the GPU's place: every step, type and edge, and what is given back."""

from __future__ import annotations

import numpy
import pytest

import tilewright
from tilewright.arrays.stores.memory import ArrayStore
from tilewright.call.streamed import crossing, gpu_tiles, machines
from tilewright.call.streamed.prefetch import Step
from tilewright.call.streamed.request import check_streamed
from tilewright.choose.streamed import StreamedPlan, StreamRates
from tilewright.launch.cuda import link
from tilewright.launch.machine import MachineError

from .gpu_products import numbers, run


@pytest.mark.parametrize(
    ("sizes", "tile", "step", "dtype"),
    [
        ((16, 16, 16), (16, 16), 16, "float32"),
        ((17, 24, 40), (8, 16), 16, "float32"),
        ((15, 9, 33), (16, 8), 8, "float64"),
        ((16, 16, 48), (8, 16), 16, "float16"),
        ((24, 40, 16), (8, 16), 16, "float16"),
        ((5, 3, 0), (4, 4), 8, "float32"),
        ((1, 1, 1), (1, 1), 1, "float32"),
    ],
)
def test_tiles_and_steps_give_the_product(gpu, sizes, tile, step, dtype):
    """NumPy's result over a poisoned output, and the GPU's and the pinned memory are given back."""
    m, n, k = sizes
    a, b = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype, seed=1)
    out = numpy.full((m, n), numpy.nan, dtype)

    timing = run(a, b, out, tile, step)

    numpy.testing.assert_array_equal(out, (a.astype("f8") @ b.astype("f8")).astype(dtype))
    assert timing.tiles == -(-m // tile[0]) * -(-n // tile[1])
    gpu.driver.run_until(gpu.driver.queued)
    assert gpu.driver.allocations == {}
    assert gpu.driver.pinned == []
    assert gpu.driver.steps.count("cuStreamDestroy") == gpu.driver.steps.count("cuStreamCreate") == 4


@pytest.mark.parametrize("step", [16, 48])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_pinned_matrices_cross_without_a_copy(gpu, dtype, step):
    """Rows go straight from the caller's memory, and back to it where the kernel rounds; poison lies between them."""
    wide = [numpy.full((rows, columns + 9), numpy.nan, dtype) for rows, columns in ((24, 48), (48, 16), (24, 16))]
    a, b, out = (whole[:, : whole.shape[1] - 9] for whole in wide)
    a[...], b[...] = numbers(24, 48, dtype=dtype), numbers(48, 16, dtype=dtype, seed=1)
    gpu.driver.pinned_by_caller = wide

    run(a, b, out, (8, 16), step)

    numpy.testing.assert_array_equal(out, (a.astype("f8") @ b.astype("f8")).astype(dtype))
    assert all(numpy.isnan(whole[:, -9:]).all() for whole in wide)
    steps = gpu.driver.steps
    assert "cuMemcpyHtoDAsync" not in steps
    assert ("cuMemcpyDtoHAsync" in steps) == (dtype == "float16" and step < 48)


@pytest.mark.parametrize("is_pinned", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_last_step_goes_back_in_parts(gpu, monkeypatch, dtype, is_pinned):
    """Four parts of a tile's rows, each a product of its own behind which it crosses; copies there are small, too."""
    monkeypatch.setattr(gpu_tiles, "LEAST_PART_ROWS", 8)
    monkeypatch.setattr(link, "MOST_AT_ONCE_BYTES", 100)
    a, b = numbers(30, 32, dtype=dtype), numbers(32, 16, dtype=dtype, seed=1)
    out = numpy.full((30, 16), numpy.nan, dtype)
    gpu.driver.pinned_by_caller = [a, b, out] if is_pinned else []

    run(a, b, out, (30, 16), 16)

    numpy.testing.assert_array_equal(out, (a.astype("f8") @ b.astype("f8")).astype(dtype))
    assert len(gpu.runs) == 1 + 4


def test_the_larger_panel_stays(gpu):
    """Where k is one step and tiles are wide it is B's: it crosses once for a column of tiles."""
    a, b, out = numbers(24, 16), numbers(16, 64, seed=1), numpy.full((24, 64), numpy.nan, "f4")
    gpu.driver.pinned_by_caller = [a, b, out]

    run(a, b, out, (8, 32), 16)

    numpy.testing.assert_array_equal(out, a @ b)
    there, back = 2 * (3 + 1), 2 * 3
    assert gpu.driver.steps.count("cuMemcpy2DAsync") == there + back


def test_pinned_rows_that_overlap_are_copied(gpu):
    """A row that is broadcast, and a sliding window: the copy engine would take other elements."""
    row, long = numbers(16).astype("f4"), numbers(40).astype("f4")
    a = numpy.broadcast_to(row, (8, 16))
    b = numpy.lib.stride_tricks.sliding_window_view(long, 16)[:16]
    gpu.driver.pinned_by_caller = [row, long]
    out = numpy.full((8, 16), numpy.nan, "f4")

    run(a, b, out, (8, 16), 16)

    numpy.testing.assert_array_equal(out, a @ b)
    assert "cuMemcpy2DAsync" not in gpu.driver.steps


@pytest.mark.parametrize(("m", "n"), [(0, 5), (5, 0), (0, 0)])
def test_an_empty_result_takes_no_gpu(gpu, m, n):
    """Nothing is allocated, and nothing runs."""
    out = numpy.empty((m, n), "f4")

    timing = run(numbers(m, 4), numbers(4, n), out, (4, 4), 4)

    assert timing.tiles == 0
    assert gpu.runs == []
    assert "cuMemAllocAsync" not in gpu.driver.steps


@pytest.mark.parametrize("whole", [True, False])
def test_one_step_rounds_in_the_kernel(gpu, whole):
    """C's tile has 16 bits then, which cross back as they are; sums over several steps have 32."""
    a, b = numbers(16, 32, dtype="float16"), numbers(32, 16, dtype="float16", seed=1)
    problem = check_streamed("matmul", a, b, None, {}).problem("gpu")
    plan = StreamedPlan(problem, (16, 16), 32 if whole else 16, 2**30, StreamRates())

    assert plan.link_bytes == (2 * 16 * 32 * 2, 16 * 16 * (2 if whole else 4))
    out = numpy.empty((16, 16), "float16")
    run(a, b, out, (16, 16), plan.step)
    numpy.testing.assert_array_equal(out, a @ b)
    assert len(gpu.runs) == (1 if whole else 2)


@pytest.mark.usefixtures("gpu")
def test_pair_sums_are_made_on_the_way():
    """reduced_matmul streams, too: the GPU multiplies the sums."""
    a, b = numbers(24, 32), numbers(32, 16, seed=1)
    out = numpy.full((12, 8), numpy.nan, "f4")

    run(a, b, out, (8, 8), 16, "reduced_matmul")

    numpy.testing.assert_array_equal(out, (a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2]))


@pytest.mark.usefixtures("gpu")
def test_16_bits_are_widened_in_no_panel():
    """A panel of a 16-bit type has 16 bits, and C's tile 32."""
    a, b = numbers(16, 16, dtype="float16"), numbers(16, 16, dtype="float16")
    problem = check_streamed("matmul", a, b, None, {}).problem("gpu")

    assert (problem.panel_bytes, problem.sum_bytes, problem.casts) == (2, 4, False)


def test_matmul_streams_by_a_gpu(gpu):
    """With its name, and through the public function."""
    a, b = numbers(40, 30), numbers(30, 20)

    result = tilewright.matmul(a, b, device="gpu", memory_limit="64MiB")

    numpy.testing.assert_array_equal(result, a @ b)
    assert len(gpu.runs) >= 1
    said = str(tilewright.explain(a, b, device="gpu", memory_limit="64MiB"))
    assert "the link carries 50 GB/s (assumed)" in said
    assert "40,000 GFLOP/s (assumed)" in said


def test_devices_that_are_no_gpus_are_refused(gpu):
    """One sentence each, and nothing runs."""
    a = numbers(4, 4)
    for device in ("emulator", ["cuda:0", "cuda:0"], [], "cuda:x"):
        with pytest.raises(tilewright.PlanError, match="device is"):
            tilewright.matmul(a, a, device=device, memory_limit="1MiB")
    assert gpu.runs == []


def test_a_failing_store_ends_the_run_and_gives_back(gpu):
    """An input that cannot be read: its sentence, and no memory is kept."""

    class Broken(ArrayStore):
        def _read(self, *_):
            raise OSError(5, "Input/output error")

        def view(self, *_):
            return None

    broken = Broken(numbers(16, 16), "A")
    out = numpy.full((16, 16), numpy.nan, "f4")
    with pytest.raises(
        tilewright.StoreError, match=r"A cannot be read in rows 0 to \d and columns 0 to 7: Input/output error\.$"
    ):
        run(broken, numbers(16, 16), out, (8, 8), 8)
    gpu.driver.run_until(gpu.driver.queued)
    assert gpu.driver.allocations == {}
    assert numpy.isnan(out).all()


def test_what_failed_on_the_gpu_is_said_at_the_end(gpu, monkeypatch):
    """By the last wait for its streams, where nothing noticed before; memory is given back."""
    synchronize, waits = gpu.driver.cuStreamSynchronize, []

    def fails_later(stream):
        waits.append(synchronize(stream))
        return waits[0] if len(waits) == 1 else (gpu.driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS,)

    monkeypatch.setattr(gpu.driver, "cuStreamSynchronize", fails_later)
    with pytest.raises(MachineError, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
        run(numbers(16, 16), numbers(16, 16), numpy.empty((16, 16), "f4"), (8, 8), 8)
    gpu.driver.run_until(gpu.driver.queued)
    assert gpu.driver.allocations == {}


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize("step", [16, 48])
def test_several_threads_write_a_tile(gpu, monkeypatch, threads, step):
    """Each some of its rows, of every strip."""
    monkeypatch.setattr(crossing, "copier_count", lambda: threads)
    a, b = numbers(30, 48, dtype="float16"), numbers(48, 16, dtype="float16", seed=1)
    out = numpy.full((30, 16), numpy.nan, "f2")

    run(a, b, out, (16, 16), step)

    numpy.testing.assert_array_equal(out, (a.astype("f8") @ b.astype("f8")).astype("f2"))
    gpu.driver.run_until(gpu.driver.queued)
    assert gpu.driver.pinned == []


@pytest.mark.parametrize(
    ("rows", "is_first", "is_last", "ends"),
    [
        ((0, 9000), True, True, [9000]),
        ((0, 9000), False, False, [9000]),
        ((0, 9000), True, False, [9000]),
        ((0, 2048), False, True, [2048]),
        ((0, 2049), False, True, [2048, 2049]),
        ((100, 100 + 8192), False, True, [2148, 4196, 6244, 8292]),
        ((0, 8193), False, True, [2304, 4608, 6912, 8193]),
        ((0, 40_000), False, True, [10_240, 20_480, 30_720, 40_000]),
    ],
)
def test_parts_of_the_last_step(rows, is_first, is_last, ends):
    """Four of whole tiles of kernels, 256 rows, and none of fewer rows than fill a GPU; of other steps one."""
    step = Step(0, slice(*rows), slice(0, 8), slice(0, 8), is_first, is_last=is_last)
    found = gpu_tiles._parts(step)

    assert [part.stop for part in found] == ends
    assert [part.start for part in found] == [rows[0], *ends[:-1]]


@pytest.mark.parametrize(
    ("extent", "size", "extents"),
    [(0, 8, {0}), (8, 8, {8}), (16, 8, {8}), (17, 8, {8, 1}), (5, 8, {5}), (7, 4, {4, 3})],
)
def test_extents_of_parts(extent, size, extents):
    """Those that a kernel is planned for: the whole parts and what is left."""
    assert gpu_tiles._extents(extent, size) == extents


def test_the_machine_is_the_host_where_it_was_asked_for(gpu):
    """And nothing runs on the GPU."""
    a = numbers(20, 20)

    numpy.testing.assert_array_equal(tilewright.matmul(a, a, device="host", memory_limit="2MiB"), a @ a)
    assert gpu.runs == []
    assert machines.machine_of(check_streamed("dot", a[0], a[0], None, {}), "auto", "auto") == ("host", ())
