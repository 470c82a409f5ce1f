"""What makes the numbers of a row alike in size: softmax, layer normalization and the like."""

import numpy
import pytest

from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.normalised import NORMALISED

A = numpy.array([[1.0, 2.0, 4.0], [-3.0, 0.0, 8.0]])
NONE = numpy.zeros(0)
BY_NAME = {each.name: each.result(A) for each in NORMALISED}


def test_each_is_what_its_name_says():
    """Shares of 1, mean 0 and deviation 1, mean square 1, norm 1."""
    assert BY_NAME["row_softmax"].sum(1) == pytest.approx([1, 1])
    assert BY_NAME["row_softmax"][0, 2] / BY_NAME["row_softmax"][0, 1] == pytest.approx(numpy.exp(2))
    assert numpy.exp(BY_NAME["row_log_softmax"]) == pytest.approx(BY_NAME["row_softmax"])
    assert BY_NAME["layer_norm"].mean(1) == pytest.approx([0, 0])
    assert BY_NAME["layer_norm"].std(1) == pytest.approx([1, 1], rel=1e-4)
    assert BY_NAME["layer_norm_of_sample"].std(1, ddof=1) == pytest.approx([1, 1], rel=1e-4)
    assert (BY_NAME["rms_norm"] ** 2).mean(1) == pytest.approx([1, 1], rel=1e-4)
    assert (BY_NAME["row_unit"] ** 2).sum(1) == pytest.approx([1, 1])


def test_factors_of_each_column_and_an_epsilon():
    """The factors are B; an epsilon that is an argument shows in the result."""
    factors = numpy.array([1.0, 2.0, 3.0])
    scaled, wide = KINDS["layer_norm_scaled"], KINDS["layer_norm_with_epsilon"]

    assert scaled.result(A, factors) == pytest.approx(BY_NAME["layer_norm"] * factors)
    assert (abs(wide.result(A, NONE)) < abs(BY_NAME["layer_norm"])).all()
    assert KINDS["layer_norm_scaled_and_shifted"].side_of_bias == "cols"


def test_prefix_sums_of_rows_and_of_parts():
    """A part is as long as B, the last one shorter."""
    a, of_two = numpy.array([1.0, 2.0, 3.0, 4.0, 5.0]), numpy.zeros(2)
    blocks, before = KINDS["block_prefix_sums"], KINDS["exclusive_block_prefix_sums"]

    assert blocks.result(a, of_two).tolist() == [1, 3, 3, 7, 5]
    assert before.result(a, of_two).tolist() == [0, 1, 0, 3, 0]
    assert blocks.totals(a, of_two).tolist() == [3, 7, 5]
    assert KINDS["row_prefix_sums"].result(A, NONE).tolist() == [[1, 3, 7], [-3, -3, 5]]
