"""Coalescing: the launch's own counts by line, the worst warp, and who is called uncoalesced."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.catalogue_runs import run_kernel
from tests.emulate.observers.watched import watch
from tests.emulate.running import line_of
from tilewright.emulate.observers import CoalescingObserver

COPY = """extern "C" __global__ void kernel(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y;
    out[y * n + x] = in[FROM]; // copy
}"""
ROWS = COPY.replace("FROM", "y * n + x")
COLUMNS = COPY.replace("FROM", "x * n + y")


@pytest.mark.parametrize(
    ("name", "dtype", "sizes"),
    [
        ("matmul/naive", "float32", (33, 50, 17)),
        ("matmul/tiled", "float64", (33, 50, 17)),
        ("reduced_matmul/naive_4p", "float32", (34, 50, 17)),
        ("dot/tiled", "float32", (1, 1, 1000)),
    ],
)
def test_totals_are_the_counts_of_the_launch(name, dtype, sizes):
    """Lines add up to the totals, and the totals to what the launch counts, which is what silicon counts."""
    observer = CoalescingObserver()
    counts = run_kernel(name, *sizes, dtype=dtype, tile=None, observers=[observer]).result.counts
    for short, access in (("ld", "load"), ("st", "store")):
        lines = [line for line in observer.lines if line.access == access]
        for what in ("requests", "sectors"):
            total = observer.totals[f"l1tex__t_{what}_pipe_lsu_mem_global_op_{short}.sum"]
            assert total == getattr(counts, f"global_{access}_{what}")
            assert total == sum(getattr(line, what) for line in lines)
        nbytes = observer.totals[f"l1tex__t_bytes_pipe_lsu_mem_global_op_{short}.sum"]
        assert nbytes == 32 * getattr(counts, f"global_{access}_sectors")


def run(source, n=64):
    """Run on n x n elements."""
    observer = CoalescingObserver()
    arrays = {"in": np.ones((n, n), np.float32), "out": np.ones((n, n), np.float32)}
    watch(source, {**arrays, "n": n}, [observer], grid=(n // 32, n))
    return observer


def test_walking_down_a_column_is_named():
    """The loads of a transposition take 32 sectors each: the line, the map of the worst warp, and what it wastes."""
    observer = run(COLUMNS)
    (finding,) = observer.findings
    assert (finding.kind, finding.severity, finding.place) == (
        "uncoalesced",
        "note",
        ("test.cu", line_of(COLUMNS, "// copy")),
    )
    assert finding.address == "in[0][0]"
    assert "in[1][0]" in finding.message
    assert finding.details["fetched_bytes"] == 32 * 32
    assert finding.details["used_bytes"] == 32 * 4
    load = next(line for line in observer.lines if line.access == "load")
    assert load.sectors == 32 * load.requests == 32 * 128
    assert load.worst.sector_of == {lane: 8 * lane for lane in range(32)}
    assert load.worst.fewest_sectors == 4


def test_walking_along_a_row_is_not():
    """Neighbors beside each other: 4 sectors of 32 bytes, all of it used."""
    observer = run(ROWS)
    assert observer.findings == []
    for line in observer.lines:
        assert (line.worst.sectors, line.worst.fetched_bytes, line.worst.used_bytes) == (4, 128, 128)


def test_the_worst_warp_is_kept():
    """One warp of many is scattered: its map is the one that is shown, with its block and lanes."""
    source = """extern "C" __global__ void kernel(const float *in, float *out, int n) {
        int x = blockIdx.x * 32 + threadIdx.x;
        int from = blockIdx.x == 5 ? threadIdx.x * 9 : x;
        if (threadIdx.x < 16) out[x] = in[from];
    }"""
    observer = CoalescingObserver()
    watch(source, {"in": np.ones(512, np.float32), "out": np.ones(512, np.float32), "n": 0}, [observer], grid=16)
    load = next(line for line in observer.lines if line.access == "load")
    assert load.worst.block == 5
    assert sorted(load.worst.lanes) == list(range(16))
    assert load.worst.sectors == 16
    assert load.sectors == 15 * 2 + 16
    assert observer.findings == []  # one warp in sixteen is no habit
