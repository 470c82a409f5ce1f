"""The seeds' kernels in the emulator: right on any shape, and counts that are the seeds' arithmetic."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.emulate.catalogue_runs import ptx_of_kernel, run_kernel
from tilewright.kernels import TAUGHT

EMULATED = [kernel.name for kernel in TAUGHT if "emulator" in kernel.runs_on]
SIZES = st.integers(1, 40)


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(["matmul/naive", "matmul/tiled", "matmul/tiled_inner_barrier"]),
    m=SIZES, n=SIZES, k=SIZES,
    tile=st.sampled_from([1, 2, 4, 8, 12, 15, 16, 32]),
    dtype=st.sampled_from(["float32", "float64"]),
)  # fmt: skip
@example(name="matmul/tiled", m=33, n=17, k=31, tile=16, dtype="float32")
@example(name="matmul/tiled", m=1, n=1, k=1, tile=32, dtype="float64")
def test_any_shape_of_matmul(name, m, n, k, tile, dtype):
    """Random shapes and tiles agree with NumPy's float64 within the derived bound, and load what is predicted."""
    run = run_kernel(name, m, n, k, tile=tile, dtype=dtype)
    kernel, _ = ptx_of_kernel(name, dtype, tile)

    run.check("matmul")
    assert run.result.counts.global_loads == kernel.predicted_global_loads(m, n, k, tile)
    assert run.result.counts.global_stores == m * n


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(["reduced_matmul/naive_4p", "reduced_matmul/naive_p", "reduced_matmul/tiled"]),
    m=SIZES, n=SIZES, k=SIZES,
    tile=st.sampled_from([1, 2, 8, 16, 32]),
    dtype=st.sampled_from(["float32", "float64"]),
)  # fmt: skip
def test_any_shape_of_reduced_matmul(name, m, n, k, tile, dtype):
    """The same for the reduced multiplication, whose m and n are even."""
    wanted = tile if name.endswith("tiled") else None
    run = run_kernel(name, 2 * m, 2 * n, k, tile=wanted, dtype=dtype)
    kernel, _ = ptx_of_kernel(name, dtype, wanted)

    run.check("reduced_matmul")
    assert run.result.counts.global_loads == kernel.predicted_global_loads(2 * m, 2 * n, k, wanted)


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(["dot/single_thread", "dot/tiled"]),
    k=st.integers(1, 5000),
    tile=st.sampled_from([32, 128, 1024]),
    dtype=st.sampled_from(["float32", "float64"]),
)
def test_any_length_of_dot(name, k, tile, dtype):
    """The same for the dot product's partial sums."""
    wanted = tile if name.endswith("tiled") else None
    run = run_kernel(name, 1, 1, k, tile=wanted, dtype=dtype)

    run.check("dot")
    assert run.result.counts.global_loads == 2 * k


@pytest.mark.parametrize("name", EMULATED)
def test_every_kernel_with_any_schedule(name):
    """Each kernel gives the same bits under a random schedule and on two workers."""
    plain = run_kernel(name, 64, 96, 48)
    mixed = run_kernel(name, 64, 96, 48, schedule="random", seed=11, workers=2)

    assert plain.c.tobytes() == mixed.c.tobytes()
    assert plain.result.counts == mixed.result.counts


def test_four_by_four_with_tiles_of_two():
    """Seed 000's figure: 8 global loads per thread naive, 4 tiled."""
    naive, tiled = (run_kernel(f"matmul/{idea}", 4, 4, 4, tile=2) for idea in ("naive", "tiled"))

    assert naive.result.counts.global_loads == 8 * naive.threads
    assert tiled.result.counts.global_loads == 4 * tiled.threads


@pytest.mark.parametrize(("tile", "loads", "multiplications"), [(16, 512, 4096), (32, 2048, 32768)])
@pytest.mark.parametrize("idea", ["tiled", "tiled_exact"])
def test_loads_and_multiplications_per_block_and_phase(idea, tile, loads, multiplications):
    """Seed 001's arithmetic: 512 loads and 4,096 fused multiply-adds for tile 16, 2,048 and 32,768 for 32."""
    size = 2 * tile
    blocks_and_phases = 4 * 2
    run = run_kernel(f"matmul/{idea}", size, size, size, tile=tile)
    _, text = ptx_of_kernel(f"matmul/{idea}", "float32", tile)
    # A second, idle fma before each makes the launch dearer by exactly the number of them that are executed.
    doubled = re.sub(
        r"^(\s*)(fma\.rn\.f32\s+)%f\d+", r"\1\2%idle, %idle, %idle, %idle;\n\g<0>", text, flags=re.MULTILINE
    )
    doubled = doubled.replace(".reg .pred", ".reg .f32 %idle;\n.reg .pred", 1)
    dearer = run_kernel(f"matmul/{idea}", size, size, size, tile=tile, ptx=doubled)
    executed = dearer.result.counts.thread_instructions - run.result.counts.thread_instructions

    run.check("matmul")
    assert run.result.counts.global_loads == loads * blocks_and_phases
    assert executed == multiplications * blocks_and_phases
    assert run.result.counts.shared_loads == 2 * executed


@pytest.mark.parametrize("size", [32, 64])
def test_reduced_loads_per_thread(size):
    """Seed 003's arithmetic: 4N loads per thread in both naive kernels, 4N / TILE in the tiled one."""
    for idea in ("naive_4p", "naive_p"):
        run = run_kernel(f"reduced_matmul/{idea}", size, size, size)
        assert run.result.counts.global_loads == 4 * size * (size // 2) ** 2
    for tile in (2, 8, 16):
        run = run_kernel("reduced_matmul/tiled", size, size, size, tile=tile)
        assert run.threads == (size // 2) ** 2
        assert run.result.counts.global_loads * tile == 4 * size * run.threads


def reduced_requests(size: int) -> int:
    """Return the global load requests of the tiled RMM with tile 32 on size x size: blocks, warps, phases, loads."""
    blocks, warps, phases, loads = (size // 64) ** 2, 32, size // 32, 4
    return blocks * warps * phases * loads


def test_requests_of_the_thesis():
    """The formula gives the thesis's 67,108,864 at N = 4096, and its execution at N = 256 gives the formula."""
    assert reduced_requests(4096) == 67_108_864
    run = run_kernel("reduced_matmul/tiled", 256, 256, 256, tile=32)

    run.check("reduced_matmul")
    assert run.result.counts.global_load_requests == reduced_requests(256) == 16_384


@pytest.mark.parametrize("tile", [8, 16, 32])
def test_requests_and_sectors_of_the_tiled_kernel(tile):
    """A row of a tile is one run of addresses: requests and sectors of tiled, derived by hand."""
    size, phases = 2 * tile, 2
    run = run_kernel("matmul/tiled", size, size, size, tile=tile)
    counts = run.result.counts
    warps = 4 * tile * tile // 32
    rows_of_a_warp = 32 // min(tile, 32)
    sectors_of_a_load = rows_of_a_warp * -(-tile // 8)

    assert counts.global_load_requests == warps * phases * 2
    assert counts.global_load_sectors == warps * phases * 2 * sectors_of_a_load
    assert counts.global_store_sectors == warps * sectors_of_a_load
    assert counts.barriers == warps * phases * 2
