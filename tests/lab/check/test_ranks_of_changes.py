"""Which change of a kernel is tried first, and near which lines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.judge.causes import _near, _rank


def change(mends: str = "index", lines: tuple[int, int] = (10, 10), now: str = "A[i * lda + k]") -> Any:
    """A change of some lines, of doubt 4."""
    return SimpleNamespace(mends=mends, doubt=4.0, line=lines[0], last_line=lines[1], now=now)


def problems(*wanted: str, is_whole: bool = False, is_right_whole: bool = False, is_of_turns: bool = False) -> Any:
    """What is known of the launches that fail."""
    return SimpleNamespace(
        is_whole=is_whole, is_right_whole=is_right_whole, is_of_turns=is_of_turns, wanted=frozenset(wanted)
    )


def found(*kinds: str, severity: str = "error") -> Any:
    """Findings of some kinds."""
    return [SimpleNamespace(kind=kind, severity=severity) for kind in kinds]


@pytest.mark.parametrize(
    ("mends", "findings", "is_whole", "doubt"),
    [
        ("index", found(), False, 4),
        ("index", found("wrong result"), True, 4),
        ("barrier", found("race"), True, 3.5),
        ("atomic", found("race", "wrong result"), True, 3.5),
        ("barrier", found("wrong result"), False, 7),
        ("atomic", found("barrier not reached"), False, 7),
        ("barrier", found("race", severity="warning"), False, 7),
        ("guard", found("out of bounds"), True, 3.5),
        ("guard", found("wrong result"), True, 6),
        ("fill", found("wrong result"), True, 6),
        ("fill", found("wrong result"), False, 4),
        ("fill", found("uninitialised read"), True, 3.5),
    ],
)
def test_by_what_is_found(mends, findings, is_whole, doubt):
    """What usually mends a finding comes half a step earlier; what could mend nothing that is found, later."""
    assert _rank(change(mends), findings, (set(), set()), problems(is_whole=is_whole)) == (doubt, 0)


@pytest.mark.parametrize(
    ("near", "doubt"),
    [
        (({9, 12}, {9, 12}), 4),
        (({10}, {99}), 3.875),
        (({99}, {11}), 3.75),
        (({11}, {10, 11}), 3.625),
    ],
)
def test_by_its_place(near, doubt):
    """Nearer to a finding is earlier; of changes that are alike the shorter one."""
    assert _rank(change(lines=(10, 11)), (), near, problems()) == (doubt, 1)


def test_a_name_that_is_probably_missing_comes_a_step_earlier():
    """Such as a leading dimension, where rows longer in memory alone are wrong."""
    assert _rank(change(), (), (set(), set()), problems("lda")) == (3, 0)
    assert _rank(change(), (), (set(), set()), problems("ldb")) == (4, 0)


def test_a_quotient_is_rounded_up_where_all_whole_tiles_are_right():
    """Half a step earlier."""
    rounded = change("expression", now="((k + T - 1) / T)")
    assert _rank(rounded, (), (set(), set()), problems(is_right_whole=True)) == (3.5, 0)
    assert _rank(rounded, (), (set(), set()), problems()) == (4, 0)
    assert _rank(change(), (), (set(), set()), problems(is_right_whole=True)) == (4, 0)


def test_a_sum_is_set_to_0_where_only_blocks_of_several_turns_are_wrong():
    """A step earlier."""
    assert _rank(change("sum"), (), (set(), set()), problems(is_of_turns=True)) == (3, 0)
    assert _rank(change("sum"), (), (set(), set()), problems()) == (4, 0)


def test_lines_that_set_what_stands_in_a_finding():
    """With the lines themselves; a comparison sets nothing."""
    body = "void f(int n) {\nint i = 3;\nint j = i;\nif (i == 4) j = 5;\nc[j] = i;\n}"
    kernel: Any = SimpleNamespace(signature=SimpleNamespace(line=20), body=body)
    assert _near(kernel, {24}) == {21, 22, 23, 24}
    assert _near(kernel, {22}) == {21, 22, 23}
    assert _near(kernel, {20}) == {20}
    assert _near(kernel, {19, 26, 99}) == {19, 26, 99}
