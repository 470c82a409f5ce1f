"""Finds which kind of kernel one is that is no product: each kind's arrays and sizes are tried, as for products."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, permutations, product

from tilewright.emulate import BarrierFault, BudgetExceeded
from tilewright.lab.check.element_types import is_integer
from tilewright.lab.check.expressions import names
from tilewright.lab.check.kind import ALPHA, BETA, Kind
from tilewright.lab.check.kinds import KINDS, families, is_of_vectors
from tilewright.lab.check.sizes import FAMILIES, fewer_rows, least_inner, trial_sizes
from tilewright.lab.check.statuses import NEEDS_LAUNCH

from .address_ranking import LIKELY, SURE, best_by_addresses
from .candidate import TRIAL_SEED, Candidate, Found, trial_unit
from .hypotheses import Slots, arrays_to_give, leading_behind, plain_factors, roles_of, strided_fillings
from .launches import FormulaLaunch, LaunchRule, tile_of
from .roles import BIAS, COUNTER, PASSED, SCRATCH, Placed, QuestionError, Roles
from .search import NEAR, found_by, try_one
from .struct_sizes import StructSizes, struct_sizes
from .transposed import says_plain_vector
from .trials import Trial, errors_in

MOST_TRIALS = 48
"""Of each group of kinds."""
MOST_FILLINGS = 6
MOST_LOOKED_AT, MOST_RANKED = 96, 16
MOST_RIVALS = 4
"""The most kinds of which a cause is looked for, for a kernel that is right as none."""
USUAL_BINS = (256, 64, 32, 16, 10)
MOST_BINS = 4096
USUAL_PARTS = (256, 512, 1024, 128)
USUAL_TAPS, MOST_TAPS = (3, 5, 7), 33


def find_kinds(candidate: Candidate) -> list[Found]:
    """Return the kind that a kernel is right as; else those of which the file speaks and that it nearly is, if any.

    It is nearly of a kind if most of its results are right, or if it reads exactly what that kind reads and writes
    exactly what that writes. A launch that never ends under any roles may be of any kind.
    """
    if candidate.operation and set(KINDS[candidate.operation].arrays) <= set(candidate.slots.said.values()):
        return [replace(given_kind(candidate, candidate.operation), fits=True)]
    trials: list[Trial] = []
    unsaid: list[Kind] = []
    doubtful: list[Trial] = []
    for kinds in _likely(candidate):
        fitting: list[Trial] = []
        for roles, rule in islice(guesses_of_kind(kinds[0], candidate), MOST_TRIALS):
            tile = tile_of(rule, roles, candidate.shared_extents)
            named = [candidate.operation] if candidate.operation else [kind.name for kind in kinds]
            trial = try_one(candidate, replace(roles, operation=named[0]), rule, tile, also=named[1:])
            kind = KINDS[trial.roles.operation]
            if trial.fits and _is_another_said(kind, candidate):
                unsaid.append(kind)
            elif trial.fits and _is_steady(candidate, trial):
                is_sure = not candidate.is_guessed and trial.roles.is_bijective
                if is_sure or (not _mistakes(candidate, trial) and _is_alike_or_apart(candidate, trial)):
                    return [found_by(candidate, trial, fits=True, what="fits")]
                (fitting if candidate.is_guessed else doubtful).append(trial)
            trials.append(trial)
        if fitting:
            return [found_by(candidate, fitting[0], fits=True, what="fits")]
    if doubtful:  # two sizes that are equal there may differ, and what is found be due to that
        return [found_by(candidate, doubtful[0], fits=True, what="fits")]
    nearly = list(_near(candidate, trials))
    if unsaid and not nearly:
        raise QuestionError(
            f"{candidate.name} computes {unsaid[0].said}, and its name or its comments speak of something else: give "
            f"--operation {unsaid[0].name} if that is what is meant, or its arrays, as in "
            f"{arrays_to_give(candidate.slots.parameters)}.",
            "needs its operation",
        )
    return nearly


def _is_steady(candidate: Candidate, trial: Trial) -> bool:
    """Return whether a guessed launch reads and writes what it should, and fits whatever the sizes it takes as one."""
    if not candidate.is_guessed:
        return True
    roles, tile = trial.roles, tile_of(trial.rule, trial.roles, candidate.shared_extents)
    others = () if roles.family else (fewer_rows, least_inner)
    fits = all(try_one(candidate, roles, trial.rule, tile, choose=choose).fits for choose in others)
    return fits and _alike(candidate, trial) >= LIKELY


def _mistakes(candidate: Candidate, trial: Trial) -> int:
    """Return how many kinds of mistakes are found in a launch, such as a shared array that it leaves."""
    roles = trial.roles
    unit = trial_unit(candidate, roles, tile_of(trial.rule, roles, candidate.shared_extents))
    sizes = trial_sizes(roles.operation, roles.family, unit)
    stand = candidate.stand(roles.constants_at(sizes))
    return errors_in(stand, trial, sizes, candidate.dtypes(roles), TRIAL_SEED)


def _is_alike_or_apart(candidate: Candidate, trial: Trial) -> bool:
    """Return whether the sizes all differ, or what is read and written shows that two of them are equal."""
    return trial.roles.is_bijective or bool(trial.roles.family) or _alike(candidate, trial) >= LIKELY


def _alike(candidate: Candidate, trial: Trial) -> float:
    """Return how closely what is read and written matches the roles."""
    tile = tile_of(trial.rule, trial.roles, candidate.shared_extents)
    touched = best_by_addresses(candidate, [trial], tile)
    return touched.alike if touched is not None else 0.0


def given_kind(candidate: Candidate, name: str) -> Found:
    """Return a kind whose arguments are all said, with the known launch; raise QuestionError if that has more sizes."""
    if unknown := candidate.slots.constants:
        raise QuestionError(
            f"What {' and '.join(unknown)} is at other sizes cannot be seen in the file: give --block and --grid.",
            NEEDS_LAUNCH,
        )
    rule = next(iter(candidate.rules(name)))
    trial = Trial(roles_of(name, "", candidate.slots, (), (), (), ()), rule, 0.0)
    return found_by(candidate, trial, fits=False, what="given")


def _likely(candidate: Candidate) -> Iterator[list[Kind]]:
    """Yield the kinds that have as many arrays, sizes and factors, in groups that one launch tells apart."""
    slots = candidate.slots
    if not slots.count:
        return
    known = sum(word[0] != PASSED for word in slots.said.values())
    has_totals = SCRATCH in slots.said.values() and COUNTER not in slots.said.values()

    def unlikely(kinds: Sequence[Kind]) -> tuple[bool, bool]:
        return not any(_is_said(kind, candidate) for kind in kinds), candidate.is_flat != is_of_vectors(kinds[0].name)

    for kinds in sorted(families(), key=unlikely):
        first = kinds[0]
        if "histogram" in first.name and not any(is_integer(slots.dtypes[i]) for i in slots.pointers):
            continue
        is_scaled = not first.factors and first.b and first.is_of_lines  # by alpha and beta, as a matrix times a vector
        integers = 0 if is_scaled else first.factors - len(slots.factors)
        if candidate.operation and candidate.operation not in {kind.name for kind in kinds}:
            continue
        if bool(first.side_of_bias) != (BIAS in slots.said.values()) or (has_totals and not first.is_by_blocks):
            continue
        if len(first.arrays) != len(slots.pointers) or integers < 0 or (integers > 0 and slots.factors):
            continue
        if integers >= slots.count + known or (first.only and not re.search(first.only, candidate.text)):
            continue
        yield kinds


def guesses_of_kind(kind: Kind, candidate: Candidate) -> Iterator[tuple[Roles, LaunchRule]]:
    """Yield roles and launches under which every size of the arrays is an argument, or counts blocks of the grid."""
    for rule in candidate.rules(kind.name):
        of_grid = names(rule.grid) if isinstance(rule, FormulaLaunch) else set()
        for roles in _hypotheses(kind, candidate):
            known = {*roles.arguments, *(word for _, word in roles.constants)}
            known |= {word.removeprefix("2*") for word in known}
            if roles.family or set(kind.sides) <= known | of_grid:
                yield roles, rule


def _hypotheses(kind: Kind, candidate: Candidate) -> Iterator[Roles]:
    slots = candidate.slots
    factors = [f"{number}.0" for number in (ALPHA, BETA)][: len(slots.factors)]
    numbers = [str(number) for number in (ALPHA, BETA)][: max(kind.factors - len(factors), 0)]
    scales = list(permutations(factors)) if kind.factors else plain_factors(len(slots.factors))
    structs = struct_sizes(slots.parameters, slots.sizes, slots.constants, slots.said, is_other=True)
    for family, words in _families(kind, candidate, slots.count - len(numbers)):
        of_plain = None if family or numbers else structs
        for pointers, fillings in _fillings(kind, slots, structs, words, numbers, family):
            for filling in fillings:
                for order in pointers:
                    leading = _leading(kind, slots, of_plain, order, filling) if not (family or numbers) else ()
                    for given in scales:
                        roles = roles_of(kind.name, family, slots, order, filling, given, kind.arrays)
                        yield replace(roles, leading=leading)


def _leading(
    kind: Kind, slots: Slots, structs: StructSizes | None, order: Sequence[int], filling: Sequence[str]
) -> tuple[Placed, ...]:
    """Return the leading dimensions of matrices: in their structs, or behind them as a width that is there twice."""
    named = dict(zip(order, kind.arrays, strict=True))
    if structs is None:
        shapes = {at: kind.shape_of(name) for at, name in named.items()}
        return tuple((named[at], key) for at, key in leading_behind(slots, shapes, filling))
    leading, _ = structs.placed(filling, kind.name, named)
    return tuple((name, slots.keys[at]) for name, at in leading)


def _fillings(
    kind: Kind,
    slots: Slots,
    structs: StructSizes | None,
    words: Sequence[str],
    numbers: Sequence[str],
    family: str,
) -> Iterator[tuple[list[tuple[int, ...]], list[tuple[str, ...]]]]:
    """Yield orders of the arrays with the meanings of the sizes to try: leading dimensions and structs of each array,
    then any.
    """
    for order in _orders(slots) if not (family or numbers) else ():
        named = dict(zip(order, kind.arrays, strict=True))
        if structs is not None:
            yield [order], list(dict.fromkeys(structs.fillings(named, words, kind.name)))
        elif slots.count > len(words):
            yield [order], list(strided_fillings(slots, {at: kind.shape_of(name) for at, name in named.items()}, words))
    if structs is not None and not family:
        return
    fillings = [
        filling
        for filling in product([*words, *numbers], repeat=slots.count)
        if all(filling.count(number) == 1 for number in numbers)
        and len(set(filling)) == min(len(filling), len(words) + len(numbers))
    ]
    yield _orders(slots), fillings[:MOST_FILLINGS]


def _families(kind: Kind, candidate: Candidate, count: int) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield which sizes are equal or known, and the others."""
    sides = kind.sides
    if kind.b and kind.is_filter and count < len(sides):
        odd = [n for each in candidate.numbers for n in (each, 2 * each + 1) if 2 < n <= MOST_TAPS and n % 2]
        side = kind.b[0]
        for taps in dict.fromkeys([*odd, *USUAL_TAPS]):
            yield f"{side}={taps}", [each for each in sides if each != side][: max(count, 1)]
        return
    if "histogram" in kind.name and count < len(sides):
        numbers = [n for n in candidate.numbers if 2 < n <= MOST_BINS]
        yield from ((f"cols={bins}", ("inner",)) for bins in dict.fromkeys([*numbers, *USUAL_BINS]))
        return
    if kind.is_by_blocks:
        numbers = [n for each in candidate.numbers for n in (each, 2 * each) if MOST_TAPS < n <= MOST_BINS]
        yield from ((f"cols={count}", ("inner",)) for count in dict.fromkeys([*numbers, *USUAL_PARTS]))
        return
    if kind.name == "transpose_in_place":
        yield "rows=cols", ("rows",)
        return
    yield "", sides
    if pairs := [side for side in kind.a if side not in kind.sides]:
        yield "", [pairs[0] if pairs[0].endswith(side) else side for side in sides]
    if len(sides) == 2 and count == 1:
        yield "=".join(sides), sides[:1]


def _orders(slots: Slots) -> list[tuple[int, ...]]:
    """Return orders of the arrays, those with C last first; C can be written."""
    orders = [order for order in permutations(slots.pointers) if order[-1] in slots.may_be_c]
    return sorted(orders, key=lambda order: (-order[-1], order))


def _is_said(kind: Kind, candidate: Candidate) -> bool:
    """Return whether the kernel or a comment speaks of the kind."""
    words = f"{kind.words}|{kind.also}" if kind.also else kind.words
    return re.search(words, candidate.about, re.IGNORECASE) is not None


def _is_titled(kind: Kind, candidate: Candidate) -> bool:
    """Return whether the kernel's name or a comment speaks of the kind."""
    return re.search(kind.words, candidate.title, re.IGNORECASE) is not None


def _is_another_said(kind: Kind, candidate: Candidate) -> bool:
    """Return whether the kernel's name or a comment speaks of other kinds, and nothing of this one."""
    if kind.name == "transposed_matvec" and not candidate.operation and says_plain_vector(candidate.text):
        return True
    if _is_said(kind, candidate) or candidate.operation == kind.name:
        return False
    return any(_is_titled(each, candidate) for each in KINDS.values())


def _is_near(candidate: Candidate, trial: Trial) -> bool:
    """Return whether a wrong kernel is right for most elements or for squares, or touches exactly the right ones."""
    if trial.score >= NEAR or _alike(candidate, trial) >= SURE:
        return True
    return _fits_squares(candidate, trial)


def _fits_squares(candidate: Candidate, trial: Trial) -> bool:
    """Return whether a trial of different sides is right where they are equal."""
    sides = KINDS[trial.roles.operation].sides
    same = "=".join(sides)
    if len(sides) < 2 or trial.roles.family or same not in FAMILIES:
        return False
    tile = tile_of(trial.rule, trial.roles, candidate.shared_extents)
    return try_one(candidate, replace(trial.roles, family=same), trial.rule, tile).fits


def _right_for_squares(candidate: Candidate, trials: Sequence[Trial]) -> Trial | None:
    """Return a trial of a known launch that squares make right: two sizes, of which one stands for the other."""
    if candidate.is_guessed or any(_is_titled(kind, candidate) for kind in KINDS.values()):
        return None
    meant = (trial for trial in trials if not trial.refusal and not KINDS[trial.roles.operation].is_one_of_many)
    return next((trial for trial in meant if _fits_squares(candidate, trial)), None)


def _may_be_meant(kind: Kind, candidate: Candidate) -> bool:
    """Return whether a wrong kernel may be meant for a kind: its name or a comment speaks of it, of a copy its name.

    In comments of many kernels something is copied, such as an edge.
    """
    if kind.is_one_of_many and not kind.is_filter:
        return False
    if kind.name.endswith("_copy"):
        return re.search(kind.words, candidate.name, re.IGNORECASE) is not None
    return _is_titled(kind, candidate)


def _nearest_first(trial: Trial) -> list[Kind]:
    """Return the kinds: first one that most results are right for, last the plain ones, which more files speak of."""
    nearest = [KINDS[trial.roles.operation]] if trial.score >= NEAR else []
    return [*nearest, *(kind for kind in reversed(KINDS.values()) if kind not in nearest)]


def _near(candidate: Candidate, trials: Sequence[Trial]) -> Iterator[Found]:
    """Yield what a kernel that is right as no kind may be meant for."""
    said = {kind.family for kind in KINDS.values() if _may_be_meant(kind, candidate)}
    ran = [trial for trial in trials if not trial.refusal and KINDS[trial.roles.operation].family in said]
    stops = bool(ran) and all(isinstance(trial.fault, BudgetExceeded | BarrierFault) for trial in ran)
    explaining = list(islice((trial for trial in ran[:MOST_LOOKED_AT] if _is_near(candidate, trial)), MOST_RANKED))
    square = _right_for_squares(candidate, trials) if not explaining and not stops else None
    if square is not None:
        yield found_by(candidate, square, fits=False, what="is right for squares alone, and comes nearest")
        return
    explaining = sorted(explaining, key=lambda trial: _mistakes(candidate, trial))
    seen: list[tuple[object, ...]] = []
    for trial in ran if stops and not candidate.is_guessed else explaining:
        family = KINDS[trial.roles.operation].family
        for kind in _nearest_first(trial):
            meant = kind.name, trial.roles.arguments, trial.roles.constants
            if kind.family == family and meant not in seen and _may_be_meant(kind, candidate):
                seen.append(meant)
                same = replace(trial, roles=replace(trial.roles, operation=kind.name))
                found = found_by(candidate, same, fits=False, what="comes nearest")
                yield replace(found, always_stops=stops and not candidate.is_guessed)
                if len(seen) == MOST_RIVALS:
                    return
