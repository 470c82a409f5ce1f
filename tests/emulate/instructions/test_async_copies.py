"""`cp.async`: what arrives, when, and how it is counted."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import launch
from tilewright.emulate import MemoryFault

SHARED = "__device__ inline unsigned shared(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }"
COPY = """
extern "C" __global__ void kernel(const float* x, float* y, int size, int skipped) {
    __shared__ __align__(16) float tile[32 * 4];
    int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) tile[4 * t + i] = -1;
    INSTRUCTION
    WAIT
    __syncthreads();
    for (int i = 0; i < 4; ++i) y[4 * t + i] = tile[4 * t + i];
}"""
COMMIT, WAIT = (
    'asm volatile("cp.async.commit_group;" ::: "memory");',
    'asm volatile("cp.async.wait_all;" ::: "memory");',
)
X = np.arange(1, 129, dtype=np.float32)
UNLESS = "{ .reg .pred p; setp.ne.s32 p, %3, 0; cp.async.cg.shared.global [%0], [%1], 16, p; }"


def source_of(text: str, wait: str) -> str:
    """Return the kernel with inline assembly: %0 the target, %1 the source, %2 the size, %3 whether it is skipped."""
    operands = '::"r"(shared(tile + 4 * t)), "l"(x + 4 * t), "r"(size), "r"((int)(skipped == t))'
    return SHARED + COPY.replace("INSTRUCTION", f'asm volatile("{text}" {operands} : "memory");').replace("WAIT", wait)


def copied(text: str, wait: str = COMMIT + WAIT, *, size: int = 16, skipped: int = -1) -> np.ndarray:
    """Run the copy and return what is in shared memory afterwards, a row per thread."""
    y = np.zeros(128, np.float32)
    launch(source_of(text, wait), X, y, size, skipped)
    return y.reshape(32, 4)


@pytest.mark.parametrize(
    ("form", "nbytes"),
    [
        ("ca.shared.global", 4),
        ("ca.shared.global", 8),
        ("ca.shared::cta.global.L2::128B", 16),
        ("cg.shared.global", 16),
    ],
)
def test_copies_of_every_size(form, nbytes):
    """So many bytes arrive, and those behind them stay."""
    got = copied(f"cp.async.{form} [%0], [%1], {nbytes};")
    expected = np.full((32, 4), -1, np.float32)
    expected[:, : nbytes // 4] = X.reshape(32, 4)[:, : nbytes // 4]

    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("size", [0, 1, 4, 6, 16])
def test_what_is_not_read_is_zero(size):
    """The bytes behind the source size are filled with zeros."""
    got = copied("cp.async.cg.shared.global [%0], [%1], 16, %2;", size=size)
    expected = X.view(np.uint8).reshape(32, 16).copy()
    expected[:, size:] = 0

    np.testing.assert_array_equal(got.view(np.uint8), expected)


def test_a_predicate_lets_a_thread_read_nothing():
    """It writes zeros instead."""
    expected = X.reshape(32, 4).copy()
    expected[5] = 0

    np.testing.assert_array_equal(copied(UNLESS, skipped=5), expected)


@pytest.mark.parametrize("wait", ["", COMMIT, COMMIT + 'asm volatile("cp.async.wait_group 1;" ::: "memory");'])
def test_without_a_wait_nothing_arrives(wait):
    """Neither a barrier nor a commit waits for a copy, nor a wait that leaves its group open."""
    assert (copied("cp.async.ca.shared.global [%0], [%1], 16;", wait) == -1).all()


def test_groups_complete_in_their_order():
    """Leaving n groups open completes all but the last n; what no group holds yet only `wait_all` completes."""
    source = """
    extern "C" __global__ void kernel(const float* x, float* y) {
        __shared__ float tile[4][32];
        int t = threadIdx.x;
        for (int i = 0; i < 4; ++i) {
            tile[i][t] = -1;
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared(&tile[i][t])), "l"(x + 32 * i + t));
            if (i < 3) asm volatile("cp.async.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        for (int i = 0; i < 4; ++i) y[32 * i + t] = tile[i][t];
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        for (int i = 0; i < 4; ++i) y[128 + 32 * i + t] = tile[i][t];
        asm volatile("cp.async.wait_all;" ::: "memory");
        for (int i = 0; i < 4; ++i) y[256 + 32 * i + t] = tile[i][t];
    }"""
    y = np.zeros(384, np.float32)
    launch(SHARED + source, X, y)
    arrived = y.reshape(3, 4, 32) == X.reshape(4, 32)

    assert arrived.all(axis=2).tolist() == [
        [True, False, False, False],
        [True, True, True, False],
        [True, True, True, True],
    ]


def test_threads_have_groups_of_their_own():
    """Half of a warp closes one group more, and so waits for more."""
    source = """
    extern "C" __global__ void kernel(const float* x, float* y) {
        __shared__ float tile[32];
        int t = threadIdx.x;
        tile[t] = -1;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared(tile + t)), "l"(x + t));
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (t % 2) asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        y[t] = tile[t];
    }"""
    y = np.zeros(32, np.float32)
    launch(SHARED + source, X, y)

    np.testing.assert_array_equal(y, np.where(np.arange(32) % 2, X[:32], -1))


def test_many_copies_under_way():
    """More than a warp remembers: the oldest arrive early, as they may, and all of them in the end."""
    source = """
    extern "C" __global__ void kernel(const float* x, float* y, int n) {
        __shared__ float tile[200][32];
        int t = threadIdx.x;
        for (int i = 0; i < n; ++i)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared(&tile[i][t])), "l"(x + 32 * i + t));
        asm volatile("cp.async.wait_all;" ::: "memory");
        for (int i = 0; i < n; ++i) y[32 * i + t] = tile[i][t];
    }"""
    x, y = np.arange(6400, dtype=np.float32), np.zeros(6400, np.float32)
    launch(SHARED + source, x, y, 200)

    np.testing.assert_array_equal(y, x)


def test_counts():
    """A load of what is read, a store of what is written, in elements of 4 bytes; zeros are stored and not loaded."""
    source = source_of(UNLESS, WAIT)
    result = launch(source, X, np.zeros(128, np.float32), 16, 5)
    line = next(number for number, text in enumerate(source.split("\n"), 1) if "cp.async.cg" in text)
    counts = next(counts for (_, number), counts in result.lines.items() if number == line)

    assert (counts.global_loads, counts.global_load_requests, counts.global_load_sectors) == (31 * 4, 1, 16)
    assert (counts.shared_stores, counts.shared_store_requests) == (32 * 4, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cp.async.cg.shared.global [%0], [%1+1600], 16;", "an asynchronous copy of 16 bytes at .* outside"),
        ("cp.async.cg.shared.global [%0], [%1+4], 16;", "no multiple of 16"),
        ("cp.async.cg.shared.global [%0+2048], [%1], 16;", "of the block's shared memory"),
    ],
)
def test_faults(text, message):
    """Both addresses are checked when the copy begins."""
    with pytest.raises(MemoryFault, match=message):
        copied(text)


def test_a_copy_that_reads_nothing_may_point_anywhere():
    """As kernels do at the edges of a matrix."""
    assert (copied("cp.async.cg.shared.global [%0], [%1+1600], 16, %2;", size=0) == 0).all()
