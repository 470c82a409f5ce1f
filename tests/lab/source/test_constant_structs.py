"""Structs of pointers in constant memory, as arguments of the kernels that read them."""

import pytest

from tilewright.lab.source.constant_structs import with_structs_passed

FILE = """struct Job { const float *A; float *C; int n; };
__constant__ Job job;
__global__ void twice()
{
    if (threadIdx.x < job.n) job.C[threadIdx.x] = 2 * job.A[threadIdx.x];
}
void run(const Job &own)
{
    cudaMemcpyToSymbol(job, &own, sizeof(Job));
    twice<<<1, 32>>>();
}
"""


def test_the_struct_that_the_host_copies_is_passed():
    """The kernel takes it by its name, and lines stay where they are."""
    text = with_structs_passed(FILE)

    assert "twice(Job job)" in text
    assert "twice<<<1, 32>>>(own);" in text
    assert "__constant__" not in text
    assert text.count("\n") == FILE.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        FILE.replace("const float *A; float *C;", "int a; int c;"),
        FILE.replace("    cudaMemcpyToSymbol(job, &own, sizeof(Job));\n", ""),
        FILE + "__device__ int size() { return job.n; }\n",
        "__global__ void f(int *a) { a[0] = 1; }",
    ],
)
def test_what_is_not_understood_stays(text):
    """Sizes alone, a struct that is filled elsewhere, and one that a function reads."""
    assert with_structs_passed(text) == text
