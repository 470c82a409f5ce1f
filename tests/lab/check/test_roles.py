"""Roles as options, and what their trials count."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tilewright.lab.check.find.roles import PASSED, Roles
from tilewright.lab.check.find.trials import _loads


def test_a_constant_is_shown_unless_the_launch_passes_it():
    """What the file's own launch passes needs no -D."""
    roles = Roles("matmul", ("A", "B", "C", f"{PASSED}N"), constants=(("N", "rows"), ("M", "cols")))

    assert " -D M=cols" in str(roles)
    assert "-D N=" not in str(roles)


def test_a_launch_that_was_stopped_has_loaded_nothing():
    """Nor has one whose counts know of no loads."""
    counts = SimpleNamespace(as_dict=lambda: {"global_stores": 3})
    outcomes: list[Any] = [SimpleNamespace(counts=None), SimpleNamespace(counts=counts)]

    assert [_loads(outcome) for outcome in outcomes] == [0, 0]
