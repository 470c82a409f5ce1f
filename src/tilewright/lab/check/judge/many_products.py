"""A product of a guessed launch whose kernel reads `blockIdx.z`: what it does with several, one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tilewright.emulate.observers import Finding
from tilewright.lab.check.expressions import split
from tilewright.lab.check.find.candidate import Candidate, Found
from tilewright.lab.check.find.evidence import is_proof
from tilewright.lab.check.find.hypotheses import WITH_STRIDES
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.roles import BATCH, Roles
from tilewright.lab.check.find.search import try_one

from .cause_of_product import cause_of
from .verdicts import Held, Judgement

_ELEMENTS = {"A": "rows*inner", "B": "inner*cols", "C": "rows*cols"}
_Judge = Callable[[Found], Held]
_Judged = tuple[Found, Judgement, list[Finding], list[str], Finding | None]


def of_many_products(
    kernel: KernelFile, candidate: Candidate, found: Found, judged: _Judge, seconds: float
) -> _Judged | None:
    """Return a kernel that is right for one product as one of many; None if that explains nothing.

    It is explained if many products, or slices of one, are right, or if one change makes many right.
    """
    others = list(_as_many(candidate, found))
    for many in others:
        if try_one(candidate, many.roles, many.rule, many.tile).fits:
            judgement, findings, notes = judged(many)
            cause = cause_of(kernel, many, judgement, findings, seconds)
            return many, judgement, findings, notes, cause
    for many in others[:1]:
        judgement, findings, notes = judged(many)
        cause = cause_of(kernel, many, judgement, findings, seconds)
        if is_proof(cause):
            return replace(many, fits=False), judgement, findings, notes, cause
    return None


def _with_steps(candidate: Candidate, roles: Roles) -> Roles:
    """Return roles in which the size behind each matrix is the number of its elements, if all others then differ.

    Of one product, any number there is right.
    """
    arguments, sizes = list(roles.arguments), set(candidate.slots.sizes)
    for place, word in enumerate(roles.arguments):
        if word in _ELEMENTS and place + 1 in sizes:
            arguments[place + 1] = _ELEMENTS[word]
    stepped = replace(roles, arguments=tuple(arguments), leading=())
    return stepped if len(sizes) == WITH_STRIDES and stepped.is_bijective else roles


def _as_many(candidate: Candidate, found: Found) -> Iterator[Found]:
    """Yield the roles with three products, whose operands are their own or in common, then with three slices."""
    roles, rule = _with_steps(candidate, found.roles), found.rule
    is_one = roles.operation == "matmul" and roles.is_bijective and not (roles.batched or roles.fixed)
    if not (is_one and candidate.is_batched and isinstance(rule, FormulaLaunch) and rule.is_guess):
        return
    sides: Sequence[str] = split(rule.grid)
    if len(sides) > 2:
        return
    grid = ",".join([*sides, "1"][:2])
    for batched in ("AB", "A", "B", ""):
        count = "batch" if batched else str(BATCH)
        yield replace(found, roles=replace(roles, batched=batched), rule=replace(rule, grid=f"{grid},{count}"))
