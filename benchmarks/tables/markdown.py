"""Tables in Markdown: columns of numbers stand to the right, so that digits stand below digits."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"\*{0,2}[~+-]?\d[\d,.]*(?: ?(?:us|ms|s|%))?\*{0,2}(?: \([^)]*\))?")
"""A number, which may be bold, with a unit and, in parentheses, its spread or its share."""
_NONE = {"", "-", "none", "not run"}


def markdown(header: list[str], lines: list[list[str]]) -> str:
    """Return a table. header: the columns' names; lines: cells of each row."""
    columns = zip(*lines, strict=True) if lines else ((),) * len(header)
    rules = ["---:" if _are_numbers(column) else "---" for column in columns]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rules, *lines))


def _are_numbers(cells: Iterable[str]) -> bool:
    told = [cell for cell in cells if cell not in _NONE]
    return bool(told) and all(_NUMBER.fullmatch(cell) for cell in told)
