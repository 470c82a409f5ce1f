"""Sums and tiles of a narrower type than the arrays that a kernel reads: `float sum` beside arrays of double."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from tilewright.lab.source.expressions import UnknownValueError, size_of

from .pair_slips import PairSlip

MOST = 3
"""Slips of one file: each costs a search for the roles."""
_BY_ARRAYS = {"double": "float|int|long|short|char|unsigned", "float": "int|long|short|char|unsigned|half|__half"}
"""The types that hold less than the elements of an array, by its type."""
_LOCAL = r"(?<![\w*])(?P<type>{narrow})[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]*(?=[=;,\[])"
_KERNEL = re.compile(r"__global__[^;{}]*?\b\w+\s*\((?P<listed>[^(){};]*)\)\s*\{")
_SHARED = r"\b__shared__[ \t]+(?P<type>{narrow})[ \t]+\w+[ \t]*\["


def narrow_slips(code: str) -> Iterator[PairSlip]:
    """Yield the wider type for each sum of products or of elements that is declared narrower than the arrays."""
    yield from islice(chain(_narrow(code), _of_operands(code)), MOST)


def _of_operands(code: str) -> Iterator[PairSlip]:
    """Yield the type of the result for each sum in that of the operands, where a result has more bytes, or may have."""
    for kernel in _KERNEL.finditer(code):
        types: dict[bool, list[str]] = {True: [], False: []}
        for each in kernel["listed"].split(","):
            words = re.sub(r"\bconst\b", "", each.partition("*")[0]).split()
            types["const" in each.partition("*")[0].split()] += [" ".join(words)] if "*" in each else []
        if len(set(types[True])) != 1 or len(types[False]) != 1 or not _is_less(types[True][0], types[False][0]):
            continue
        (narrow, *_), (wide,) = types[True], types[False]
        body = code[kernel.end() : code.find("\n}", kernel.end())]
        for match in re.finditer(_LOCAL.format(narrow=re.escape(narrow)), body):
            if _is_sum(match["name"], body[match.end() :]):
                says = f"with `{wide}` in place of `{narrow}`, which holds less than the result,"
                yield PairSlip(kernel.end() + match.start("type"), kernel.end() + match.end("type"), wide, says)


def _is_less(narrow: str, wide: str) -> bool:
    """Return whether a type has fewer bytes than another, as far as both are known; those of a template may have."""
    try:
        return size_of(narrow) < size_of(wide)
    except UnknownValueError:
        return narrow != wide and narrow.isidentifier() and wide.isidentifier()


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
