"""Launches beside the first one: with another block, with another instance of a template, at equal sizes alone."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

DOT = """
template <int THREADS>
__global__ void dot(const float *x, const float *y, int n, float *total)
{
    __shared__ float warps[THREADS / 32];
    float sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += x[i] * y[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < THREADS / 32 ? warps[threadIdx.x] : 0;
        for (int d = FIRST; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (threadIdx.x == 0) atomicAdd(total, sum);
    }
}
void few(const float *x, const float *y, int n, float *total)
{
    cudaMemset(total, 0, sizeof(float));
    dot<128><<<8, 128>>>(x, y, n, total);
}
void many(const float *x, const float *y, int n, float *total)
{
    cudaMemset(total, 0, sizeof(float));
    dot<1024><<<8, 1024>>>(x, y, n, total);
}
"""
BATCH = """
struct Shape { int rows, inner, cols; };
__global__ void product(Shape s, const float *A, const float *B, float *C)
{
    A += blockIdx.x * s.rows * s.inner;
    B += blockIdx.x * s.inner * s.cols;
    C += blockIdx.x * s.rows * STRIDE;
    for (int e = threadIdx.x; e < s.rows * s.cols; e += blockDim.x) {
        float sum = 0;
        for (int l = 0; l < s.inner; ++l) sum += A[e / s.cols * s.inner + l] * B[l * s.cols + e % s.cols];
        C[e] = sum;
    }
}
int main()
{
    Shape s = {6, 6, 6};
    const int count = 20;
    float *A, *B, *C;
    cudaMalloc(&A, count * s.rows * s.inner * sizeof(float));
    cudaMalloc(&B, count * s.inner * s.cols * sizeof(float));
    cudaMalloc(&C, count * s.rows * s.cols * sizeof(float));
    product<<<count, 64>>>(s, A, B, C);
}
"""


def check(folder, text):
    """What is found of a file's only kernel, and the file's lines."""
    path = folder / "kernel.cu"
    path.write_text(text)
    return check_file(path, Options())[0], path.read_text().split("\n")


@pytest.mark.parametrize(("first", "is_well"), [("16", True), ("8", False)])
def test_another_instance_of_a_template(tmp_path, first, is_well):
    """With 1,024 threads there are 32 sums of warps: of 128 there are four, which eight steps add up."""
    result, lines = check(tmp_path, DOT.replace("FIRST", first))
    assert result.is_well() == is_well
    if not is_well:
        assert "d = 8" in lines[result.findings[0].place[1] - 1]


def test_a_type_that_the_arguments_say(tmp_path):
    """Behind a number that the launch says."""
    text = """
template <int WARPS, typename F>
__global__ void times(const F *A, const F *x, F *y, int m, int n)
{
    int row = blockIdx.x * WARPS + threadIdx.y;
    if (row >= m) return;
    F sum = 0;
    for (int j = threadIdx.x; j < n; j += 32) sum += A[row * n + j] * x[j];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) y[row] = sum;
}
void run(const double *A, const double *x, double *y, int m, int n)
{
    constexpr int WARPS = 6;
    times<WARPS><<<(m + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(A, x, y, m, n);
}
"""
    assert check(tmp_path, text)[0].is_well()


@pytest.mark.slow
@pytest.mark.parametrize(("count", "is_well"), [("(n + EACH - 1) / EACH", True), ("n / EACH", False)])
def test_elements_before_another_block(tmp_path, count, is_well):
    """`n / 4` threads leave up to three elements out, where a block is full."""
    text = f"""
constexpr int BLOCK = 128, EACH = 4;
__global__ void dot(const float *x, const float *y, float *sums, int n)
{{
    __shared__ float part[BLOCK];
    float own = 0;
    for (int e = 0; e < EACH; e++) {{
        int i = (blockIdx.x * EACH + e) * BLOCK + threadIdx.x;
        if (i < n) own += x[i] * y[i];
    }}
    part[threadIdx.x] = own;
    for (int half = BLOCK / 2; half >= 1; half /= 2) {{
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }}
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}}
void run(const float *x, const float *y, float *sums, int n)
{{
    int threads = {count};
    if (threads < 1) threads = 1;
    dot<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, sums, n);
}}
"""
    result, lines = check(tmp_path, text)
    assert result.is_well() == is_well
    assert is_well or "int threads =" in lines[result.findings[0].place[1] - 1]


@pytest.mark.long
@pytest.mark.parametrize(("stride", "is_well"), [("s.cols", True), ("s.inner", False)])
def test_sides_that_are_equal_in_the_file(tmp_path, stride, is_well):
    """All sides are passed, so that the kernel is to be right where they differ, too."""
    result, lines = check(tmp_path, BATCH.replace("STRIDE", stride))
    assert result.is_well() == is_well
    if not is_well:
        assert "C += " in lines[result.findings[0].place[1] - 1]


def test_square_matrices_that_are_said(tmp_path):
    """Who speaks of square matrices may mean them."""
    result, _ = check(tmp_path, "// square matrices\n" + BATCH.replace("STRIDE", "s.inner"))
    assert result.is_well()


ROWS = """
__global__ void times(const float *A, const float *x, float *y, int m, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= m) return;
    float sum = 0;
    for (int j = lane; j < n; j += 32) sum += A[row * n + j] * x[j];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) y[row] = sum;
}
void run(const float *A, const float *x, float *y, int m, int n)
{
    times<<<(m + 127) / 128, 128>>>(A, x, y, m, n);
}
"""
STRIDED = """
namespace blas {
constexpr int THREADS = 256, LANES = 32;
__global__ void gemv(int m, int n, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    int lane = threadIdx.x % LANES, row = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    if (row >= m) return;
    float sum = 0;
    for (int c = lane; c < n; c += LANES) sum += A[row * lda + c] * x[c];
    for (int step = LANES / 2; step; step >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (lane == 0) y[row] = beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
}
void run(int m, int n, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    const int count = (m + THREADS - 1) / THREADS;
    gemv<<<count, THREADS>>>(m, n, alpha, A, lda, x, beta, y);
}
}
"""
PLANE = """
__global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += A[i * k + l] * B[l * n + j];
    C[i * n + j] = sum;
}
void run(const float *A, const float *B, float *C, int m, int n, int k)
{
    dim3 t(32, 8), g((n + t.y - 1) / t.y, (m + t.x - 1) / t.x);
    matmul<<<g, t>>>(A, B, C, m, n, k);
}
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "named"),
    [(ROWS, "times<<<"), (PLANE, "dim3 t(32, 8)"), (STRIDED, "gemv<<<")],
    ids=["a warp for each row", "sides exchanged", "a warp for each row in memory"],
)
def test_a_launch_of_too_few_blocks(tmp_path, text, named):
    """Most of the result is not written, so that only another launch shows what the kernel computes."""
    result, lines = check(tmp_path, text)
    assert not result.is_well()
    assert named in lines[result.findings[0].place[1] - 1]


VIEWS = """
struct View { float *data; int rows, cols, ld; };
__global__ void gemm(View a, View b, View c)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= c.rows || j >= c.cols) return;
    float sum = 0;
    for (int l = 0; l < a.cols; ++l) sum += a.data[i * a.ld + l] * b.data[l * b.ld + j];
    c.data[i * c.ld + j] = sum;
}
void run(float *da, float *db, float *dc, int m, int n, int k)
{
    const int lda = k + 3, ldb = n + 1, ldc = n + 5;
    View va = {da, m, k, lda}, vb = {db, k, n, ldb}, vc = {dc, m, n, ldc};
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
    gemm<<<grid, block>>>(va, vb, vc);
}
"""


@pytest.mark.long
def test_the_names_of_a_grid(tmp_path):
    """A grid that is too large for the sizes that were tried first says nothing of which name is the rows'."""
    result, _ = check(tmp_path, VIEWS)
    assert result.is_well(), [each.message for each in result.findings]
