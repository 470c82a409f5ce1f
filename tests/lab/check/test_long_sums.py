"""Products that keep their sums in 16 bits: right for short vectors, and far too small for long ones."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

KERNEL = """#include <cuda_fp16.h>
// *sum is 0 before. Launch: dot<<<2, 64>>>(x, y, sum, n), n up to 2^20
__global__ void dot(const __half *x, const __half *y, float *sum, int n)
{
    __half own = __float2half(0.0f);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own = __hfma(x[i], y[i], own);
    atomicAdd(sum, __half2float(own));
}
"""
PARTS = """    float all = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;) {
        __half own = __float2half(0.0f);
        for (int part = 0; part < 8 && i < n; ++part, i += gridDim.x * blockDim.x)
            own = __hfma(x[i], y[i], own);
        all += __half2float(own);
    }
    atomicAdd(sum, all);
}
"""
ROWS = """#include <cuda_fp16.h>
__global__ void rows(const __half *A, const __half *x, float *y, int cols)
{
    __shared__ float sums[64];
    const __half *row = A + (long long)blockIdx.x * cols;
    SUM own = SUM(0.0f);
    for (int i = threadIdx.x; i < cols; i += 64)
        own = own + SUM(row[i] * x[i]);
    sums[threadIdx.x] = float(own);
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = sums[0];
}
LAUNCH
"""
LAUNCH = "void run(const __half *A, const __half *x, float *y, int m, int n) { rows<<<m, 64>>>(A, x, y, n); }"
TILED = """#include <cuda_fp16.h>
// tiled<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k)
__global__ void tiled(const __half *A, const __half *B, float *C, int m, int n, int k)
{
    __shared__ __half a[16][16], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float all = 0;
    __half sum = __float2half(0.0f);
    for (int t = 0; t < k; t += 16) {
        a[ty][tx] = row < m && t + tx < k ? A[row * k + t + tx] : __half(0.0f);
        b[ty][tx] = t + ty < k && col < n ? B[(t + ty) * n + col] : __half(0.0f);
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum = __hfma(a[ty][i], b[i][tx], sum);
        PROMOTED
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = all + __half2float(sum);
}
"""
PROMOTED = "all += __half2float(sum), sum = __float2half(0.0f);"


def first_error(tmp_path, text):
    """Kind and line of the first error, or None."""
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    assert not result.refusal
    return next(((each.kind, each.place[1]) for each in result.findings if each.severity == "error"), None)


@pytest.mark.slow
def test_a_sum_in_16_bits_that_no_longer_grows(tmp_path):
    """It is named where it is declared."""
    assert first_error(tmp_path, KERNEL) == ("cause", 5)


@pytest.mark.slow
def test_a_row_and_an_element_that_no_longer_grow(tmp_path):
    """Of a matrix times a vector, whose threads share a row, and of a product of matrices."""
    rows = ROWS.replace("SUM", "__half")
    assert first_error(tmp_path, rows.replace("LAUNCH", LAUNCH)) == ("cause", 6)
    assert first_error(tmp_path, rows.replace("LAUNCH", "// rows<<<rows, 64>>>(A, x, y, cols)")) is None  # a guess
    assert first_error(tmp_path, TILED.replace("PROMOTED", "")) == ("cause", 8)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        KERNEL.replace("2^20", "2^16"),
        KERNEL.partition("    __half own")[0] + PARTS,
        ROWS.replace("SUM", "float").replace("LAUNCH", LAUNCH),
        TILED.replace("PROMOTED", PROMOTED),
    ],
)
def test_sums_in_16_bits_that_stay_small(tmp_path, text):
    """Vectors are not that long, or a sum is of a few products alone."""
    assert first_error(tmp_path, text) is None
