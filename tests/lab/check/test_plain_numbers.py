"""Whole numbers that are no sizes: alpha and beta, steps of vectors, and words of four bytes."""

import numpy
import pytest

from tilewright.lab.check.find.kernel_file import open_file
from tilewright.lab.check.find.plain_numbers import factor_words, steps_of_vectors, with_bytes
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

STEPS = """
__global__ void dot(const float *x, int incx, const float *y, int incy, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i * incx] * y[(size_t)i * incy]);
}
"""
BYTES = """// A times the transposed B, in bytes; k is a multiple of 4.
__global__ void product(const int *A, const int *B, int *C, int m, int n, int words, int alpha, int beta)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y, sum = 0;
    if (i >= m || j >= n) return;
    for (int w = 0; w < words; ++w) sum = __dp4a(A[i * words + w], B[j * words + w], sum);
    C[i * n + j] = alpha * sum + beta * C[i * n + j];
}
void run(const int *A, const int *B, int *C, int m, int n, int k)
{
    product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k / 4, 1, 0);
}
"""


HANDED_ON = """// y = alpha A x + beta y; launch: dgemv<<<(m + 63) / 64, 64>>>(...)
template <typename T>
__device__ T row_times(const T *row, const T *x, int incx, int n)
{
    T sum = 0;
    for (int j = 0; j < n; ++j) sum += row[j] * x[static_cast<size_t>(j) * incx];
    return sum;
}
__global__ void dgemv(int m, int n, double alpha, const double *A, int lda,
                      const double *x, int incx, double beta, double *y)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < m) y[i] = alpha * row_times(A + i * lda, x, incx, n) + (beta == 0 ? 0 : beta * y[i]);
}
__global__ void sgemv(int m, int n, float alpha, const float *A, int lda,
                      const float *x, int incx, float beta, float *y)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < m) y[i] = alpha * row_times(A + i * lda, x, incx, n) + (beta == 0 ? 0 : beta * y[i]);
}
"""
LAUNCHED = """
void run(int m, int n, float alpha, const float *A, int lda, const float *x, int incx, float beta, float *y)
{
    sgemv<<<(m + 63) / 64, 64>>>(m, n, alpha, A, lda, x, incx, beta, y);
}
"""


def signature(tmp_path, text):
    """The parameters of a file's kernel, and its path."""
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    return open_file(path).kernels[0].parameters, path


def test_steps_of_vectors(tmp_path):
    """A number that only multiplies the index of one array."""
    parameters, path = signature(tmp_path, STEPS)
    assert list(steps_of_vectors(STEPS, parameters, [1, 3, 5])) == [(1, 0), (3, 2)]
    assert not list(steps_of_vectors(STEPS.replace("i < n", "i * incx < n"), parameters, [1]))
    (result,) = check_file(path, Options())
    assert result.is_well()
    assert "A,1,B,1,C,inner" in result.arguments


@pytest.mark.long
@pytest.mark.parametrize("host", ["", LAUNCHED])
def test_a_step_that_is_handed_on(tmp_path, host):
    """To a function of the device's; a comment that names one kernel is of another one with the same arguments, too."""
    path = tmp_path / "kernel.cu"
    path.write_text(HANDED_ON + host)
    assert [(each.kernel, each.is_well()) for each in check_file(path, Options())] == [("dgemv", True), ("sgemv", True)]


def test_a_vector_with_a_step():
    """Its elements lie apart, and the number is the step."""
    roles = Roles("dot", ("A", "1", "B", "inner", "C"), leading=(("A", 1),)).with_padding(8)
    assert roles.arguments[1] == "(1+8)"
    assert roles.in_memory("A", numpy.arange(3.0))[:, 0].tolist() == [0, 1, 2]
    assert roles.in_memory("A", numpy.arange(3.0)).shape == (3, 9)
    assert roles.in_memory("B", numpy.arange(3.0)).shape == (3,)


def test_bytes_and_whole_factors(tmp_path):
    """What `__dp4a` takes are four bytes, and what C is multiplied by is beta."""
    parameters, path = signature(tmp_path, BYTES)
    assert [each.element_type for each in with_bytes(parameters, BYTES)][:3] == ["char4", "char4", "int"]
    assert with_bytes(parameters, "") == parameters
    assert factor_words(BYTES, parameters, range(3, 8)) == {7: "0.0", 6: "1.0"}
    assert factor_words(BYTES.replace("+ beta * C[i * n + j]", ""), parameters, range(3, 8)) == {}
    (result,) = check_file(path, Options())
    assert result.is_well()
    assert "A,B,C,rows,cols,inner/4" in result.arguments or "k / 4" in result.arguments
