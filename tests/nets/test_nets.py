"""Plans, counts, refusals, names and checks are as recorded; a change that is meant is recorded with it."""

from __future__ import annotations

import pytest

from tests.nets.checks import NAMES, QUICK, checked
from tests.nets.nets import RECORDED, digest_lines, text_lines
from tests.repeats import is_long, sampled

READ = ("readings", "hosts", "likely")
"""Nets of what is read of the blind kernels."""


def _recorded(name: str) -> list[str]:
    return (RECORDED / f"{name}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("name", "least"),
    [("plans", 5000), ("said", 2000), ("models", 1500), ("readings", 100), ("hosts", 50), ("likely", 50)],
)
def test_plans_are_as_recorded(name, least):
    """`python -m tests.nets write FOLDER` before and after a change shows what became of each.

    Of kernels that are read a twelfth is, but in a long run.
    """
    now, recorded = digest_lines(name), set(_recorded(name))

    assert len(now) > least
    assert [line for line in now if line not in recorded] == []
    assert len(now) == len(recorded) or (name in READ and not is_long())


@pytest.mark.parametrize("name", ["counts", "refusals", "names"])
def test_lines_are_as_recorded(name):
    """Word for word. Counts are of elements and requests, which no NVRTC tried so far compiled otherwise."""
    assert list(text_lines(name)) == _recorded(name)


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in NAMES if name in QUICK),
        *(pytest.param(name, marks=pytest.mark.slow) for name in sampled(name for name in NAMES if name not in QUICK)),
    ],
)
def test_a_check_finds_what_was_recorded(name):
    """Right kernels are well, wrong ones are not, and how they are launched is read or guessed alike."""
    (recorded,) = (line for line in _recorded("checks") if line.startswith(f"{name} | "))

    assert f"{name} | {checked(name)}".replace("\n", " ; ") == recorded
