"""Numbers in a kernel that may be its sizes, and the launches that they would have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.find.fixed_sizes import _by_geometry, _likely, _numbers, _with_advice, has_fixed_sizes
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.roles import QuestionError, Roles, RolesError
from tilewright.lab.check.sizes import Sizes

MATMUL, DOT = Roles("matmul", ("A", "B", "C")), Roles("dot", ("A", "B", "C"))
ONE_BLOCK = FormulaLaunch("8,4", "1")


class Passing(FormulaLaunch):
    """A launch that passes what its texts say."""

    def number(self, text: str, roles: Roles, sizes: Sizes) -> int:
        """The number itself."""
        del roles, sizes
        return int(text)


def test_which_numbers_are_likely():
    """From 2 to 1,024, each once, and six of them."""
    assert _likely([0, 1, 2, 1024, 1025, 2, -3]) == [2, 1024]
    assert _likely([*range(9)]) == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("arguments", "rule", "numbers"),
    [
        (("A", "B", "C"), FormulaLaunch("8,4", "5,3"), [12, 9, 40]),
        (("A", "B", "C", "@40", "@50"), Passing("8,4", "5,3"), [40, 50, 12, 9]),
        (("A", "B", "C", "@40", "@50", "@60"), Passing("8,4", "7,3"), [40, 50, 60, 12, 9]),
        (("A", "B", "C", "@40"), FormulaLaunch("8,4", "5,3"), [12, 9]),
        (("A", "B", "C"), FormulaLaunch("8,4", "WIDTH"), [12, 9]),
    ],
)
def test_where_numbers_come_from(arguments, rule, numbers):
    """From what is passed, then from the kernel, then from the threads of the grid, unless all sizes are passed."""
    candidate: Any = SimpleNamespace(numbers=[12, 9])
    assert _numbers(candidate, Roles("matmul", arguments), rule) == numbers


@pytest.mark.parametrize(
    ("said", "settled", "sizes", "is_fixed"),
    [
        ({}, (), (), True),
        ({}, (), (3,), False),
        ({3: "rows"}, (), (), False),
        ({3: "7"}, (), (), True),
        ({}, (("N", "cols"),), (), False),
        ({}, (("N", "16"),), (), True),
    ],
)
def test_who_has_no_sizes(said, settled, sizes, is_fixed):
    """A kernel to which neither an argument nor an option gives one."""
    candidate: Any = SimpleNamespace(slots=SimpleNamespace(said=said, settled=settled, sizes=sizes))
    assert has_fixed_sizes(candidate) == is_fixed


def test_launches_of_choices():
    """Those with the same launch are one; too large products and launches without a value are left out."""
    found = dict(_by_geometry(MATMUL, FormulaLaunch("8", "rows"), [2, 3]))
    assert [geometry.grid for geometry in found] == [(2, 1, 1), (3, 1, 1)]
    assert [len(choices) for choices in found.values()] == [4, 4]
    assert [sizes for choices in found.values() for sizes in choices][:2] == [Sizes(2, 2, 2), Sizes(2, 2, 3)]
    assert list(_by_geometry(MATMUL, FormulaLaunch("8", "WIDTH"), [2, 3])) == []
    ((_, dots),) = _by_geometry(DOT, ONE_BLOCK, [5, 7])
    assert dots == [Sizes(1, 5, 1), Sizes(1, 7, 1)]
    ((_, large),) = _by_geometry(MATMUL, ONE_BLOCK, [256, 512])
    assert Sizes(256, 256, 256) in large  # 2^24 multiply-adds
    assert len(large) == 1
    ((_, even),) = _by_geometry(Roles("reduced_matmul", ("A", "B", "C")), ONE_BLOCK, [3, 4])
    assert even == [Sizes(4, 3, 4), Sizes(4, 4, 4)]


def test_what_is_advised():
    """A question stays a question."""
    asked = _with_advice(QuestionError("What is it?", "needs its launch"))
    assert isinstance(asked, QuestionError)
    assert asked.pending == "needs its launch"
    assert str(asked).startswith("What is it? If its sizes are numbers in the kernel")
    assert type(_with_advice(RolesError("No."))) is RolesError
