"""Docstrings as this project writes them, for Sphinx: code in single backticks, bars and stars that mean themselves."""

from __future__ import annotations

import re
from typing import Any

CODE = re.compile(r"(?<![`\\:])`([^`\n]+)`(?![`_])")
SPECIAL = re.compile(r"[|*]")


def setup(app: Any) -> dict[str, bool]:
    """Join Sphinx, before Google's sections are read."""
    app.connect("autodoc-process-docstring", as_written, priority=100)
    return {"parallel_read_safe": True}


def as_written(_app: Any, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Make a docstring's lines what reStructuredText takes them for."""
    lines[:] = [_line(line) for line in lines]


def _line(line: str) -> str:
    """Double the backticks of code, and escape what is special outside of it."""
    parts = re.split(r"(``[^`]+``|`[^`]+`)", line)
    return "".join(
        CODE.sub(r"``\1``", part) if part.startswith("`") else SPECIAL.sub(r"\\\g<0>", part) for part in parts
    )
