"""Finds the arguments' roles by trying: results decide, never names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tilewright.emulate import BarrierFault, BudgetExceeded
from tilewright.lab.check.sizes import Sizes, fewer_rows, least_inner, trial_sizes, uneven_sizes
from tilewright.lab.check.statuses import NEEDS_LAUNCH

from .address_ranking import LIKELY, SURE, best_by_addresses, best_by_operands, sure_by_addresses
from .candidate import TRIAL_SEED, Candidate, Found, trial_unit
from .hypotheses import arrays_to_give, families_of, hypotheses
from .launches import LaunchRule, tile_of
from .other_pairs import says_pairs
from .own_launch import OwnLaunch
from .roles import MATRICES, QuestionError, Roles, RolesError
from .trials import Trial, best, try_roles

OPERATIONS = ("matmul", "reduced_matmul", "dot")
NEAR = 0.7
"""Above this score a good part of C is right: the roles are right, and the kernel is wrong."""
ALIKE = 0.6
"""The least likeness of the touched elements to the expected ones (1: exactly these)."""
HANGS_ALIKE = 0.6
"""The same for a launch that hangs before it writes C."""
SQUARES = "rows=inner=cols"
RIGHT_ONCE = 1.0
"""The score of roles that are right at one choice of sizes and wrong at another."""
MOST_BY_ADDRESSES = 150
MOST_APART = 3
"""The most different sizes; with more parameters, some are equal."""
ENOUGH = 0.15
"""Below this score nothing can be concluded: no part of C is right or resembles a part of the product."""
ONE_OF_MANY = 0.5
"""Below this score not even the first of many products is right: how they lie in memory would be a guess."""
MOST_TRIALS = 1500
MOST_ENDLESS = 1
ENDLESS_COUNTS = 25
"""The cost of a trial that did not end, in ordinary trials."""

_ROUNDS = re.compile(
    r"\b(?:l?l?(?:round|rint)|trunc|floor|nearbyint)[fl]?\s*\(|__(?:float|double)2u?(?:int|ll)|quanti[sz]"
)

_ALL_OF_16_BITS = re.compile(r"\b(?:32[., ']?76[78]|SHRT_MAX|INT16_MAX)\b")


def find_roles(candidate: Candidate, operations: Sequence[str] = OPERATIONS) -> Found:
    """Return the roles that fit a case with different sizes; else, for a wrong kernel, those that come closest.

    Raises:
        RolesError: none comes close, or several come equally close with different results.
    """
    done: list[Trial] = []
    for trials in _stages(candidate, operations):
        done += trials
        if trials and trials[-1].alike:
            reduced = _fitting_reduced(candidate, operations) if trials[-1].roles.operation == "matmul" else []
            if reduced:
                return settled(candidate, reduced)
            return found_by(candidate, trials[-1], fits=False, what="comes nearest")
        fitting = [trial for trial in trials if trial.fits and not _adds_zeros(candidate, trial)]
        if fitting and candidate.slots.count >= 3 and fitting[0].roles.family == SQUARES:
            return right_for_squares(candidate, fitting[0], done)
        if fitting:
            return settled(candidate, fitting)
        if _spent(done) > MOST_TRIALS:
            break
    return _nearest(candidate, done)


def _fitting_reduced(candidate: Candidate, operations: Sequence[str]) -> list[Trial]:
    """Return what fits as a reduced product: one whose sizes are C's reads the operands of a larger product."""
    rules = candidate.rules("reduced_matmul") if "reduced_matmul" in operations else ()
    return [trial for rule in rules for trial in _try_all(candidate, "reduced_matmul", "", rule) if trial.fits]


def right_for_squares(candidate: Candidate, square: Trial, done: Sequence[Trial]) -> Found:
    """Return, of the guesses that are equivalent for squares, the one whose accesses fit best."""
    same = [
        trial
        for trial in done
        if trial.roles.operation == square.roles.operation
        and _pointers(trial.roles) == _pointers(square.roles)
        and trial.roles.is_bijective
        and trial.roles.family == ""
        and not any("(" in word or "*" in word for _, word in trial.roles.constants)
    ]
    tile = tile_of(square.rule, square.roles, candidate.shared_extents)
    nearest = best_by_operands(candidate, same, tile)
    if nearest is None:
        return _nearest(candidate, done)
    found = found_by(candidate, nearest, fits=False, what="comes nearest")
    return replace(found, how=f"{found.how}; only square matrices come out right: a stride or a guard is wrong")


def _stages(candidate: Candidate, operations: Sequence[str]) -> Iterator[list[Trial]]:
    """Yield trials: with plain sizes, then with rarer formulas where the plain ones came closest, then with squares."""
    slots = candidate.slots
    plain: list[Trial] = []
    for operation in operations:
        for family in families_of(operation, slots):
            for rule in candidate.rules(operation):
                trials = _try_all(candidate, operation, family, rule)
                plain += trials
                yield trials
    for operation in operations:
        own = [trial for trial in plain if trial.roles.operation == operation and not trial.refusal]
        leader = best(own) if own and slots.count and not candidate.computes_arguments else None
        if leader is not None and max(trial.score for trial in plain) < NEAR:
            yield _try_rarer(candidate, leader, {_pointers(trial.roles) for trial in own if trial.score >= 0})
    if slots.count >= 3:
        for operation in operations:
            for rule in candidate.rules(operation) if operation != "dot" else ():
                yield _try_all(candidate, operation, SQUARES, rule)


def _adds_zeros(candidate: Candidate, trial: Trial) -> bool:
    """Return whether a dot product comes out right only because there are zeros behind its arrays.

    So do the dots of rows, taken for one whose length is the number of rows as well: all rows but one lie behind A.
    """
    roles = trial.roles
    if roles.operation != "dot" or roles.is_bijective:
        return False
    touched = best_by_addresses(candidate, [trial], tile_of(trial.rule, roles, candidate.shared_extents))
    return touched is not None and touched.alike < LIKELY


def _spent(trials: Sequence[Trial]) -> int:
    return len(trials) + ENDLESS_COUNTS * _endless(trials)


def _endless(trials: Sequence[Trial]) -> int:
    return sum(isinstance(trial.fault, BudgetExceeded) for trial in trials)


def _pointers(roles: Roles) -> tuple[int, ...]:
    return tuple(roles.arguments.index(name) for name in MATRICES)


def _try_all(candidate: Candidate, operation: str, family: str, rule: LaunchRule) -> list[Trial]:
    """Try guesses in order, those with all sizes different first. Stop at a fit, or at a guess (which is then the last)
    that touches exactly the expected elements.
    """
    trials: list[Trial] = []
    tile, tiles = 0, dict[tuple[object, ...], int]()
    is_looked_at = False
    for roles in hypotheses(operation, family, candidate.slots):
        tile = tile or tile_of(rule, roles, candidate.shared_extents)
        if not roles.is_bijective and not is_looked_at:
            if any(trial.fits for trial in trials):
                break
            is_looked_at = True
            if sure := sure_by_addresses(candidate, trials, tile):
                return [*trials, sure]
        if len(trials) > MOST_TRIALS // 3 or _endless(trials) > MOST_ENDLESS:
            break
        meant = roles.constants, tuple(word for word in roles.arguments if word not in MATRICES)
        if meant not in tiles:  # of M, N, K the grid tells of a tile where two of them are C's sides
            tiles[meant] = tile_of(rule, roles, candidate.shared_extents) if isinstance(rule, OwnLaunch) else tile
        trials.append(try_one(candidate, roles, rule, tiles[meant]))
        if trials[-1].fits and (candidate.slots.count > MOST_APART or _is_of_grid_alone(candidate)):
            others = (fewer_rows,) if candidate.slots.counts else (fewer_rows, least_inner)
            if all(try_one(candidate, roles, rule, tiles[meant], choose=choose).fits for choose in others):
                break
            trials[-1] = replace(trials[-1], fits=False, score=RIGHT_ONCE)
    if not is_looked_at and trials and not any(trial.fits for trial in trials):
        sure = sure_by_addresses(candidate, trials, tile)
        trials += [sure] if sure else []
    return trials


def _is_of_grid_alone(candidate: Candidate) -> bool:
    """Return whether all arguments are known, and the host's names are only those of the grid: a larger one may do."""
    slots = candidate.slots
    return bool(slots.constants) and not slots.sizes and {"rows", "inner", "cols"} <= {*slots.said.values()}


def _try_rarer(candidate: Candidate, leader: Trial, orders: set[tuple[int, ...]]) -> list[Trial]:
    """Try numbers of tiles, of elements and the like as sizes, up to the first fit."""
    trials: list[Trial] = []
    tile = tile_of(leader.rule, leader.roles, candidate.shared_extents)
    roles = leader.roles
    for guess in hypotheses(roles.operation, roles.family, candidate.slots, rarer_for_tile=tile):
        if _pointers(guess) in orders:
            trials.append(try_one(candidate, guess, leader.rule, tile))
            if trials[-1].fits:
                break
    return trials


def try_one(
    candidate: Candidate,
    roles: Roles,
    rule: LaunchRule,
    tile: int,
    *,
    choose: Callable[[str, str, int], Sizes] = trial_sizes,
    also: Sequence[str] = (),
) -> Trial:
    """Run the kernel once with these roles and this launch, at sizes that are chosen for the tile.

    also: other operations that the same launch may be.
    """
    sizes = roles.sized(choose(roles.operation, roles.family, trial_unit(candidate, roles, tile)))
    stand = candidate.stand(roles.constants_at(sizes))
    trial = try_roles(stand, roles, rule, sizes, candidate.dtypes(roles), TRIAL_SEED, also)
    return replace(trial, pairs=None, score=trial.share) if trial.pairs and not says_pairs(candidate.text) else trial


def settled(candidate: Candidate, fitting: Sequence[Trial]) -> Found:
    """Choose among fitting guesses the one that also fits sizes that are not multiples of a tile."""
    chosen = fitting[0]
    if len(fitting) > 1:
        tile = tile_of(chosen.rule, chosen.roles, candidate.shared_extents)
        chosen = best([try_one(candidate, trial.roles, trial.rule, tile, choose=uneven_sizes) for trial in fitting])
    return found_by(candidate, chosen, fits=True, what="fits")


def _nearest(candidate: Candidate, done: Sequence[Trial]) -> Found:
    if candidate.slots.count >= 3:  # three sizes promise more than squares, even where nothing fits
        done = [trial for trial in done if trial.roles.family != SQUARES]
    launched = [trial for trial in done if not trial.refusal]
    if done and all(trial.is_impossible and isinstance(trial.rule, OwnLaunch) for trial in done):
        found = found_by(candidate, done[0], fits=False, what="is a guess, for no GPU takes the file's launch")
        return replace(found, always_stops=True)
    if not launched:
        reason = done[0].refusal.rstrip(".") if done else "there is no guess at its launch"
        raise QuestionError(
            f"{candidate.name} could not be launched: {reason}. Give --args, --block and --grid.", _needs(candidate)
        )
    chosen = best(launched)
    if (
        candidate.slots.is_settled
        and len({trial.roles.arguments for trial in launched}) == 1
        and not chosen.rule.is_guess
    ):
        return found_by(candidate, chosen, fits=False, what="given")
    if chosen.roles.batched and chosen.score < ONE_OF_MANY:
        raise no_fit(candidate, launched)
    if chosen.score >= ENOUGH:
        _refuse_tie(candidate, chosen, launched)
    else:
        tile = tile_of(chosen.rule, chosen.roles, candidate.shared_extents)
        likely = [trial for trial in launched if trial.roles.is_bijective][:MOST_BY_ADDRESSES]
        nearest = best_by_addresses(candidate, likely, tile)
        if nearest is None or nearest.alike < ALIKE:
            if _always_stops(launched):
                dots = [trial for trial in launched if candidate.looks_like_dot and trial.roles.operation == "dot"]
                found = found_by(candidate, (dots or launched)[0], fits=False, what="is a guess, for no launch ends")
                return replace(found, always_stops=True)
            raise no_fit(candidate, launched)
        chosen = nearest
    if chosen.rule.is_guess and not _is_believed(chosen):
        raise no_fit(candidate, launched)  # the guess may be wrong, and the kernel right
    return found_by(candidate, chosen, fits=False, what="comes nearest")


def _always_stops(trials: Sequence[Trial]) -> bool:
    """Return whether a known launch is endless or stuck at a barrier under all roles."""
    return all(isinstance(trial.fault, BudgetExceeded | BarrierFault) and not trial.rule.is_guess for trial in trials)


def _is_believed(trial: Trial) -> bool:
    hangs = isinstance(trial.fault, BudgetExceeded | BarrierFault)
    return trial.score >= NEAR or trial.alike > (HANGS_ALIKE if hangs else SURE)


def found_by(candidate: Candidate, trial: Trial, *, fits: bool, what: str) -> Found:
    """Return the result of a trial. what: whether it fits or comes closest, in words."""
    tile = tile_of(trial.rule, trial.roles, candidate.shared_extents)
    return Found(
        trial.roles,
        trial.rule,
        tile,
        candidate.dtypes(trial.roles),
        fits=fits,
        how=_how(trial, what),
        is_near=trial.score >= NEAR,
        pairs=trial.pairs,
        rounds=_ROUNDS.search(candidate.about) is not None,
        takes_all=_ALL_OF_16_BITS.search(candidate.text) is not None,
    )


def _refuse_tie(candidate: Candidate, chosen: Trial, done: Sequence[Trial]) -> None:
    rivals = [
        trial
        for trial in done
        if trial.roles.is_bijective
        and abs(trial.score - chosen.score) < 1e-9
        and trial.contents != chosen.contents
        and trial.roles.operation == chosen.roles.operation
    ]
    if rivals:
        raise QuestionError(
            f"{candidate.name} is wrong either way, and could be {chosen.roles} or {rivals[0].roles}: give the "
            "one that is meant.",
            "needs its arguments",
        )


def no_fit(candidate: Candidate, done: Sequence[Trial]) -> RolesError:
    """Return the error for a kernel that no guess explains: what was tried, and which options to give."""
    parameters = ", ".join(p.name for p in candidate.slots.parameters)
    faults = [trial.fault for trial in done if trial.fault is not None]
    seen = f"; a launch stopped with: {faults[0]}" if faults else ""
    tried = {trial.rule.said for trial in done if trial.rule.is_guess}
    guessed = f" with the launches that were guessed ({'; '.join(sorted(tried)[:2])}, ...)" if tried else ""
    launch = "" if candidate.computes_arguments else "--block and --grid, and if need be "
    return QuestionError(
        f"{candidate.name} ({parameters}) computes no matmul, reduced_matmul or dot in any order of its arguments"
        f"{guessed}: give {launch}--args, as in --args rows,inner,cols,A,B,C, or for a "
        f"kernel of another kind its arrays, as in {arrays_to_give(candidate.slots.parameters)}{seen}.",
        _needs(candidate),
    )


def _needs(candidate: Candidate) -> str:
    return NEEDS_LAUNCH if candidate.is_guessed else "needs its arguments"


def _how(trial: Trial, what: str) -> str:
    family = {"": "", SQUARES: ", square matrices only"}.get(trial.roles.family, f", with {trial.roles.family}")
    return f"{trial.roles} {what}{family}"
