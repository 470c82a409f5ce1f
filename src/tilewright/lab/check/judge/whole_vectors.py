"""Kernels that read rows as vectors: rows that begin at whole ones, or else sizes that fill them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.promises import (
    Promise,
    promise_of_rows,
    promise_of_vectors,
    promise_of_words,
    vectors_of_rows,
)
from tilewright.lab.check.run.watching import ERROR

from .cause_of_product import cause_of
from .rest_of_vectors import rest_of_vectors
from .verdicts import Held, Judgement

MISALIGNED = "misaligned"
_Judge = Callable[[Found, Promise], Held]
Explained = tuple[Found, Promise, Judgement, list[Finding], list[str], Finding | None]


def held_to_vectors(
    kernel: KernelFile,
    found: Found,
    promise: Promise,
    judgement: Judgement,
    findings: Sequence[Finding],
    judged: _Judge,
    seconds: float,
) -> Explained | None:
    """Return a wrong kernel with rows in memory that are whole vectors, or at sizes that fill them; else None.

    It is right there, or one change makes it right at any sizes with such rows.
    """
    if not (judgement.failing and found.fits):
        return None
    longer = _with_whole_rows(kernel, found, promise, findings, judged, seconds)
    vectors = None if longer else _promised_by_vectors(kernel, found, promise, findings)
    if vectors is None:
        return longer
    held = judged(found, vectors)
    return None if _is_wrong(held) else (found, vectors, *held, None)


def _is_wrong(judged: Held) -> bool:
    return bool(judged[0].failing) or any(each.severity == ERROR for each in judged[1])


def _with_whole_rows(
    kernel: KernelFile,
    found: Found,
    promise: Promise,
    findings: Sequence[Finding],
    judged: _Judge,
    seconds: float,
) -> Explained | None:
    width = vectors_of_rows(kernel, found)
    if width == 1 or not found.roles.leading or not any(each.kind == MISALIGNED for each in findings):
        return None
    whole = replace(found, roles=found.roles.with_padding(0, width))
    judgement, findings, notes = judged(whole, promise)
    cause = rest_of_vectors(kernel, whole, judgement, partial(judged, whole))
    cause = cause or cause_of(kernel, whole, judgement, findings, seconds)
    if cause is None and _is_wrong((judgement, findings, notes)):
        return None
    said = f"Rows in memory were given lengths that are multiples of {width}, so that each begins at a whole vector."
    return whole, promise, judgement, findings, [*notes, said], cause


def _promised_by_vectors(
    kernel: KernelFile, found: Found, promise: Promise, findings: Sequence[Finding]
) -> Promise | None:
    """Return the promise that a kernel of vectors makes without a word, if it made none; None for others."""
    if promise.multiples is not None:
        return None
    errors = {finding.kind for finding in findings if finding.severity == ERROR}
    said = promise_of_vectors(kernel) or (promise_of_rows(kernel, found) if errors == {MISALIGNED} else None)
    return said or (promise_of_words(kernel, found) if MISALIGNED in errors else None)
