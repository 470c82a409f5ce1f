"""Plans of products that stream: within the limit, in whole chunks, with few bytes, and with true counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tilewright.choose import PlanError
from tilewright.choose.streamed import (
    Rate,
    StreamedMatrix,
    StreamedPlan,
    StreamedProblem,
    StreamRates,
)
from tilewright.choose.streamed_tiles import _unit, plan_streamed, planned_as


def problem(m, n, k, chunks=None, *, machine="host", operation="matmul", casts=False):
    """A product of float32 matrices with these chunks."""
    pairs = 2 if operation == "reduced_matmul" else 1
    a, b, c = (
        StreamedMatrix(shape, "float32", 4, chunks, 1, "zarr" if chunks else "memory")
        for shape in ((m * pairs, k), (k, n * pairs), (m, n))
    )
    return StreamedProblem(operation, a, b, c, "float32", 4, 4, casts, machine)


@pytest.mark.parametrize("limit", [2**19, 2**20, 2**22, 2**26])
@pytest.mark.parametrize("sizes", [(1, 1, 1), (500, 700, 900), (997, 1009, 991), (1, 5000, 3), (4000, 1, 4000)])
@pytest.mark.parametrize("chunks", [None, (64, 64), (50, 130)])
@pytest.mark.parametrize("machine", ["host", "gpu"])
def test_a_plan_keeps_its_limit(sizes, chunks, limit, machine):
    """And its tiles are whole chunks that cover C once."""
    m, n, k = sizes
    known = problem(m, n, k, chunks, machine=machine)
    try:
        plan = plan_streamed(known, limit, StreamRates())
    except PlanError:
        assert limit <= 2**20
        return
    assert max(plan.peak_bytes.values()) <= limit
    assert sum((r.stop - r.start) * (c.stop - c.start) for r, c in plan.tiles()) == m * n
    assert len(plan.tiles()) == plan.tile_count
    assert sum(step.stop - step.start for step in plan.steps()) == k
    if chunks is not None:
        assert all(rows.start % chunks[0] == columns.start % chunks[1] == 0 for rows, columns in plan.tiles())


@pytest.mark.parametrize(
    ("tile", "step"),
    [((64, 64), 64), ((128, 64), 100), ((100, 30), 1000), ((30, 100), 1000), ((30, 300), 1000), ((300, 300), 7)],
)
@pytest.mark.parametrize("chunks", [None, (64, 64), (50, 130)])
def test_read_bytes_are_those_of_the_chunks(tile, step, chunks):
    """Counted one panel at a time: every chunk that a panel touches is decoded."""
    m, n, k = 300, 200, 150
    plan = StreamedPlan(problem(m, n, k, chunks), tile, step, 2**30, StreamRates())
    counted = 0
    last: dict[str, Any] = {}
    for rows, columns in (plan.tiles()[number] for number in plan.order()):
        for along in plan.steps():
            for name, region, shape in (("A", (rows, along), (m, k)), ("B", (along, columns), (k, n))):
                if last.get(name) != region:  # a panel that is needed again stays
                    counted += decoded(region, shape, chunks)
                last[name] = region

    assert plan.read_bytes == counted


def decoded(region, shape, chunks):
    """The bytes of all chunks that a region touches, cut off where the matrix ends."""
    found = 4
    for span, extent, chunk in zip(region, shape, chunks or (1, 1), strict=True):
        found *= min(extent, -(-span.stop // chunk) * chunk) - span.start // chunk * chunk
    return found


def test_more_memory_reads_less():
    """The seeds' idea: larger tiles use each element more often."""
    read = [plan_streamed(problem(8192, 8192, 8192), 2**power, StreamRates()).read_bytes for power in (24, 26, 28)]

    assert read == sorted(read, reverse=True)
    assert read[-1] < read[0] / 2


def test_the_bound_follows_the_rates():
    """A slow disk, a slow link, a slow processor."""
    known = problem(4096, 4096, 4096, machine="gpu")
    slow, fast = Rate(0.001), Rate(1e6)
    for name, rates in {
        "disk": StreamRates(slow, slow, fast, fast, fast),
        "link": StreamRates(fast, fast, fast, fast, slow),
        "compute": StreamRates(fast, fast, slow, fast, fast),
    }.items():
        plan = plan_streamed(known, 2**28, rates)
        assert plan.bound == name
        assert f"The bound is {name}" in str(plan)
        assert "assumed" in str(plan)
        assert "GPU peak" in plan.facts()


@pytest.mark.parametrize("machine", ["host", "gpu"])
def test_tiles_do_not_follow_what_was_measured(machine):
    """Rates vary from run to run, and the bits would vary with the tiles; times are told by the rates."""
    known = problem(3000, 3000, 3000, (250, 250), machine=machine)
    plans = [
        plan_streamed(known, 2**26, StreamRates(Rate(x), Rate(x), Rate(1 / x), Rate(x), Rate(x))) for x in (0.01, 90)
    ]

    assert plans[0].tile == plans[1].tile
    assert plans[0].step == plans[1].step
    assert plans[0].seconds != plans[1].seconds


def test_sums_are_added_by_blocks_of_the_tile_alone():
    """Whatever the limit: a run that is continued with more memory has the same bits."""
    known = problem(3000, 3000, 3000)
    first = plan_streamed(known, 2**23, StreamRates())

    assert planned_as(known, first.tile, first.step, 2**30, StreamRates()).added_rows == first.added_rows


@pytest.mark.parametrize("sizes", [(8192, 8192, 8192), (20000, 20000, 300000), (512, 30000, 4096), (3, 5, 7)])
def test_several_gpus_share_tiles_evenly(sizes):
    """Whole rows of tiles each, or equal parts of the only row, whose panel each of them has; columns likewise."""
    known = replace(problem(*sizes, machine="gpu"), gpus=2)
    plan, alone = (plan_streamed(each, 2**30, StreamRates(link=Rate(50.0))) for each in (known, replace(known, gpus=1)))
    lines, along = -(-sizes[0] // plan.tile[0]), -(-sizes[1] // plan.tile[1])
    if plan.tile[1] > plan.tile[0]:
        lines, along = along, lines

    assert plan.tile_count % 2 == 0 or min(sizes) < 8
    assert lines % 2 == 0 or lines == 1
    assert plan.seconds["compute"] <= alone.seconds["compute"] / 1.9 or min(sizes) < 8
    if lines == 1:
        kept, other = (0, 1) if plan.kept == "A" else (1, 0)
        assert plan.link_bytes[0] >= (2 * sizes[kept] + sizes[other]) * sizes[2] * 4
    assert lines * along == plan.tile_count


def test_what_cannot_fit_is_said():
    """With the chunks that are to blame."""
    with pytest.raises(
        PlanError, match=r"^memory_limit is 1 MiB, and .* host memory: A has chunks of 1,000 x 1,000.*smaller"
    ):
        plan_streamed(problem(5000, 5000, 5000, (1000, 1000)), 2**20, StreamRates())


def test_a_continued_run_keeps_its_tiles():
    """Or is refused where they do not fit any more."""
    known = problem(500, 500, 500)
    first = plan_streamed(known, 2**21, StreamRates())

    assert planned_as(known, first.tile, first.step, 2**24, StreamRates()).tile == first.tile
    with pytest.raises(PlanError, match="run to be continued has tiles that take"):
        planned_as(known, first.tile, first.step, 2**18, StreamRates())


def test_pair_sums_read_both_of_a_pair():
    """A reduced product reads as many bytes as A and B have, for a quarter of C."""
    plan = plan_streamed(problem(100, 100, 100, operation="reduced_matmul", casts=True), 2**24, StreamRates())

    assert plan.read_bytes == 2 * 200 * 100 * 4
    assert plan.written_bytes == 100 * 100 * 4
    assert "<table" in plan._repr_html_()


@pytest.mark.parametrize(
    ("extent", "sides", "unit"), [(1000, (40, 60), 120), (480, (40, 60), 120), (400, (40, 60), 40), (3, (1, 1), 1)]
)
def test_where_chunks_of_two_matrices_end_together(extent, sides, unit):
    """Unless that is more than a quarter of the matrix: then the first one's chunks are whole."""
    assert _unit(extent, *sides) == unit
