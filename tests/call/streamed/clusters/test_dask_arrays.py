"""Products of Dask's arrays: Dask arrays, or written by tiles; in the order of k, and refused in one sentence."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tilewright
from tests.call.streamed.clusters.clusters import CHUNK, LIMIT, K, M, N, poisoned
from tilewright.call.streamed.clusters.dask_arrays import added

dask_array = pytest.importorskip("dask.array", reason="Dask is not installed")


@pytest.fixture
def arrays():
    """A and B as NumPy's arrays, and as Dask's with chunks that do not fit each other."""
    generator = numpy.random.default_rng()
    a, b = generator.standard_normal((75, 60), dtype="f4"), generator.standard_normal((60, 44), dtype="f4")
    return a, b, dask_array.from_array(a, chunks=(20, 25)), dask_array.from_array(b, chunks=(13, 11))


def test_a_product_is_a_dask_array(arrays):
    """Of A's rows and B's columns; NumPy's arrays beside Dask's, and vectors, too."""
    a, b, left, right = arrays
    found = tilewright.matmul(left, right)

    assert (type(found), found.chunks) == (type(left), ((20, 20, 20, 15), (11, 11, 11, 11)))
    assert found.dtype == numpy.float32
    for made, expected in (
        (found, a @ b),
        (tilewright.matmul(left, b), a @ b),
        (tilewright.matmul(a, right), a @ b),
        (tilewright.matmul(left[0], right), a[0] @ b),
        (tilewright.matmul(left, b[:, 0]), a @ b[:, 0]),
        (tilewright.matmul(left[3], right[:, 2]), a[3] @ b[:, 2]),
        (tilewright.dot(left, right), a @ b),
        (tilewright.dot(left[3], right[:, 2]), a[3] @ b[:, 2]),
        (tilewright.reduced_matmul(left[:74], right), (a[:74:2] + a[1:74:2]) @ (b[:, ::2] + b[:, 1::2])),
    ):
        assert made.shape == expected.shape
        numpy.testing.assert_allclose(made.compute(scheduler="sync"), expected, atol=1e-4)


def test_blocks_are_added_in_the_order_of_k(arrays):
    """In float32 for 16 bits, and rounded once; no task has more than two blocks and the sums."""
    _, _, left, right = (each.astype("f2") for each in arrays)
    found = tilewright.matmul(left, right)
    a, b = left.compute(scheduler="sync"), right.compute(scheduler="sync")
    sums: Any = None
    for first in range(0, 60, 25):
        part = slice(first, min(first + 25, 60))
        product = numpy.matmul(a[:20, part].astype("f4"), b[part, :11].astype("f4"))
        sums = product if sums is None else sums + product

    assert found.dtype == numpy.float16
    numpy.testing.assert_array_equal(found.blocks[0, 0].compute(scheduler="sync"), sums.astype("f2"))
    keys = [key for key in dict(found.__dask_graph__()) if str(key[0]).startswith("tilewright")]
    assert len(keys) == 4 * 4 * 3  # a task for each step


def test_sums_are_never_changed():
    """Dask may have them elsewhere, too."""
    sums = numpy.ones((2, 2), "f4")
    result = added(sums, numpy.ones((2, 3), "f4"), numpy.ones((3, 2), "f4"), ("float32", "<f4", False), None)

    assert (sums == 1).all()
    assert (result == 4).all()


def test_a_stored_output(files, client):
    """Of Dask arrays and stored ones; the journal is that of one machine, so that the rest is computed."""
    a, b = dask_array.from_array(files.a[...], chunks=(70, 90)), dask_array.from_zarr(str(files.folder / "b.zarr"))
    plan = tilewright.explain(a, b, out=files.c, memory_limit=2 * LIMIT, engine=client)
    tilewright.matmul(a, b, out=files.c, memory_limit=2 * LIMIT, engine=client)
    bits = files.c[...].tobytes()

    assert numpy.abs(files.c[...] - files.exact).max() < 1e-3
    assert "workers" in str(plan)
    files.c[:CHUNK, :CHUNK] = numpy.nan
    told = []
    tilewright.matmul(
        a, b, files.c, memory_limit=2 * LIMIT, engine=client, resume=True, progress=lambda *at: told.append(at)
    )
    assert told == [(1, 1)]
    assert files.c[...].tobytes() == bits
    with pytest.raises(tilewright.PlanError, match="was begun with another A"):
        tilewright.matmul(a + 1, b, files.c, memory_limit=2 * LIMIT, engine=client, resume=True)


@pytest.mark.slow
def test_stored_outputs_of_mixtures_and_of_pairs(files, client):
    """A Dask array times a stored one, and sums of pairs."""
    a, b = dask_array.from_array(files.a[...], chunks=(70, 90)), dask_array.from_zarr(str(files.folder / "b.zarr"))
    mixed = poisoned(files.folder, "mixed")
    tilewright.matmul(a, files.b, mixed, memory_limit=2 * LIMIT, engine=client)
    assert numpy.abs(mixed[...] - files.exact).max() < 1e-3
    pairs = poisoned(files.folder, "pairs", (M // 2, N // 2))
    tilewright.reduced_matmul(a, b, pairs, memory_limit=2 * LIMIT, engine=client)
    left, right = files.a[...].astype("f8"), files.b[...].astype("f8")
    assert numpy.abs(pairs[...] - (left[::2] + left[1::2]) @ (right[:, ::2] + right[:, 1::2])).max() < 1e-3
    assert left.shape[1] == K


def test_refusals(arrays):
    """In one sentence, and nothing is computed."""
    a, b, left, right = arrays
    for error, said, call in (
        (tilewright.ShapeError, "the inner sizes 60 and 59 differ", lambda: tilewright.matmul(left, right[1:])),
        (tilewright.PlanError, "takes no alpha", lambda: tilewright.matmul(left, right, alpha=2)),
        (tilewright.PlanError, "device is 'gpu'", lambda: tilewright.matmul(left, right, device="gpu")),
        (tilewright.DtypeError, "A is a Dask array", lambda: tilewright.matmul(left, b, memory_limit=10**6)),
        (tilewright.PlanError, "give engine=", lambda: tilewright.explain(left, right)),
        (tilewright.PlanError, "give engine=", lambda: tilewright.matmul(a, right, out=numpy.empty((75, 44), "f4"))),
        (tilewright.ShapeError, "takes matrices", lambda: tilewright.matmul(left[None], right)),
        (tilewright.ShapeError, "compute_chunk_sizes", lambda: tilewright.matmul(left[left[:, 0] > 0], right)),
    ):
        with pytest.raises(error, match=said):
            call()
