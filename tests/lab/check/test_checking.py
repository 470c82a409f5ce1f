"""`tilewright.check`: a file's kernels from Python, with arrays and functions as they are."""

from pathlib import Path
from xml.etree import ElementTree

import numpy
import pytest

import tilewright
from tilewright.lab.check.options import CheckError

SEEDS = Path(__file__).parents[1] / "seeds"
TWICE = """
__global__ void twice(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] /* <b> */;
}
"""


@pytest.fixture
def twice(tmp_path):
    """A kernel that is no product."""
    path = tmp_path / "twice.cu"
    path.write_text(TWICE)
    return path


def doubled(x):
    """What it computes."""
    return {"y": 2 * x}


def half(x):
    """What it does not."""
    return {"y": x / 2}


@pytest.mark.parametrize(("reference", "well"), [(doubled, True), (half, False)])
def test_a_kernel_of_another_kind_beside_a_function(twice, reference, well):
    """Arrays and functions as they are; a notebook's tables say the verdict and escape the source."""
    x = numpy.arange(40, dtype=numpy.float32) + 1
    found = tilewright.check(
        twice, arrays={"x": x}, scalars={"n": 40}, reference=reference, block="32", grid="ceil(n/32)"
    )
    root = ElementTree.fromstring(found._repr_html_())  # noqa: S314  (our own text)

    assert found.is_well() is well
    assert ("RIGHT" if well else "WRONG") in "".join(root.itertext())
    assert ("y[i] = 2 * x[i] /* <b> */;" in "".join(root.itertext())) is not well


@pytest.mark.slow
def test_a_product_is_checked_as_the_command_does():
    """Which argument is what is found out; cases, counts and notes stand in tables."""
    found = tilewright.check(SEEDS / "000_baseline.cu")
    root = ElementTree.fromstring(found._repr_html_())  # noqa: S314  (our own text)

    assert str(found).endswith(": RIGHT")
    assert len(root.findall(".//table")) == 3
    assert [result.kernel for result in found]


def test_refusals(twice):
    """A sentence, and nothing runs."""
    with pytest.raises(CheckError, match="no option 'colour'"):
        tilewright.check(twice, colour="red")
    with pytest.raises(CheckError, match="or reference=function"):
        tilewright.check(twice, arrays={"x": numpy.zeros(4, numpy.float32)})
