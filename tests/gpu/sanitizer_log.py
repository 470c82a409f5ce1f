"""Reads what compute-sanitizer prints: which lines of which file it complains about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

HEADING = re.compile(r"^========= (?! )(?P<text>.*\S)\s*$")
DETAIL = re.compile(r"^=========  +(?P<text>.*\S)\s*$")
PLACE = re.compile(r"\bin (?:[^\s:]*/)?(?P<file>\w+)\.cu:(?P<line>\d+)")
PLACE_FIRST = re.compile(r"(?:^|[\s/])(?P<file>\w+)\.cu:(?P<line>\d+)")
FUNCTION = re.compile(r"\bat (?P<name>\w+)\+0x|:(?P<named>\w+)(?:\(|$)")
NO_COMPLAINT = ("COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY", "LEAK SUMMARY", "Target application")


@dataclass(frozen=True)
class Complaint:
    """A message of the tool: about which case, which lines of its file, and in what words."""

    case: str
    words: str
    lines: tuple[int, ...]


def complaints(log: Iterable[str], names: Iterable[str]) -> Counter[Complaint]:
    """Count the messages about each case. names: of the cases, which are also their files and kernels."""
    known = set(names)
    found: Counter[Complaint] = Counter()
    block: list[str] = []
    for line in [*log, "========= ERROR SUMMARY"]:
        heading, detail = HEADING.match(line), DETAIL.match(line)
        if heading is not None:
            found.update(_complaint(block, known))
            block = [] if heading["text"].startswith(NO_COMPLAINT) else [heading["text"]]
        elif detail is not None and block:
            block.append(detail["text"])
    return found


def _complaint(block: list[str], known: set[str]) -> list[Complaint]:
    if not block:
        return []
    text = "\n".join(block)
    places = [match for pattern in (PLACE, PLACE_FIRST) for match in pattern.finditer(text) if match["file"] in known]
    functions = [match["name"] or match["named"] for match in FUNCTION.finditer(text)]
    cases = [match["file"] for match in places] + [name for name in functions if _case_of(name, known)]
    if not cases:
        return []
    case = cases[0] if cases[0] in known else _case_of(cases[0], known)
    lines = sorted({int(match["line"]) for match in places if match["file"] == case})
    words = re.sub(r" (at|and|by) \S*0x.*$| Saved host backtrace.*$", "", block[0])
    return [Complaint(case, re.sub(r"\s*\[\d+ hazards?\]", "", words), tuple(lines))]


def _case_of(symbol: str, known: set[str]) -> str:
    """The case whose kernel a symbol is: its name, or with its name mangled into it."""
    if symbol in known:
        return symbol
    mangled = re.match(r"_Z(\d+)", symbol)
    name = symbol[mangled.end() :][: int(mangled[1])] if mangled else ""
    return name if name in known else ""
