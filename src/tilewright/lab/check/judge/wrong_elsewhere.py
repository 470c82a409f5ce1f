"""A kernel that takes all its sizes, and is right at the file's own ones because some of them are equal.

`batch * rows * inner` for `batch * rows * cols` is right for square matrices alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.evidence import is_proof
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.promises import Promise, promise_of

from .cause_of_product import cause_of
from .verdicts import Held
from .whole_vectors import Explained

_SQUARE = re.compile(
    r"square|quadrat|cuadrad|quadrad|carr[ée]|kwadrat|vierkant|kvadrat|čtverc|négyzet|neliö|kare\b|persegi|квадрат|τετράγων"
    r"|正方|方阵|정사각|정방",
    re.IGNORECASE,
)
"""Says that matrices are square, in as many languages."""
_WITH_A_NUMBER = re.compile(r"[Ww]ith `\d+`|in place of `\d+`")
_Judge = Callable[[Found, Promise], Held]


def wrong_elsewhere(kernel: KernelFile, found: Found, judged: _Judge, seconds: float) -> Explained | None:
    """Return such a kernel with the small change that makes it right at any sizes; None if there is none.

    found: its roles at the file's sizes. Who speaks of square matrices means them, and so does who writes a number.
    """
    nearest = found.elsewhere
    if nearest is None or _SQUARE.search(kernel.opened.file.text):
        return None
    if "batch" in dict(nearest.roles.constants).values() and nearest.roles.batched != "AB":
        nearest = replace(nearest, roles=nearest.roles.with_operands("AB"))
    promise = promise_of(kernel, nearest)
    judgement, findings, notes = judged(nearest, promise)
    cause = cause_of(kernel, nearest, judgement, findings, seconds)
    if not is_proof(cause) or cause is None or _WITH_A_NUMBER.search(cause.message):
        return None
    return nearest, promise, judgement, findings, notes, cause
