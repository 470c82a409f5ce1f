"""The catalogue's arithmetic against a thread-by-thread count, and against the numbers that the seeds print."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.kernels import TAUGHT, find_taught

SIZES = st.integers(1, 13)
TILES = st.integers(1, 6)


def counted_loads_matmul_tiled(m, n, k, tile):
    """Walk the threads of matmul/tiled.cu and count the loads whose guard holds."""
    blocks_x, blocks_y, _ = find_taught("matmul", "tiled").grid(m, n, k, tile)
    loads = 0
    for by, bx, ty, tx in product(range(blocks_y), range(blocks_x), range(tile), range(tile)):
        row, column = by * tile + ty, bx * tile + tx
        for phase in range((k + tile - 1) // tile):
            loads += row < m and phase * tile + tx < k
            loads += phase * tile + ty < k and column < n
    return loads


def counted_loads_reduced_tiled(m, n, k, tile):
    """Walk the threads of reduced_matmul/tiled.cu and count the pairs of loads whose guard holds."""
    blocks_x, blocks_y, _ = find_taught("reduced_matmul", "tiled").grid(m, n, k, tile)
    loads = 0
    for by, bx, ty, tx in product(range(blocks_y), range(blocks_x), range(tile), range(tile)):
        i, j = by * tile + ty, bx * tile + tx
        for phase in range((k + tile - 1) // tile):
            loads += 2 * (i < m // 2 and phase * tile + tx < k)
            loads += 2 * (phase * tile + ty < k and j < n // 2)
    return loads


@given(m=SIZES, n=SIZES, k=SIZES, tile=TILES)
def test_tiled_counts_only_guarded_loads(m, n, k, tile):
    """Edges included, the prediction is what the threads would load."""
    expected = counted_loads_matmul_tiled(m, n, k, tile)

    assert find_taught("matmul", "tiled").predicted_global_loads(m, n, k, tile) == expected
    assert find_taught("matmul", "tiled_inner_barrier").predicted_global_loads(m, n, k, tile) == expected


@given(m=SIZES, n=SIZES, k=SIZES, tile=TILES)
def test_reduced_tiled_counts_only_guarded_loads(m, n, k, tile):
    """The same for pairs of rows and columns."""
    expected = counted_loads_reduced_tiled(2 * m, 2 * n, k, tile)

    assert find_taught("reduced_matmul", "tiled").predicted_global_loads(2 * m, 2 * n, k, tile) == expected


@given(m=SIZES, n=SIZES, k=SIZES)
def test_naive_counts_only_threads_inside_c(m, n, k):
    """Idle threads load nothing: 2 k per element of C, or 4 k when reduced."""
    assert find_taught("matmul", "naive").predicted_global_loads(m, n, k, 16) == m * n * 2 * k
    for idea in ("naive_4p", "naive_p"):
        assert find_taught("reduced_matmul", idea).predicted_global_loads(2 * m, 2 * n, k) == m * n * 4 * k


@pytest.mark.parametrize("idea", ["tiled", "tiled_exact", "tiled_inner_barrier"])
def test_four_by_four_with_tile_2(idea):
    """Seed 002: 8 loads per thread without tiles, 4 with tiles of 2."""
    assert find_taught("matmul", "naive").predicted_global_loads(4, 4, 4, 2) == 16 * 8
    assert find_taught("matmul", idea).predicted_global_loads(4, 4, 4, 2) == 16 * 4


@pytest.mark.parametrize(("tile", "loads"), [(16, 512), (32, 2048)])
def test_loads_of_a_block_in_a_phase(tile, loads):
    """Seeds 000 and 001: 512 loads per block and phase for tile 16, 2,048 for tile 32."""
    size = 4 * tile
    blocks, phases = 16, 4

    assert find_taught("matmul", "tiled").predicted_global_loads(size, size, size, tile) == blocks * phases * loads


def test_reduced_requests_of_the_thesis():
    """Seed 003: 4 N / TILE loads per thread, which makes 67,108,864 load instructions of a warp at N = 4096."""
    loads = find_taught("reduced_matmul", "tiled").predicted_global_loads(4096, 4096, 4096, 32)
    threads = 2048 * 2048

    assert loads == threads * 4 * 4096 // 32
    assert loads // 32 == 67_108_864


def test_dot_loads_every_element_once():
    """Tiling a dot product saves time, not loads."""
    for kernel in TAUGHT:
        if kernel.operation == "dot":
            assert kernel.predicted_global_loads(1, 1, 10_000, None) == 20_000
