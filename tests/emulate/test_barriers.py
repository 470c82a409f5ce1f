"""Barriers of blocks and of warps, and what never reaches them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import launch, line_of, ptx_of
from tilewright.emulate import BarrierFault, BudgetExceeded


@pytest.mark.parametrize("schedule", ["round_robin", "random"])
def test_block_exchanges_through_shared_memory(schedule):
    """What every thread wrote before __syncthreads is what others read after it."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        __shared__ int s[256];
        int v = x[blockIdx.x * 256 + threadIdx.x];
        for (int round = 0; round < 5; ++round) {
            s[threadIdx.x] = v;
            __syncthreads();
            v = s[255 - threadIdx.x] + s[(threadIdx.x + 37) % 256];
            __syncthreads();
        }
        y[blockIdx.x * 256 + threadIdx.x] = v;
    }"""
    x = np.arange(512, dtype=np.int32)
    y = np.zeros(512, dtype=np.int32)
    result = launch(source, x, y, grid=2, block=256, schedule=schedule)

    want = x.reshape(2, 256)
    for _ in range(5):
        want = want[:, ::-1] + np.roll(want, -37, axis=1)
    np.testing.assert_array_equal(y, want.ravel())
    assert result.counts.barriers == 2 * 8 * 10


def test_named_barriers_join_only_their_own_threads():
    """bar.sync id, n lets each half of a block meet apart from the other."""
    source = """extern "C" __global__ void kernel(int* y) {
        __shared__ int s[128];
        int t = threadIdx.x, half = t / 64;
        s[t] = t * 3;
        if (half == 0) asm volatile("bar.sync 1, 64;" ::: "memory");
        else { asm volatile("bar.sync 2, 64;" ::: "memory"); asm volatile("bar.sync 2, 64;" ::: "memory"); }
        y[t] = s[half * 64 + 63 - t % 64];
    }"""
    y = np.zeros(128, dtype=np.int32)
    launch(source, y, block=128)

    np.testing.assert_array_equal(y, [3 * (t // 64 * 64 + 63 - t % 64) for t in range(128)])


def test_a_half_warp_counts_as_a_whole_one():
    """The last warp of 48 threads has 16, and silicon counts numbered barriers in whole warps."""
    source = """extern "C" __global__ void kernel(int* y) {
        __shared__ int s[48];
        int t = threadIdx.x;
        s[t] = t * 3;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t] = s[47 - t];
    }"""
    y = np.zeros(48, dtype=np.int32)
    launch(source, y, block=48)

    np.testing.assert_array_equal(y, 3 * np.arange(48)[::-1])


def test_barrier_number_in_a_register():
    """The barrier's number and its thread count may be known only at run time."""
    source = """extern "C" __global__ void kernel(int* y) {
        __shared__ int s[128];
        int t = threadIdx.x, which = 1 + t / 64, count = 64;
        s[t] = t;
        asm volatile("bar.sync %0, %1;" :: "r"(which), "r"(count) : "memory");
        y[t] = s[t ^ 63];
    }"""
    y = np.zeros(128, dtype=np.int32)
    launch(source, y, block=128)

    np.testing.assert_array_equal(y, np.arange(128) ^ 63)


def test_producers_arrive_and_consumers_wait():
    """bar.arrive does not wait; bar.sync of the same barrier waits for it."""
    source = """extern "C" __global__ void kernel(int* y) {
        __shared__ int box[32];
        int t = threadIdx.x;
        for (int round = 0; round < 4; ++round) {
            if (t < 32) {
                asm volatile("bar.sync 3, 64;" ::: "memory");
                y[round * 32 + t] = box[31 - t];
                asm volatile("bar.arrive 4, 64;" ::: "memory");
            } else {
                box[t - 32] = round * 100 + t - 32;
                asm volatile("bar.arrive 3, 64;" ::: "memory");
                asm volatile("bar.sync 4, 64;" ::: "memory");
            }
        }
    }"""
    y = np.zeros(128, dtype=np.int32)
    launch(source, y, block=64)

    np.testing.assert_array_equal(y, [r * 100 + 31 - t for r in range(4) for t in range(32)])


def test_barrier_reductions():
    """__syncthreads_count, _and, _or give every thread the answer of the whole block."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = threadIdx.x, v = x[t];
        int count = __syncthreads_count(v > 50), all = __syncthreads_and(v >= 0), any = __syncthreads_or(v == 99);
        int none = __syncthreads_or(v > 1000), not_all = __syncthreads_and(v > 50);
        y[t] = count * 16 + (all != 0) * 8 + (any != 0) * 4 + (none != 0) * 2 + (not_all != 0);
    }"""
    x = np.random.default_rng(2).integers(0, 99, 96, dtype=np.int32)
    x[77] = 99
    y = np.zeros(96, dtype=np.int32)
    launch(source, x, y, block=96)

    np.testing.assert_array_equal(y, (x > 50).sum() * 16 + 12)


@pytest.mark.parametrize("alive", [1, 20, 32, 33, 64, 100])
def test_exited_threads_count_as_arrived(alive):
    """Threads that returned early, single lanes and whole warps, do not hold up a barrier."""
    source = """extern "C" __global__ void kernel(int* y, int alive) {
        __shared__ int s[128];
        int t = threadIdx.x;
        if (t >= alive) return;
        s[t] = t + 1;
        __syncthreads();
        y[t] = s[alive - 1 - t];
        __syncthreads();
        s[t] = y[t];
        __syncthreads();
        y[t] += s[alive - 1 - t];
    }"""
    y = np.zeros(128, dtype=np.int32)
    launch(source, y, alive, block=128)

    want = [alive + 1 if t < alive else 0 for t in range(128)]
    np.testing.assert_array_equal(y, want)


def test_exited_threads_and_barrier_reductions():
    """A reduction counts the live threads only."""
    source = """extern "C" __global__ void kernel(int* y) {
        int t = threadIdx.x;
        if (t % 3 == 0) return;
        y[t] = __syncthreads_count(1) * 2 + (__syncthreads_and(t % 3 != 0) != 0);
    }"""
    y = np.zeros(64, dtype=np.int32)
    launch(source, y, block=64)

    np.testing.assert_array_equal(y, [0 if t % 3 == 0 else 85 for t in range(64)])


@pytest.mark.parametrize("options", [(), ("-G",)], ids=["optimized", "debug"])
def test_barrier_in_both_branches_of_a_warp(options):
    """Since sm_70 a barrier counts threads, so the two branches of one warp may each hold one."""
    source = """extern "C" __global__ void kernel(int* y) {
        __shared__ int s[64];
        int t = threadIdx.x;
        if (t % 2) { s[t] = t; asm volatile("bar.sync 0;" ::: "memory"); y[t] = s[t - 1]; }
        else { s[t] = -t; asm volatile("bar.sync 0;" ::: "memory"); y[t] = s[t + 1] * 2; }
    }"""
    y = np.zeros(64, dtype=np.int32)
    launch(ptx_of(source, *options), y, block=64)

    np.testing.assert_array_equal(y, [1 - t if t % 2 else 2 * (t + 1) for t in range(64)])


DIVERGENT = """extern "C" __global__ void kernel(int* y) {
    int t = threadIdx.x;
    if (t < 40) {
        asm volatile("bar.sync 1;" ::: "memory"); // the first barrier
        y[t] = 1;
    } else {
        asm volatile("bar.sync 2;" ::: "memory"); // the second barrier
        y[t] = 2;
    }
}"""


@pytest.mark.parametrize("schedule", ["round_robin", "random"])
def test_two_barriers_that_wait_for_each_other(schedule):
    """A block whose threads wait at different barriers is stopped, and both places are named."""
    with pytest.raises(BarrierFault) as caught:
        launch(DIVERGENT, np.zeros(64, dtype=np.int32), block=64, schedule=schedule)
    fault = caught.value
    text = str(fault)

    assert fault.kernel == "kernel"
    assert fault.block == (0, 0, 0)
    assert str(line_of(DIVERGENT, "the first barrier")) in text
    assert str(line_of(DIVERGENT, "the second barrier")) in text
    assert fault.line in {line_of(DIVERGENT, "the first barrier"), line_of(DIVERGENT, "the second barrier")}


def test_barrier_that_too_few_threads_reach():
    """A barrier told to expect more threads than ever come is a fault, although the others have exited."""
    source = """extern "C" __global__ void kernel(int* y) {
        __shared__ int s[64];
        s[threadIdx.x] = threadIdx.x;
        if (threadIdx.x < 32) asm volatile("bar.sync 1, 96;" ::: "memory");
        y[threadIdx.x] = s[63 - threadIdx.x];
    }"""
    with pytest.raises(BarrierFault) as caught:
        launch(source, np.zeros(64, dtype=np.int32), block=64)

    assert caught.value.line == line_of(source, "bar.sync 1, 96")


def test_warp_barrier_and_block_barrier_that_wait_for_each_other():
    """A lane at __syncwarp waits for one at __syncthreads, which waits for it: both are named."""
    source = """extern "C" __global__ void kernel(int* y) {
        if (threadIdx.x == 0) {
            __syncwarp(3); // waits for lane 1
            y[0] = 1;
        } else {
            __syncthreads(); // waits for thread 0
            y[1] = 1;
        }
        __syncthreads();
    }"""
    with pytest.raises(BarrierFault) as caught:
        launch(source, np.zeros(64, dtype=np.int32), block=64)
    text = str(caught.value)

    assert str(line_of(source, "waits for lane 1")) in text
    assert str(line_of(source, "waits for thread 0")) in text


def test_spinning_thread_that_never_arrives_uses_up_its_budget():
    """A barrier that waits for a thread in an endless loop ends with the instruction budget."""
    source = """extern "C" __global__ void kernel(volatile int* y) {
        if (threadIdx.x == 3) { while (y[0] == 0) { } }
        __syncthreads();
        y[0] = 1;
    }"""
    with pytest.raises((BudgetExceeded, BarrierFault)):
        launch(source, np.zeros(1, dtype=np.int32), instruction_budget=200_000)


def test_syncwarp_within_a_divergent_branch():
    """__syncwarp over the lanes of a branch orders their shared memory."""
    source = """extern "C" __global__ void kernel(int* y) {
        __shared__ volatile int s[32];
        int t = threadIdx.x;
        if (t < 12) {
            for (int i = 0; i < t; ++i) s[t] = i;
            s[t] = t * 10;
            __syncwarp(0xfff);
            y[t] = s[11 - t];
        } else {
            s[t] = t * 100;
            __syncwarp(0xfffff000);
            y[t] = s[43 - t];
        }
    }"""
    y = np.zeros(32, dtype=np.int32)
    launch(source, y)

    np.testing.assert_array_equal(y, [(11 - t) * 10 if t < 12 else (43 - t) * 100 for t in range(32)])


@pytest.mark.parametrize("options", [(), ("-G",)], ids=["optimized", "debug"])
def test_syncwarp_from_two_places(options):
    """Lanes of both branches of an if meet at __syncwarp with a full mask."""
    source = """extern "C" __global__ void kernel(int* y) {
        __shared__ volatile int s[32];
        int t = threadIdx.x;
        if (t < 16) { __syncwarp(); y[t] = s[t + 16]; }
        else { for (int i = 0; i < t; ++i) s[t] = i; s[t] = t * 7; __syncwarp(); y[t] = -t; }
    }"""
    y = np.zeros(32, dtype=np.int32)
    launch(ptx_of(source, *options), y)

    np.testing.assert_array_equal(y, [(t + 16) * 7 if t < 16 else -t for t in range(32)])
