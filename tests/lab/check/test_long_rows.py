"""Rows with more elements than a block has threads: all threads of the block take part in each."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

ROWS = """
// y = A x, a block for each row
__global__ void times(const double *A, const double *x, double *y, int m, int n)
{
    __shared__ double warps[4];
    double sum = 0;
    for (int j = threadIdx.x; j < n; j += STEP) sum += A[blockIdx.x * n + j] * x[j];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = TOTAL;
}
void run(const double *A, const double *x, double *y, int m, int n) { times<<<m, 128>>>(A, x, y, m, n); }
"""
KEPT = """
// y = A x, a block for each row, of at most 200 elements
__global__ void times(const double *A, const double *x, double *y, int m, int n)
{
    __shared__ double kept[200];
    for (int j = threadIdx.x; j < n; j += 128) kept[j] = A[blockIdx.x * n + j] * x[j];
    __syncthreads();
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += kept[j];
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
void run(const double *A, const double *x, double *y, int m, int n) { times<<<m, 128>>>(A, x, y, m, n); }
"""


def check(folder, text):
    """What is found of a file's only kernel, and the file's lines."""
    path = folder / "kernel.cu"
    path.write_text(text)
    return check_file(path, Options())[0], text.split("\n")


@pytest.mark.parametrize("step", ["128", "blockDim.x"])
def test_the_sum_of_a_warp_that_is_left_out(tmp_path, step):
    """The last warp has elements only where a row has more than 96."""
    text = ROWS.replace("STEP", step)
    right, _ = check(tmp_path, text.replace("TOTAL", "warps[0] + warps[1] + warps[2] + warps[3]"))
    assert right.is_well()
    assert max(case.sizes["inner"] for case in right.cases) > 128
    wrong, lines = check(tmp_path, text.replace("TOTAL", "warps[0] + warps[1] + warps[2]"))
    assert "y[blockIdx.x] =" in lines[wrong.findings[0].place[1] - 1]


def test_a_row_that_has_a_limit(tmp_path):
    """An array for a whole row shows it: no longer ones are tried."""
    result, _ = check(tmp_path, KEPT)
    assert result.is_well()
    assert max(case.sizes["inner"] for case in result.cases) <= 200
