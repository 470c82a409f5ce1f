"""Atomics on 16-bit values, on pairs of halves, and on vectors."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.emulate.running import entry_of, launch
from tilewright.emulate import MemoryFault
from tilewright.emulate.observers.bounds import BoundsObserver

TYPES = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}
THREADS = 32


def numbers(dtype: np.dtype, count: int) -> np.ndarray:
    """Return numbers whose sums are rounded, some of them subnormal, some infinite or no number."""
    rng = np.random.default_rng(count)
    values = rng.standard_normal(count) * np.exp2(rng.integers(-30, 12, count).astype(float))
    values[::13] = np.resize([np.inf, np.nan, -np.inf, 0.0, -0.0], len(values[::13]))
    return np.asarray(values.astype(dtype))


def folded(start: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Add row after row, each sum rounded."""
    total = start.copy()
    with np.errstate(all="ignore"):
        for row in x:
            total = total + row
    return total


@pytest.mark.parametrize("returns", [True, False])
@pytest.mark.parametrize("space", ["global", "shared", "generic"])
@pytest.mark.parametrize("kind", ["f16", "bf16", "f16x2", "bf16x2"])
def test_sums_of_halves(kind, space, returns):
    """Each sum is rounded to the nearest, in the order of the threads; subnormal ones stay what they are."""
    dtype, pair = TYPES[kind.removesuffix("x2")], 1 + kind.endswith("x2")
    suffix = "" if space == "generic" else f".{space}"
    bits, register = 16 * pair, "h" if pair == 1 else "r"
    place = '"r"((unsigned)__cvta_generic_to_shared(s + t % 4))' if space == "shared" else '"l"(out + t % 4)'
    text = f"add.noftz.{kind} %0, [%1], %2;" if returns else f"add.noftz.{kind} [%1], %2;"
    source = f"""typedef unsigned {"short" if pair == 1 else "int"} T;
    extern "C" __global__ void kernel(T* out, const T* x, T* old) {{
        __shared__ T s[4];
        int t = threadIdx.x;
        if (t < 4) s[t] = out[t];
        __syncthreads();
        T before = 0;
        asm volatile("{"atom" if returns else "red"}{suffix}.{text}"
            : "+{register}"(before) : {place}, "{register}"(x[t]));
        old[t] = before;
        __syncthreads();
        if ({int(space == "shared")} && t < 4) out[t] = s[t];
    }}"""
    x = numbers(dtype, THREADS * pair).reshape(THREADS // 4, 4 * pair)
    start = numbers(dtype, 4 * pair)
    out, old = start.copy(), np.zeros(THREADS * pair, dtype)
    result = launch(
        source, out.view(f"u{bits // 8}"), x.view(f"u{bits // 8}"), old.view(f"u{bits // 8}"), block=THREADS
    )

    np.testing.assert_array_equal(out.astype(float), folded(start, x).astype(float))
    if returns:
        steps = [folded(start, x[:row]) for row in range(len(x))]
        np.testing.assert_array_equal(old.reshape(x.shape).astype(float), np.array(steps).astype(float))
    assert result.counts.atomics == THREADS
    assert result.counts.atomic_requests == THREADS // 32


def test_compare_and_swap_of_16_bits():
    """One thread wins each slot; the neighbour in the same word stays what it is."""
    source = """extern "C" __global__ void kernel(unsigned short* a, unsigned short* old) {
        int t = threadIdx.x;
        old[t] = atomicCAS(&a[2 * (t % 3)], (unsigned short)7, (unsigned short)(t + 100));
    }"""
    a, old = np.array([7, 9, 7, 9, 8, 9], np.uint16), np.zeros(48, np.uint16)
    launch(source, a, old, block=48)

    assert a.tolist() == [100, 9, 101, 9, 8, 9]
    assert old.tolist() == [7, 7, 8, *[100, 101, 8] * 15]


@pytest.mark.parametrize("kind", ["float2", "float4"])
def test_vectors_of_floats(kind):
    """`atomicAdd` of CUDA's vectors: each element by itself, the old ones returned; one request of all elements."""
    count = int(kind[-1])
    source = f"""extern "C" __global__ void kernel({kind}* out, const {kind}* x, {kind}* old) {{
        int t = threadIdx.x;
        old[t] = atomicAdd(&out[t % 2], x[t]);
        atomicAdd(&out[2], x[t]);
    }}"""
    x = np.random.default_rng(3).integers(-99, 99, (THREADS, count)).astype(np.float32)
    out, old = np.zeros((3, count), np.float32), np.zeros((THREADS, count), np.float32)
    result = launch(source, out, x, old, block=THREADS)

    np.testing.assert_array_equal(out, [x[::2].sum(0), x[1::2].sum(0), x.sum(0)])
    sums = np.cumsum(x.reshape(-1, 2, count), axis=0)
    np.testing.assert_array_equal(old.reshape(sums.shape)[1:], sums[:-1])
    assert result.counts.atomics == 2 * count * THREADS
    assert result.counts.atomic_requests == 2 * THREADS // 32


@pytest.mark.parametrize("operation", ["add", "min", "max"])
@pytest.mark.parametrize("kind", ["v8.f16", "v4.bf16", "v2.f16x2", "v4.bf16x2"])
def test_vectors_of_halves(kind, operation):
    """`red` on vectors of halves; the number wins over a NaN, -0 is less than 0."""
    count, name = int(kind[1]), kind[3:]
    dtype, pair = TYPES[name.removesuffix("x2")], 1 + name.endswith("x2")
    nbytes = 2 * pair * count
    letter, width = ("h", 16) if pair == 1 else ("r", 32)
    registers = ", ".join(f"%{letter}{index}" for index in range(count))
    loads = "".join(f"ld.global.b{width} %{letter}{i}, [%rd1+{i * width // 8}];\n" for i in range(count))
    body = f""".reg .b64 %rd<4>; .reg .b32 %r<9>; .reg .b16 %h<9>; .reg .b32 %t;
    ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %rd1, %t, {nbytes}, %rd1;
    {loads}
    red.global.{operation}.noftz.{kind} [%rd2], {{{registers}}};
    ret;"""
    x, out = numbers(dtype, 16 * pair * count).reshape(16, -1), numbers(dtype, 7 * count * pair)[: count * pair]
    fold = {"add": None, "min": np.fmin, "max": np.fmax}[operation]
    expected = folded(out, x) if fold is None else fold.reduce(np.vstack([out, x]).astype(np.float32))
    launch(entry_of("kernel", ["u64", "u64"], body), x.view(np.uint16), out.view(np.uint16), block=16)

    np.testing.assert_array_equal(out.astype(float), expected.astype(float))


@pytest.mark.parametrize(("operation", "first"), [("min", -0.0), ("max", 0.0)])
def test_zeros_have_an_order(operation, first):
    """As `min` and `max` have it."""
    body = f""".reg .b64 %rd1; .reg .b16 %h<3>;
    ld.param.u64 %rd1, [p0];
    ld.global.b16 %h1, [%rd1+4]; ld.global.b16 %h2, [%rd1+6];
    red.global.{operation}.noftz.v2.f16 [%rd1], {{%h1, %h2}};
    ret;"""
    halves = np.array([0.0, -0.0, -0.0, 0.0], np.float16)
    launch(entry_of("kernel", ["u64"], body), halves.view(np.uint16), block=1)

    assert np.signbit(halves[:2]).tolist() == [bool(np.signbit(first))] * 2


@pytest.mark.parametrize(
    ("call", "offset", "message"),
    [
        ("atomicAdd((float4*)(x + 2), make_float4(1, 2, 3, 4))", 8, "no multiple of 16"),
        ("atomicAdd((float4*)(x + 60), make_float4(1, 2, 3, 4))", 240, None),
        ("atomicAdd((float4*)(x + 64), make_float4(1, 2, 3, 4))", 256, "an atomic of 4 bytes"),
    ],
)
def test_places_of_vectors(call, offset, message):
    """A vector lies at a multiple of its size, inside of an allocation."""
    source = f"""extern "C" __global__ void kernel(float* x) {{ {call}; }}"""
    x = np.zeros(64, np.float32)
    if message is None:
        launch(source, x, block=1)
        assert x[offset // 4 :].tolist() == [1, 2, 3, 4]
        return
    with pytest.raises(MemoryFault, match=message):
        launch(source, x, block=1)


def test_observers_are_told():
    """Each element is an event with its address."""
    source = """#include <cuda_fp16.h>
    extern "C" __global__ void kernel(__half2* h, float4* f) {
        atomicAdd(h + threadIdx.x, __floats2half2_rn(1, 2));
        atomicAdd(f + threadIdx.x, make_float4(1, 2, 3, 4));
    }"""
    h, f = np.zeros(64, np.float16), np.zeros(128, np.float32)
    plain = launch(source, h.view(np.uint32), f)
    observer = BoundsObserver()
    watched = launch(source, np.zeros(32, np.uint32), np.zeros(128, np.float32), observers=[observer])

    assert h.tolist() == [1, 2] * 32
    assert watched.counts == plain.counts
