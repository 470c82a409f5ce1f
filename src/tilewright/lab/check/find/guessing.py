"""Finds launch and roles when neither is known: blocks suggested by the code, grids derived from observed stores.

A guessed launch counts if it makes the results right. If none does, a launch counts only if it writes every element of
C once, and most of the product is there or exactly the operands' elements are read. Whether that is enough to call a
kernel wrong is another question: evidence.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tilewright.emulate import BudgetExceeded

from .address_ranking import sure_by_addresses
from .candidate import Candidate, Found
from .evidence import reads_its_own
from .hypotheses import Slots, families_of, hypotheses
from .launches import FormulaLaunch, LaunchRule, tile_of
from .roles import Roles
from .search import MOST_APART, NEAR, SQUARES, found_by, no_fit, right_for_squares, settled, try_one
from .trials import Trial, best

MOST_COVERING = 4
"""The most launches covering C that are tried per operation on a kernel that is right under none."""
MOST_TRIALS = 400


@dataclass
class _Tried:
    """The trials so far: those of launches that cover C, and all."""

    covering: list[tuple[LaunchRule, str, list[Trial]]] = field(default_factory=list)
    everything: list[Trial] = field(default_factory=list)


def find_guessed(candidate: Candidate, operations: Sequence[str]) -> Found:
    """Return the roles and a launch that make the results right, or that explain them.

    Raises:
        RolesError: there are none; the message says what was tried, and which options to give.
    """
    tried = _Tried()
    for operation, rule in _by_turns(candidate, operations):
        for family in families_of(operation, candidate.slots):
            trials = _apart(candidate, operation, family, rule)
            tried.everything += trials
            fitting = [trial for trial in trials if trial.fits]
            if fitting and (operation != "dot" or reads_its_own(candidate, fitting[0])):
                return settled(candidate, fitting)
            if _covers(rule):
                tried.covering.append((rule, family, trials))
        if len(tried.everything) > MOST_TRIALS:
            break
    return _explained(candidate, tried)


def _by_turns(candidate: Candidate, operations: Sequence[str]) -> Iterator[tuple[str, LaunchRule]]:
    """Yield launches, each with its operation: those that cover C first, then the usual ones."""
    ordered = sorted(operations, key=lambda operation: operation != "dot") if candidate.looks_like_dot else operations
    for operation in ordered:
        count = 0
        for rule in candidate.rules(operation):
            count += _covers(rule) and operation != "dot"
            yield operation, rule
            if count == MOST_COVERING:
                break


def _covers(rule: LaunchRule) -> bool:
    return isinstance(rule, FormulaLaunch) and rule.covers


def _apart(candidate: Candidate, operation: str, family: str, rule: LaunchRule) -> list[Trial]:
    """Try the roles with all sizes different, up to the first fit (or all, if some of the sizes must repeat)."""
    slots = _of_pointer(candidate.slots, rule)
    trials: list[Trial] = []
    tile = 0
    repeats = slots.count > MOST_APART or (slots.count > 1 and operation == "dot")
    for roles in hypotheses(operation, family, slots):
        tile = tile or tile_of(rule, roles, candidate.shared_extents)
        if not roles.is_bijective and (not repeats or any(trial.fits for trial in trials)):
            break
        trials.append(try_one(candidate, roles, rule, tile))
        if trials[-1].fits and not repeats:
            break
        if trials[-1].fault is not None and _has_ended(trials):
            break
    return trials


def _has_ended(trials: Sequence[Trial]) -> bool:
    """Return whether the first four launches all failed to end, as then the others will, too."""
    return len(trials) == 4 and all(trial.fault is not None for trial in trials)


def _of_pointer(slots: Slots, rule: LaunchRule) -> Slots:
    """Return the slots with C at the pointer that was observed to be written."""
    c = rule.c if isinstance(rule, FormulaLaunch) else None
    return replace(slots, may_be_c=(c,)) if c is not None and c in slots.may_be_c else slots


def _explained(candidate: Candidate, tried: _Tried) -> Found:
    """Return the guess that explains a wrong kernel; raise RolesError if none does."""
    for rule, _, trials in tried.covering:
        launched = [trial for trial in trials if not trial.refusal]
        if launched and best(launched).score >= NEAR:
            return found_by(candidate, best(launched), fits=False, what="comes nearest")
        tile = tile_of(rule, launched[0].roles, candidate.shared_extents) if launched else 0
        sure = sure_by_addresses(candidate, launched, tile) if launched else None
        square = _square(candidate, rule, launched) if candidate.slots.count >= 3 else None
        if square is not None:
            return right_for_squares(candidate, square, [*launched, square])
        if sure is not None:
            return found_by(candidate, sure, fits=False, what="comes nearest")
    repeated = None if candidate.slots.count > MOST_APART else _repeated(candidate, tried)  # else they were all tried
    if repeated is not None:
        return found_by(candidate, repeated, fits=True, what="fits")
    launched = [trial for trial in tried.everything if not trial.refusal]
    if launched and all(isinstance(trial.fault, BudgetExceeded) for trial in launched):
        found = found_by(candidate, launched[0], fits=False, what="is a guess, for no launch ends")
        return replace(found, always_stops=True)
    raise no_fit(candidate, tried.everything)


def _square(candidate: Candidate, rule: LaunchRule, trials: Sequence[Trial]) -> Trial | None:
    """Return a guess that is right only for squares, which means that a stride or a guard is wrong."""
    for operation in dict.fromkeys(trial.roles.operation for trial in trials if trial.roles.operation != "dot"):
        for roles in hypotheses(operation, SQUARES, _of_pointer(candidate.slots, rule)):
            trial = try_one(candidate, roles, rule, tile_of(rule, roles, candidate.shared_extents))
            if trial.fits:
                return trial
    return None


def _repeated(candidate: Candidate, tried: _Tried) -> Trial | None:
    """Return a fitting guess with one size at two positions, such as `lda` beside the width it equals."""
    rules = list({id(rule): (rule, trials) for rule, _, trials in tried.covering}.values())[:2]
    for rule, trials in rules:
        for operation in dict.fromkeys(trial.roles.operation for trial in trials):
            for family in families_of(operation, candidate.slots):
                for roles in _not_apart(operation, family, _of_pointer(candidate.slots, rule)):
                    trial = try_one(candidate, roles, rule, tile_of(rule, roles, candidate.shared_extents))
                    if trial.fits:
                        return trial
    return None


def _not_apart(operation: str, family: str, slots: Slots) -> Iterator[Roles]:
    return (roles for roles in hypotheses(operation, family, slots) if not roles.is_bijective)
