"""Results as they are compared: random operands, memory that nobody wrote, sums of blocks, and how alike two are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.lab.check.element_types import BFLOAT16, as_type, fresh, numbers, unset
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.products import Comparison, c_elements, operands, result_of, starting
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.find.trials import Trial, _likeness, best
from tilewright.lab.check.sizes import Sizes

TYPES = ("float16", "float32", "float64", "int8", "uint8", "int32", "uint32", "int64", "bool")


def drawn(dtype: Any, shape: tuple[int, ...] = (4000,), *, positive: bool = False) -> Any:
    """Random numbers of a type, as NumPy can compute with them."""
    return numbers(fresh(np.random.default_rng(3), shape, np.dtype(dtype), positive=positive))


@pytest.mark.parametrize(
    ("dtype", "positive", "values"),
    [
        ("int8", False, range(-7, 8)),
        ("int64", False, range(-7, 8)),
        ("uint32", False, range(1, 8)),
        ("int32", True, range(1, 8)),
        ("bool", False, (0, 1)),
        ("float16", False, (-1, 0, 1)),
        (BFLOAT16, False, (-1, 0, 1)),
    ],
)
def test_whole_numbers(dtype, positive, values):
    """Each of a range is drawn: of 16-bit types those with which sums of so many products are exact."""
    assert sorted(set(drawn(dtype, positive=positive).tolist())) == list(values)


@pytest.mark.parametrize(
    ("dtype", "length", "largest"),
    [("float16", 227, 3), ("float16", 228, 2), ("float16", 512, 2), ("float16", 513, 1), (BFLOAT16, 28, 3),
     (BFLOAT16, 29, 2), (BFLOAT16, 64, 2), (BFLOAT16, 65, 1), (BFLOAT16, 5000, 1)],
)  # fmt: skip
def test_how_large_they_are(dtype, length, largest):
    """Squares of so many add up to what the type holds; three at most, and one at least."""
    found = drawn(dtype, (min(max(1, 4000 // length), length), length))
    assert (found.min(), found.max()) == (-largest, largest)


def test_numbers_with_a_point():
    """Of both signs, or from a half to one and a half."""
    plain, positive = drawn("float32"), drawn("float64", positive=True)
    assert plain.min() < -2
    assert plain.max() > 2
    assert 0.5 <= positive.min() < 0.51
    assert 1.49 < positive.max() < 1.5
    assert (plain.dtype, positive.dtype) == ("float32", "float64")


@pytest.mark.parametrize("dtype", [*TYPES, BFLOAT16])
def test_memory_that_nobody_wrote(dtype):
    """NaN, or bytes that make no number which a product yields."""
    found = unset(3, np.dtype(dtype))
    assert found.shape == (3,)
    assert found.dtype == dtype
    if dtype == BFLOAT16 or np.dtype(dtype).kind == "f":
        assert np.isnan(numbers(found)).all()
    else:
        assert found.tobytes() == b"\xbd" * found.nbytes
    found[:] = 0 if dtype != BFLOAT16 else as_type(np.zeros(3), BFLOAT16)  # it is one's own


def test_bfloat16_there_and_back():
    """The upper half of float32."""
    values = np.array([0, 1, -2, 0.5, 384], np.float32)
    assert as_type(values, BFLOAT16).view(np.uint16).tolist() == [0, 0x3F80, 0xC000, 0x3F00, 0x43C0]
    assert numbers(as_type(values, BFLOAT16)).tolist() == values.tolist()


def test_operands_beside_others():
    """Floats beside an array of 16 bits are whole numbers; the coarser type says how large they are."""
    dtypes = {name: np.dtype(each) for name, each in (("A", "float32"), ("B", "float16"), ("C", "float64"))}
    a, b = operands("matmul", Sizes(20, 300, 30), dtypes, np.random.default_rng(1))
    assert (a.shape, b.shape) == ((20, 300), (300, 30))
    assert (a.dtype.name, b.dtype.name) == ("float32", "float16")
    assert set(a.ravel().tolist()) == set(b.ravel().tolist()) == {-2, -1, 0, 1, 2}
    a, _ = operands("matmul", Sizes(20, 300, 30), dtypes | {"C": BFLOAT16}, np.random.default_rng(1))
    assert set(a.ravel().tolist()) == {-1, 0, 1}
    a, b = operands("dot", Sizes(1, 1000, 1), dict.fromkeys("ABC", np.dtype("float32")), np.random.default_rng(1))
    assert min(a.min(), b.min()) >= 0.5


def test_what_c_starts_as():
    """What it is given, unless it is computed in place."""
    given = np.full(6, 7, np.float32)
    assert starting("matmul", np.ones((2, 3)), np.ones((3, 2)), given) is given


def test_how_many_elements_c_has():
    """Those of its shape, or one for each block, up to 2^24 of them."""
    assert c_elements("matmul", Sizes(3, 5, 7), 1 << 30) == 21
    assert c_elements("dot", Sizes(1, 5, 1), 1 << 24) == 1 << 24
    with pytest.raises(LaunchError, match="16777217 blocks"):
        c_elements("dot", Sizes(1, 5, 1), (1 << 24) + 1)


def test_sums_of_blocks():
    """Those that were written are added; of whole numbers all are, and of none there is no sum."""
    nan = np.nan
    assert result_of("dot", Sizes(1, 5, 1), np.array([1.5, nan, 2], np.float32)) == 3.5
    assert np.isnan(result_of("dot", Sizes(1, 5, 1), np.array([nan, nan], np.float32)))
    assert result_of("dot", Sizes(1, 5, 1), np.array([4, 5], np.int32)) == 9
    assert result_of("dot", Sizes(1, 5, 1), np.array([2048, 1, 1], np.float16)) == 2050
    assert result_of("matmul", Sizes(2, 9, 3), np.arange(6)).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_the_first_wrong_element():
    """In reading order; none where all are right."""
    right = np.array([[True, True, False], [False, True, True]])
    assert Comparison(right, right, right, 0.0, 0.0).first_wrong == (0, 2)
    assert Comparison(right | True, right, right, 0.0, 0.0).first_wrong is None
    assert not Comparison(right, right, right, 0.0, 0.0).passed


LINE = np.arange(1.0, 33.0)


@pytest.mark.parametrize(
    ("result", "expected", "likeness"),
    [
        (LINE, LINE, 1.0),
        (3 * LINE + 100, LINE, 1.0),
        (-LINE, LINE, 0.0),
        (LINE[:17], LINE[:17], 1.0),
        (LINE[:16], LINE[:16], 0.0),
        (np.where(LINE > 8, LINE, 0), LINE, 0.75),
        (np.where(LINE > 8, LINE, np.nan), LINE, 0.75),
        (np.ones(32), LINE, 0.0),
        (LINE, np.ones(32), 0.0),
        (np.array(3.0), np.array(4.0), 0.375),
        (np.array(4.0), np.array(3.0), 0.375),
        (np.array(5.0), np.array(5.0), 0.5),
        (np.array(-3.0), np.array(4.0), 0.0),
        (np.array(np.nan), np.array(4.0), 0.0),
        (np.array(3.0), np.array(0.0), 0.0),
    ],
)
def test_likeness(result, expected, likeness):
    """The correlation of what is there, times its share; of one number half of the smaller by the larger."""
    assert _likeness(np.asarray(result), np.asarray(expected)) == pytest.approx(likeness)


def test_a_likeness_that_may_be_chance():
    """It counts from four standard errors on: of 64 numbers from a half."""
    noise = np.tile([1.0, -1.0], 32)
    trend = np.repeat([-1.0, 1.0], 32)
    assert _likeness(trend + 1.5 * noise, trend) == pytest.approx(1 / np.sqrt(1 + 1.5**2))
    assert _likeness(trend + 1.72 * noise, trend) > 0.5
    assert _likeness(trend + 1.74 * noise, trend) == 0.0


def test_the_best_trial():
    """By its score; of equals one whose sizes all differ, then the first."""
    apart, alike = Roles("matmul", ("A", "rows", "inner")), Roles("matmul", ("A", "rows", "rows"))
    rule: Any = None
    trials = [Trial(alike, rule, 1.0), Trial(apart, rule, 1.0), Trial(apart, rule, 1.0), Trial(apart, rule, 0.5)]
    assert best(trials) is trials[1]
    assert best([*trials, Trial(alike, rule, 1.5)]).score == 1.5
    assert best(trials[:1]) is trials[0]
