"""The thesis's figures as data: loads counted, caches modelled."""

from __future__ import annotations

import pytest

from tilewright.kernels import UnknownKernelError
from tilewright.lab.caches import cache_reading, thesis_figures


def test_thesis_figures():
    """Loads fall by the tile, exactly; every level reads no more than the one above; DRAM reads both matrices once."""
    naive, *tiled = thesis_figures(64, tiles=(8, 16))
    assert [row.tile for row in tiled] == [8, 16]
    assert [naive.load_requests / row.load_requests for row in tiled] == [8, 16]
    for row in (naive, *tiled):
        traffic = row.traffic
        assert traffic.l1_hits + traffic.l1_misses == row.load_sectors
        # The replay shares merged; real SMs keep step a little better, so no more reads are likely.
        assert traffic.l1_misses - traffic.in_step <= traffic.l2_reads <= traffic.l1_misses - traffic.merged
        assert traffic.l2_reads_low < traffic.l2_reads < traffic.l2_reads_high
        assert traffic.dram_reads == 2 * 64 * 64 * 4 // 32 + 128
        assert 0 < row.l1_hit_rate < 1
        interval = f"(likely {traffic.l2_reads_low:,} to {traffic.l2_reads_high:,})"
        assert f"{traffic.l2_reads:,} L2 reads {interval}" in str(row)


def test_dot_reads_everything_once():
    """Nothing is shared: L1 has no hit, and L2 reads what is loaded."""
    row = cache_reading("dot/tiled", 1, 1, 8192)
    assert (row.traffic.l1_hits, row.traffic.l2_reads) == (0, row.load_sectors)


def test_unknown_kernel_is_refused():
    """By the catalogue's own error."""
    with pytest.raises(UnknownKernelError):
        cache_reading("matmul/none", 8, 8, 8)
