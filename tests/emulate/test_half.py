"""float16 and bfloat16 through CUDA's own headers."""

from __future__ import annotations

import numpy as np

from tests.emulate.running import launch

ALL_HALVES = np.arange(1 << 16, dtype=np.uint16)


def floats() -> np.ndarray:
    """Return floats around every border of float16: ties, subnormals, overflow, NaN."""
    generator = np.random.default_rng(0)
    halves = ALL_HALVES.view(np.float16)
    finite = halves[np.isfinite(halves)].astype(np.float32)
    between = (np.sort(finite)[:-1].astype(np.float64) + np.sort(finite)[1:]) / 2
    near = [np.nextafter(between.astype(np.float32), np.float32(side)) for side in (np.inf, -np.inf)]
    random = generator.integers(0, 1 << 32, 4096, dtype=np.uint32).view(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 65519.996, 65520.0, 1e-45], dtype=np.float32)
    return np.concatenate([between.astype(np.float32), *near, random, special])


def same(got: np.ndarray, want: np.ndarray) -> None:
    """Assert equal bits, with any NaN equal to any NaN."""
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    unsigned = {2: np.uint16, 4: np.uint32}[got.itemsize]
    keep = ~np.isnan(want)
    np.testing.assert_array_equal(got.view(unsigned)[keep], want.view(unsigned)[keep])


def test_half_to_float_is_exact():
    """All 65,536 halves widen to the same floats as in NumPy."""
    source = """#include <cuda_fp16.h>
    extern "C" __global__ void kernel(const __half* x, float* y, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            y[i] = __half2float(x[i]);
    }"""
    y = np.zeros(1 << 16, dtype=np.float32)
    launch(source, ALL_HALVES.copy(), y, 1 << 16, grid=4, block=256)

    same(y, ALL_HALVES.view(np.float16).astype(np.float32))


def test_float_to_half_rounds_to_nearest_even():
    """Floats between, next to and beyond the halves round as IEEE says, and as NumPy does."""
    source = """#include <cuda_fp16.h>
    extern "C" __global__ void kernel(const float* x, __half* y, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            y[i] = __float2half(x[i]);
    }"""
    x = floats()
    y = np.zeros(len(x), dtype=np.float16)
    launch(source, x, y, len(x), grid=4, block=256)

    with np.errstate(over="ignore", invalid="ignore"):
        same(y, x.astype(np.float16))


def test_bfloat16_both_ways():
    """bfloat16 is the upper half of a float, rounded to nearest even."""
    source = """#include <cuda_bf16.h>
    extern "C" __global__ void kernel(const float* x, __nv_bfloat16* y, float* z, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            __nv_bfloat16 v = __float2bfloat16(x[i]);
            y[i] = v; z[i] = __bfloat162float(v);
        }
    }"""
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 1 << 32, 8192, dtype=np.uint32)
    bits[:4096] = (bits[:4096] & np.uint32(0xFFFF0000)) | np.uint32(0x8000)
    x = bits.view(np.float32)
    y, z = np.zeros(len(x), dtype=np.uint16), np.zeros(len(x), dtype=np.float32)
    launch(source, x, y, z, len(x), grid=4, block=256)

    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint32) << 16
    want = np.where(np.isnan(x), np.uint32(0x7FFFFFFF), rounded).astype(np.uint32).view(np.float32)
    same(z, want)
    np.testing.assert_array_equal(y[~np.isnan(x)], (rounded >> 16)[~np.isnan(x)])


def test_product_of_halves_accumulated_in_float():
    """A matrix kernel that stores halves and adds in float, as mixed precision kernels do."""
    source = """#include <cuda_fp16.h>
    extern "C" __global__ void kernel(const __half* A, const __half* B, __half* C, int m, int n, int k) {
        int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= m || j >= n) return;
        float sum = 0;
        for (int p = 0; p < k; ++p) sum += __half2float(A[i * k + p]) * __half2float(B[p * n + j]);
        C[i * n + j] = __float2half(sum);
    }"""
    generator = np.random.default_rng(0)
    m, n, k = 19, 35, 27
    a, b = (generator.integers(-8, 9, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), dtype=np.float16)
    launch(source, a, b, c, m, n, k, grid=(5, 3), block=(8, 8))

    np.testing.assert_array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16))


def test_arithmetic_on_packed_halves():
    """__half2 loads, arithmetic and fma, each lane of the pair apart."""
    source = """#include <cuda_fp16.h>
    extern "C" __global__ void kernel(const __half2* x, const __half2* y, __half2* z) {
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        z[3 * t] = __hadd2(x[t], y[t]); z[3 * t + 1] = __hmul2(x[t], y[t]); z[3 * t + 2] = __hfma2(x[t], y[t], x[t]);
    }"""
    generator = np.random.default_rng(0)
    x, y = (generator.normal(size=(256, 2)).astype(np.float16) for _ in range(2))
    z = np.zeros((256, 3, 2), dtype=np.float16)
    launch(source, x, y, z, grid=4, block=64)

    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)
    same(z[:, 0], (wide_x + wide_y).astype(np.float16))
    same(z[:, 1], (wide_x * wide_y).astype(np.float16))
    same(z[:, 2], (wide_x * wide_y + wide_x).astype(np.float16))
