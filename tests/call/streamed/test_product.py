"""Products that stream: right at every size and mixture, within the limit, and refused in one sentence."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import numpy
import pytest

import tilewright
from tilewright.call.streamed import product, request
from tilewright.call.streamed.journal import Journal
from tilewright.call.streamed.product import run_streamed
from tilewright.call.streamed.request import check_streamed, limit_bytes
from tilewright.choose import PlanError

ROOT = Path(__file__).parents[3]
REST_BYTES = 96 * 2**20
"""What a process takes beside the limit: OpenBLAS's buffers and zarr's threads."""


def bound(a, b):
    """An elementwise bound of the error of sums in float32, and the product in float64."""
    left, right = a.astype("f8"), b.astype("f8")
    return left @ right, a.shape[1] * 2.0**-23 * (numpy.abs(left) @ numpy.abs(right)) + 1e-30


def close(result, a, b):
    """Whether each element is within the bound; NaN is not."""
    exact, most = bound(a, b)
    return bool((numpy.abs(result - exact) <= most).all())


def zarr_of(folder, name, values, chunks):
    """A zarr array with these values."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    array = zarr.create_array(folder / f"{name}.zarr", shape=values.shape, dtype=values.dtype, chunks=chunks)
    array[...] = values
    return array


@pytest.mark.parametrize(
    ("m", "n", "k"),
    [
        (1, 1, 1),
        (0, 5, 3),
        (5, 0, 3),
        (5, 3, 0),
        (127, 131, 137),
        (128, 128, 128),
        (129, 129, 129),
        (1, 700, 900),
        (700, 1, 900),
    ],
)
def test_awkward_sizes_from_memory(m, n, k):
    """Fresh numbers over a poisoned output, within so little that tiles and panels are many."""
    generator = numpy.random.default_rng()
    a, b = generator.standard_normal((m, k), dtype="f4"), generator.standard_normal((k, n), dtype="f4")
    out = numpy.full((m, n), numpy.nan, "f4")

    assert tilewright.matmul(a, b, out=out, memory_limit=60_000, device="host") is out

    assert close(out, a, b)


def test_mixtures(tmp_path):
    """Zarr times a memmap to HDF5, and every other way round."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    generator = numpy.random.default_rng()
    a, b = generator.standard_normal((103, 211), dtype="f4"), generator.standard_normal((211, 97), dtype="f4")
    mapped = numpy.lib.format.open_memmap(tmp_path / "b.npy", "w+", "f4", b.shape)
    mapped[...] = b
    with h5py.File(tmp_path / "c.h5", "w") as file:
        out = file.create_dataset("c", (103, 97), "f8", chunks=(20, 30), fillvalue=numpy.nan)
        tilewright.matmul(zarr_of(tmp_path, "a", a, (30, 30)), mapped, out=out, memory_limit="400KiB")
        assert close(out[...], a, b)
        file["a"] = a
        into = zarr_of(tmp_path, "c", numpy.full((103, 97), numpy.nan, "f4"), (25, 40))
        tilewright.matmul(file["a"], b, into, memory_limit="400KiB")
        assert close(into[...], a, b)
        mapped_out = numpy.lib.format.open_memmap(tmp_path / "c.npy", "w+", "f4", (103, 97))
        mapped_out[...] = numpy.nan
        tilewright.matmul(a, file["a"][...].T.copy(), numpy.empty((103, 103), "f4"), memory_limit="400KiB")
        tilewright.matmul(a, mapped, mapped_out, memory_limit="400KiB")
        assert close(mapped_out, a, b)


def test_stored_arrays_stream_without_being_asked(tmp_path):
    """NumPy would read all of them; the plan says what is read."""
    a = numpy.random.default_rng().standard_normal((60, 80), dtype="f4")
    stored = zarr_of(tmp_path, "a", a, (16, 16))

    assert close(tilewright.matmul(stored, a.T.copy()), a, a.T)
    assert close(tilewright.dot(stored, a.T.copy()), a, a.T)
    plan = tilewright.plan(stored, a.T.copy(), memory_limit="300KiB")
    assert "streamed" in str(plan)
    assert close(plan(), a, a.T)
    assert type(tilewright.explain(stored, a.T.copy())).__name__ == "StreamedPlan"


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "complex64"])
def test_other_types(dtype):
    """16 bits are added in float32 and rounded once; integers wrap as NumPy's do."""
    generator = numpy.random.default_rng()
    a, b = (generator.integers(-9, 9, shape).astype(dtype) for shape in ((70, 90), (90, 50)))

    result = tilewright.matmul(a, b, memory_limit=40_000, device="host")

    assert result.dtype == dtype
    numpy.testing.assert_array_equal(result, a.astype("c16") @ b.astype("c16"))


def test_sums_of_pairs_and_dot_products(tmp_path):
    """The full product never exists, and a dot product is added in float64."""
    generator = numpy.random.default_rng()
    a, b = generator.standard_normal((94, 75), dtype="f4"), generator.standard_normal((75, 62), dtype="f4")
    left, right = zarr_of(tmp_path, "a", a, (7, 20)), zarr_of(tmp_path, "b", b, (20, 9))

    reduced = tilewright.reduced_matmul(left, right, memory_limit="100KiB")

    pairs = (a[0::2].astype("f8") + a[1::2]), (b[:, 0::2].astype("f8") + b[:, 1::2])
    assert numpy.abs(reduced - pairs[0] @ pairs[1]).max() < 1e-4
    x, y = generator.random(100_003, dtype="f4"), generator.random(100_003, dtype="f4")
    found = tilewright.dot(zarr_of(tmp_path, "x", x, (1000,)), y, memory_limit="100KiB")
    assert found.dtype == numpy.float32
    assert found == pytest.approx(x.astype("f8") @ y, rel=1e-6)


@pytest.mark.parametrize("fails", [False, True])
def test_the_journal_is_closed(monkeypatch, tmp_path, fails):
    """After a product, and after one that failed: a process may multiply any number of times."""
    opened = []

    class Seen(Journal):
        def __init__(self, folder):
            super().__init__(folder)
            opened.append(self)

    def fail(*_):
        raise OSError("stopped")

    monkeypatch.setattr(product, "Journal", Seen)
    if fails:
        monkeypatch.setattr(product, "_run", fail)
    a = numpy.ones((300, 40), "f4")
    out = numpy.lib.format.open_memmap(tmp_path / "c.npy", "w+", "f4", (300, 300))
    with pytest.raises(OSError, match="stopped") if fails else nullcontext():
        tilewright.matmul(a, a.T, out=out, memory_limit="1MiB")
    assert [journal._handle for journal in opened] == [-1]


def test_flushing_is_timed(tmp_path):
    """To the disk, beside the product that goes on."""
    a = numpy.ones((300, 40), "f4")
    out = numpy.lib.format.open_memmap(tmp_path / "c.npy", "w+", "f4", (300, 300))
    timing = run_streamed(check_streamed("matmul", a, a.T, out, {}), 1 << 20, device="host")
    assert 0 < timing.flushing_seconds < timing.seconds


def test_nan_and_infinity_stay_in_their_rows():
    """As IEEE says, and no warning of a thread of ours."""
    a, b = numpy.ones((64, 64), "f4"), numpy.ones((64, 64), "f4")
    a[3, 5], a[9, 9] = numpy.nan, numpy.inf

    result = tilewright.matmul(a, b, memory_limit=20_000, device="host")

    assert numpy.isnan(result[3]).all()
    assert (result[9] == numpy.inf).all()
    assert numpy.isfinite(numpy.delete(result, [3, 9], 0)).all()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"memory_limit": "4 bananas"}, "memory_limit is"),
        ({"memory_limit": 0}, "memory_limit is"),
        ({"memory_limit": 10}, "smallest tiles"),
        ({"memory_limit": "1MiB", "alpha": 2}, "takes no alpha"),
        ({"memory_limit": "1MiB", "kernel": "tiled"}, "chooses its kernel"),
        ({"memory_limit": "1MiB", "resume": True}, "nothing to continue"),
        ({"memory_limit": "1MiB", "progress": 3}, "progress is"),
        ({"memory_limit": "1MiB", "device": "emulator"}, "device is 'emulator'"),
    ],
)
def test_refusals(how, said):
    """Before anything runs, in one sentence."""
    a = numpy.ones((40, 40), "f4")
    out = numpy.full((40, 40), numpy.nan, "f4")
    with pytest.raises(tilewright.PlanError, match=said):
        tilewright.matmul(a, a, out, **how)
    assert numpy.isnan(out).all()


def test_an_out_that_does_not_do():
    """By shape, type, or because it is A; and vectors are no matrices."""
    a = numpy.ones((8, 8), "f4")
    with pytest.raises(tilewright.ShapeError, match="the shapes must be equal"):
        tilewright.matmul(a, a, numpy.ones((8, 7), "f4"), memory_limit="1MiB")
    with pytest.raises(tilewright.DtypeError, match="cannot hold the float32"):
        tilewright.matmul(a, a, numpy.ones((8, 8), "i4"), memory_limit="1MiB")
    with pytest.raises(tilewright.PlanError, match="are one array"):
        tilewright.matmul(a, a.copy(), a, memory_limit="1MiB")
    with pytest.raises(tilewright.ShapeError, match="takes matrices"):
        tilewright.matmul(a, a[0], memory_limit="1MiB")
    with pytest.raises(ValueError, match="read-only"):
        tilewright.matmul(a, a, numpy.broadcast_to(a[:1], (8, 8)), memory_limit="1MiB")


def test_limits_in_words():
    """Binary units and decimal ones."""
    given = {"4GiB": 2**32, "4G": 2**32, "1.5 MiB": 3 * 2**19, "2GB": 2 * 10**9, "10": 10, 77: 77, "1TiB": 2**40}
    assert {text: limit_bytes(text) for text in given} == given


@pytest.mark.parametrize(("free", "limit"), [(2**34, 2**33), (2**21 + 2, 2**20 + 1), (2**20, 2**20), (None, 2**30)])
def test_the_limit_where_none_is_given(monkeypatch, free, limit):
    """Half of the free memory, at least 1 MiB; 1 GiB where the system does not say how much is free."""
    monkeypatch.setattr(request, "free_memory_bytes", lambda: free)
    assert limit_bytes(None) == limit


@pytest.mark.parametrize("given", [0, -1, True, 1.5, "", "GiB", "0MB", "4 GiBs", "4EiB", "4IB", "-4KB", [4]])
def test_what_is_no_limit(given):
    """A sentence that names it."""
    with pytest.raises(
        tilewright.PlanError, match=r"^memory_limit is .*, and a number of bytes or a size such as '4GiB'"
    ):
        limit_bytes(given)


def test_progress_is_reported():
    """Each step once, to the end, and a bar for True."""
    a, told = numpy.ones((64, 64), "f4"), []
    tilewright.matmul(a, a, memory_limit=30_000, device="host", progress=lambda done, of: told.append((done, of)))
    tilewright.matmul(a, a, memory_limit=60_000, device="host", progress=True)

    assert told == [(number + 1, told[-1][1]) for number in range(told[-1][1])]


def test_waits_for_input_are_measured():
    """The first step waits for a panel of each operand, and each of them for a read that sleeps."""
    a = numpy.ones((200, 200), "f4")
    asked = check_streamed("matmul", a, a, numpy.empty((200, 200), "f4"), {})
    read = asked.a._read

    def slow(region, into):
        time.sleep(0.02)
        read(region, into)

    asked.a._read = slow  # type: ignore[method-assign]
    timing = run_streamed(asked, 300_000, device="host")

    assert 2 * 0.02 <= timing.first_seconds <= timing.stalled_seconds <= timing.seconds
    assert not [each for each in threading.enumerate() if each.name.startswith("tilewright-")]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["npy", "zarr"])
def test_the_limit_holds(tmp_path, kind):
    """The peak of a process of its own: the limit, and a constant for libraries."""
    generator, size = numpy.random.default_rng(), 3000
    paths = []
    for name in "abc":
        values = generator.standard_normal((size, size), dtype="f4")
        if kind == "zarr":
            zarr_of(tmp_path, name, values, (250, 250))
        else:
            numpy.save(tmp_path / f"{name}.npy", values)
        paths.append(str(tmp_path / f"{name}.{kind}"))
    for limit in (16 * 2**20, 48 * 2**20):
        command = [sys.executable, "-m", "tests.call.streamed.streamed_child", *paths, str(limit)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
        before, after = map(int, done.stdout.split()[-2:])
        assert after - before < limit + REST_BYTES


def test_a_plan_takes_no_memory_for_its_result(tmp_path):
    """One that no memory holds is refused by what it takes, and planned where so much is allowed."""
    side = 2**23
    a = numpy.memmap(tmp_path / "a", "f4", "w+", shape=(side, 1))
    b = numpy.memmap(tmp_path / "b", "f4", "w+", shape=(1, side))

    with pytest.raises(PlanError, match="memory_limit is 1 GiB, and the result takes 256 TiB of memory"):
        tilewright.explain(a, b, memory_limit="1GiB")

    assert tilewright.explain(a, b, memory_limit="300TiB").problem.c.shape == (side, side)
