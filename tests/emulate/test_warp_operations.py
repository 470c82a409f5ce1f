"""shfl, vote, match, redux, activemask: what the lanes of a warp learn from each other."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import entry_of, launch

FULL = 0xFFFFFFFF
MODES = ("up", "down", "bfly", "idx")


def shuffled(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """Return the source lane and the predicate of `shfl.sync`, by the pseudocode of the PTX manual."""
    b, clamp, segment = b & 31, c & 31, (c >> 8) & 31
    highest, lowest = (lane & segment) | (clamp & ~segment & 31), lane & segment
    source = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": lowest | (b & ~segment & 31)}[mode]
    inside = source >= highest if mode == "up" else source <= highest
    return (source if inside else lane), inside


@pytest.mark.parametrize("mode", MODES)
def test_shuffle_modes(mode):
    """Every mode, over offsets and segment masks that are the same in all lanes or differ."""
    body = f"""
        .reg .b32 %r<9>; .reg .pred %p; .reg .b64 %rd<6>;
        ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 8; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
        ld.global.v2.u32 {{%r2, %r3}}, [%rd4];
        and.b32 %r4, %r1, 31; mad.lo.s32 %r5, %r4, 1000, 7;
        shfl.sync.{mode}.b32 %r6|%p, %r5, %r2, %r3, -1;
        selp.u32 %r7, 1, 0, %p;
        st.global.v2.u32 [%rd5], {{%r6, %r7}};
        ret;"""
    generator = np.random.default_rng(9)
    warps = 24
    operands = generator.integers(0, 1 << 32, (warps, 32, 2), dtype=np.uint32)
    for warp, width in enumerate([1, 2, 4, 8, 16, 32]):
        operands[warp, :, 0] = generator.integers(0, 32)
        operands[warp, :, 1] = ((32 - width) << 8) | (0 if mode == "up" else 31)
    operands[6:12, :, 1] = ((32 - 8) << 8) | (0 if mode == "up" else 31)
    operands = operands.reshape(-1, 2)
    answers = np.zeros_like(operands)
    launch(entry_of("kernel", ["u64", "u64"], body), operands, answers, block=32 * warps)

    want = []
    for thread, (b, c) in enumerate(operands.tolist()):
        source, inside = shuffled(mode, thread % 32, b, c)
        want.append((source * 1000 + 7, inside))
    np.testing.assert_array_equal(answers, want)


@pytest.mark.parametrize("width", [2, 4, 8, 16, 32])
def test_shuffles_of_cuda(width):
    """__shfl_*_sync of every element type and width, as a reader of the CUDA guide expects them."""
    source = """template <class T> __device__ void all(T v, double* y, int width) {
        int t = threadIdx.x;
        y[0 * 32 + t] = __shfl_sync(~0u, v, t / 3 + 1, width); y[1 * 32 + t] = __shfl_up_sync(~0u, v, 3, width);
        y[2 * 32 + t] = __shfl_down_sync(~0u, v, 5, width);    y[3 * 32 + t] = __shfl_xor_sync(~0u, v, 1, width);
    }
    extern "C" __global__ void kernel(double* y, int width) {
        int t = threadIdx.x;
        all<int>(t - 16, y, width); all<unsigned>(t, y + 128, width); all<float>(t * 0.5f, y + 256, width);
        all<double>(t * 0.25, y + 384, width); all<long long>(t * 10000000000ll, y + 512, width);
    }"""
    y = np.zeros((5, 4, 32))
    launch(source, y, width)

    t = np.arange(32)
    base = t // width * width
    sources = np.array([
        base + (t // 3 + 1) % width,
        np.where(t - 3 >= base, t - 3, t),
        np.where(t + 5 < base + width, t + 5, t),
        t ^ 1,
    ])  # fmt: skip
    for kind, values in enumerate([t - 16, t, t * 0.5, t * 0.25, t * 1e10]):
        np.testing.assert_array_equal(y[kind], values[sources])


@pytest.mark.parametrize("members", [0x0000FFFF, 0x0F0F0F0F, 0x80000001, 0x5A5AA5A5])
def test_partial_masks_in_divergent_code(members):
    """Two branches of a warp shuffle, vote and reduce, each among its own lanes."""
    source = """__device__ void look(int* y, int v, unsigned mask, int partner) {
        int t = threadIdx.x;
        y[t] = __shfl_sync(mask, v, partner);
        y[32 + t] = __ballot_sync(mask, v & 1);
        y[64 + t] = (__any_sync(mask, v == 9) != 0) + 2 * (__all_sync(mask, v >= 0) != 0);
        y[96 + t] = __reduce_add_sync(mask, v);
        y[128 + t] = __match_any_sync(mask, v);
        y[160 + t] = __activemask();
    }
    extern "C" __global__ void kernel(const int* x, int* y, unsigned members) {
        int t = threadIdx.x, v = x[t];
        unsigned mine = members >> t & 1 ? members : ~members;
        int partner = 31 - __clz(mine);
        if (members >> t & 1) { for (int i = 0; i < t; ++i) v = v * 3 % 17; look(y, v, mine, partner); }
        else look(y, v, mine, partner);
    }"""
    x = np.random.default_rng(4).integers(0, 8, 32, dtype=np.int32)
    y = np.zeros((6, 32), dtype=np.int32)
    launch(source, x, y, members)

    v = x.astype(np.int64)
    for t in range(32):
        for _ in range(t if members >> t & 1 else 0):
            v[t] = v[t] * 3 % 17
    want = np.zeros((6, 32), dtype=np.int64)
    for mask in (members, ~members & FULL):
        lanes = [t for t in range(32) if mask >> t & 1]
        for t in lanes:
            want[0, t] = v[lanes[-1]]
            want[1, t] = sum(1 << u for u in lanes if v[u] & 1)
            want[2, t] = any(v[u] == 9 for u in lanes) + 2
            want[3, t] = sum(v[u] for u in lanes)
            want[4, t] = sum(1 << u for u in lanes if v[u] == v[t])
            want[5, t] = mask
    np.testing.assert_array_equal(y.astype(np.int64) & FULL, want)


def test_sync_operations_wait_for_the_lanes_of_their_mask():
    """A full-mask shuffle after branches of different length gives every lane its neighbor's result."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = threadIdx.x, v = x[t];
        if (v & 1) { for (int i = v; i > 0; --i) v = (v * 5 + i) % 101; } else if (v & 2) v = -v;
        int other = __shfl_xor_sync(~0u, v, 1);
        if (other > v) v = other; else y[t] = v;
        y[t] = __shfl_down_sync(~0u, v, 1) + other;
    }"""
    x = np.random.default_rng(8).integers(0, 40, 32, dtype=np.int32)
    y = np.zeros(32, dtype=np.int32)
    launch(source, x, y)

    def branch(v: int) -> int:
        if v & 1:
            for i in range(v, 0, -1):
                v = (v * 5 + i) % 101
            return v
        return -v if v & 2 else v

    v = np.array([branch(k) for k in x.tolist()])
    other = v[np.arange(32) ^ 1]
    v = np.maximum(v, other)
    np.testing.assert_array_equal(y, np.append(v[1:], v[31]) + other)


def test_votes():
    """any, all, uni and ballot over all lanes, and ballot with some lanes gone."""
    source = """extern "C" __global__ void kernel(const int* x, unsigned* y) {
        int t = threadIdx.x, v = x[t];
        int uniform, p = v > 3;
        asm volatile("{ .reg .pred a, b; setp.ne.s32 a, %1, 0; vote.sync.uni.pred b, a, -1; selp.s32 %0, 1, 0, b; }"
                     : "=r"(uniform) : "r"(p));
        y[t] = __ballot_sync(~0u, p);
        y[32 + t] = (__any_sync(~0u, v == 7) != 0) | (__all_sync(~0u, v < 8) != 0) << 1 | uniform << 2
                  | (__all_sync(~0u, p) != 0) << 3 | (__any_sync(~0u, v == 100) != 0) << 4;
        if (t % 4 == 1) return;
        y[64 + t] = __ballot_sync(0xdddddddd, v & 1);
    }"""
    x = np.random.default_rng(8).integers(0, 7, 32, dtype=np.int32)
    x[20] = 7
    y = np.zeros((3, 32), dtype=np.uint32)
    launch(source, x, y)

    np.testing.assert_array_equal(y[0], sum(1 << t for t in range(32) if x[t] > 3))
    np.testing.assert_array_equal(y[1], 3)
    ballot = sum(1 << t for t in range(32) if x[t] & 1 and t % 4 != 1)
    np.testing.assert_array_equal(y[2], [0 if t % 4 == 1 else ballot for t in range(32)])


def test_uniform_vote():
    """vote.uni holds where all lanes agree, on true or on false."""
    body = """
        .reg .b32 %r<6>; .reg .pred %p<5>; .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
        setp.ge.u32 %p1, %r1, 0; vote.sync.uni.pred %p2, %p1, 0xffffffff; vote.sync.uni.pred %p3, !%p1, 0xffffffff;
        setp.eq.u32 %p1, %r1, 4; vote.sync.uni.pred %p4, %p1, 0xffffffff;
        selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; selp.u32 %r4, 4, 0, %p4;
        or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4; st.global.u32 [%rd3], %r2; ret;"""
    y = np.zeros(32, dtype=np.uint32)
    launch(entry_of("kernel", ["u64"], body), y)

    np.testing.assert_array_equal(y, 3)


@pytest.mark.parametrize("kind", ["unsigned", "unsigned long long"])
def test_match(kind):
    """match_any groups equal values of 32 and 64 bits; match_all says whether all are equal."""
    source = f"""extern "C" __global__ void kernel(const {kind}* x, unsigned* y) {{
        int t = threadIdx.x, same, one;
        y[t] = __match_any_sync(~0u, x[t]);
        unsigned all = __match_all_sync(~0u, x[t], &same), equal = __match_all_sync(~0u, ({kind})5, &one);
        y[32 + t] = all; y[64 + t] = same; y[96 + t] = equal; y[128 + t] = one;
    }}"""
    dtype = np.uint32 if kind == "unsigned" else np.uint64
    high = np.arange(32) // 16 << (8 if dtype is np.uint32 else 40)
    x = (np.random.default_rng(0).integers(0, 5, 32) + high).astype(dtype)
    y = np.zeros((5, 32), dtype=np.uint32)
    launch(source, x, y)

    np.testing.assert_array_equal(y[0], [sum(1 << u for u in range(32) if x[u] == x[t]) for t in range(32)])
    np.testing.assert_array_equal(y[1:].T, [(0, 0, FULL, 1)] * 32)


def test_reductions():
    """redux.sync of every operation, among all lanes and among some."""
    source = """extern "C" __global__ void kernel(const int* x, int* y) {
        int t = threadIdx.x, v = x[t];
        unsigned u = v;
        y[t] = __reduce_add_sync(~0u, v); y[32 + t] = __reduce_min_sync(~0u, v); y[64 + t] = __reduce_max_sync(~0u, v);
        y[96 + t] = __reduce_min_sync(~0u, u); y[128 + t] = __reduce_max_sync(~0u, u);
        y[160 + t] = __reduce_and_sync(~0u, u | 0x10); y[192 + t] = __reduce_or_sync(~0u, u & 0xff);
        y[224 + t] = __reduce_xor_sync(~0u, u);
        if (t >= 10 && t < 20) y[256 + t] = __reduce_add_sync(0xffc00, u);
    }"""
    x = np.random.default_rng(1).integers(-(1 << 31), 1 << 31, 32).astype(np.int32)
    y = np.zeros((9, 32), dtype=np.int32)
    launch(source, x, y)

    u = x.view(np.uint32)
    with np.errstate(over="ignore"):
        want = [
            x.sum(dtype=np.int32), x.min(), x.max(), u.min(), u.max(), np.bitwise_and.reduce(u | np.uint32(0x10)),
            np.bitwise_or.reduce(u & np.uint32(0xFF)), np.bitwise_xor.reduce(u),
        ]  # fmt: skip
    for row, value in zip(y, want, strict=False):
        np.testing.assert_array_equal(row.view(np.uint32), int(value) & FULL)
    part = u[10:20].sum(dtype=np.uint32)
    np.testing.assert_array_equal(y[8].view(np.uint32), [part if 10 <= t < 20 else 0 for t in range(32)])


def test_warp_sum_by_shuffles():
    """The tree that every CUDA course teaches adds up a warp, in floats of both sizes."""
    source = """template <class T> __device__ T sum(T v) {
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
        return v;
    }
    extern "C" __global__ void kernel(const float* x, float* f, double* d) {
        int t = threadIdx.x;
        float a = sum(x[t]); double b = sum((double)x[t]);
        if (t % 32 == 0) { f[t / 32] = a; d[t / 32] = b; }
    }"""
    x = np.random.default_rng(1).integers(-100, 100, 96).astype(np.float32)
    f, d = np.zeros(3, dtype=np.float32), np.zeros(3)
    launch(source, x, f, d, block=96)

    np.testing.assert_array_equal(f, x.reshape(3, 32).sum(axis=1))
    np.testing.assert_array_equal(d, x.reshape(3, 32).sum(axis=1))


def test_lane_special_registers():
    """%laneid, %warpid and the lane masks, in a block of three dimensions."""
    source = """extern "C" __global__ void kernel(unsigned* y) {
        int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        unsigned v[7];
        asm("mov.u32 %0, %%laneid;" : "=r"(v[0])); asm("mov.u32 %0, %%warpid;" : "=r"(v[1]));
        asm("mov.u32 %0, %%lanemask_eq;" : "=r"(v[2])); asm("mov.u32 %0, %%lanemask_lt;" : "=r"(v[3]));
        asm("mov.u32 %0, %%lanemask_le;" : "=r"(v[4])); asm("mov.u32 %0, %%lanemask_gt;" : "=r"(v[5]));
        asm("mov.u32 %0, %%lanemask_ge;" : "=r"(v[6]));
        for (int i = 0; i < 7; ++i) y[7 * t + i] = v[i];
    }"""
    y = np.zeros((70, 7), dtype=np.uint32)
    launch(source, y, block=(5, 7, 2))

    for t in range(70):
        lane = t % 32
        below = (1 << lane) - 1
        eq = 1 << lane
        want = [lane, t // 32, eq, below, below | eq, FULL & ~(below | eq), FULL & ~below]
        np.testing.assert_array_equal(y[t], want)


def test_clock_does_not_go_backwards():
    """%clock64 grows between two readings."""
    source = """extern "C" __global__ void kernel(long long* y) {
        long long before = clock64();
        __syncthreads();
        y[threadIdx.x] = clock64() - before;
    }"""
    y = np.zeros(64, dtype=np.int64)
    launch(source, y, block=64)

    assert (y > 0).all()
