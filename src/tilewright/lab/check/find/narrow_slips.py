"""Sums and tiles of a narrower type than the arrays that a kernel reads: `float sum` beside arrays of double."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .pair_slips import PairSlip

MOST = 3
"""Slips of one file: each costs a search for the roles."""
_BY_ARRAYS = {"double": "float|int|long|short|char|unsigned", "float": "int|long|short|char|unsigned|half|__half"}
"""The types that hold less than the elements of an array, by its type."""
_LOCAL = r"(?<![\w*])(?P<type>{narrow})[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]*(?=[=;,\[])"
_SHARED = r"\b__shared__[ \t]+(?P<type>{narrow})[ \t]+\w+[ \t]*\["


def narrow_slips(code: str) -> Iterator[PairSlip]:
    """Yield the wider type for each sum of products or of elements that is declared narrower than the arrays."""
    yield from islice(_narrow(code), MOST)


def _narrow(code: str) -> Iterator[PairSlip]:
    wide = next((each for each in _BY_ARRAYS if re.search(rf"\b{each}\s*(?:const\s*)?\*", code)), "")
    if not wide:
        return
    narrow = _BY_ARRAYS[wide]
    for pattern in (_LOCAL, _SHARED):
        for match in re.finditer(pattern.format(narrow=narrow), code):
            name = match.groupdict().get("name")
            if name is None or _is_sum(name, code[match.end() :]):
                says = f"with `{wide}` in place of `{match['type']}`, which holds less than the arrays,"
                yield PairSlip(match.start("type"), match.end("type"), wide, says)


def _is_sum(name: str, code: str) -> bool:
    """Return whether elements of arrays are added to a variable."""
    element = rf"\b{re.escape(name)}\s*(?:\[[^\]]*\]\s*)*"
    return (
        re.search(rf"{element}\+=[^;]*\[|{element}=\s*(?:__)?fmaf?\w*\s*\(|{element}=\s*{element}\+[^;]*\[", code)
        is not None
    )
