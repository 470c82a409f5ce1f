"""Plans for workers: tiles enough for many, the same whatever they are, and counts of tasks that share nothing."""

from __future__ import annotations

import pickle

import pytest

from tilewright.choose.clustered import LEAST_TILES, ClusteredPlan, Workers, least_tiles
from tilewright.choose.streamed import StreamedMatrix, StreamedPlan, StreamedProblem, StreamRates
from tilewright.choose.streamed_tiles import plan_streamed


def problem(m, n, k, chunk=None):
    """A product of float32 matrices in zarr or in memory."""
    chunks = None if chunk is None else (chunk, chunk)
    a, b, c = (StreamedMatrix(shape, "float32", 4, chunks, 1, "zarr") for shape in ((m, k), (k, n), (m, n)))
    return StreamedProblem("matmul", a, b, c, "float32", 4, 4, casts=False)


@pytest.mark.parametrize(
    ("side", "least"), [(100, 1), (2000, 1), (3000, 5), (8000, LEAST_TILES), (100_000, LEAST_TILES)]
)
def test_there_are_tiles_for_many_workers(side, least):
    """But none that is over before it is at a worker; where the limit makes more, there are more."""
    known = problem(side, side, side, 500)

    plan = plan_streamed(known, 2**33, StreamRates(), least_tiles(known))

    assert least_tiles(known) == least
    assert plan.tile_count >= least
    assert plan.tile_count <= max(1, 4 * least)
    smaller = plan_streamed(known, 2**26, StreamRates(), least_tiles(known))
    assert smaller.tile_count >= plan.tile_count


def test_chunks_bound_the_number_of_tiles():
    """A tile is whole chunks, so that there may be fewer than asked for."""
    known = problem(8000, 8000, 8000, 4000)

    assert plan_streamed(known, 2**33, StreamRates(), 64).tile_count == 4


def test_tasks_share_no_panels():
    """A's panel is read for each tile, where one machine keeps it; counted one task at a time."""
    alone = StreamedPlan(problem(300, 400, 50, 50), (100, 100), 50, 2**30, StreamRates())

    plan = ClusteredPlan.of(alone, Workers(4, 8, 2))

    assert alone.kept == "A"
    assert not plan.kept
    assert plan.read_bytes == sum(2 * 100 * 50 * 4 for _ in plan.tiles())
    assert plan.read_bytes > alone.read_bytes
    assert plan.tiles() == alone.tiles()


def test_machines_work_at_once():
    """Half the time on two, and no more machines than tiles; the text says who they are."""
    alone = StreamedPlan(problem(300, 400, 500), (100, 400), 50, 2**30, StreamRates())
    one, two, many = (ClusteredPlan.of(alone, Workers(count, count, count)) for count in (1, 2, 50))

    assert two.seconds["compute"] == pytest.approx(one.seconds["compute"] / 2)
    assert many.seconds["disk"] == pytest.approx(one.seconds["disk"] / 3)
    assert "2 workers on 2 machines, 2 tiles at once" in str(two)
    assert "for each task" in str(two)
    assert pickle.loads(pickle.dumps(two)) == two  # noqa: S301  (our own)
