"""Accesses out of shared memory: shown where the host counts its bytes, or with the array's declaration."""

import pytest

from tests.lab.check.test_products import checked
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

DYNAMIC = """
// Square matrices of at most 32 rows, one for each block.
__global__ void products(const float *A, const float *B, float *C, int n)
{
    extern __shared__ float room[];
    float *a = room, *b = room + n * n;
    int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * n * n + y * n + x;
    a[y * n + x] = A[at];
    b[y * n + x] = B[at];
    __syncthreads();
    float sum = 0;
    for (int l = 0; l < n; ++l) sum += a[y * n + l] * b[l * n + x];
    C[at] = sum;
}
void run(const float *A, const float *B, float *C, int n, int count)
{
    const size_t bytes = n * n * sizeof(float);
    products<<<count, dim3(n, n), bytes>>>(A, B, C, n);
}
"""
DECLARED = """
__global__ void dot(const double *x, const double *y, double *sum, int n)
{
    __shared__ double sums[4];
    double own = 0;
    for (int i = threadIdx.x; i < n; i += 256) own += x[i] * y[i];
    for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(0xffffffff, own, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) own += sums[w];
        *sum = own;
    }
}
void run(const double *x, const double *y, double *sum, int n) { dot<<<1, 256>>>(x, y, sum, n); }
"""


def _places(result, kind):
    places = [(each.place[1], each.other and each.other[1]) for each in result.findings if each.kind == kind]
    return places[0]


@pytest.mark.long
def test_where_the_bytes_are_counted(tmp_path):
    """The launch only names them."""
    assert _places(checked(tmp_path, DYNAMIC), "out of bounds") == (17, 9)


def test_where_the_array_is_declared(tmp_path):
    """It is smaller than what the kernel uses of it, and no cause is looked for."""
    path = tmp_path / "dot.cu"
    path.write_text(DECLARED)
    (result,) = check_file(path, Options(cause_seconds=0))
    assert _places(result, "out of bounds") == (8, 4)
