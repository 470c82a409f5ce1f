"""The seeds' numbers about occupancy and bandwidth, each as the seed states it."""

from dataclasses import replace

import pytest

from tilewright.choose import find_chip, occupancy, roofline

KIB = 1024


def test_bandwidth_for_the_peak():
    """Seed 001: 4 x 346.5 = 1386 GB/s required to achieve peak FLOP rating."""
    assert roofline("matmul/naive", "g80").every_load.needed_gb_per_s == 1386


def test_naive_on_g80():
    """Seed 001: 86.4 GB/s limits the code at 21.6 GFLOPS."""
    answer = roofline("matmul/naive", "g80")

    assert answer.attainable_gflops == pytest.approx(21.6)
    assert answer.bound == "memory"


def test_tile_16_on_g80():
    """Seed 001: (86.4 / 4) x 16, which is 345.6 and not its 347.6: just below the peak."""
    answer = roofline("matmul/tiled", "g80", tile=16)

    assert answer.attainable_gflops == pytest.approx(345.6)
    assert answer.bound == "memory"


@pytest.mark.parametrize(("tile", "blocks"), [(16, 6), (32, 1)])
def test_blocks_by_threads(tile, blocks):
    """Seed 000: with 1536 threads per SM, 6 blocks of 16 x 16 and 1 of 32 x 32."""
    answer = occupancy("matmul/tiled", "fermi", tile=tile)

    assert answer.limit("threads").blocks == blocks
    assert (answer.blocks_per_sm, answer.limited_by) == (blocks, ("threads",))


@pytest.mark.parametrize("chip", ["g80", "fermi"])
@pytest.mark.parametrize(("tile", "block_bytes", "blocks"), [(16, 2 * KIB, 8), (32, 8 * KIB, 2)])
def test_blocks_by_16_kb_of_shared_memory(chip, tile, block_bytes, blocks):
    """Seeds 000 and 001: an SM with 16 KB holds 8 blocks of 2 KB, or 2 of 8 KB."""
    facts = replace(find_chip(chip), shared_bytes_per_sm=16 * KIB)
    answer = occupancy("matmul/tiled", facts, tile=tile)

    assert answer.shared_bytes_per_block == block_bytes
    assert answer.limit("shared memory").blocks == blocks


def test_blocks_on_g80():
    """Seed 001: the threading model limits the number of blocks of 256 threads to 3, which is all 768 threads."""
    answer = occupancy("matmul/tiled", "g80", tile=16)

    assert (answer.blocks_per_sm, answer.limited_by, answer.threads_per_sm) == (3, ("threads",), 768)


@pytest.mark.parametrize(("blocks", "loads"), [(8, 4096), (None, 1536)])
def test_pending_loads(blocks, loads):
    """Seeds 000 and 001: 8 x 512 = 4,096 with the 8 blocks that shared memory allows, 1,536 with the 3 that fit."""
    answer = occupancy("matmul/tiled", "g80", tile=16)

    assert answer.phase is not None
    assert answer.phase.loads_per_thread == 2
    assert answer.pending_loads(blocks) == loads


@pytest.mark.parametrize(("tile", "loads", "operations"), [(16, 512, 8_192), (32, 2_048, 65_536)])
def test_work_of_a_phase(tile, loads, operations):
    """Seeds 000 and 001: 512 loads for 8,192 operations per block and phase; 2,048 for 65,536."""
    phase = roofline("matmul/tiled", "fermi", tile=tile).phase

    assert phase is not None
    assert (phase.loads_per_block, phase.flops_per_block) == (loads, operations)
