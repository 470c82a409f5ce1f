"""Arrays that are no operand and no result: partial sums that the last block adds up, and the counter that finds it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from tilewright.lab.check.element_types import unset
from tilewright.lab.check.run.execution import Pointer
from tilewright.lab.source import Parameter

from .roles import COUNTER, SCRATCH, Roles

BLOCKS = 4096
"""Partial sums that there is room for."""
_COUNTED = re.compile(r"=\s*\(?\s*atomic(?:Inc|Add)\s*\(\s*&\s*\w+\s*,\s*(?:1|gridDim)")
"""A block that is counted in a variable of the device's."""
_FENCE = re.compile(r"\b__threadfence\s*\(|\bthread_scope_device\b")


def spare_words(body: str, parameters: Sequence[Parameter]) -> dict[int, str]:
    """Return the arrays of a kernel that are partial sums or the counter of finished blocks, by place.

    Both or none where no fence is between them, which may be the mistake, unless a variable of the device's counts.
    """
    words: dict[int, str] = {}
    for place, parameter in enumerate(parameters):
        if not parameter.is_pointer or parameter.is_const:
            continue
        name = re.escape(parameter.name)
        if re.search(rf"\batomic(?:Inc|Add)\s*\(\s*&?\s*{name}\b(?:\s*\[\s*0\s*\])?\s*,\s*(?:1|gridDim)", body):
            words[place] = COUNTER
        elif re.search(rf"\b{name}\s*\[\s*blockIdx\s*\.\s*x\s*\]\s*=(?!=)", body) and _is_read(name, body):
            words[place] = SCRATCH
    is_counted = _FENCE.search(body) or _COUNTED.search(body)
    needed = {SCRATCH} if is_counted else {SCRATCH, COUNTER}
    return words if needed <= set(words.values()) else {}


def totals_word(body: str, parameters: Sequence[Parameter]) -> dict[int, str]:
    """Return the place of the only array that each block stores one number in, and that is not read."""
    found = []
    for place, parameter in enumerate(parameters):
        name = re.escape(parameter.name)
        stored = rf"\b{name}\s*\[\s*(?:\(\s*\w+\s*\)\s*)?(?:blockIdx\s*\.\s*x|bid|b)\s*\]\s*=(?!=)"
        tested = rf"\bif\s*\(\s*{name}\b|\b{name}\s*!="
        others = len(re.findall(rf"\b{name}\b", body)) - 1 - len(re.findall(tested, body))
        if parameter.is_pointer and not parameter.is_const and others == 1 and re.search(stored, body):
            found.append(place)
    pointers = sum(parameter.is_pointer for parameter in parameters)
    return {found[0]: SCRATCH} if len(found) == 1 and pointers > 1 else {}


def _is_read(name: str, body: str) -> bool:
    """Return whether a kernel uses an array otherwise than to store a block's sum."""
    return len(re.findall(rf"\b{name}\b", body)) > 2


def spare_arrays(roles: Roles, dtypes: Mapping[str, numpy.dtype[Any]]) -> dict[str, Pointer]:
    """Return the arrays of a launch: room for a sum of each block, which nobody wrote, and a counter at 0."""
    made = {}
    if SCRATCH in roles.arguments:
        made[SCRATCH] = Pointer(SCRATCH, unset(BLOCKS, dtypes[SCRATCH]), is_unset=True)
    if COUNTER in roles.arguments:
        made[COUNTER] = Pointer(COUNTER, numpy.zeros(1, dtypes[COUNTER]))
    return made
