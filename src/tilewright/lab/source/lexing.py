"""What of a text is code: comments, strings and line splices, as C++ reads them before it parses."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_QUIET = re.compile(
    r"""//(?:[^\n\\]|\\\r?\n|\\)*
      | /\*.*?(?:\*/|\Z)
      | (?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\(.*?(?:\)(?P=mark)"|\Z)
      | "(?:[^"\\\n]|\\\r?\n|\\.)*"
      | (?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*'
      | (?<![A-Za-z_])\d(?:'?[\w.])*      # so that the ' of 1'000 opens nothing
    """,
    re.DOTALL | re.VERBOSE,
)
_VISIBLE = re.compile(r"[^\s]")
_WORD = re.compile(r"[A-Za-z_]\w*")


def blanked(text: str) -> str:
    """Return as many characters on as many lines, all of them blank."""
    return _VISIBLE.sub(" ", text)


def code_only(text: str) -> str:
    """Return the text with comments and the contents of strings blanked; every other character keeps its place."""

    def quiet(match: re.Match[str]) -> str:
        found = match[0]
        if found[0].isdigit():
            return found
        if found.startswith(("//", "/*")):
            return blanked(found)
        first = min(found.find(quote) for quote in "\"'" if quote in found)
        return found[: first + 1] + blanked(found[first + 1 : -1]) + found[-1]

    return _QUIET.sub(quiet, text)


def words(code: str) -> set[str]:
    """Return the identifiers and keywords of code without comments and strings."""
    return set(_WORD.findall(code))


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number of its first line, line) for each line, those that a backslash joins as one."""
    number, kept, first = 0, "", 0
    for line in text.split("\n"):
        number += 1
        first = first or number
        bare = line.rstrip("\r")
        if bare.endswith("\\"):
            kept += bare[:-1]
            continue
        yield first, kept + bare
        kept, first = "", 0
    if first:
        yield first, kept


def closing(code: str, start: int) -> int:
    """Return the place of the bracket that closes the one at `start`, or -1. Comments and strings are blanked."""
    depth = 0
    for place in range(start, len(code)):
        if code[place] in "([{":
            depth += 1
        elif code[place] in ")]}":
            depth -= 1
            if depth == 0:
                return place
    return -1


def split_arguments(text: str) -> list[str]:
    """Return the parts of an argument list between its commas, as written; commas inside brackets are none."""
    code, parts, depth, start = code_only(text), [], 0, 0
    for place, character in enumerate(code):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*parts, last] if parts or last else []


class Lines:
    """The line numbers, from 1, of places in a text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def at(self, place: int) -> int:
        """Return the line of a character."""
        return bisect_right(self._starts, place)
