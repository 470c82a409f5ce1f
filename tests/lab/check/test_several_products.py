"""A kernel that is right for one product and may be meant for several: the roles that are tried, and what is taken."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.judge import many_products
from tilewright.lab.check.judge.many_products import _as_many, _with_steps, of_many_products

ROLES = Roles("matmul", ("A", "B", "C", "rows", "inner", "cols"))
GUESS = FormulaLaunch("16,16", "ceil(cols/16),ceil(rows/16)", is_guess=True)
BATCHED: Any = SimpleNamespace(is_batched=True, slots=SimpleNamespace(sizes=(3, 4, 5)))


def found_as(roles: Roles = ROLES, rule: FormulaLaunch = GUESS) -> Found:
    """What was found."""
    return Found(roles, rule, 16, {}, fits=True, how="")


def test_what_several_may_be():
    """Operands of their own, one of them in common, or three slices of one product; along the third axis."""
    found = list(_as_many(BATCHED, found_as()))
    assert [each.roles.batched for each in found] == ["AB", "A", "B", ""]
    rules: list[Any] = [each.rule for each in found]
    assert [rule.grid.rpartition(",")[2] for rule in rules] == ["batch", "batch", "batch", "3"]
    assert {rule.grid.rpartition(",")[0] for rule in rules} == {GUESS.grid}
    ((rule, *_),) = [
        [each.rule for each in _as_many(BATCHED, found_as(rule=FormulaLaunch("64", "rows", is_guess=True)))]
    ]
    assert isinstance(rule, FormulaLaunch)
    assert rule.grid == "rows,1,batch"


@pytest.mark.parametrize(
    ("roles", "rule", "is_batched"),
    [
        (ROLES, FormulaLaunch("16,16", GUESS.grid), True),
        (ROLES, FormulaLaunch("16,16", f"{GUESS.grid},2", is_guess=True), True),
        (ROLES, GUESS, False),
        (Roles("dot", ("A", "B", "C", "inner")), GUESS, True),
        (Roles("matmul", ("A", "B", "C", "rows", "rows", "cols")), GUESS, True),
        (Roles("matmul", ROLES.arguments, batched="A"), GUESS, True),
    ],
)
def test_what_is_one(roles, rule, is_batched):
    """A launch that is known, a grid of three sides, a kernel without blockIdx.z, and what is no plain product."""
    candidate: Any = SimpleNamespace(is_batched=is_batched, slots=BATCHED.slots)
    assert list(_as_many(candidate, found_as(roles, rule))) == []


@pytest.mark.parametrize(
    ("arguments", "sizes", "stepped"),
    [
        ("A x B x C x rows inner cols", (1, 3, 5, 6, 7, 8), "A rows*inner B inner*cols C rows*cols rows inner cols"),
        ("A x B x C x rows inner cols", (1, 3, 6, 7, 8), None),
        ("A x B C rows inner cols x x", (1, 4, 5, 6, 7, 8), None),  # two of them would be equal
    ],
)
def test_steps_behind_matrices(arguments, sizes, stepped):
    """The number behind each matrix is that of its elements, if there are six sizes that then differ."""
    roles = Roles("matmul", tuple(arguments.split()))
    candidate: Any = SimpleNamespace(slots=SimpleNamespace(sizes=sizes))
    expected = roles.arguments if stepped is None else tuple(stepped.split())
    assert _with_steps(candidate, roles).arguments == expected


@pytest.mark.parametrize(
    ("fitting", "proof", "taken", "fits"),
    [("AB", False, "AB", True), ("B", False, "B", True), (None, True, "AB", False), (None, False, None, False)],
)
def test_what_is_taken(monkeypatch, fitting, proof, taken, fits):
    """The first that fits; or else the first, if one change of the kernel makes it right."""
    cause = SimpleNamespace(details={"change": "blockIdx.z"})
    monkeypatch.setattr(many_products, "try_one", lambda _, roles, *__: SimpleNamespace(fits=roles.batched == fitting))
    monkeypatch.setattr(many_products, "cause_of", lambda *_: cause if proof else None)
    kernel: Any = None

    def judged(_found: Found) -> Any:
        return "judgement", ["finding"], ["note"]

    found: Any = of_many_products(kernel, BATCHED, found_as(), judged, 5)
    if taken is None:
        assert found is None
    else:
        assert found is not None
        assert (found[0].roles.batched, found[0].fits) == (taken, fits)
        assert found[1:] == ("judgement", ["finding"], ["note"], cause if proof else None)
