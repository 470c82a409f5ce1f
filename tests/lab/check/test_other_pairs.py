"""Reduced products of other rows or columns than neighbours, whatever their code looks like."""

import numpy
import pytest

from tilewright.lab.check.find.other_pairs import NEIGHBOURS, other_pairs
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

OF_STRUCT = """// Reduced product: rows and columns are added in pairs, then multiplied. m, n even.
#include <cuda_runtime.h>
template <typename T> struct Mat { const T *p; int ld; __device__ T at(int r, int c) const { return p[r * ld + c]; } };
__global__ void rmm(const float *A, const float *B, float *C, int m, int n, int k)
{
    Mat<float> a{A, k}, b{B, n};
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m / 2 || col >= n / 2) return;
    float s = 0;
    for (int q = 0; q < k; ++q) {
        float x = a.at(2 * row, q) + a.at(2 * row + 1, q);
        float y = b.at(q, col) + b.at(q, col + n / 2);
        s += x * y;
    }
    C[row * (n / 2) + col] = s;
}
"""
OF_TILES = """// Reduziertes Produkt (RMM) mit Kacheln
#define T 16
__global__ void rmm(const double *A, const double *B, double *C, int m, int k, int n)
{
    __shared__ double a[2 * T][T];
    __shared__ double b[T][2 * T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row0 = blockIdx.y * 2 * T, col0 = blockIdx.x * 2 * T;
    double s = 0;
    for (int p = 0; p < k; p += T) {
        for (int h = 0; h < 2; ++h) {
            int r = row0 + ty + h * T, c = col0 + tx + h * T;
            a[ty + h * T][tx] = r < m && p + tx < k ? A[r * k + p + tx] : 0.0;
            b[ty][tx + h * T] = p + ty < k && c < n ? B[(p + ty) * n + c] : 0.0;
        }
        __syncthreads();
        for (int q = 0; q < T; ++q) {
            double x = a[ty][q];
            x += a[ty + T][q];
            s += x * (b[q][2 * tx] + b[q][2 * tx + 1]);
        }
        __syncthreads();
    }
    int i = blockIdx.y * T + ty, j = blockIdx.x * T + tx;
    if (i < m / 2 && j < n / 2) C[i * (n / 2) + j] = s;
}
void run(const double *A, const double *B, double *C, int m, int k, int n)
{
    rmm<<<dim3((n / 2 + T - 1) / T, (m / 2 + T - 1) / T), dim3(T, T)>>>(A, B, C, m, k, n);
}
"""
OF_POINTERS = """// rmm: C[i][j] = (A[2i] + A[2i+1]) . (B[2j] + B[2j+1])
__global__ void rmm(const int *A, const int *B, int *C, int m, int k, int n)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i < m / 2 && j < n / 2) {
        const int *r0 = A + i * k;
        const int *r1 = r0 + k;
        int s = 0;
        for (int p = 0; p < k; ++p)
            s += (r0[p] + r1[p]) * (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);
        C[i * (n / 2) + j] = s;
    }
}
"""
THREE_KERNELS = """
// reduced product: rows and columns are added in pairs
__global__ void add_rows(const float *a, float *half, int m, int k)
{
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y;
    if (col < k && row < m / 2) half[row * k + col] = a[2 * row * k + col] + a[(2 * row + 1) * k + col];
}
__global__ void product(const float *x, const float *y, float *z, int m, int n, int k)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += x[row * k + i] * y[i * n + col];
    z[row * n + col] = sum;
}
void run(const float *a, float *rows, const float *columns, float *c, int m, int n, int k)
{
    int m2 = m / 2, n2 = n / 2;
    add_rows<<<dim3((k + 31) / 32, m2), 32>>>(a, rows, m, k);
    product<<<dim3((n2 + 15) / 16, (m2 + 15) / 16), dim3(16, 16)>>>(rows, columns, c, m2, n2, k);
}
"""


def added(matrix, one, other):
    """The sums of rows."""
    return matrix[one] + matrix[other]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15], "i and i + a half of all"),
        ([0, 1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7, 8], "i and i + 1"),
        ([0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15], "i and i + 4 of each tile"),
    ],
)
def test_which_are_added_is_seen_in_the_result(one, other, said):
    """Of either operand; of neighbours, and of what is no product of pairs, nothing is said."""
    drawn = numpy.random.default_rng(1)
    a, b = drawn.random((16, 5)), drawn.random((5, 16))
    even, odd = list(range(0, 16, 2)), list(range(1, 16, 2))
    left, right = added(a, even, odd), added(b.T, even, odd).T
    assert other_pairs(a, b, added(a, one, other) @ right) == (said, NEIGHBOURS)
    assert other_pairs(a, b, left @ added(b.T, one, other).T) == (NEIGHBOURS, said)
    assert other_pairs(a, b, left @ right) is None
    assert other_pairs(a, b, drawn.random((8, 8))) is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "line"), [(OF_STRUCT, 12), (OF_TILES, 18), (OF_POINTERS, 6)], ids=["struct", "tiles", "pointers"]
)
def test_the_line_where_other_two_are_added(tmp_path, text, line):
    """It is the cause."""
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    errors = [(each.kind, each.place[1]) for each in result.findings if each.severity == "error"]
    assert errors[:1] == [("cause", line)]


@pytest.mark.slow
def test_a_reduced_product_in_three_kernels(tmp_path):
    """Each is right: that which adds rows, and the product of what is left."""
    path = tmp_path / "kernel.cu"
    path.write_text(THREE_KERNELS)
    results = check_file(path, Options())
    assert [each.operation for each in results] == ["the rows of a matrix, added in pairs of neighbours", "matmul"]
    assert all(each.is_well() for each in results)
