"""Recognizes products with a transposed operand, as in a linear layer, so that they are judged as such."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, takewhile

from .candidate import Candidate, Found
from .hypotheses import families_of, hypotheses, with_strides
from .launches import FormulaLaunch, LaunchRule, tile_of
from .search import SQUARES, found_by, try_one

_SAID = re.compile(r"transpos|\^\s*T\b|\b[AB]_?[tT]\b", re.IGNORECASE)
MOST_LAUNCHES = 3


def find_transposed(candidate: Candidate) -> Found | None:
    """Return the roles under which a kernel is right as A times B with one operand transposed, or None.

    If A and B are squares of the same side, the transposition may be a mistake in an index; then the file must say
    that it is intended.
    """
    for rule in _launches(candidate):
        for family in families_of("matmul", candidate.slots):
            if family == SQUARES and not _SAID.search(candidate.text):
                continue
            for name in "BA":
                strided = with_strides("matmul", family, candidate.slots, transposed=name)
                plain = takewhile(lambda roles: roles.is_bijective, hypotheses("matmul", family, candidate.slots))
                for roles in chain(strided, plain):
                    tile = tile_of(rule, roles, candidate.shared_extents)
                    trial = try_one(candidate, replace(roles, transposed=name), rule, tile)
                    if trial.fits:
                        return found_by(candidate, trial, fits=True, what="fits")
    return None


def _launches(candidate: Candidate) -> Iterator[LaunchRule]:
    """Yield the known launch, or the first guesses that cover C."""
    count = 0
    for rule in candidate.rules("matmul"):
        if not isinstance(rule, FormulaLaunch) or not rule.is_guess or rule.covers:
            count += 1
            yield rule
        if count == MOST_LAUNCHES:
            return
