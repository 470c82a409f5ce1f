"""Small formulas of the sizes: what they are worth, and what is refused."""

import pytest

from tilewright.lab.check.expressions import FormulaError, evaluate, extent, names, split, whole

SIZES = {"rows": 33, "inner": 40, "cols": 65}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ceil(cols/64)", 2),
        ("ceil(cols/65)", 1),
        ("(cols+63)/64", 2),
        ("cols//2*2", 64),
        ("min(rows, cols) - 3", 30),
        ("max(rows, inner, 7)", 40),
        ("-rows + 34", 1),
        ("floor(inner/16) % 2", 0),
        ("(1 << 10) / 4", 256),
        ("cols >> 3", 8),
    ],
)
def test_a_formula_is_evaluated_exactly(text, value):
    """As whole numbers, cut off as C does."""
    assert value == whole(text, SIZES)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rows +",
        "height",
        "rows.real",
        "open('x')",
        "__import__('os')",
        "rows**rows",
        "rows/0",
        "1e999",
        "[1]",
        "True",
        "9999999999*9999999999*9999999999",
        "ceil(1, 2)",
        "lambda: 1",
        "1 << 64",
        "1 << -1",
        "rows / 2 << 1",
    ],
)
def test_what_is_no_formula_is_refused(text):
    """Nothing is executed."""
    with pytest.raises(FormulaError):
        evaluate(text, SIZES)


def test_an_extent_has_up_to_three_sizes():
    """Missing ones are 1."""
    assert extent("ceil(cols/64),ceil(rows/16)", SIZES, "grid") == (2, 3, 1)
    with pytest.raises(FormulaError, match="one to three"):
        extent("1,1,1,1", SIZES, "grid")
    with pytest.raises(FormulaError, match="1 or more"):
        extent("rows-33", SIZES, "grid")


def test_commas_in_parentheses_do_not_split():
    """`min(rows,4),2` are two."""
    assert split("min(rows,4), 2") == ["min(rows,4)", "2"]
    assert {"rows", "inner"} == names("ceil(rows/inner)")
