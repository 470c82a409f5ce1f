"""Mistakes of launches, pairs and loops that are named, and kernels with more than their operation needs."""

import pytest

from tests.repeats import cause_seconds, sampled
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

pytestmark = pytest.mark.slow

UNUSED = """
__global__ void dot(const float *x, double *debug, const float *y, int n, float *sum)
{
    __shared__ float part[128];
    (void)debug;
    float own = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) own += x[i] * y[i];
    part[threadIdx.x] = own;
    for (int width = 64; width > 0; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
"""
ENDLESS = """
__global__ void scalar_product(const float *x, const float *y, float *sums, int n)
{
    __shared__ float part[256];
    int lane = threadIdx.x, at = blockIdx.x * 256 + lane;
    part[lane] = at < n ? x[at] * y[at] : 0;
    for (int width = 128; width > -1; width /= 2) {
        __syncthreads();
        if (lane < width) part[lane] += part[lane + width];
    }
    if (lane == 0) sums[blockIdx.x] = part[0];
}
"""
TWO_STEPS = """
__global__ void products(const float *x, const float *y, float *sums, int n)
{
    extern __shared__ float part[];
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = at < n ? x[at] * y[at] : 0;
    for (int width = blockDim.x / 2; width > 0; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
__global__ void total(const float *sums, float *all, int count)
{
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += sums[i];
    *all = sum;
}
void dot(const float *x, const float *y, float *sums, float *all, int n, int side)
{
    int count = (n + side - 1) / side;
    products<<<count, side, side * sizeof(float)>>>(x, y, sums, n);
    total<<<1, 1>>>(sums, all, count);
}
"""
EXCHANGED = """
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)
{
    int row = blockIdx.y * 2 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + col];
    C[row * n + col] = sum;
}
void multiply(const float *A, const float *B, float *C, int m, int n, int k)
{
    dim3 threads(32, 2);
    dim3 blocks((m + 1) / 2, (n + 31) / 32);
    mm<<<blocks, threads>>>(A, B, C, m, n, k);
}
"""
PAIRS = """
__global__ void reduced(const float *A, const float *B, float *C, int m, int n, int k)
{
    int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
    if (r >= m / 2 || c >= n / 2) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) {
        float a = A[2 * r * k + i], b = A[(2 * r + 1) * k + i];
        float d = B[i * n + 2 * c], e = B[i * n + 2 * c + 1];
        sum += a * d + b * e;
    }
    C[r * (n / 2) + c] = sum;
}
void go(const float *A, const float *B, float *C, int m, int n, int k)
{
    reduced<<<dim3((n / 2 + 15) / 16, (m / 2 + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}
"""
NEIGHBOURS = PAIRS.replace("sum += a * d + b * e;", "sum += (a + b) * (d + e);").replace(
    "B[i * n + 2 * c], e = B[i * n + 2 * c + 1]", "B[i * n + c], e = B[i * n + (c + 1)]"
)
NO_BARRIER = """
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < k; t += 16) {
        int across = t + x;
        int down = t + y;
        a[y][x] = row < m && across < k ? A[row * k + across] : 0;
        b[y][x] = down < k && col < n ? B[down * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum += a[y][i] * b[i][x];
    }
    if (row < m && col < n) C[row * n + col] = sum;
}
"""


def checked(tmp_path, text, **options):
    """The result of the file's first kernel."""
    path = tmp_path / "kernel.cu"
    path.write_text(text, encoding="utf-8")
    return check_file(path, Options(**options))[0]


def test_a_pointer_that_is_not_used(tmp_path):
    """It is null, whatever its type, and no role is looked for."""
    result = checked(tmp_path, UNUSED)

    assert result.is_well(), result.refusal
    assert result.arguments.endswith("--args A,0,B,inner,C")


def test_an_array_that_a_macro_reads(tmp_path):
    """The kernel itself names it nowhere."""
    text = "#define A_AT(i, j) A[(i) * k + (j)]\n" + EXCHANGED.split("void multiply", maxsplit=1)[0].replace(
        "A[row * k + i]", "A_AT(row, i)"
    )
    result = checked(tmp_path, text)

    assert result.is_well(), result.refusal


def test_a_second_kernel_whose_numbers_are_unknown(tmp_path):
    """How many sums there are, only the program knows: the second kernel is asked about, and the first is right."""
    result = checked(tmp_path, TWO_STEPS)

    assert result.is_well(), result.refusal
    assert result.operation == "dot"


@pytest.mark.parametrize(
    ("text", "line", "change"),
    sampled(
        [
            pytest.param(ENDLESS, 7, "width > -1 + 1", id="endless under every guess of its launch"),
            pytest.param(EXCHANGED, 13, "((n + 31) / 32, (m + 1) / 2)", id="grid with x and y exchanged"),
            pytest.param(NEIGHBOURS, 9, "2 * c", id="neighbours in place of pairs"),
            pytest.param(NO_BARRIER, 15, "behind line 15", id="barrier behind the loop of the race"),
        ]
    ),
)
def test_the_line_of_the_cause(tmp_path, text, line, change):
    """One change makes every problem right, where the mistake is."""
    cause = checked(tmp_path, text).findings[0]

    assert (cause.kind, cause.place[1]) == ("cause", line), cause
    assert change in cause.message


@pytest.mark.slow
def test_half_of_the_products_is_a_question(tmp_path):
    """Two of the four products of pairs are a sum that somebody may mean."""
    result = checked(tmp_path, PAIRS, cause_seconds=cause_seconds())

    assert "computes no matmul, reduced_matmul or dot" in result.refusal
    assert not result.findings


@pytest.mark.long
def test_an_endless_loop_that_no_change_ends_is_a_question(tmp_path):
    """Without a known launch, nobody says that it should end."""
    text = ENDLESS.replace("width > -1; width /= 2", "; width = 1 + 0 * width")
    result = checked(tmp_path, text, cause_seconds=cause_seconds())

    assert "computes no matmul, reduced_matmul or dot" in result.refusal
    assert not result.findings
