"""Sums that are kept in a narrower type than C's: the declaration is the cause."""

import pytest

from tilewright.lab.check.find.narrow_slips import narrow_slips
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

PRODUCT = """#include <cuda_fp16.h>
__global__ void product(const OWN *A, const OWN *B, WIDE *C, int m, int n, int k)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || col >= n) return;
    SUM sum = ZERO;
    for (int l = 0; l < k; ++l)
        STEP;
    C[row * n + col] = RESULT;
}
void run(const OWN *A, const OWN *B, WIDE *C, int m, int n, int k)
{
    product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}
"""
PLAIN = {"ZERO": "0", "STEP": "sum += A[row * k + l] * B[l * n + col]", "RESULT": "sum"}
HALF = {
    "OWN": "__half",
    "WIDE": "float",
    "SUM": "__half",
    "ZERO": "__float2half(0.0f)",
    "STEP": "sum = __hfma(A[row * k + l], B[l * n + col], sum)",
    "RESULT": "__half2float(sum)",
}
RIGHT_HALF = HALF | {
    "SUM": "float",
    "ZERO": "0",
    "STEP": "sum += __half2float(__hmul(A[row * k + l], B[l * n + col]))",
    "RESULT": "sum",
}
FILES = {
    "half for float": (HALF, 6),
    "short for int": (PLAIN | {"OWN": "signed char", "WIDE": "int", "SUM": "short"}, 6),
    "float for double": (PLAIN | {"OWN": "double", "WIDE": "double", "SUM": "float"}, 6),
    "float for int": (PLAIN | {"OWN": "int", "WIDE": "int", "SUM": "float"}, 6),
    "products in half": (RIGHT_HALF, 0),
    "int": (PLAIN | {"OWN": "signed char", "WIDE": "int", "SUM": "int"}, 0),
}
"""What stands where, and the line of the cause; 0 for a right one."""


def filled(values):
    """The product's text with these words."""
    text = PRODUCT
    for name, value in values.items():
        text = text.replace(name, value)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_sum_in_a_narrower_type_is_the_cause(tmp_path, name):
    """It is right for short sums; a kernel whose products alone are narrow is right."""
    values, line = FILES[name]
    path = tmp_path / "product.cu"
    path.write_text(filled(values))
    (result,) = check_file(path, Options())
    errors = [each for each in result.findings if each.severity == "error"]
    assert [each.place[1] for each in errors[:1]] == ([line] if line else [])
    assert result.is_right == (not line)


def test_which_slips_a_text_has():
    """Sums of elements and shared tiles; no index, and nothing beside arrays of the same type."""
    code = "double *A; __shared__ float tile[8]; float sum = 0; int i = 0; i += 2 * n; sum += A[i];"
    assert [code[each.start : each.end] for each in narrow_slips(code)] == ["float", "float"]
    assert not list(narrow_slips(code.replace("double", "float")))


KERNEL = "template <class In, class Out> __global__ void f(const In *a, const In *b, {out} *c, int k)\n{{{sum}\n}}"
SUM = " In sum = 0; for (int l = 0; l < k; ++l) sum += a[l] * b[l]; c[0] = sum;"


def test_a_sum_in_the_type_of_the_operands():
    """That of the result, which may be wider, is tried; not where both are the same."""
    code = KERNEL.format(out="Out", sum=SUM)
    assert [(code[each.start : each.end], each.now) for each in narrow_slips(code)] == [("In", "Out")]
    assert not list(narrow_slips(KERNEL.format(out="In", sum=SUM)))
    wide = code.replace("In ", "int ").replace("Out ", "short ")
    assert not list(narrow_slips(wide))
    assert len(list(narrow_slips(code.replace("In ", "short ").replace("Out ", "int ")))) == 1
