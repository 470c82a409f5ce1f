"""Threads that wait for each other: every one of them gets its turn."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import launch, ptx_of

BUDGET = 20_000_000


@pytest.mark.parametrize("options", [(), ("-G",)], ids=["optimized", "debug"])
def test_spin_lock_within_a_warp(options):
    """All 32 lanes of a warp take one lock, each in its turn, also where each operation is a call (debug)."""
    source = """extern "C" __global__ void kernel(int* lock, volatile int* total) {
        while (atomicCAS(lock, 0, 1) != 0) { }
        __threadfence();
        total[0] = total[0] + threadIdx.x;
        __threadfence();
        atomicExch(lock, 0);
    }"""
    lock, total = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    launch(ptx_of(source, *options), lock, total, grid=2, block=64, instruction_budget=BUDGET)

    assert total[0] == 2 * sum(range(64))
    assert lock[0] == 0


def test_spin_lock_left_by_break():
    """The other shape of a lock: the critical section stands inside the loop."""
    source = """extern "C" __global__ void kernel(int* lock, volatile int* total) {
        for (bool done = false; !done; ) {
            if (atomicCAS(lock, 0, 1) == 0) {
                total[0] = total[0] + 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
        }
    }"""
    lock, total = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32)
    launch(source, lock, total, grid=3, block=96, instruction_budget=BUDGET)

    assert total[0] == 3 * 96


def test_lane_waits_for_a_later_lane():
    """A lane that spins does not keep the other branch of its warp from running."""
    source = """extern "C" __global__ void kernel(volatile int* flag, volatile int* data, int* out) {
        if (threadIdx.x == 0) {
            while (flag[0] == 0) { }
            __threadfence();
            out[0] = data[0] + 1;
        } else if (threadIdx.x == 1) {
            data[0] = 41;
            __threadfence();
            flag[0] = 1;
        }
    }"""
    flag, data, out = (np.zeros(1, dtype=np.int32) for _ in range(3))
    launch(source, flag, data, out, instruction_budget=BUDGET)

    assert out[0] == 42


@pytest.mark.parametrize("direction", [1, -1])
def test_chain_through_the_lanes_of_a_block(direction):
    """Each thread waits for its neighbor, through all the warps of a block and in either direction."""
    source = """extern "C" __global__ void kernel(volatile int* value, int direction) {
        int t = threadIdx.x, before = t - direction;
        int first = direction > 0 ? 0 : blockDim.x - 1;
        if (t == first) value[t] = 1;
        else { int v; while ((v = value[before]) == 0) { } value[t] = v + 1; }
    }"""
    value = np.zeros(96, dtype=np.int32)
    launch(source, value, direction, block=96, instruction_budget=BUDGET)

    np.testing.assert_array_equal(value, np.arange(1, 97)[::direction])


def test_ping_pong_between_two_lanes():
    """Two lanes of one warp take turns a hundred times."""
    source = """extern "C" __global__ void kernel(volatile int* turn, int* out) {
        if (threadIdx.x > 1) return;
        for (int i = 0; i < 100; ++i) {
            while (turn[0] != 2 * i + threadIdx.x) { }
            out[2 * i + threadIdx.x] = turn[0];
            __threadfence();
            turn[0] = turn[0] + 1;
        }
    }"""
    turn, out = np.zeros(1, dtype=np.int32), np.zeros(200, dtype=np.int32)
    launch(source, turn, out, instruction_budget=BUDGET)

    np.testing.assert_array_equal(out, np.arange(200))


def test_warps_of_a_block_wait_for_each_other():
    """Warp 0 spins on shared memory until the last warp writes it."""
    source = """extern "C" __global__ void kernel(int* out) {
        __shared__ volatile int flag;
        if (threadIdx.x == 0) flag = 0;
        __syncthreads();
        if (threadIdx.x / 32 == 0) { while (flag == 0) { } out[threadIdx.x] = flag; }
        if (threadIdx.x == blockDim.x - 1) flag = 7;
    }"""
    out = np.zeros(32, dtype=np.int32)
    launch(source, out, block=128, instruction_budget=BUDGET)

    np.testing.assert_array_equal(out, 7)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("schedule", ["round_robin", "random"])
def test_block_waits_for_another_block(workers, schedule):
    """Block 0 spins on a flag that the last block sets."""
    source = """extern "C" __global__ void kernel(volatile int* flag, int* out) {
        if (blockIdx.x == 0) { while (flag[0] == 0) { } out[threadIdx.x] = flag[0]; }
        if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 5) { __threadfence(); flag[0] = 3; }
    }"""
    flag, out = np.zeros(1, dtype=np.int32), np.zeros(32, dtype=np.int32)
    launch(source, flag, out, grid=4, workers=workers, schedule=schedule, instruction_budget=BUDGET)

    np.testing.assert_array_equal(out, 3)


def test_grid_barrier():
    """Four resident blocks meet at a barrier of their own making, three times."""
    source = """__device__ void meet(int* arrived, int round) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1);
            while (*(volatile int*)arrived < (int)gridDim.x * (round + 1)) { }
        }
        __syncthreads();
    }
    extern "C" __global__ void kernel(int* arrived, volatile int* x, int n) {
        for (int round = 0; round < 3; ++round) {
            int t = blockIdx.x * blockDim.x + threadIdx.x;
            int v = x[(t + 1) % n];
            meet(arrived, 2 * round);
            x[t] = v + t;
            meet(arrived, 2 * round + 1);
        }
    }"""
    n = 4 * 64
    x = np.arange(n, dtype=np.int32)
    want: np.ndarray = x.copy()
    for _ in range(3):
        want = np.roll(want, -1) + np.arange(n, dtype=np.int32)
    launch(source, np.zeros(1, dtype=np.int32), x, n, grid=4, block=64, instruction_budget=BUDGET)

    np.testing.assert_array_equal(x, want)


@pytest.mark.parametrize("workers", [1, 2])
def test_last_block_adds_what_the_others_left(workers):
    """Threadfence reduction: the block that counts last sees every partial sum."""
    source = """extern "C" __global__ void kernel(const float* x, volatile float* partial, unsigned* count,
                                      float* out) {
        __shared__ float s[64]; __shared__ bool last;
        int t = threadIdx.x;
        s[t] = x[blockIdx.x * 64 + t];
        __syncthreads();
        for (int h = 32; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
        if (t == 0) {
            partial[blockIdx.x] = s[0];
            __threadfence();
            last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
        }
        __syncthreads();
        if (last && t == 0) {
            float sum = 0;
            for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
            out[0] = sum;
        }
    }"""
    blocks = 150
    x = np.random.default_rng(0).integers(-50, 50, blocks * 64).astype(np.float32)
    count, out = np.zeros(1, dtype=np.uint32), np.zeros(1, dtype=np.float32)
    launch(source, x, np.zeros(blocks, dtype=np.float32), count, out, grid=blocks, block=64, workers=workers)

    assert out[0] == x.sum()
    assert count[0] == 0


def test_blocks_wait_for_earlier_tickets():
    """A chained scan: the block with ticket i waits for ticket i-1, in whatever order blocks start."""
    source = """extern "C" __global__ void kernel(int* ticket, volatile int* sums, int* out) {
        __shared__ int mine, before;
        if (threadIdx.x == 0) {
            mine = atomicAdd(ticket, 1);
            if (mine == 0) before = 0; else { while ((before = sums[mine - 1]) == 0) { } }
            __threadfence();
            sums[mine] = before + mine + 1;
        }
        __syncthreads();
        if (threadIdx.x == 33) out[mine] = before;
    }"""
    blocks = 60
    out = np.full(blocks, -1, dtype=np.int32)
    launch(
        source,
        np.zeros(1, dtype=np.int32),
        np.zeros(blocks, dtype=np.int32),
        out,
        grid=blocks,
        block=64,
        schedule="random",
        seed=3,
        instruction_budget=BUDGET,
    )

    np.testing.assert_array_equal(out, [i * (i + 1) // 2 for i in range(blocks)])
