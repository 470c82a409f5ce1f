"""Structs in constant memory, as arguments of the kernels and functions that read them."""

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
        FILE.replace("int n;", "int n; Job *next;"),
        FILE.replace("    cudaMemcpyToSymbol(job, &own, sizeof(Job));\n", ""),
        "__global__ void f(int *a) { a[0] = 1; }",
    ],
)
def test_what_is_not_understood_stays(text):
    """A struct of structs, and one that is filled elsewhere."""
    assert with_structs_passed(text) == text


def test_a_function_takes_it_as_well():
    """So do those that call one which reads it."""
    called = "__device__ int n() { return job.n; }\n__device__ int size(int of) { return of * n(); }\n__global__"
    text = with_structs_passed(
        FILE.replace("__global__", called).replace("threadIdx.x < job.n", "threadIdx.x < size(1)")
    )

    assert "int n(Job job) { return job.n; }" in text
    assert "int size(int of, Job job) { return of * n(job); }" in text
    assert "threadIdx.x < size(1, job)" in text
