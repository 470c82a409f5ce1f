"""A wrong product as one of transposed operands, or many products as those of operands of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.finding_out import KnownKernel
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.promises import Promise
from tilewright.lab.check.find.transposed import said_transposed

from .cause_of_product import cause_of
from .verdicts import Held, Judgement

TRANSPOSED_SHARE = 0.4
"""The share of the time for a cause that is spent on the possibility of a transposed operand."""


def as_said(known: KnownKernel) -> list[Found]:
    """Return a wrong product as one with the transposed operands that a formula in the file names, and many products
    as those of operands of their own; else nothing.
    """
    found, transposed = known.found, said_transposed(known.candidate.text)
    if found.roles.batched in ("A", "B") and not found.fits:
        return [replace(found, roles=found.roles.with_operands("AB"))]
    is_plain = found.roles.operation == "matmul" and not (found.roles.transposed or found.roles.family or found.fits)
    if not (is_plain and transposed) or found.always_stops or found.roles.fixed:
        return []
    return [replace(found, roles=replace(found.roles, transposed=transposed))]


def as_transposed(
    kernel: KernelFile, found: Found, promise: Promise, judged: Callable[[KernelFile, Found, Promise], Held]
) -> tuple[Found, Judgement, list[Finding], Finding] | None:
    """Return a wrong product as one with a transposed operand, if one change makes it right that way."""
    roles = found.roles
    if roles.operation != "matmul" or roles.transposed or roles.fixed or found.always_stops:
        return None
    for name in "BA":
        other = replace(found, roles=replace(roles, transposed=name))
        judgement, findings, _ = judged(kernel, other, promise)
        cause = cause_of(kernel, other, judgement, findings, kernel.options.cause_seconds * TRANSPOSED_SHARE)
        if cause is not None:
            return other, judgement, findings, cause
    return None
