"""Atomic operations: every kind, type and space, and that none is lost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.emulate.running import launch

Fold = Callable[[int, int], int]
THREADS = 96

FOLDS: dict[str, tuple[str, Fold]] = {
    "add": ("atomicAdd(p, v)", lambda old, v: old + v),
    "min": ("atomicMin(p, v)", min),
    "max": ("atomicMax(p, v)", max),
    "and": ("atomicAnd(p, v)", lambda old, v: old & v),
    "or": ("atomicOr(p, v)", lambda old, v: old | v),
    "xor": ("atomicXor(p, v)", lambda old, v: old ^ v),
}
TYPES = {
    "int": np.int32,
    "unsigned": np.uint32,
    "long long": np.int64,
    "unsigned long long": np.uint64,
}
KERNEL = """extern "C" __global__ void kernel(T* out, const T* x, T* old) {
    __shared__ T s[4];
    int t = threadIdx.x;
    if (t < 4) s[t] = out[t];
    __syncthreads();
    T v = x[t];
    { T* p = PLACE; RETURN ATOMIC; }
    __syncthreads();
    if (SHARED && t < 4) out[t] = s[t];
}"""


def wrapped(value: int, dtype: type) -> int:
    """Return `value` as `dtype` holds it."""
    bits = np.dtype(dtype).itemsize * 8
    value &= (1 << bits) - 1
    return value - (1 << bits) if np.dtype(dtype).kind == "i" and value >> (bits - 1) else value


def pairs() -> list[tuple[str, str]]:
    """Return the operations with the types that CUDA C++ offers for them."""
    return [(name, kind) for name in FOLDS for kind in TYPES if not (name == "add" and kind == "long long")]


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("returns", [True, False])
@pytest.mark.parametrize(("name", "kind"), pairs())
def test_folding_atomics(name, kind, space, returns):
    """Add min max and or xor give the fold of all values, and the returned old values are its steps."""
    call, fold = FOLDS[name]
    dtype = TYPES[kind]
    place = "&s[t % 3]" if space == "shared" else "&out[t % 3]"
    source = KERNEL.replace("PLACE", place).replace("ATOMIC", call).replace("SHARED", str(int(space == "shared")))
    source = f"typedef {kind} T;\n" + source.replace("RETURN", "old[t] =" if returns else "")
    generator = np.random.default_rng(3)
    limits = np.iinfo(np.dtype(dtype).name)
    x = generator.integers(limits.min, limits.max, THREADS, dtype=dtype, endpoint=True)
    start = generator.integers(limits.min, limits.max, 4, dtype=dtype, endpoint=True)
    out, old = start.copy(), np.zeros(THREADS, dtype=dtype)
    result = launch(source, out, x, old, block=THREADS)

    for slot in range(3):
        values = [int(v) for v in x[slot::3]]
        total = int(start[slot])
        for value in values:
            total = wrapped(fold(total, value), dtype)
        assert int(out[slot]) == total
        if returns:
            after = [wrapped(fold(int(o), v), dtype) for o, v in zip(old[slot::3], values, strict=True)]
            assert sorted([*map(int, old[slot::3]), total]) == sorted([*after, int(start[slot])])
    assert out[3] == start[3]
    assert result.counts.atomics == THREADS
    assert result.counts.atomic_requests == THREADS // 32


@pytest.mark.parametrize("returns", [True, False])
def test_subnormal_sums(returns):
    """As the manual of PTX has `atom` and `red`: in global memory subnormal terms and sums are zeros of their sign."""
    source = """extern "C" __global__ void kernel(float* sums, float* of_shared, const float* x, float* old) {
        __shared__ float s[32];
        int t = threadIdx.x;
        s[t] = sums[t];
        RETURN atomicAdd(&sums[t], x[t]);
        atomicAdd(&s[t], x[t]);
        of_shared[t] = s[t];
    }""".replace("RETURN", "old[t] =" if returns else "")
    least, small = 2.0**-126, 2.0**-130
    sums, x = np.zeros(32, np.float32), np.zeros(32, np.float32)
    sums[:5], x[:5] = [small, -small, least, least, 0], [small, -small, -small, small, 1]
    before, of_shared, old = sums.copy(), np.zeros(32, np.float32), np.zeros(32, np.float32)
    launch(source, sums, of_shared, x, old)

    assert sums[:5].tolist() == [0, 0, least, least, 1]
    assert np.signbit(sums[:5]).tolist() == [False, True, False, False, False]
    np.testing.assert_array_equal(of_shared, before + x)
    np.testing.assert_array_equal(old, before if returns else np.zeros(32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_float_add(dtype, space):
    """AtomicAdd of floats loses nothing: sums of small integers are exact in any order."""
    kind = "float" if dtype is np.float32 else "double"
    source = f"""extern "C" __global__ void kernel({kind}* out, const {kind}* x, int shared) {{
        __shared__ {kind} s;
        int t = threadIdx.x;
        if (t == 0) s = 0;
        __syncthreads();
        if (shared) atomicAdd(&s, x[blockIdx.x * blockDim.x + t]);
        else atomicAdd(out, x[blockIdx.x * blockDim.x + t]);
        __syncthreads();
        if (shared && t == 0) atomicAdd(out, s);
    }}"""
    x = np.random.default_rng(3).integers(-1000, 1000, 20 * 64).astype(dtype)
    out = np.array([0.5], dtype=dtype)
    launch(source, out, x, int(space == "shared"), grid=20, block=64, workers=2)

    assert out[0] == x.sum() + 0.5


def test_exchange_passes_values_on():
    """AtomicExch of 32 and 64 bits: what was there before is handed to exactly one thread."""
    source = """extern "C" __global__ void kernel(int* a, unsigned long long* b, float* c, int* old) {
        int t = threadIdx.x;
        old[t] = atomicExch(a, t + 1);
        old[64 + t] = (int)(atomicExch(b, (t + 1ull) << 33) >> 33);
        old[128 + t] = (int)atomicExch(c, t + 1.0f);
    }"""
    old = np.zeros((3, 64), dtype=np.int32)
    a, b, c = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.float32)
    launch(source, a, b, c, old, block=64)

    for row, last in zip(old, (int(a[0]), int(b[0]) >> 33, int(c[0])), strict=True):
        assert sorted([*row, last]) == list(range(65))


def test_increment_and_decrement_wrap():
    """AtomicInc wraps to zero past its bound, atomicDec to its bound below zero or above it."""
    source = """extern "C" __global__ void kernel(unsigned* a, unsigned* old, unsigned bound) {
        __shared__ unsigned s[2];
        int t = threadIdx.x;
        if (t < 2) s[t] = 100;
        __syncthreads();
        old[t] = atomicInc(&a[0], bound); old[64 + t] = atomicDec(&a[1], bound);
        atomicInc(&s[0], bound); atomicDec(&s[1], bound);
        __syncthreads();
        if (t < 2) a[2 + t] = s[t];
    }"""
    a = np.array([3, 3, 0, 0], dtype=np.uint32)
    old = np.zeros((2, 64), dtype=np.uint32)
    launch(source, a, old, 10, block=64)

    def repeat(value: int, down: bool) -> list[int]:
        seen = []
        for _ in range(64):
            seen.append(value)
            value = (10 if value == 0 or value > 10 else value - 1) if down else (0 if value >= 10 else value + 1)
        return [*seen, value]

    assert sorted(old[0].tolist()) == sorted(repeat(3, down=False)[:-1])
    assert sorted(old[1].tolist()) == sorted(repeat(3, down=True)[:-1])
    ends = [
        repeat(3, down=False)[-1],
        repeat(3, down=True)[-1],
        repeat(100, down=False)[-1],
        repeat(100, down=True)[-1],
    ]
    assert a.tolist() == ends


@pytest.mark.parametrize("kind", ["unsigned", "unsigned long long"])
def test_compare_and_swap(kind):
    """One thread wins each slot, and the losers see the winner's value."""
    source = f"""extern "C" __global__ void kernel({kind}* a, {kind}* old) {{
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        old[t] = atomicCAS(&a[t % 5], ({kind})7, ({kind})(t + 100));
    }}"""
    dtype = np.uint32 if kind == "unsigned" else np.uint64
    a, old = np.full(5, 7, dtype=dtype), np.zeros(128, dtype=dtype)
    a[4] = 8
    launch(source, a, old, grid=2, block=64)

    assert (old[4::5] == 8).all()
    assert a[4] == 8
    for slot in range(4):
        seen = old[slot::5].tolist()
        assert seen.count(7) == 1
        winner = slot + 5 * seen.index(7)
        assert a[slot] == winner + 100
        assert set(seen) <= {7, winner + 100}


def test_compare_and_swap_loop():
    """The float maximum built from atomicCAS, among the threads of many blocks on several workers."""
    source = """extern "C" __global__ void kernel(int* a, const float* x) {
        float v = x[blockIdx.x * blockDim.x + threadIdx.x];
        int old = *a, assumed;
        do { assumed = old; old = atomicCAS(a, assumed, __float_as_int(fmaxf(v, __int_as_float(assumed)))); }
        while (old != assumed);
    }"""
    x = np.random.default_rng(3).normal(size=640).astype(np.float32)
    a = np.array([-np.inf], dtype=np.float32)
    launch(source, a, x, grid=10, block=64, workers=2)

    assert a[0] == x.max()


def test_scopes_and_generic_addresses():
    """_block and _system scopes, and an atomic through a pointer that is global in some lanes, shared in others."""
    source = """extern "C" __global__ void kernel(int* a) {
        __shared__ int s;
        int t = threadIdx.x;
        if (t == 0) s = 0;
        __syncthreads();
        atomicAdd_block(&a[0], 1);
        atomicAdd_system(&a[1], 2);
        int* p = t % 3 ? &s : &a[2];
        atomicAdd(p, t);
        __syncthreads();
        if (t == 0) a[3] = s;
    }"""
    a = np.zeros(4, dtype=np.int32)
    launch(source, a, block=64)

    ours = sum(t for t in range(64) if t % 3 == 0)
    assert a.tolist() == [64, 128, ours, sum(range(64)) - ours]


def test_atomics_of_some_lanes():
    """Lanes that are switched off add nothing and are not counted."""
    source = """extern "C" __global__ void kernel(int* a) {
        if (threadIdx.x % 5 == 0) atomicAdd(&a[threadIdx.x / 32], 1);
    }"""
    a = np.zeros(3, dtype=np.int32)
    result = launch(source, a, block=96)

    assert a.tolist() == [7, 6, 7]
    assert result.counts.atomics == 20
    assert result.counts.atomic_requests == 3


def test_histogram_on_many_workers():
    """A shared histogram per block, added to the global one: no count is lost on any number of workers."""
    source = """extern "C" __global__ void kernel(const unsigned char* x, unsigned* bins, int n) {
        __shared__ unsigned s[256];
        for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
        __syncthreads();
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[x[i]], 1u);
        __syncthreads();
        for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
    }"""
    x = np.random.default_rng(3).normal(128, 30, 10007).clip(0, 255).astype(np.uint8)
    for workers in (1, 2, 4):
        bins = np.zeros(256, dtype=np.uint32)
        launch(source, x, bins, len(x), grid=13, block=96, workers=workers)
        np.testing.assert_array_equal(bins, np.bincount(x, minlength=256))


def test_tickets_are_drawn_in_order_on_any_number_of_workers():
    """What an atomic returns depends on the blocks before, which other workers do not see."""
    source = """extern "C" __global__ void kernel(int* a, int* seen) {
        if (threadIdx.x == 0) seen[blockIdx.x] = atomicAdd(a, 1);
    }"""
    for workers in (1, 2, 4):
        a, seen = np.zeros(1, dtype=np.int32), np.zeros(40, dtype=np.int32)
        launch(source, a, seen, grid=40, block=64, workers=workers)
        assert seen.tolist() == list(range(40))
