"""Which kind a kernel that is no product may nearly be, which sizes it has, and in which order arrays are tried."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.find import other_kinds
from tilewright.lab.check.find.other_kinds import _families
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.kinds import KINDS


@dataclass(frozen=True)
class Tried:
    """What was tried of a kind."""

    roles: Roles
    score: float = 0.0
    refusal: str = ""
    rule: None = None


MATRIX, LINE = Roles("matrix_copy", ("A", "C", "rows", "cols")), Roles("vector_copy", ("A", "C", "inner"))


@pytest.mark.parametrize(
    ("score", "alike", "fits", "is_near"),
    [(0.7, 0.0, False, True), (0.69, 0.97, False, False), (0.0, 0.98, False, True), (0.0, 0.0, True, True)],
)
def test_what_is_near(monkeypatch, score, alike, fits, is_near):
    """Most of it is right, or it touches what it should, or squares come out right."""
    monkeypatch.setattr(other_kinds, "_alike", lambda *_: alike)
    monkeypatch.setattr(other_kinds, "_fits_squares", lambda *_: fits)
    candidate: Any = None
    tried: Any = Tried(MATRIX, score)
    assert other_kinds._is_near(candidate, tried) is is_near


@pytest.mark.parametrize(
    ("roles", "fits", "families"),
    [
        (MATRIX, True, ["rows=cols"]),
        (MATRIX, False, ["rows=cols"]),
        (replace(MATRIX, family="rows=cols"), True, []),
        (LINE, True, []),
        (Roles("correlate_plane", ("A", "B", "C", "rows", "cols", "inner")), True, ["rows=inner=cols"]),
    ],
)
def test_trials_with_equal_sides(monkeypatch, roles, fits, families):
    """Of what has several sides that are not equal already."""
    tried = []

    def try_one(_candidate, roles, _rule, tile):
        tried.append((roles.family, tile))
        return SimpleNamespace(fits=fits)

    monkeypatch.setattr(other_kinds, "tile_of", lambda *_: 24)
    monkeypatch.setattr(other_kinds, "try_one", try_one)
    candidate: Any = SimpleNamespace(shared_extents=())
    trial: Any = Tried(roles)
    assert other_kinds._fits_squares(candidate, trial) == (fits and bool(families))
    assert tried == [(family, 24) for family in families]


@pytest.mark.parametrize(
    ("is_guessed", "title", "refusal", "operation", "is_found"),
    [
        (False, "", "", "matrix_copy", True),
        (True, "", "", "matrix_copy", False),
        (False, "a transposed matrix", "", "matrix_copy", False),
        (False, "", "too many threads", "matrix_copy", False),
        (False, "", "", "mean_of_five", False),
    ],
)
def test_one_size_that_stands_for_another(monkeypatch, is_guessed, title, refusal, operation, is_found):
    """Looked for under a known launch, of a kernel that is called nothing, as a kind that is like no other."""
    monkeypatch.setattr(other_kinds, "_fits_squares", lambda *_: True)
    candidate: Any = SimpleNamespace(is_guessed=is_guessed, title=title)
    trial: Any = Tried(replace(MATRIX, operation=operation), refusal=refusal)
    found = other_kinds._right_for_squares(candidate, [trial])
    assert found is (trial if is_found else None)


@pytest.mark.parametrize(("score", "first"), [(0.7, "vector_copy"), (0.69, [*KINDS][-1])])
def test_which_kinds_come_first(score, first):
    """One that most is right as; else the plain ones are last."""
    trial: Any = Tried(LINE, score)
    names = [kind.name for kind in other_kinds._nearest_first(trial)]
    assert names[0] == first
    assert names[-1] == next(iter(KINDS))
    assert sorted(names) == sorted(KINDS)


@pytest.mark.parametrize(
    ("kind", "numbers", "count", "families"),
    [
        ("correlate_line", (), 2, [("", ("inner", "cols"))]),
        ("correlate_line", (33, 35), 1, [(f"cols={taps}", ["inner"]) for taps in (33, 3, 5, 7)]),
        ("histogram", (2, 3, 4096, 4097), 1, [(f"cols={n}", ("inner",)) for n in (3, 4096, 256, 64, 32, 16, 10)]),
        ("histogram", (), 2, [("", ("inner", "cols"))]),
        (
            "block_prefix_sums",
            (33, 17, 4096),
            1,
            [(f"cols={n}", ("inner",)) for n in (66, 34, 4096, 256, 512, 1024, 128)],
        ),
        ("transpose_in_place", (), 1, [("rows=cols", ("rows",))]),
        ("matrix_copy", (), 2, [("", ("rows", "cols"))]),
        ("matrix_copy", (), 1, [("", ("rows", "cols")), ("rows=cols", ("rows",))]),
        ("vector_copy", (), 1, [("", ("inner",))]),
    ],
)
def test_which_sizes_are_known(kind, numbers, count, families):
    """Those that are numbers in the kernel, or usual; with one size for two sides both are tried."""
    candidate: Any = SimpleNamespace(numbers=numbers)
    found = list(_families(KINDS[kind], candidate, count))
    assert found[: len(families)] == families
    assert len(found) == len(families) or kind == "block_prefix_sums"


def test_orders_of_arrays():
    """The last one is C first; C can be written."""
    slots: Any = SimpleNamespace(pointers=(0, 1, 4), may_be_c=(1, 4))
    assert other_kinds._orders(slots) == [(0, 1, 4), (1, 0, 4), (0, 4, 1), (4, 0, 1)]
