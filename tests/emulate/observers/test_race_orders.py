"""What orders threads besides the block's barrier: warps, named barriers, atomics with fences."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.observers.race_kernels import kernel, numbers, pairs, races

SHUFFLES = """int v = x[t];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    __shared__ int s[32];
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < blockDim.x / 32 ? s[t] : 0;
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
        if (t == 0) x[0] = v;
    }"""
TREE = """volatile __shared__ int s[32]; s[t] = x[t]; WAIT;
    for (int d = 16; d > 0; d /= 2) {
        int v = t < d ? s[t + d] : 0;
        WAIT;
        s[t] += v;
        WAIT;
    }
    if (t == 0) x[0] = s[0];"""
LAST_BLOCK = """
__device__ unsigned count;
extern "C" __global__ void kernel(const int* x, int* partial, int* total) {
    __shared__ int s[64]; __shared__ bool last;
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        FENCE;
        last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = t; i < gridDim.x; i += 64) sum += partial[i];
        s[t] = sum;
        __syncthreads();
        for (int d = 32; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
        if (t == 0) *total = s[0];
    }
}"""


def test_shuffles():
    """A reduction by shuffles, with shared memory between warps."""
    x = np.arange(128, dtype=np.int32)
    assert races(kernel(SHUFFLES), x, block=128) == []
    assert x[0] == 8128


def test_a_warp_in_step_needs_syncwarp():
    """A tree within one warp: __syncwarp() orders it, volatile and luck do not."""
    x = np.arange(32, dtype=np.int32)
    assert races(kernel(TREE, before="#define WAIT __syncwarp()"), x) == []
    assert x[0] == 496
    assert [pair for pair, *_ in pairs(races(kernel(TREE, before="#define WAIT"), x))] == ["read-write"] * 3


def test_syncwarp_of_some_lanes():
    """Lanes that meet are in order; others of the warp are not."""
    body = """__shared__ int s[32]; s[t] = t;
    if (t < 16) { __syncwarp(0xffff); x[t] = s[READ]; }"""
    assert races(kernel(body, before="#define READ 15 - t"), numbers(32)) == []
    assert pairs(races(kernel(body, before="#define READ 31 - t"), numbers(32))) == [("read-write", "error", 4, 5)]


def test_order_by_way_of_another_lane():
    """Lane 0 meets lane 1, then lane 1 meets lane 2: lane 2 knows what lane 0 did; the other way round it does not."""
    body = """volatile __shared__ int s; if (t == 0) s = 1;
    FIRST SECOND
    if (t == 2) x[0] = s;"""
    one, two = "if (t < 2) __syncwarp(3);", "if (t == 1 || t == 2) __syncwarp(6);"
    good, bad = (f"#define FIRST {a}\n#define SECOND {b}" for a, b in ((one, two), (two, one)))
    assert races(kernel(body, before=good), numbers(1)) == []
    assert [pair for pair, *_ in pairs(races(kernel(body, before=bad), numbers(1)))] == ["read-write"]


@pytest.mark.slow
def test_tiles_of_cooperative_groups():
    """Each tile of 8 lanes reduces in its own part of shared memory, and waits for itself alone."""
    body = """auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    __shared__ int s[64]; int r = tile.thread_rank();
    s[t] = x[t]; WAIT;
    for (int d = 4; d > 0; d /= 2) { if (r < d) s[t] += s[t + d]; WAIT; }
    if (r == 0) y[t / 8] = s[t];"""
    header = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n#define WAIT "
    x, y = np.ones(64, np.int32), numbers(8)
    assert races(kernel(body, "int* x, int* y", header + "tile.sync()"), x, y, block=64) == []
    assert y.tolist() == [8] * 8
    assert races(kernel(body, "int* x, int* y", header), x, y, block=64)


def test_named_barriers():
    """bar.sync with a number and a count orders those who meet at it, and nobody else."""
    body = """__shared__ int s[128]; int half = t / 64; s[t] = t;
    asm volatile("bar.sync %0, 64;" :: "r"(1 + half) : "memory");
    x[t] = s[READ];"""
    assert races(kernel(body, before="#define READ t ^ 63"), numbers(128), block=128) == []
    assert pairs(races(kernel(body, before="#define READ 127 - t"), numbers(128), block=128)) == [
        ("read-write", "error", 4, 6)
    ]
    whole = body.replace("bar.sync %0, 64", "bar.sync %0, 128").replace("1 + half", "3")
    assert races(kernel(whole, before="#define READ 127 - t"), numbers(128), block=128) == []


@pytest.mark.parametrize("early", ["", "read", "write"])
def test_producers_and_consumers(early):
    """bar.arrive lets producers go on: a consumer that reads before its wait races, so does a producer that writes."""
    full = 'asm volatile("bar.{} 1, 64;" ::: "memory");'
    empty = 'asm volatile("bar.{} 2, 64;" ::: "memory");'
    read, write = "x[t] += s[31 - t];", "s[t - 32] = trip;"
    wait_full, wait_empty = full.format("sync"), "if (trip) { " + empty.format("sync") + " }"
    body = f"""__shared__ int s[32];
    for (int trip = 0; trip < 4; ++trip) {{
        if (t < 32) {{
            {read + wait_full if early == "read" else wait_full + read}
            {empty.format("arrive")}
        }} else {{
            {write + wait_empty if early == "write" else wait_empty + write}
            {full.format("arrive")}
        }}
    }}
    if (t >= 32) {{ {empty.format("sync")} }}"""
    found = races(kernel(body), numbers(32), block=64)
    assert set(pairs(found)) <= {("read-write", "error", 7, 10), ("read-write", "error", 10, 7)}
    assert bool(found) == bool(early)


def test_histogram_by_atomics():
    """Atomics do not race with each other; they race with a store that no barrier orders."""
    body = """__shared__ int s[16];
    if (t < 16) s[t] = 0;
    WAIT;
    atomicAdd(&s[t % 16], 1);
    __syncthreads();
    if (t < 16) atomicAdd(&x[t], s[t]);"""
    x = numbers(16)
    assert races(kernel(body, before="#define WAIT __syncthreads()"), x, block=128, grid=4) == []
    assert x.tolist() == [32] * 16
    (found,) = races(kernel(body, before="#define WAIT"), x, block=128)
    assert found.details["pair"] == "write-write"
    assert "atomically changes it" in found.message


def test_an_atomic_and_an_ordinary_read():
    """Reading a counter without an atomic, while others count, is a race."""
    (found,) = races(kernel("atomicAdd(&x[0], 1); if (t == 5) x[1] = x[0];"), numbers(2), block=64)
    assert found.details["pair"] == "read-write"
    (found,) = races(
        kernel("if (b == 0) { x[0] = 1; __syncthreads(); } atomicAdd(&x[0], 1);"), numbers(2), grid=2, block=1
    )
    assert (found.details["pair"], found.details["same_block"]) == ("write-write", False)


@pytest.mark.parametrize("schedule", ["round_robin", "random"])
def test_last_block_reduction(schedule):
    """Whoever comes last reads what all others released; without the fence before the atomic it is a race."""
    arrays = np.arange(64 * 20, dtype=np.int32), numbers(20), numbers(1)
    source = LAST_BLOCK.replace("FENCE", "__threadfence()")
    assert races(source, *arrays, grid=20, block=64, schedule=schedule) == []
    assert arrays[2][0] == arrays[0].sum()

    (found,) = races(LAST_BLOCK.replace("FENCE", ""), *arrays, grid=20, block=64, schedule=schedule)
    assert (found.details["pair"], found.details["same_block"]) == ("read-write", False)
    assert pairs([found]) == [("read-write", "error", 10, 17)]
    assert "put __threadfence() between line 10 and the atomic" in found.advice


@pytest.mark.parametrize("fence", ["__threadfence()", "__threadfence_block()", "__threadfence(); __syncthreads()", ""])
def test_every_thread_fences(fence):
    """All write and fence, meet, and one thread counts: in order. A fence for the block alone does not reach others."""
    source = """
__device__ unsigned count;
extern "C" __global__ void kernel(int* x, int* y) {
    __shared__ bool last;
    x[blockIdx.x * 32 + threadIdx.x] = threadIdx.x;
    FENCE;
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&count, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) for (int i = threadIdx.x; i < 32 * gridDim.x; i += 32) y[i] = x[i];
}"""
    found = races(source.replace("FENCE", fence), numbers(320), numbers(320), grid=10)
    assert bool(found) == (not fence.startswith("__threadfence()"))


@pytest.mark.parametrize("fence", ["__threadfence()", ""])
def test_volatile_flag_between_blocks(fence):
    """Block 1 waits for block 0's flag: its data is in order only if block 0 fences before it sets the flag."""
    source = f"""
extern "C" __global__ void kernel(int* data, volatile int* flag) {{
    if (blockIdx.x == 0) {{
        data[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) {{ {fence}; *flag = 1; }}
    }} else {{
        if (threadIdx.x == 0) while (*flag == 0) {{ }}
        __syncthreads();
        data[64 + threadIdx.x] = data[63 - threadIdx.x];
    }}
}}"""
    found = races(source, numbers(128), numbers(1), grid=2, block=64)
    assert pairs(found) == ([] if fence else [("read-write", "error", 4, 10)])


def test_a_chain_of_blocks():
    """What block 0 hands to block 1 and block 1 to block 2 is in order for block 2, by way of both."""
    source = """
extern "C" __global__ void kernel(int* data, int* flags) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        if (b > 0) while (atomicAdd(&flags[b - 1], 0) == 0) { }
        data[b] = b + (b > 1 ? data[b - 2] : 0);
        FENCE;
        atomicExch(&flags[b], 1);
    }
}"""
    data = numbers(8)
    assert races(source.replace("FENCE", "__threadfence()"), data, numbers(8), grid=8) == []
    assert data[6] == 12
    assert races(source.replace("FENCE", ""), numbers(8), numbers(8), grid=8)


def test_barrier_of_the_grid():
    """All blocks meet at a counter in global memory, trip by trip; each reads what its neighbor wrote."""
    source = """
__device__ unsigned arrived;
__device__ void meet(unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        BEFORE;
        atomicAdd(&arrived, 1u);
        while (atomicAdd(&arrived, 0u) < goal) { }
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void kernel(int* x) {
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int trip = 0; trip < 5; ++trip) {
        int v = x[(i + 1) % n];
        meet((2 * trip + 1) * gridDim.x);
        x[i] = v + 1;
        meet((2 * trip + 2) * gridDim.x);
    }
}"""
    x = np.arange(6 * 64, dtype=np.int32)
    assert races(source.replace("BEFORE", "__threadfence()"), x, grid=6, block=64) == []
    np.testing.assert_array_equal(x, (np.arange(384) + 5) % 384 + 5)
    found = races(source.replace("BEFORE", ""), x, grid=6, block=64)
    assert not found[0].details["same_block"]


def test_blocks_race_in_global_memory():
    """Neighboring blocks that touch one element race, though each runs alone here; launches in a row would not."""
    source = kernel("int i = 32 * b + t; x[i] = x[i] + (i < 32 * gridDim.x - 1 ? x[i + 1] : 0);")
    found = races(source, numbers(32 * 40), grid=40)
    assert [f.details["same_block"] for f in found] == [False]
    assert "blocks run in any order" in found[0].advice
    assert "of block (1, 0, 0)" in found[0].message or "of block (0, 0, 0)" in found[0].message

    (only,) = races(kernel("if (t == 0) x[0] = b;"), numbers(1), grid=9)
    assert (only.details["pair"], only.details["same_block"]) == ("write-write", False)


def test_reads_before_the_first_write():
    """Loads that run through an array are remembered until someone writes there: block 1, what block 0 has read."""
    body = """int v = 0; for (int i = t; i < 256; i += 64) v += x[i];
    if (b == 1) x[OFFSET + t] = v;
    y[64 * b + t] = v;"""
    near, far = (kernel(body, "int* x, int* y", f"#define OFFSET {offset}") for offset in (128, 256))
    found = races(near, numbers(320), numbers(128), grid=2, block=64)
    assert ("read-write", "error", 4, 5) in pairs(found)
    assert not any(f.details["same_warp"] for f in found)
    assert races(far, numbers(320), numbers(128), grid=2, block=64) == []
    own = kernel("for (int i = 0; i < 3; ++i) x[t] = x[t] + i; __syncthreads(); x[63 - t] = x[t];")
    assert {line for *_, line in pairs(races(own, numbers(64), block=64))} == {4}


@pytest.mark.slow
def test_acquire_and_release_of_the_library():
    """cuda::atomic_ref with release and acquire orders; relaxed does not."""
    source = """#include <cuda/atomic>
extern "C" __global__ void kernel(int* data, int* flag) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) { data[0] = 5; ready.store(1, cuda::std::memory_order_RELEASE); }
    else { while (ready.load(cuda::std::memory_order_ACQUIRE) == 0) { } data[1] = data[0]; }
}"""
    good = source.replace("RELEASE", "release").replace("ACQUIRE", "acquire")
    bad = source.replace("RELEASE", "relaxed").replace("ACQUIRE", "relaxed")
    assert races(good, numbers(2), numbers(1), grid=2, block=1) == []
    assert pairs(races(bad, numbers(2), numbers(1), grid=2, block=1)) == [("read-write", "error", 4, 5)]


def test_atomics_of_a_block_do_not_reach_other_blocks():
    """atomicAdd_block on one element from two blocks is a race; within a block it is none."""
    body = "atomicAdd_block(&x[PLACE], 1);"
    assert races(kernel(body, before="#define PLACE b"), numbers(2), grid=2) == []
    (found,) = races(kernel(body, before="#define PLACE 0"), numbers(2), grid=2)
    assert (found.details["pair"], found.details["same_block"]) == ("write-write", False)
