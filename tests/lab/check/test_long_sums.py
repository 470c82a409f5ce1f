"""Dot products that keep their sums in 16 bits: right for short vectors, and far too small for long ones."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

KERNEL = """#include <cuda_fp16.h>
// *sum is 0 before. Launch: dot<<<2, 64>>>(x, y, sum, n), n up to 2^20
__global__ void dot(const __half *x, const __half *y, float *sum, int n)
{
    __half own = __float2half(0.0f);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own = __hfma(x[i], y[i], own);
    atomicAdd(sum, __half2float(own));
}
"""
PARTS = """    float all = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;) {
        __half own = __float2half(0.0f);
        for (int part = 0; part < 8 && i < n; ++part, i += gridDim.x * blockDim.x)
            own = __hfma(x[i], y[i], own);
        all += __half2float(own);
    }
    atomicAdd(sum, all);
}
"""


def first_error(tmp_path, text):
    """Kind and line of the first error, or None."""
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    assert not result.refusal
    return next(((each.kind, each.place[1]) for each in result.findings if each.severity == "error"), None)


@pytest.mark.slow
def test_a_sum_in_16_bits_that_no_longer_grows(tmp_path):
    """It is named where it is declared."""
    assert first_error(tmp_path, KERNEL) == ("cause", 5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        KERNEL.replace("2^20", "2^16"),
        KERNEL.partition("    __half own")[0] + PARTS,
    ],
)
def test_sums_in_16_bits_that_stay_small(tmp_path, text):
    """Vectors are not that long, or a sum is of a few products alone."""
    assert first_error(tmp_path, text) is None
