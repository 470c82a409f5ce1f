"""Small changes under which a kernel that no roles explain is a product: they show its roles, and its mistake.

A mistake such as a wrong name in an index can leave nothing of the product in the results, so that no roles come near.
So the changes that mend common mistakes are tried under every likely order of the roles, each with one small launch.
What is computed from the elements is not changed: the kernel may be meant for something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile, zip_longest

from tilewright.emulate import BudgetExceeded
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.run.deadline import Deadline
from tilewright.lab.check.run.execution import Stand
from tilewright.lab.check.sizes import Sizes, fewer_rows, least_inner, trial_sizes, uneven_sizes
from tilewright.lab.source import CompileError, SourceError
from tilewright.lab.source.changes import POSSIBLE, Bounds, Change, edited
from tilewright.lab.source.variants import ChangeableKernel

from .candidate import TRIAL_SEED, Candidate, trial_unit
from .candidates import candidate_of, operations_of, size_choices
from .changed_stands import changed_stands
from .hypotheses import families_of, hypotheses
from .kernel_file import KernelFile
from .launches import FormulaLaunch, LaunchError, LaunchRule, tile_of
from .plain_slips import Slip
from .roles import Roles, RolesError
from .transposed import says_transposed
from .trials import Trial, try_roles

BATCH = 40
MOST_CHANGES = 400
MOST_GUESSES = 24
MOST_LAUNCHES = 2
MOST_REPEATED = 12
SIDES = ("rows", "inner", "cols")
SECONDS = 12.0
"""Of the processor, for one kernel."""
_PRODUCT = re.compile(r"mul|gemm|mm\b|dot|produ|linear|skalar|scal|inner|redu|ma[tk]", re.IGNORECASE)
_PARTLY = re.compile(
    r"triang|dreieck|lower|upper|symm|masked|causal|\bband(?:ed)?\b|sparse|diag|relu|activation|softmax|bias|convol|stencil",
    re.IGNORECASE,
)
"""Says that only a part of a product is meant, or more than a product."""


@dataclass(frozen=True)
class _Guess:
    """Roles and a launch under which changed kernels are tried, with the size of a tile."""

    roles: Roles
    rule: LaunchRule
    tile: int

    def tried(self, candidate: Candidate, stand: Stand, choose: Callable[[str, str, int], Sizes]) -> Trial:
        """Return what a changed kernel does at sizes that are chosen for the tile."""
        sizes = self.sizes(candidate, choose)
        return try_roles(stand, self.roles, self.rule, sizes, candidate.dtypes(self.roles), TRIAL_SEED)

    def sizes(self, candidate: Candidate, choose: Callable[[str, str, int], Sizes]) -> Sizes:
        """Return the sizes of a trial."""
        unit = trial_unit(candidate, self.roles, self.tile)
        return self.roles.sized(choose(self.roles.operation, self.roles.family, unit))


def changed_texts(kernel: KernelFile, text: str) -> Iterator[Slip]:
    """Yield the changes of a kernel under which it is a product at three choices of sizes, the likeliest first.

    text: of the file, to which the kernel's may add a launch that a comment describes.
    """
    deadline = Deadline(min(SECONDS, kernel.options.cause_seconds))
    for free in size_choices(kernel)[:2]:
        try:
            candidate = candidate_of(kernel, free)
            own = ChangeableKernel(
                kernel.opened.file, kernel.signature, Bounds(), list(kernel.constants), kernel.template_arguments
            )
            if _PRODUCT.search(candidate.title) is None or _PARTLY.search(candidate.about):
                return
            guesses = _by_turns([_guesses(candidate, each) for each in operations_of(kernel)])
        except (CheckError, CompileError, LaunchError, RolesError, SourceError):
            continue
        changes = sorted(filter(_may_mend, own.changes()), key=lambda change: change.doubt)[:MOST_CHANGES]
        for start in range(0, len(changes), BATCH):
            if deadline.is_over:
                return
            fitting = _fitting(kernel, own, candidate, guesses, changes[start : start + BATCH], deadline)
            yield from (Slip(each.line, f"{each.says},", edited(text, each.edits)) for each in fitting)


def _may_mend(change: Change) -> bool:
    return change.doubt <= POSSIBLE and (not change.is_of_values or "+=" in change.says)


def _by_turns(sources: Sequence[Iterator[_Guess]]) -> list[_Guess]:
    """Return the guesses of each operation in turn."""
    return list(islice((each for some in zip_longest(*sources) for each in some if each), MOST_GUESSES))


def _guesses(candidate: Candidate, operation: str) -> Iterator[_Guess]:
    """Yield the likely roles, all sizes different, with the known launch or the first guessed ones."""
    turned = ("B", "A") if operation == "matmul" and says_transposed(candidate.text) else ()
    for rule in islice(_launches(candidate, operation), MOST_LAUNCHES):
        for family in families_of(operation, candidate.slots):
            likely = hypotheses(operation, family, candidate.slots)
            several = candidate.slots.count > len(SIDES)  # leading dimensions beside the widths that they equal
            plain = list(islice(likely, MOST_REPEATED) if several else takewhile(_is_apart, likely))
            for roles in (replace(each, transposed=name) for each in plain for name in ("", *turned)):
                yield _Guess(roles, rule, tile_of(rule, roles, candidate.shared_extents))


def _is_apart(roles: Roles) -> bool:
    return roles.is_bijective or bool(roles.family)


def _launches(candidate: Candidate, operation: str) -> Iterator[LaunchRule]:
    rules = candidate.rules(operation)
    return (each for each in rules if operation == "dot" or not isinstance(each, FormulaLaunch) or each.covers)


def _fitting(
    kernel: KernelFile,
    own: ChangeableKernel,
    candidate: Candidate,
    guesses: Sequence[_Guess],
    changes: Sequence[Change],
    deadline: Deadline,
) -> Iterator[Change]:
    """Yield the changes under which some guess fits; those that also fit sizes without whole tiles come first."""
    by_values: dict[tuple[tuple[str, int], ...], list[_Guess]] = {}
    for guess in guesses:
        at = guess.roles.constants_at(guess.sizes(candidate, trial_sizes))
        by_values.setdefault(tuple(sorted(at.items())), []).append(guess)
    found: list[tuple[bool, Change]] = []
    for known, same in by_values.items():
        values = dict(known)
        for change, stand in changed_stands(kernel, own, changes, values):
            if deadline.is_over:
                break
            fitting = _first_fit(candidate, same, stand, is_constant=bool(values))
            if fitting is not None:
                is_right = not values and fitting.tried(candidate, stand, uneven_sizes).fits
                found.append((is_right, change))
    yield from (change for _, change in sorted(found, key=lambda pair: not pair[0]))


def _first_fit(candidate: Candidate, guesses: Sequence[_Guess], stand: Stand, *, is_constant: bool) -> _Guess | None:
    """Return the guess that fits at three choices of sizes; at one, if the sizes are compiled into the kernel."""
    for guess in guesses:
        trial = guess.tried(candidate, stand, trial_sizes)
        if isinstance(trial.fault, BudgetExceeded):
            return None
        others = () if is_constant or guess.roles.family else (fewer_rows, least_inner)
        if trial.fits and all(guess.tried(candidate, stand, each).fits for each in others):
            return guess
    return None
