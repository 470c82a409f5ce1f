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
