"""The interactive session of docs/occupancy-and-roofline.md prints what it shows."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "occupancy-and-roofline.md"


def test_the_session_prints_what_it_shows():
    """Line by line."""
    result = doctest.testfile(str(PAGE), module_relative=False)

    assert result.attempted >= 3
    assert result.failed == 0
