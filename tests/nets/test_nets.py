"""Plans, counts, refusals and public names are those that were recorded; a change that is meant is recorded with it."""

from __future__ import annotations

import pytest

from tests.nets.nets import RECORDED, digest_lines, text_lines


def _recorded(name: str) -> list[str]:
    return (RECORDED / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_plans_are_as_recorded():
    """All of them. `python -m tests.nets write FOLDER` before and after a change shows what became of each."""
    now = digest_lines("plans")

    assert len(now) > 5000
    assert [line for line in now if line not in set(_recorded("plans"))] == []
    assert len(now) == len(_recorded("plans"))


@pytest.mark.parametrize("name", ["counts", "refusals", "names"])
def test_lines_are_as_recorded(name):
    """Word for word. Counts are of elements and requests, which no NVRTC tried so far compiled otherwise."""
    assert list(text_lines(name)) == _recorded(name)
