"""The interactive session of docs/sweep.md prints what it shows."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "sweep.md"


def test_the_session_prints_what_it_shows():
    """Line by line."""
    result = doctest.testfile(str(PAGE), module_relative=False)

    assert result.attempted >= 4
    assert result.failed == 0
