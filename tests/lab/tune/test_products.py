"""Products to be timed: drawn by regime, or as a user writes them."""

from __future__ import annotations

from itertools import islice

import pytest

from tilewright.choose import PlanError
from tilewright.lab.tune.products import MOST_ELEMENTS, MOST_FLOPS, REGIMES, drawn, product, shape_of

DTYPES = ("bfloat16", "float16", "float32", "float64")
COUNT = 4 * len(REGIMES) * len(DTYPES)


def test_a_seed_draws_the_same_again():
    """And another one others."""
    assert list(islice(drawn(1, DTYPES), 20)) == list(islice(drawn(1, DTYPES), 20))
    assert list(islice(drawn(1, DTYPES), 20)) != list(islice(drawn(2, DTYPES), 20))


@pytest.mark.parametrize("dtypes", [DTYPES, DTYPES[:1], DTYPES[:2]])
def test_every_regime_has_every_type(dtypes):
    """In turn, so that a short run has some of each."""
    found = list(islice(drawn(0, dtypes), len(REGIMES) * len(dtypes)))
    assert {(group, problem.dtype) for group, problem in found} == {
        (regime.name, dtype) for regime in REGIMES for dtype in dtypes
    }


def test_sizes_are_of_their_regime():
    """Within its limits (8 for sizes that are multiples of it), and not too large for a card or a minute."""
    limits = {regime.name: regime for regime in REGIMES}
    for group, problem in islice(drawn(3, DTYPES), COUNT):
        regime = limits[group]
        for size, (least, most) in zip(
            (problem.m, problem.k, problem.n), (regime.rows, regime.inner, regime.columns), strict=True
        ):
            assert least // 8 * 8 <= size <= max(most, 8)
        assert (problem.batch_count > 1) == (regime.batch != (1, 1))
        assert max(each.distinct_elements for each in (problem.a, problem.b, problem.c)) <= MOST_ELEMENTS
        assert problem.flops <= MOST_FLOPS[problem.dtype in DTYPES[:2]]


def test_layouts_and_sizes_differ():
    """Rows and columns, multiples of 8 and others."""
    found = [problem for _, problem in islice(drawn(3, DTYPES), COUNT)]
    assert {(problem.a.major, problem.b.major) for problem in found} >= {("row", "row"), ("row", "column")}
    assert {problem.k % 8 == 0 for problem in found} == {True, False}


def test_a_shape_is_read():
    """Batches come first; operands lie as asked."""
    problem = product(shape_of("8x128x64x96"), "float32", "b", "tf32")

    assert (problem.batch, problem.m, problem.k, problem.n) == ((8,), 128, 64, 96)
    assert (problem.a.major, problem.b.major, problem.c.major) == ("row", "column", "row")
    assert problem.b.batch_strides == (64 * 96,)
    assert problem.precision == "tf32"
    assert product(shape_of("3x5x7"), "float64", "ab", "tf32").precision is None
    assert product(shape_of("3x5x7"), "float64", "ab").a.major == "column"


@pytest.mark.parametrize(
    "text", ["", "64", "64x64", "64x64x", "64x-1x3", "0x64x64", "64 x 64 x 64", "64X64X64", "٣x٣x٣"]
)
def test_what_is_no_shape_is_refused(text):
    """With an example."""
    with pytest.raises(PlanError, match="such as 4096x4096x1000, or with a batch 8x128x64x128, not"):
        shape_of(text)
