"""Kernels of whose results a mistake leaves nothing: the change under which they are products names its line."""

import pytest

from tests.repeats import cause_seconds, sampled
from tilewright.lab.check.find.candidates import candidate_of
from tilewright.lab.check.find.changed_texts import _guesses
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

TAKES = "const float *A, const float *B, float *C, int m, int n, int k"
TILED = f"""// C = A * B
__global__ void matmul({TAKES})
{{
    __shared__ float a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int l = 0; l < k; l += 16) {{
        a[y][x] = row < m && l + x < k ? A[row * k + l + x] : 0;
        b[y][x] = l + y < k && col < n ? B[(l + y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum += a[y][i] * b[i][x];
        __syncthreads();
    }}
    if (row < m && col < n) C[row * n + col] = sum;
}}
"""
NAIVE = f"""
__global__ void multiply({TAKES})
{{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * n + col];
    C[row * n + col] = sum;
}}
void run({TAKES})
{{
    multiply<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}}
"""
BY_COLUMNS = """// y = A x for a column-major A of m rows and n columns, block dim3(64), grid dim3((m + 63) / 64).
__global__ void gemv(int m, int n, const float *A, int lda, const float *x, float *y)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
    if (i >= m) return;
    for (int j = 0; j < n; ++j)
        sum += A[i + j * lda] * x[j];
    y[i] = sum;
}
"""
DOT = """// the dot product of two vectors
__device__ float over_block(float v)
{
    __shared__ float of_warps[32];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0;
    if (threadIdx.x < 32)
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}
__global__ void dot(const float *x, const float *y, float *sums, int n)
{
    const int step = blockDim.x * gridDim.x;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) v += x[i] * y[i];
    v = over_block(v);
    if (threadIdx.x == 0) sums[blockIdx.x] = v;
}
void run(const float *x, const float *y, float *sums, int n)
{
    dot<<<24, 128>>>(x, y, sums, n);
}
"""
PAIRS = """// C[i][j] = (A[2i] + A[2i+1]) . (B[2j] + B[2j+1])
#define EL(M, r, c, w) M[(r) * (w) + (c)]
__global__ void reduced(const float *A, const float *B, float *C, int m, int n, int k)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= m / 2 || j >= n / 2) return;
    float sum = 0;
    for (int l = 0; l < k; ++l)
        sum += (EL(A, 2 * i, l, k) + EL(A, 2 * i + 1, l, k)) * (EL(B, l, 2 * j, n) + EL(B, l, 2 * j + 1, n));
    C[i * (n / 2) + j] = sum;
}
void run(const float *A, const float *B, float *C, int m, int n, int k)
{
    reduced<<<dim3((n / 2 + 15) / 16, (m / 2 + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}
"""


def the_result(tmp_path, text, **options):
    """Of the only kernel of a file."""
    path = tmp_path / "own.cu"
    path.write_text(text)
    (result,) = check_file(path, Options(**options))
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "part", "wrong", "named"),
    sampled(
        [
            (TILED, "for (int i = 0; i < 16", "for (int i; i < 16", "for (int i;"),
            (TILED, "for (int l = 0; l < k", "for (int l; l < k", "for (int l;"),
            (DOT, "blockDim.x * gridDim.x;", "blockDim.x;", "const int step"),
            (DOT, "    float v = 0;\n", "    int v = 0;\n", "int v = 0;"),
            (DOT, "    __syncthreads();\n", "", "of_warps[threadIdx.x / 32] = v;"),
            (BY_COLUMNS, "i + j * lda]", "i + j * n]", "sum += A"),
            (PAIRS, "EL(B, l, 2 * j + 1, n)", "EL(B, l, 2 * j, n)", "sum += (EL"),
        ]
    ),
)
def test_the_line_of_the_cause(tmp_path, right, part, wrong, named):
    """The first error stands in the line of the mistake; without it, the kernel is right."""
    assert right.count(part) == 1
    text = right.replace(part, wrong)
    line = next(number for number, each in enumerate(text.split("\n"), 1) if named in each)

    assert the_result(tmp_path, right).is_well()
    first = the_result(tmp_path, text).findings[0]
    assert (first.kind, first.severity) == ("cause", "error")
    assert line in {first.place[1], (first.other or first.place)[1]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "instead"),
    sampled(
        [
            ("l < k; ++l", "l <= row && l < k; ++l"),
            ("C[row * n + col] = sum;", "C[row * n + col] = sum > 0 ? sum : 0;"),
            ("sum += A[row * k + l] * B[l * n + col];", "sum += fabsf(A[row * k + l] - B[l * n + col]);"),
            ("row >= m || col >= n", "row >= m || col >= n || col > row"),
        ]
    ),
)
def test_what_may_be_meant_otherwise_is_asked_about(tmp_path, part, instead):
    """A part of a product, or other than a product: a question, and no accusation."""
    assert NAIVE.count(part) == 1

    assert the_result(tmp_path, NAIVE).is_well()
    assert the_result(tmp_path, NAIVE.replace(part, instead), cause_seconds=cause_seconds()).refusal


@pytest.mark.parametrize(
    ("comment", "operation", "turned"),
    [
        ("", "matmul", {""}),
        ("// B is stored transposed", "matmul", {"", "A", "B", "AB"}),
        ("// B is stored transposed", "reduced_matmul", {""}),
    ],
)
def test_operands_that_may_be_transposed(tmp_path, comment, operation, turned):
    """Only those of a product, and only where the file speaks of it: else the transposition may be the mistake."""
    path = tmp_path / "own.cu"
    path.write_text(comment + NAIVE)
    opened = open_file(path)
    candidate = candidate_of(KernelFile(opened, opened.kernels[0], Options()))

    assert {guess.roles.transposed for guess in _guesses(candidate, operation)} == turned
