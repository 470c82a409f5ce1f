"""The model of a product on many nodes: its bytes are the planner's, and its times are near those measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import record
from benchmarks.tables.many_gpus_tables import predicted_us, rows_of_grids
from tilewright.choose import PlanError
from tilewright.choose.many import PARTIAL, Asked, choose_sharding, contraction
from tilewright.choose.many.nodes import Grid, cluster, predict

MEASURED = record.read(record.RESULTS / "processes.json")
WITHIN = 2.5
"""How many times too long or too short a prediction is at most; docs/many-gpus.md says how many it is."""
ON = cluster("h100")


@pytest.mark.parametrize(
    "row", rows_of_grids(MEASURED), ids=lambda row: f"{row['grid']}-{row['m']}-{row['k']}-{row['n']}"
)
def test_near_what_was_measured(row):
    """In 1, 2 and 4 processes, from the rates of one and two: the fastest sample, as other work ran beside."""
    assert 1 / WITHIN < predicted_us(MEASURED, row) / min(row["us"]) < WITHIN


@pytest.mark.parametrize(
    ("grid", "mesh", "a", "b"),
    [
        (Grid(4, 1, 1), (4,), (0,), (0,)),
        (Grid(2, 2, 1), (2, 2), (0, 1), (0, 1)),
        (Grid(4, 2, 1), (4, 2), (0, 1), (0, 1)),
    ],
)
def test_bytes_are_those_that_the_planner_counts(grid, mesh, a, b):
    """Of operands shared out as the grid has them."""
    sizes = 512, 512, 512
    m, k, n = sizes
    way = choose_sharding(Asked(contraction("matmul", (m, k), (k, n)), mesh, a, b, 2, 2, 2))
    assert PARTIAL not in way.c
    assert predict(*sizes, "bfloat16", 8, ON, grid).received_bytes == way.bytes


def test_layouts():
    """One dimension, SUMMA's two, and layers."""
    assert [Grid(*each).layout for each in ((8, 1, 1), (1, 1, 8), (4, 2, 1), (2, 2, 2), (1, 4, 2))] == [
        *("1-D", "1-D", "2-D", "2.5-D", "2.5-D")
    ]


def test_traffic_falls_with_the_root_of_the_devices():
    """SUMMA's, but not that of a 1-D layout, in which each device receives all of B."""
    side = 2**15
    line = [predict(side, side, side, "bfloat16", p, ON, Grid(p, 1, 1)).received_bytes for p in (16, 64)]
    square = [predict(side, side, side, "bfloat16", r * r, ON, Grid(r, r, 1)).received_bytes for r in (4, 8)]
    assert line[1] > line[0]
    assert square[0] / square[1] == pytest.approx(2, rel=0.2)


def test_the_best_grid_is_no_slower_than_any():
    """And one device sends nothing."""
    best = predict(4096, 8192, 4096, "bfloat16", 16, ON)
    for grid in (Grid(16, 1, 1), Grid(4, 4, 1), Grid(2, 2, 4), Grid(1, 1, 16)):
        assert best.seconds() <= predict(4096, 8192, 4096, "bfloat16", 16, ON, grid).seconds()
    alone = predict(4096, 4096, 4096, "bfloat16", 1, ON)
    assert (alone.messages_s, alone.received_bytes, alone.efficiency()) == (0, 0, 1)


def test_neighbours_in_a_node_and_between():
    """The same grid on nodes of one device takes the slower links, and longer."""
    apart = replace(ON, devices_per_node=1)
    grid = Grid(2, 4, 1)
    near, far = (predict(8192, 8192, 8192, "bfloat16", 8, each, grid) for each in (ON, apart))
    assert near.received_bytes == far.received_bytes
    assert far.messages_s > ON.link_bytes_per_s / ON.network_bytes_per_s * near.messages_s / 2
    assert near.seconds() < near.seconds(overlapped=False)


def test_refusals():
    """Types without a rate, matrices without room, clusters without an entry."""
    with pytest.raises(PlanError, match="has no rate for float64; it has bfloat16"):
        predict(8, 8, 8, "float64", 2, ON)
    with pytest.raises(PlanError, match="take more devices"):
        predict(2**20, 2**20, 2**20, "bfloat16", 8, ON)
    with pytest.raises(PlanError, match="no cluster 'abacus' in the table; there are h100"):
        cluster("abacus")
