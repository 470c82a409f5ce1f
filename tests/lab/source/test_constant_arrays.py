"""Arrays in constant memory that kernels read, as arguments of theirs."""

import pytest

from tilewright.lab.source.constant_arrays import with_arrays_passed

FILE = """__constant__ float weights[9];
__constant__ float square[3][3];
__constant__ int sizes[3];
__constant__ float known[2] = {1, 2};
__constant__ float helped[9];
__device__ float help(int i) { return helped[i]; }
__global__ void filter(const float *in, float *out, int n)
{
    out[n] = weights[0] * in[0] + square[1][2] + known[0] + sizes[0] + help(n);
}
void run(const float *in, float *out, int n)
{
    cudaMemcpyToSymbol(weights, in, sizeof(weights));
    filter<<<1, 1>>>(in, out, n);
}
"""


def test_what_a_kernel_reads_is_passed_behind_its_arguments():
    """Rows of a matrix keep their length; sizes, initial values and what a function reads stay where they are."""
    text = with_arrays_passed(FILE)

    assert "filter(const float *in, float *out, int n, const float *weights, const float *square_values)" in text
    assert "const float (*square)[3] = reinterpret_cast<const float (*)[3]>(square_values);" in text
    assert "filter<<<1, 1>>>(in, out, n, weights, square);" in text
    assert text.count("\n") == FILE.count("\n")


@pytest.mark.parametrize(
    "text", [FILE.replace("__constant__", "__device__"), "__global__ void f(int *a) { a[0] = 1; }"]
)
def test_a_file_without_them_stays_as_it_is(text):
    """Nothing else is passed."""
    assert with_arrays_passed(text) == text
