"""CUDA's math functions, as NVRTC compiles them for us: dozens of instructions each, judged by the host's library."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.special

from tests.emulate.running import launch, ptx_of

Function = Callable[[float], float]

ONE: list[tuple[str, Function, tuple[float, float]]] = [
    ("sqrt", math.sqrt, (0, 1e6)), ("rsqrt", lambda v: 1 / math.sqrt(v), (1e-3, 1e6)), ("cbrt", math.cbrt, (-1e3, 1e3)),
    ("exp", math.exp, (-50, 50)), ("exp2", math.exp2, (-50, 50)), ("exp10", lambda v: 10.0**v, (-20, 20)),
    ("expm1", math.expm1, (-2, 2)), ("log", math.log, (1e-3, 1e5)), ("log2", math.log2, (1e-3, 1e5)),
    ("log10", math.log10, (1e-3, 1e5)), ("log1p", math.log1p, (-0.9, 9)), ("sin", math.sin, (-9, 9)),
    ("cos", math.cos, (-9, 9)), ("tan", math.tan, (-1.4, 1.4)), ("asin", math.asin, (-1, 1)),
    ("acos", math.acos, (-1, 1)), ("atan", math.atan, (-9, 9)), ("sinh", math.sinh, (-9, 9)),
    ("cosh", math.cosh, (-9, 9)), ("tanh", math.tanh, (-9, 9)),
    ("asinh", math.asinh, (-9, 9)), ("acosh", math.acosh, (1.5, 9)), ("atanh", math.atanh, (-0.9, 0.9)),
    ("erf", math.erf, (-3, 3)), ("erfc", math.erfc, (-2, 3)), ("tgamma", math.gamma, (0.5, 9)),
    ("lgamma", math.lgamma, (3, 40)), ("j0", scipy.special.j0, (0.1, 2)), ("normcdf", scipy.special.ndtr, (-3, 3)),
    ("sin", math.sin, (1e5, 1e8)), ("cos", math.cos, (1e5, 1e8)),
    ("floor", math.floor, (-99, 99)), ("ceil", math.ceil, (-99, 99)), ("trunc", math.trunc, (-99, 99)),
    ("rint", round, (-99, 99)), ("fabs", abs, (-9, 9)),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["float", "double"])
def test_functions_of_one_number(kind):
    """Each function is within 16 ulp of the host's (a few ulp of the device's library, and our approximations)."""
    dtype = np.float32 if kind == "float" else np.float64
    suffix = "f" if kind == "float" else ""
    calls = "\n".join(
        f"y[{place} * 64 + t] = {name}{suffix}(x[{place} * 64 + t]);" for place, (name, _, _) in enumerate(ONE)
    )
    source = f'extern "C" __global__ void kernel(const {kind}* x, {kind}* y) {{ int t = threadIdx.x; {calls} }}'
    generator = np.random.default_rng(0)
    x = np.array([generator.uniform(*limits, 64) for _, _, limits in ONE]).astype(dtype)
    y = np.zeros_like(x)
    launch(source, x, y, block=64)

    for (name, function, limits), row, got in zip(ONE, x, y, strict=True):
        want = np.array([function(float(value)) for value in row])
        ulps = np.abs(got.astype(np.float64) - want) / np.spacing(np.abs(want).astype(dtype)).astype(np.float64)
        near_zero = np.abs(want) < 0.1  # where a relative measure says nothing: sin near pi, log near 1
        assert (ulps[~near_zero] <= 16).all(), (name, limits, ulps[~near_zero].max())
        np.testing.assert_allclose(got[near_zero], want[near_zero], rtol=1e-3, atol=float(64 * np.finfo(dtype).eps))


TWO: list[tuple[str, Callable[[float, float], float], tuple[float, float]]] = [
    ("pow", math.pow, (0.1, 20)), ("fmod", math.fmod, (0.5, 500)), ("atan2", math.atan2, (-5, 5)),
    ("hypot", math.hypot, (-50, 50)), ("fmin", min, (-5, 5)), ("fmax", max, (-5, 5)),
    ("fdim", lambda a, b: max(a - b, 0), (1, 9)),
    ("copysign", math.copysign, (-5, 5)), ("remainder", math.remainder, (1, 50)),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["float", "double"])
def test_functions_of_two_numbers(kind):
    """The same for functions of two numbers, fmod's loops and remainder's subtractions among them."""
    dtype = np.float32 if kind == "float" else np.float64
    suffix = "f" if kind == "float" else ""
    calls = "\n".join(
        f"y[{place} * 64 + t] = {name}{suffix}(x[{place} * 128 + t], x[{place} * 128 + 64 + t]);"
        for place, (name, _, _) in enumerate(TWO)
    )
    source = f'extern "C" __global__ void kernel(const {kind}* x, {kind}* y) {{ int t = threadIdx.x; {calls} }}'
    generator = np.random.default_rng(0)
    x = np.array([generator.uniform(*limits, (2, 64)) for _, _, limits in TWO]).astype(dtype)
    y = np.zeros((len(TWO), 64), dtype=dtype)
    launch(source, x, y, block=64)

    for (name, function, _), (a, b), got in zip(TWO, x, y, strict=True):
        want = np.array([function(float(u), float(v)) for u, v in zip(a, b, strict=True)])
        np.testing.assert_allclose(got, want, rtol=32 * float(np.finfo(dtype).eps), atol=1e-30, err_msg=name)


def test_fast_functions():
    """The intrinsics that map to approximate instructions."""
    names = [
        "__sinf",
        "__cosf",
        "__expf",
        "__logf",
        "__log2f",
        "__exp10f",
        "__tanf",
        "__frsqrt_rn",
        "__fsqrt_rn",
        "__frcp_rn",
    ]
    host: list[Function] = [
        math.sin, math.cos, math.exp, math.log, math.log2, lambda v: 10.0**v, math.tan, lambda v: 1 / math.sqrt(v),
        math.sqrt, lambda v: 1 / v,
    ]  # fmt: skip
    calls = "\n".join(f"y[{place} * 32 + t] = {name}(x[t]);" for place, name in enumerate(names))
    source = f'extern "C" __global__ void kernel(const float* x, float* y) {{ int t = threadIdx.x; {calls} }}'
    x = np.random.default_rng(0).uniform(0.1, 1.4, 32).astype(np.float32)
    y = np.zeros((len(names), 32), dtype=np.float32)
    launch(source, x, y)

    for name, function, got in zip(names, host, y, strict=True):
        want = [function(float(value)) for value in x]
        np.testing.assert_allclose(got, want, rtol=4e-6, atol=4e-6, err_msg=name)


def test_integer_intrinsics():
    """Integer intrinsics of 32 and 64 bits against plain arithmetic."""
    source = """extern "C" __global__ void kernel(const unsigned* x, const unsigned long long* w,
                                                  unsigned long long* y) {
        int t = threadIdx.x; unsigned a = x[t], b = x[t + 32]; unsigned long long c = w[t], d = w[t + 32];
        unsigned long long v[] = {
            (unsigned long long)__popc(a), (unsigned long long)__clz(a), (unsigned long long)__ffs(a), __brev(a),
            __umulhi(a, b), (unsigned)__mulhi((int)a, (int)b), __umul24(a, b), __byte_perm(a, b, 0x6240),
            __funnelshift_l(a, b, 13), __funnelshift_r(a, b, 7), __usad(a, b, 5), __uhadd(a, b), __urhadd(a, b),
            __popcll(c), __clzll(c), __ffsll(c), __brevll(c), __umul64hi(c, d), (unsigned long long)__mul64hi(c, d),
            c / (d | 1), c % (d | 1), (unsigned long long)((long long)c / (long long)(d | 1)), c >> (a & 63), c * d,
            __dp4a(a, b, 3u), __vcmpgtu2(a, b) };
        for (int i = 0; i < 26; ++i) y[i * 32 + t] = v[i];
    }"""
    generator = np.random.default_rng(0)
    x, w = generator.integers(0, 1 << 32, 64, dtype=np.uint32), generator.integers(0, 1 << 64, 64, dtype=np.uint64)
    y = np.zeros((26, 32), dtype=np.uint64)
    launch(source, x, w, y)

    def signed(value: int, width: int) -> int:
        return value - (1 << width) if value >> (width - 1) else value

    def lanes(a: int, b: int, width: int, function: Callable[[int, int], int]) -> int:
        mask = (1 << width) - 1
        return sum((function(a >> i & mask, b >> i & mask) & mask) << i for i in range(0, 32, width))

    for t in range(32):
        a, b, c, d = int(x[t]), int(x[t + 32]), int(w[t]), int(w[t + 32])
        m32, m64 = (1 << 32) - 1, (1 << 64) - 1
        bytes_of = (b << 32 | a).to_bytes(8, "little")
        quotient = abs(signed(c, 64)) // abs(signed(d | 1, 64))
        if (signed(c, 64) < 0) != (signed(d | 1, 64) < 0):
            quotient = -quotient
        want = [
            a.bit_count(), 32 - a.bit_length(), (a & -a).bit_length(), int(f"{a:032b}"[::-1], 2),
            a * b >> 32, (signed(a, 32) * signed(b, 32) >> 32) & m32, (a & 0xFFFFFF) * (b & 0xFFFFFF) & m32,
            int.from_bytes(bytes(bytes_of[i] for i in (0, 4, 2, 6)), "little"),
            ((b << 32 | a) << 13 >> 32) & m32, ((b << 32 | a) >> 7) & m32, abs(a - b) + 5 & m32, (a + b) >> 1,
            (a + b + 1) >> 1, c.bit_count(), 64 - c.bit_length(), (c & -c).bit_length(), int(f"{c:064b}"[::-1], 2),
            c * d >> 64, (signed(c, 64) * signed(d, 64) >> 64) & m64, c // (d | 1), c % (d | 1), quotient & m64,
            c >> (a & 63), c * d & m64,
            (sum((a >> i & 255) * (b >> i & 255) for i in range(0, 32, 8)) + 3) & m32,
            lanes(a, b, 16, lambda u, v: 0xFFFF if u > v else 0),
        ]  # fmt: skip
        assert [int(value) for value in y[:, t]] == want


def test_argument_reduction_uses_local_memory():
    """The slow path of sinf keeps its digits in a local array; the test above takes it."""
    source = 'extern "C" __global__ void kernel(float* y) { y[threadIdx.x] = sinf(y[threadIdx.x]); }'
    assert ".local" in ptx_of(source)
    y = np.array([1e30, 3.4e38, 1e10, 12345678.0] * 8, dtype=np.float32)
    want = np.array([math.sin(float(value)) for value in y])
    launch(source, y)

    np.testing.assert_allclose(y, want, atol=3e-7)
