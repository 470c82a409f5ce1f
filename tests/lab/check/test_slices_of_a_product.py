"""Products whose sums are put together in several places: slices of the inner dimension, blocks that come last."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

SLICED = """
constexpr int PARTS = 6;
__global__ void part(const float *A, const float *B, float *W, int m, int n, int k)
{
    int col = blockIdx.x * 8 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y, s = blockIdx.z;
    int share = SHARE, first = s * share, last = min(first + share, k);
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int l = first; l < last; ++l) sum += A[row * k + l] * B[l * n + col];
    W[(s * m + row) * n + col] = sum;
}
__global__ void together(const float *W, float *C, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float sum = 0;
    for (int s = 0; s < PARTS; ++s) sum += W[s * count + i];
    C[i] = sum;
}
void run(const float *A, const float *B, float *W, float *C, int m, int n, int k)
{
    part<<<dim3((n + 7) / 8, (m + 7) / 8, PARTS), dim3(8, 8)>>>(A, B, W, m, n, k);
    together<<<(m * n + 127) / 128, 128>>>(W, C, m * n);
}
"""
COUNTED = """
__device__ unsigned int done = 0;
__device__ float parts[512];
__global__ void dot(const float *x, const float *y, float *out, int n)
{
    __shared__ float own[64];
    __shared__ bool last;
    int t = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) v += x[i] * y[i];
    own[t] = v;
    __syncthreads();
    for (int s = 32; s > 0; s >>= 1) {
        if (t < s) own[t] += own[t + s];
        __syncthreads();
    }
    if (t == 0) {
        parts[blockIdx.x] = own[0];
        __threadfence();
        last = atomicAdd(&done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        TAKEN
        __syncthreads();
        for (int s = 32; s > 0; s >>= 1) {
            if (t < s) own[t] += own[t + s];
            __syncthreads();
        }
        if (t == 0) {
            *out = own[0];
            done = 0;
        }
    }
}
void run(const float *x, const float *y, float *out, int n)
{
    int blocks = (n + 63) / 64;
    if (blocks > 512) blocks = 512;
    dot<<<blocks, 64>>>(x, y, out, n);
}
"""
LOOP = "own[t] = 0; for (int b = t; b < gridDim.x; b += 64) own[t] += parts[b];"


def first_kernel(folder, text):
    """What is found of a file's first kernel."""
    path = folder / "kernel.cu"
    path.write_text(text)
    return check_file(path, Options())[0], path


def line_of(path, words):
    """The line in which some words stand."""
    return next(number for number, line in enumerate(path.read_text().split("\n"), 1) if words in line)


@pytest.mark.long
@pytest.mark.parametrize(("share", "is_well"), [("(k + PARTS - 1) / PARTS", True), ("k / PARTS", False)])
def test_slices_of_the_inner_dimension(tmp_path, share, is_well):
    """Each is left by itself, for another kernel to add them up: a share that is rounded down leaves the rest out."""
    result, path = first_kernel(tmp_path, SLICED.replace("SHARE", share))
    assert result.operation.startswith("matmul, in slices")
    assert result.is_well() == is_well
    if not is_well:
        assert result.findings[0].place[1] == line_of(path, "int share")


@pytest.mark.slow
@pytest.mark.parametrize(("taken", "is_well"), [(LOOP, True), ("own[t] = t < gridDim.x ? parts[t] : 0;", False)])
def test_more_sums_than_threads(tmp_path, taken, is_well):
    """The file's own launch has as many blocks, where there are many elements."""
    result, path = first_kernel(tmp_path, COUNTED.replace("TAKEN", taken))
    assert result.is_well() == is_well
    if not is_well:
        assert result.findings[0].place[1] == line_of(path, "own[t] = t <")


def test_sums_in_a_variable_that_one_step_takes(tmp_path):
    """The line that reads them is the cause, though a launch of fewer blocks would be right, too."""
    one = "if (t < gridDim.x)\n            own[t] = ((volatile float *)parts)[t];\n        else own[t] = 0;"
    result, path = first_kernel(tmp_path, COUNTED.replace("TAKEN", one))
    assert "at most as many blocks" in result.findings[0].message
    assert result.findings[0].place[1] == line_of(path, "own[t] = ((volatile")


FLAT = """
template <int BM, int BN, int BK>
__global__ void mm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float a[BM * BK], b[BK * BN];
    int t = threadIdx.x;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float sums[BM * BN / 256] = {};
    for (int l = 0; l < K; l += BK) {
        for (int e = t; e < BM * BK; e += 256) a[e] = A[e / BK * K + l + e % BK];
        for (int e = t; e < BK * BN; e += 256) b[e] = B[(l + e / BN) * N + e % BN];
        __syncthreads();
        for (int s = 0; s < BM * BN / 256; ++s)
            for (int i = 0; i < BK; ++i) sums[s] += a[(t / BN + s * (256 / BN)) * BK + i] * b[i * BN + t % BN];
        __syncthreads();
    }
    for (int s = 0; s < BM * BN / 256; ++s) C[(t / BN + s * (256 / BN)) * N + t % BN] = sums[s];
}
void run(int M, int N, int K, const float *A, const float *B, float *C)
{
    mm<64, 64, 8><<<dim3(N / 64, M / 64), 256>>>(M, N, K, A, B, C);
}
"""


@pytest.mark.slow
def test_flat_tiles_by_lines_of_threads(tmp_path):
    """The tile follows from the grid under the roles that are tried, not under the first ones."""
    result, _ = first_kernel(tmp_path, FLAT)
    assert result.is_well()


STRIPS = """
__global__ void strips(const float *A, const float *x, float *part, int rows, int cols)
{
    int j = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * 20, last = min(first + 20, rows);
    if (j >= cols) return;
    float sum = 0;
    for (int r = first; r < last; ++r) sum += A[r * cols + j] * x[r];
    part[blockIdx.y * cols + j] = sum;
}
__global__ void together(const float *part, float *y, int strips, int cols)
{
    int j = blockIdx.x * 32 + threadIdx.x;
    if (j >= cols) return;
    float sum = 0;
    for (int s = 0; s < strips; ++s) sum += part[s * cols + j];
    y[j] = sum;
}
void run(const float *A, const float *x, float *part, float *y, int rows, int cols)
{
    int count = (rows + 19) / 20;
    strips<<<dim3((cols + 31) / 32, count), 32>>>(A, x, part, rows, cols);
    together<<<(cols + 31) / 32, 32>>>(part, y, count, cols);
}
"""


def test_strips_along_the_second_axis(tmp_path):
    """A strip of rows for each block along y, whose sums another kernel adds up: none is written outside of y."""
    result, _ = first_kernel(tmp_path, STRIPS)
    assert result.operation.startswith("matmul, in slices")
    assert result.is_well()


def test_a_row_too_many_in_each_strip(tmp_path):
    """What two strips add is in the sum twice."""
    result, _ = first_kernel(tmp_path, STRIPS.replace("r < last", "r < min(last + 1, rows)"))
    assert not result.is_well()
