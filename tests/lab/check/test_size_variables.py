"""Sizes that a kernel reads from variables of the device: one for each, each element of an array, each field."""

from __future__ import annotations

import numpy

from tilewright.lab.check.find.size_variables import size_variables

KERNEL = "__global__ void f(float *c) { c[0] = rows + dims[0] * dims[2]; done = 1; }"
TEXT = f"""
__constant__ int dims[COUNT], rows;
__device__ unsigned int unread, done;
__constant__ float scale;
{KERNEL}
void run(int m, int k, int n) {{
    int h_dims[] = {{m, k, n}};
    cudaMemcpyToSymbol(dims, h_dims, sizeof(h_dims));
    cudaMemcpyToSymbol(rows, &m, sizeof(int));
}}
"""


def test_each_element_of_an_array_is_a_size():
    """With what the host copies there; what is written, unread or no whole number is none."""
    found = size_variables(TEXT, {"COUNT": 3}, KERNEL)

    assert [*found] == ["dims[0]", "dims[1]", "dims[2]", "rows"]
    assert [(each.variable, each.index, each.count) for each in found.values()] == [
        *(("dims", index, 3) for index in range(3)),
        ("rows", 0, 1),
    ]
    assert {each.dtype for each in found.values()} == {numpy.dtype("int32")}
    assert [each.source for each in found.values()] == ["m", "k", "n", "m"]


STRUCT = """
struct Sizes { int m, n; int k; };
typedef struct { unsigned rows; unsigned cols; } Shape;
struct Mixed { int m; float scale; };
__constant__ Sizes d_sizes;
__constant__ struct Sizes others;
__device__ Shape shape;
__constant__ Mixed mixed;
__constant__ Unknown unknown;
"""


def test_each_field_of_a_struct_is_a_size():
    """Those that the kernel reads, of structs of whole numbers of one type."""
    found = size_variables(STRUCT, {}, "c[0] = d_sizes.k * d_sizes . m + shape.cols + mixed.m + unknown.m;")

    assert [(name, each.variable, each.index, each.count) for name, each in found.items()] == [
        ("d_sizes.m", "d_sizes", 0, 3),
        ("d_sizes.k", "d_sizes", 2, 3),
        ("shape.cols", "shape", 1, 2),
    ]
    assert [each.dtype.name for each in found.values()] == ["int32", "int32", "uint32"]
    assert size_variables(STRUCT, {}, "c[0] = sizes.m;") == {}
