"""The counts of a launch, each derived by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.emulate.running import entry_of, launch, line_of, ptx_of
from tilewright.emulate import Counts, Emulator

STRIDED = """extern "C" __global__ void kernel(const T* x, T* y, int stride, int offset, int active) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < active) y[t] = x[t * stride + offset];
}"""


def strided(kind: str, dtype: type[np.generic], stride: int, offset: int, active: int = 64) -> Counts:
    """Return the counts of a strided copy by 64 threads."""
    x = np.zeros(64 * abs(stride) + 64, dtype=dtype)
    y = np.zeros(64, dtype=dtype)
    return launch(f"typedef {kind} T;\n" + STRIDED, x, y, stride, offset, active, block=64).counts


def sectors(addresses: np.ndarray, nbytes: int) -> int:
    """Return how many 32-byte sectors the accesses of a warp touch."""
    first, last = addresses // 32, (addresses + nbytes - 1) // 32
    return len(set(first.tolist()) | set(last.tolist()))


@pytest.mark.parametrize(
    ("kind", "dtype", "stride", "offset", "want"),
    [
        ("float", np.float32, 1, 0, 8),
        ("float", np.float32, 1, 1, 10),
        ("float", np.float32, 1, 8, 8),
        ("float", np.float32, 2, 0, 16),
        ("float", np.float32, 3, 0, 24),
        ("float", np.float32, 8, 0, 64),
        ("float", np.float32, 100, 0, 64),
        ("float", np.float32, 0, 5, 2),
        ("float", np.float32, -1, 64, 10),
        ("double", np.float64, 1, 0, 16),
        ("double", np.float64, 1, 1, 18),
        ("double", np.float64, 4, 0, 64),
        ("unsigned char", np.uint8, 1, 0, 2),
        ("unsigned char", np.uint8, 1, 3, 4),
        ("unsigned char", np.uint8, 2, 0, 4),
        ("short", np.int16, 1, 0, 4),
    ],
)
def test_load_sectors(kind, dtype, stride, offset, want):
    """Coalesced, shifted, strided, reversed and broadcast loads touch the sectors that their addresses say."""
    counts = strided(kind, dtype, stride, offset)

    assert counts.global_load_sectors == want
    assert counts.global_load_requests == 2
    assert counts.global_loads == 64
    assert counts.global_stores == 64
    assert counts.global_store_requests == 2
    assert counts.global_store_sectors == 64 * np.dtype(dtype).itemsize // 32


@pytest.mark.parametrize("active", [0, 1, 7, 9, 31, 32, 33, 50])
def test_partial_warps(active):
    """Only active lanes count, and a warp without any makes no request."""
    counts = strided("float", np.float32, 1, 0, active)

    assert counts.global_loads == counts.global_stores == active
    assert counts.global_load_requests == counts.global_store_requests == -(-active // 32)
    assert counts.global_load_sectors == -(-active // 8)


@pytest.mark.parametrize(("kind", "elements", "nbytes"), [("float2", 2, 8), ("float4", 4, 16)])
def test_vector_loads(kind, elements, nbytes):
    """A vector access is one request, and counts each of its elements."""
    counts = strided(kind, np.complex128 if nbytes == 16 else np.float64, 1, 0)

    assert counts.global_loads == counts.global_stores == 64 * elements
    assert counts.global_load_requests == counts.global_store_requests == 2
    assert counts.global_load_sectors == counts.global_store_sectors == 64 * nbytes // 32


GATHER = """extern "C" __global__ void kernel(const T* x, T* y, const int* index) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = index[t];
    if (i >= 0) y[i] = x[i]; // here
}"""


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_scattered_sectors(data):
    """Any addresses of any subset of lanes: the sectors are those of a direct count."""
    kind, dtype = data.draw(st.sampled_from([("float", np.float32), ("double", np.float64), ("short", np.int16)]))
    spread = data.draw(st.sampled_from([1, 8, 40, 64, 200, 5000]))
    index = np.array(data.draw(st.lists(st.integers(-1, spread - 1), min_size=64, max_size=64)), dtype=np.int32)
    if data.draw(st.booleans()):
        index.sort()
    source = f"typedef {kind} T;\n" + GATHER
    x, y = np.arange(spread).astype(dtype), np.zeros(spread, dtype=dtype)
    result = launch(source, x, y, index, block=64)

    size = np.dtype(dtype).itemsize
    want = sum(sectors(warp[warp >= 0].astype(np.int64) * size, size) for warp in index.reshape(2, 32))
    (here,) = [counts for (_, line), counts in result.lines.items() if line == line_of(source, "// here")]
    assert here.global_load_sectors == here.global_store_sectors == want
    assert here.global_loads == here.global_stores == (index >= 0).sum()
    assert here.global_load_requests == sum((warp >= 0).any() for warp in index.reshape(2, 32))
    np.testing.assert_array_equal(y[index[index >= 0]], x[index[index >= 0]])


def test_straight_line_instructions():
    """Every instruction of a warp counts once, and once per thread."""
    body = """
        .reg .b32 %r<5>; .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [p0];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd2, %r1, 4;
        add.s64 %rd3, %rd1, %rd2;
        add.s32 %r2, %r1, 1;
        mul.lo.s32 %r3, %r2, %r1;
        st.global.u32 [%rd3], %r3;
        ret;"""
    y = np.zeros(80, dtype=np.int32)
    counts = launch(entry_of("kernel", ["u64"], body), y, grid=5, block=80).counts

    assert counts.warp_instructions == 5 * 3 * 8
    assert counts.thread_instructions == 5 * 80 * 8


def test_loop_instructions_by_lane():
    """A loop costs each thread its own rounds, and the warp the longest."""
    body = """
        .reg .b32 %r<5>; .reg .pred %p;
        mov.u32 %r1, %tid.x;
        add.s32 %r1, %r1, 1;
    LOOP:
        add.s32 %r1, %r1, -1;
        setp.gt.s32 %p, %r1, 0;
        @%p bra LOOP;
        add.s32 %r2, %r1, 1;
        ret;"""
    counts = launch(entry_of("kernel", [], body), block=32).counts

    rounds = [t + 1 for t in range(32)]
    assert counts.warp_instructions == 2 + 3 * max(rounds) + 2
    assert counts.thread_instructions == 32 * 4 + 3 * sum(rounds)


def test_shared_counts():
    """Shared loads and stores by element and by request."""
    source = """extern "C" __global__ void kernel(float* y) {
        __shared__ float s[128];
        int t = threadIdx.x;
        s[t] = t;
        __syncthreads();
        float v = s[127 - t];
        __syncthreads();
        if (t < 40) s[t] = v * 2;
        __syncthreads();
        y[t] = s[t];
    }"""
    counts = launch(source, np.zeros(128, dtype=np.float32), block=128).counts

    assert (counts.shared_stores, counts.shared_store_requests) == (168, 6)
    assert (counts.shared_loads, counts.shared_load_requests) == (256, 8)
    assert (counts.global_stores, counts.global_store_requests) == (128, 4)
    assert (counts.global_loads, counts.global_load_requests) == (0, 0)
    assert counts.barriers == 12


def test_constant_and_local_counts():
    """Constant loads count by lane; local words of one index lie side by side, as the hardware lays them."""
    body = """
        .local .align 4 .b8 frame[64]; .reg .b32 %r<4>; .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
        st.local.u32 [frame+8], %r1; ld.const.u32 %r2, [c+4]; ld.local.u32 %r3, [frame+8];
        add.s32 %r3, %r3, %r2; st.global.u32 [%rd1], %r3; ret;"""
    source = entry_of("kernel", ["u64"], body).replace(".visible", ".const .align 4 .u32 c[2] = {5, 6};\n.visible")
    y = np.zeros(48, dtype=np.int32)
    counts = launch(source, y, block=48).counts

    np.testing.assert_array_equal(y, np.arange(48) + 6)
    assert (counts.constant_loads, counts.constant_load_requests) == (48, 2)
    assert (counts.local_loads, counts.local_load_requests, counts.local_load_sectors) == (48, 2, 6)
    assert (counts.local_stores, counts.local_store_requests, counts.local_store_sectors) == (48, 2, 6)
    assert counts.global_loads == 0


def test_atomics_are_no_loads():
    """Atomics, with a result or without, count as atomics alone."""
    source = """extern "C" __global__ void kernel(int* x) {
        __shared__ int s;
        int t = threadIdx.x;
        atomicAdd(&x[0], t);
        if (t % 2) x[32 + t] = atomicMax(&x[1], t);
        atomicOr(&s, t);
    }"""
    counts = launch(source, np.zeros(128, dtype=np.int32), block=96).counts

    assert (counts.atomics, counts.atomic_requests) == (96 + 48 + 96, 9)
    assert (counts.global_loads, counts.global_stores, counts.shared_loads) == (0, 48, 0)


def test_generic_accesses_count_where_they_land():
    """A generic load counts as global or shared by its lanes' addresses."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        __shared__ int s[32];
        int t = threadIdx.x;
        s[t] = t;
        __syncwarp();
        const int* p = t < 10 ? x + t : s + t;
        y[t] = *(volatile const int*)p;
    }"""
    y = np.zeros(32, dtype=np.int32)
    counts = launch(source, np.arange(100, 132, dtype=np.int32), y).counts

    np.testing.assert_array_equal(y, [100 + t if t < 10 else t for t in range(32)])
    assert (counts.global_loads, counts.shared_loads) == (10, 22)
    assert counts.global_stores == 32


def test_lines_add_up_to_the_whole():
    """Every count of the launch is the sum of its lines' counts, and single lines hold what they cause."""
    source = """extern "C" __global__ void kernel(const float* x, float* y, int n) {
        __shared__ float s[64];
        int t = threadIdx.x;
        s[t] = x[t]; // load
        __syncthreads(); // barrier
        float sum = 0;
        for (int i = 0; i < n; ++i)
            sum += s[(t + i) % 64]; // loop
        y[t] = sum; // store
    }"""
    result = launch(source, np.ones(64, dtype=np.float32), np.zeros(64, dtype=np.float32), 10, block=64)
    by_line = {line: counts for (file, line), counts in result.lines.items() if file.endswith("test.cu")}

    for field in dataclasses.fields(Counts):
        assert getattr(result.counts, field.name) == sum(getattr(c, field.name) for c in result.lines.values()), (
            field.name
        )
    assert by_line[line_of(source, "// load")].global_loads == 64
    assert by_line[line_of(source, "// load")].shared_stores == 64
    assert by_line[line_of(source, "// barrier")].barriers == 2
    assert by_line[line_of(source, "// loop")].shared_loads == 640
    assert by_line[line_of(source, "// loop")].shared_load_requests == 20
    assert by_line[line_of(source, "// store")].global_store_requests == 2


def test_source_files_are_known():
    """A module says which source files its lines refer to."""
    module = Emulator(workers=1).load(ptx_of('extern "C" __global__ void kernel(int* y) { y[0] = 1; }'))

    assert list(module.kernels) == ["kernel"]
    assert any(file.endswith("test.cu") for file in module.source_files.values())
