"""Kernels that take an array of pointers to matrices: they are checked with matrices one behind the other."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.source.pointer_arrays import with_matrices_in_one

BATCHED = """
__global__ void product(const float *const *A, const float *const *__restrict__ B, float *const *C, int m, int n, int k)
{
    const float *a = A[blockIdx.z], *b = B[blockIdx.z];
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    if (row >= m || col >= n) return;
    for (int l = 0; l < k; ++l) sum += a[row * k + l] * b[l * n + col];
    float *c = C[blockIdx.z];
    c[row * n + col] = sum;
}
void run(const float *const *dA, const float *const *dB, float *const *dC, int m, int n, int k, int batch)
{
    cudaMalloc(&dA, batch * sizeof(float *));
    product<<<dim3((n + 7) / 8, (m + 7) / 8, batch), dim3(8, 8)>>>(dA, dB, dC, m, n, k);
}
"""


def test_one_array_and_a_step_for_each():
    """In the parameters, in the body and in the launch, and each in its line."""
    text = with_matrices_in_one(BATCHED)
    assert "product(const float *A, long long A__step, const float *B, long long B__step, float *C, " in text
    assert "const float *a = (A + (long long)(blockIdx.z) * A__step), *b = (B + " in text
    assert "(dA__all, dA__step, dB__all, dB__step, dC__all, dC__step, m, n, k);" in text
    both = BATCHED.replace("float *c = C[blockIdx.z];", "").replace("c[row", "C[blockIdx.z][row")
    assert "(C + (long long)(blockIdx.z) * C__step)[row * n + col] = sum;" in with_matrices_in_one(both)
    assert text.count("\n") == BATCHED.count("\n")


@pytest.mark.parametrize(
    "other",
    [
        "__global__ void k(float **A, int n) { A[0][n] = 1; }",
        "__global__ void k(float **A, int n) { float **B = A; B[0][n] = A[0][0]; }",
        "__global__ void k(float **A, int n) { A[n] = nullptr; }",
        "__global__ void k(float *A, int n) { A[n] = 2 * *A; }",
        "void f(float **A) { float *a = A[0]; }",
    ],
)
def test_what_is_otherwise_stays(other):
    """Rows of pointers, pointers that are stored, other uses, the host's."""
    assert with_matrices_in_one(other) == other


@pytest.mark.long
def test_they_are_many_products(tmp_path):
    """A right kernel is right, though the host's arrays hold pointers; a guard that is missing is found."""
    path = tmp_path / "kernel.cu"
    path.write_text(BATCHED)
    (result,) = check_file(path, Options())
    assert result.is_well()
    assert result.operation == "matmul, many products"
    path.write_text(BATCHED.replace(" || col >= n", ""))
    (result,) = check_file(path, Options())
    assert result.findings[0].place[1] == 8
