"""Code as students copy it: cooperative groups, atomic_ref, nanosleep, several kernels in a file."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import launch, ptx_of
from tilewright.emulate import Emulator


@pytest.mark.slow
def test_cooperative_groups():
    """Groups of a block, tiles of a warp, their shuffles and reductions."""
    source = """#include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void kernel(const int* x, int* y) {
        __shared__ int s[8];
        cg::thread_block block = cg::this_thread_block();
        auto tile = cg::tiled_partition<16>(block);
        int v = x[block.thread_rank()];
        int sum = cg::reduce(tile, v, cg::plus<int>());
        if (tile.thread_rank() == 0) s[block.thread_rank() / 16] = sum;
        block.sync();
        int total = 0;
        for (int i = 0; i < 8; ++i) total += s[i];
        y[block.thread_rank()] = total * 1000 + tile.shfl_down(v, 1) + tile.meta_group_rank();
        if (v % 3 == 0) {
            auto active = cg::coalesced_threads();
            y[128 + block.thread_rank()] = active.size() * 100 + active.thread_rank();
        }
    }"""
    x = np.random.default_rng(0).integers(0, 9, 128, dtype=np.int32)
    y = np.zeros((2, 128), dtype=np.int32)
    launch(source, x, y, block=128)

    for t in range(128):
        neighbor = x[t + 1] if t % 16 < 15 else x[t]
        assert y[0, t] == x.sum() * 1000 + neighbor + t // 16
        same_warp = [u for u in range(t // 32 * 32, t // 32 * 32 + 32) if x[u] % 3 == 0]
        assert y[1, t] == (len(same_warp) * 100 + same_warp.index(t) if x[t] % 3 == 0 else 0)


@pytest.mark.slow
def test_atomic_ref():
    """cuda::atomic_ref of libcu++: orders and scopes of the memory model."""
    source = """#include <cuda/atomic>
    extern "C" __global__ void kernel(int* x) {
        cuda::atomic_ref<int, cuda::thread_scope_device> total(x[0]), top(x[1]);
        total.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
        top.fetch_max(threadIdx.x * 3, cuda::memory_order_acq_rel);
        cuda::atomic_ref<int, cuda::thread_scope_block> flag(x[2]);
        if (threadIdx.x == 40) flag.store(7, cuda::memory_order_release);
        while (flag.load(cuda::memory_order_acquire) != 7) { }
    }"""
    x = np.zeros(3, dtype=np.int32)
    launch(source, x, block=64, instruction_budget=5_000_000)

    assert x.tolist() == [63 * 32, 189, 7]


def test_nanosleep_in_a_spin_loop():
    """A polite spin loop sleeps between its tries."""
    source = """extern "C" __global__ void kernel(volatile int* flag, int* y) {
        if (threadIdx.x < 32) { while (flag[0] == 0) __nanosleep(100); y[threadIdx.x] = 5; }
        else flag[0] = 1;
    }"""
    y = np.zeros(32, dtype=np.int32)
    launch(source, np.zeros(1, dtype=np.int32), y, block=64, instruction_budget=5_000_000)

    np.testing.assert_array_equal(y, 5)


def test_several_kernels_in_a_file():
    """Kernels of one module have their own shared memory and share its variables."""
    source = """__device__ int calls;
    __device__ __noinline__ int scratch(int v) {
        __shared__ int s[32];
        s[threadIdx.x] = v; __syncwarp(); return s[31 - threadIdx.x];
    }
    extern "C" __global__ void first(int* y) {
        __shared__ int a[32];
        a[threadIdx.x] = threadIdx.x; __syncwarp();
        y[threadIdx.x] = scratch(a[threadIdx.x] * 2) + a[threadIdx.x]; atomicAdd(&calls, 1);
    }
    extern "C" __global__ void second(int* y) {
        __shared__ double b[64];
        b[threadIdx.x] = y[threadIdx.x]; b[threadIdx.x + 32] = 1; __syncwarp();
        y[threadIdx.x] = (int)b[31 - threadIdx.x] + scratch(1000) + calls;
    }"""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of(source))
    y = emulator.allocate(128, name="y")
    assert set(module.kernels) == {"first", "second"}
    emulator.launch(module, "first", grid=(1, 1, 1), block=(32, 1, 1), arguments=[y])
    t = np.arange(32)
    np.testing.assert_array_equal(y.read(np.int32, (32,)), 2 * (31 - t) + t)
    emulator.launch(module, "second", grid=(1, 1, 1), block=(32, 1, 1), arguments=[y])

    np.testing.assert_array_equal(y.read(np.int32, (32,)), 2 * t + (31 - t) + 1000 + 32)


def test_caching_intrinsics():
    """__ldg, __ldcs, __ldcg, __stcs, __stwt and prefetches are loads and stores."""
    source = """extern "C" __global__ void kernel(const float4* x, float* y) {
        int t = threadIdx.x;
        float4 v = __ldg(x + t); float w = __ldcs((const float*)x + t) + __ldcg((const float*)x + t + 1);
        __stcs(y + 2 * t, v.x + v.w); __stwt(y + 2 * t + 1, w);
    }"""
    x, y = np.random.default_rng(0).normal(size=(33, 4)).astype(np.float32), np.zeros((32, 2), dtype=np.float32)
    launch(source, x, y)

    flat = x.ravel()
    np.testing.assert_array_equal(y[:, 0], x[:32, 0] + x[:32, 3])
    np.testing.assert_array_equal(y[:, 1], flat[:32] + flat[1:33])


def test_block_of_1024_threads():
    """The largest block: a scan in shared memory by Hillis and Steele, with a barrier per step."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        __shared__ int s[2][1024];
        int t = threadIdx.x, from = 0;
        s[0][t] = x[t];
        __syncthreads();
        for (int d = 1; d < 1024; d *= 2) {
            s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
            from = 1 - from;
            __syncthreads();
        }
        y[t] = s[from][t];
    }"""
    x = np.random.default_rng(0).integers(-99, 99, 1024, dtype=np.int32)
    for schedule in ("round_robin", "random"):
        y = np.zeros(1024, dtype=np.int32)
        launch(source, x, y, block=1024, schedule=schedule, seed=5)
        np.testing.assert_array_equal(y, np.cumsum(x))
