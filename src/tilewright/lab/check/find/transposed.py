"""Recognizes products of operands that lie otherwise: transposed, or with rows that the host makes longer.

A C that is stored transposed needs no case of its own: it is the row-major product of B and A transposed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, takewhile

from .candidate import Candidate, Found
from .hypotheses import families_of, hypotheses, of_many, of_transposed_structs, with_strides
from .launches import FormulaLaunch, LaunchRule, tile_of
from .other_pairs import says_pairs
from .own_launch import OwnLaunch
from .roles import PASSED
from .search import SQUARES, found_by, try_one

_SAID = re.compile(r"transpos|\^\s*T\b|\b[AB]_?[tT]\b", re.IGNORECASE)
_MARK = r"\^\s*\{?\s*T\b\}?|\u1d40|'|\.T\b|\s+transpos\w*"
_FORMULA = re.compile(
    rf"=\s*(?:\w+\s*[*\u00b7]\s*)?[A-Z]\w*(?P<A>{_MARK})?\s*[*\u00b7\u00d7@ ]\s*"
    rf"[A-Z]\w*(?P<B>{_MARK})?(?=[\s.,;:)(]|$)",
    re.MULTILINE,
)
_ROW_MAJOR = re.compile(r"\brow[- ]?major\b|\bzeilenweise\b|\brij voor rij\b|\bpar lignes\b", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"col(?:umn)?[- ]?major|spaltenweise|\u1d40|'\s*\*|\bve[ck]\w*[-_ ]*(?:times\s+(?:an?\s+)?)?mat|\bx\s*[*·]?\s*A\b",
    re.IGNORECASE,
)
_MATRIX_FIRST = re.compile(r"\bA\s*[*·]?\s*x\b|mat\w*[-_ ]*(?:times\s+(?:an?\s+)?)?ve[ck]", re.IGNORECASE)
MOST_LAUNCHES = 3


def says_transposed(text: str) -> bool:
    """Return whether a file speaks of a transposed matrix."""
    return _SAID.search(text) is not None


def said_transposed(text: str) -> str:
    """Return which operands a formula such as `C = A * B^T` says to be transposed: `A`, `B`, `AB`, or none."""
    found = _FORMULA.search(text)
    return "" if found is None else "".join(name for name in "AB" if found[name])


def says_plain_vector(text: str) -> bool:
    """Return whether a file says that a row-major matrix is multiplied by a vector, and nothing else of its order."""
    is_plain = _ROW_MAJOR.search(text) is not None and _MATRIX_FIRST.search(text) is not None
    return is_plain and not (says_transposed(text) or _OTHERWISE.search(text))


def find_transposed(candidate: Candidate) -> Found | None:
    """Return the roles under which a kernel is right as A times B with one operand or both transposed, or None.

    If A and B are squares of the same side, the transposition may be a mistake in an index; then the file must say
    that it is intended. So it must for a matrix times a vector, if it says that the matrix is row-major. A reduced
    product is tried if the file speaks of one.
    """
    reduced = ("reduced_matmul",) if not candidate.operation and says_pairs(candidate.text) else ()
    found = (_transposed_as(operation, candidate) for operation in ("matmul", *reduced))
    return next((each for each in found if each is not None), None)


def _transposed_as(operation: str, candidate: Candidate) -> Found | None:
    is_plain, slots = says_plain_vector(candidate.text), candidate.slots
    for rule in _launches(candidate, operation):
        for family in families_of(operation, slots):
            if family == SQUARES and not says_transposed(candidate.text):
                continue
            for name in ("B", "A", "AB") if not (is_plain and "=1" in family) else ():
                strided = with_strides(operation, family, slots, transposed=name)
                plain = takewhile(lambda roles: roles.is_bijective, hypotheses(operation, family, slots))
                structs = of_transposed_structs(slots, name) if not family and operation == "matmul" else ()
                many = of_many(operation, family, slots, name) if len(slots.counts) == 1 else ()
                for roles in chain(strided, many, structs, plain):
                    tile = tile_of(rule, roles, candidate.shared_extents)
                    trial = try_one(candidate, replace(roles, transposed=name), rule, tile)
                    if trial.fits:
                        return found_by(candidate, trial, fits=True, what="fits")
    return None


def find_padded(candidate: Candidate) -> Found | None:
    """Return the roles of a right product whose host computes leading dimensions, as in `lda = m + 3`, or None.

    The leading dimensions become the widths of the matrices, in row-major or in column-major order.
    """
    slots = candidate.slots
    for rule in candidate.rules("matmul"):
        if not isinstance(rule, OwnLaunch):
            return None
        roots = [PASSED + name for name in rule.roots]
        computed = tuple(i for i, word in slots.said.items() if word[0] == PASSED and word not in roots)
        free = replace(
            slots,
            sizes=tuple(sorted({*slots.sizes, *computed})),
            said={i: word for i, word in slots.said.items() if i not in computed},
        )
        for transposed in ("", "B", "A", "AB"):
            for roles in with_strides("matmul", "", free, transposed):
                tile = tile_of(rule, roles, candidate.shared_extents)
                trial = try_one(candidate, replace(roles, transposed=transposed), rule, tile)
                if trial.fits:
                    return found_by(candidate, trial, fits=True, what="fits")
    return None


def _launches(candidate: Candidate, operation: str) -> Iterator[LaunchRule]:
    """Yield the known launch, or the first guesses that cover C."""
    count = 0
    for rule in candidate.rules(operation):
        if not isinstance(rule, FormulaLaunch) or not rule.is_guess or rule.covers:
            count += 1
            yield rule
        if count == MOST_LAUNCHES:
            return
