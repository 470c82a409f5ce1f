"""Which entry of a PTX module is which kernel of the source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tilewright.lab.source.signatures import KernelSignature

_ENTRY = re.compile(r"^\s*(?:\.(?:visible|weak)\s+)?\.entry\s+([\w$]+)\s*(?:\((.*?)\))?", re.MULTILINE | re.DOTALL)
_LOCATION = re.compile(r"\.loc\s+(\d+)\s+(\d+)")


def entries(ptx: str) -> dict[str, int]:
    """Return the kernels of a PTX text, each with the number of its parameters."""
    return {match[1]: (match[2] or "").count(".param") for match in _ENTRY.finditer(ptx)}


def match_entries(
    ptx: str, signatures: Sequence[KernelSignature], instances: Mapping[str, KernelSignature]
) -> dict[str, KernelSignature]:
    """Return mangled name -> signature.

    An entry is that of its name; of several overloads, that of as many parameters, then that whose lines the entry's
    code names. One that the source does not show (a macro made it) gets a signature without parameters.
    """
    found: dict[str, KernelSignature] = {}
    texts = {match[1]: (match.start(), match.end()) for match in _ENTRY.finditer(ptx)}
    starts = sorted(start for start, _ in texts.values())
    for mangled, count in entries(ptx).items():
        if mangled in instances:
            found[mangled] = instances[mangled]
            continue
        likely = [s for s in signatures if is_name_of(mangled, s.name)]
        likely = [s for s in likely if len(s.parameters) == count] or likely
        longest = max((len(s.name) for s in likely), default=0)
        likely = [s for s in likely if len(s.name) == longest]
        if len(likely) > 1:
            start = texts[mangled][1]
            end = next((each for each in starts if each > start), len(ptx))
            lines = {int(line) for _, line in _LOCATION.findall(ptx, start, end)}
            likely = [s for s in likely if any(s.line <= line <= s.last_line for line in lines)] or likely
        found[mangled] = likely[0] if likely else KernelSignature(mangled, (), [], 0, [], mangled)
    return found


def is_name_of(mangled: str, name: str) -> bool:
    """Whether a mangled name is of a function: `_Z6matMulPdS_S_` of matMul."""
    return mangled == name or (
        mangled.startswith("_Z") and re.search(rf"(?<!\d){len(name)}{re.escape(name)}", mangled) is not None
    )
