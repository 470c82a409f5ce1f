"""Sums that are kept in 16 bits though C has 32 or more: right while they are small, and rounded where they are not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tilewright.emulate.observers import Finding
from tilewright.lab.check.element_types import EXACT
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source.macros import code_only

from .causes import CAUSE
from .verdicts import Judgement

LEAST_INNER = 32
"""Sums of fewer products than this are small enough to be exact."""
_TYPES = r"(?:__)?half2?|(?:__)?nv_bfloat162?"
_OF_TYPES = re.compile(r"(?:typename|class)\s+\w+$")
_DECLARED = r"\b(?P<type>{types})\s+(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?=[=;,{{(])"


def narrow_sum(kernel: KernelFile, found: Found, judgement: Judgement, findings: Sequence[Finding]) -> Finding | None:
    """Return the finding that names the sum kept in 16 bits, if all that is wrong are long sums; else None."""
    kinds = {each.kind for each in findings if each.severity == ERROR}
    if not (judgement.failing and found.fits) or found.roles.operation in KINDS or kinds != {"wrong result"}:
        return None
    if found.dtypes["C"].itemsize < 4 or not {found.dtypes["A"], found.dtypes["B"]} <= set(EXACT):
        return None
    if any(judgement.launched[number][0].inner < LEAST_INNER for number in judgement.failing):
        return None
    shown = f"every problem with sums of fewer than {LEAST_INNER} products comes out right, and longer sums are rounded"
    narrow = next(sums_in_16_bits(kernel), None)
    return None if narrow is None else of_sum_in_16_bits(kernel, found, narrow, shown)


NarrowSum = tuple[str, str, tuple[int, int]]
"""The name and the type of a sum, with the lines where it is declared and added to."""


def of_sum_in_16_bits(kernel: KernelFile, found: Found, narrow: NarrowSum, shown: str) -> Finding:
    """Return the finding that names a sum as the cause. shown: what the results show of it."""
    name, kind, lines = narrow
    message = f"{name} is a sum in {kind}, and C has {8 * found.dtypes['C'].itemsize} bits: {shown}."
    file = kernel.opened.file.name
    advice = f"Declare {name} as float, and convert each element before it is multiplied and added."
    other = (file, lines[1]) if lines[1] != lines[0] else None
    return Finding(CAUSE, ERROR, (file, lines[0]), message, advice, other=other, details={"change": name})


def sums_in_16_bits(kernel: KernelFile) -> Iterator[NarrowSum]:
    """Yield the name and the type of each such sum in a kernel, with the lines where it is declared and added to."""
    code, first = code_only(kernel.body), kernel.signature.line
    of_template = [each.split()[-1] for each in kernel.signature.template_parameters if _OF_TYPES.match(each)]
    types = "|".join([_TYPES, *of_template])
    for match in re.finditer(_DECLARED.format(types=types), code):
        added = _added_to(match["name"], code[match.end() :])
        if added is not None:
            declared, adds = (first + code.count("\n", 0, at) for at in (match.start(), match.end() + added))
            yield match["name"], match["type"], (declared, adds)


def _added_to(name: str, code: str) -> int | None:
    """Return where something is added to a variable in code behind its declaration, or None."""
    element = rf"\b{re.escape(name)}\s*(?:\[[^\]]*\]\s*)*"
    adds = rf"{element}\+=|{element}=(?!=)[^;]*\b{re.escape(name)}\b"
    found = re.search(adds, code)
    return found.start() if found else None
