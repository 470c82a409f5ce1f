"""Kernels with hard-coded sizes: finds which numbers in the text are rows, inner and cols, from one launch.

Such a kernel runs once for each order of its arguments and each launch, on arrays larger than it can need. Its result
is then compared with the product at every choice of sizes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy

from tilewright.lab.check.element_types import fresh, numbers
from tilewright.lab.check.run.execution import Argument, Geometry, Outcome, Pointer
from tilewright.lab.check.sizes import Sizes, trial_sizes

from .candidate import TRIAL_SEED, Candidate, Found, trial_unit
from .guessing import find_guessed
from .hypotheses import hypotheses
from .launches import LaunchError, LaunchRule, tile_of
from .layers import bias_array
from .own_launch import OwnLaunch
from .products import MOST_PARTIAL_SUMS, c_elements, compare, result_of
from .roles import PASSED, QuestionError, Roles, RolesError
from .search import OPERATIONS, find_roles, no_fit
from .spare_arrays import spare_arrays
from .transposed import find_padded, find_transposed
from .trials import budget_for, try_roles

MOST_NUMBERS = 6
MOST_SIZES = 4
LARGEST_SIZE = 1024
LARGEST_PRODUCT = 1 << 24
"""The most multiply-adds that are tried: these take the emulator seconds."""
MOST_LAUNCHES = 200
RIGHT_ENOUGH = 0.5
"""The share of C that must be right to conclude that the sizes are right and the kernel is wrong."""
ADVICE = (
    "If its sizes are numbers in the kernel, check tries those up to 1,024: make larger ones smaller, or parameters."
)
_OF_USER = "argc|argv|ato[il]+|strto[ul]+l?|sto[ul]*[il]"
FREE = {"rows", "inner", "cols"}


def find_any_roles(candidate: Candidate, operations: Sequence[str] = OPERATIONS) -> Found:
    """Return the roles as `find_roles` does, or hard-coded sizes for a kernel that is right only at those.

    Raises:
        RolesError: neither is found.
    """
    try:
        found = (find_guessed if candidate.is_guessed else find_roles)(candidate, operations)
    except RolesError as error:
        fixed = _transposed(candidate, operations) or find_fixed_sizes(candidate, operations)
        if fixed is None and has_fixed_sizes(candidate):
            raise _with_advice(error) from error
        if fixed is None:
            raise
        return fixed
    if found.fits and (candidate.slots.count or _fits_elsewhere(candidate, found)):
        return found
    other = None if found.fits or found.always_stops else _transposed(candidate, operations)
    if not (other or found.fits or found.always_stops) and found.is_near and _is_of_command_line(candidate, found):
        return found  # what is right at the numbers that stand for the user's alone is wrong
    other = other or _with_nearest(find_fixed_sizes(candidate, operations), found)
    if other is None and candidate.is_batched and not (found.fits or candidate.slots.is_settled or found.roles.batched):
        raise no_fit(candidate, [])  # one product of many, most likely, and not a wrong one
    return other or found


def _with_nearest(fixed: Found | None, nearest: Found) -> Found | None:
    """Return a kernel that is right at the file's own sizes with what comes nearest at others, if its launch passes
    all sizes and some of the file's are equal: that hides a side that stands for another one.
    """
    if fixed is None or not fixed.fits or nearest.always_stops or not isinstance(nearest.rule, OwnLaunch):
        return fixed
    sides = [(sizes.rows, sizes.inner, sizes.cols) for sizes in fixed.roles.fixed]
    words = {word for word in (*nearest.roles.arguments, *dict(nearest.roles.constants).values()) if word in FREE}
    is_hidden = words == FREE and all(len(set(each)) < len(each) for each in sides)
    return replace(fixed, elsewhere=nearest) if is_hidden else fixed


def _is_of_command_line(candidate: Candidate, found: Found) -> bool:
    """Return whether all sizes of the launch are numbers that the user may give: `argc > 1 ? atoi(...) : 256`."""
    rule = found.rule
    if not isinstance(rule, OwnLaunch) or not rule.roots:
        return False
    given = rf"\b{{}}\s*=[^;]*\b(?:{_OF_USER})\b"
    return all(re.search(given.format(re.escape(name)), candidate.text) for name in rule.roots)


def _with_advice(error: RolesError) -> RolesError:
    message = f"{error} {ADVICE}"
    return QuestionError(message, error.pending) if isinstance(error, QuestionError) else RolesError(message)


def _transposed(candidate: Candidate, operations: Sequence[str]) -> Found | None:
    return (find_transposed(candidate) or find_padded(candidate)) if "matmul" in operations else None


def _fits_elsewhere(candidate: Candidate, found: Found) -> bool:
    """Return whether a kernel that was right at one size is also right at twice that size."""
    roles = found.roles
    sizes = trial_sizes(roles.operation, roles.family, 2 * trial_unit(candidate, roles, found.tile))
    stand = candidate.stand(roles.constants_at(sizes))
    return try_roles(stand, roles, found.rule, sizes, found.dtypes, TRIAL_SEED).fits


def find_fixed_sizes(candidate: Candidate, operations: Sequence[str]) -> Found | None:
    """Return the roles with sizes hard-coded in the file; None if the kernel takes its sizes, or if none fits."""
    if not has_fixed_sizes(candidate):
        return None
    nearest: tuple[float, Found] | None = None
    launches = 0
    for roles, rule in _guesses(candidate, operations):
        fitting: list[Sizes] = []
        for geometry, choices in _by_geometry(roles, rule, _numbers(candidate, roles, rule)):
            launches += 1
            if launches > MOST_LAUNCHES:
                break
            outcome = _run(candidate, roles, rule, geometry, choices)
            for sizes in choices if outcome is not None else ():
                share = _share_right(roles, sizes, geometry, outcome)
                if share == 1:
                    fitting.append(sizes)
                elif share >= RIGHT_ENOUGH and (nearest is None or share > nearest[0]):
                    nearest = share, _found(candidate, roles, rule, [sizes], fits=False)
        if fitting:
            return _found(candidate, roles, rule, fitting[:MOST_SIZES], fits=True)
    return nearest[1] if nearest else None


def has_fixed_sizes(candidate: Candidate) -> bool:
    """Return whether neither an argument nor an option gives the kernel a size."""
    slots = candidate.slots
    words = [*slots.said.values(), *(word for _, word in slots.settled)]
    return not slots.sizes and not any(word in FREE for word in words)


def _guesses(candidate: Candidate, operations: Sequence[str]) -> Iterator[tuple[Roles, LaunchRule]]:
    slots = replace(candidate.slots, constants=())
    for operation in operations:
        for rule in candidate.rules(operation):
            for roles in hypotheses(operation, "", slots):
                yield roles, rule


def _numbers(candidate: Candidate, roles: Roles, rule: LaunchRule) -> list[int]:
    """Return the numbers that may be sizes: those in the kernel, those passed to it, and the threads of the grid."""
    found = list(candidate.numbers)
    smallest = Sizes(1, 1, 1).of_operation(roles.operation)
    try:
        passed = [word for word in roles.arguments if word[0] == PASSED]
        found = [*(rule.number(word[1:], roles, smallest) for word in passed), *found]
        if len(passed) >= len(smallest.named(roles.operation)):  # all are given: what else the grid covers is a mistake
            return _likely(found)
        geometry = rule.at(roles, smallest)
        found += [blocks * threads for blocks, threads in zip(geometry.grid, geometry.block, strict=True)]
    except LaunchError:
        pass
    return _likely(found)


def _likely(found: Sequence[int]) -> list[int]:
    return [number for number in dict.fromkeys(found) if 1 < number <= LARGEST_SIZE][:MOST_NUMBERS]


def _by_geometry(roles: Roles, rule: LaunchRule, numbers: Sequence[int]) -> Iterator[tuple[Geometry, list[Sizes]]]:
    """Yield the launches, each with the sizes that it would be for."""
    choices: dict[Geometry, list[Sizes]] = {}
    for counts in product(numbers, repeat=1 if roles.operation == "dot" else 3):
        sizes = Sizes(1, counts[0], 1) if roles.operation == "dot" else Sizes(*counts)
        if sizes.of_operation(roles.operation) != sizes or _count(sizes) > LARGEST_PRODUCT:
            continue
        try:
            choices.setdefault(rule.at(roles, sizes), []).append(sizes)
        except LaunchError:
            continue
    yield from choices.items()


def _run(
    candidate: Candidate, roles: Roles, rule: LaunchRule, geometry: Geometry, choices: Sequence[Sizes]
) -> Outcome | None:
    """Return the result of a run on oversized arrays, with C full of zeros; None for a fault."""
    blocks = int(numpy.prod(geometry.grid))
    if blocks > MOST_PARTIAL_SUMS:
        return None  # C may have an element for each
    largest = max(max(sizes.values().values()) for sizes in choices)
    count = 2 * largest if roles.operation == "dot" else 2 * largest**2
    generator = numpy.random.default_rng(TRIAL_SEED)
    dtypes = candidate.dtypes(roles)
    arrays = {name: fresh(generator, (count,), dtypes[name], positive=roles.operation == "dot") for name in "AB"} | {
        "C": numpy.zeros(max(count, blocks), dtypes["C"])
    }
    try:
        values = roles.values(choices[0], lambda text: rule.number(text, roles, choices[0]))
    except LaunchError:
        return None
    pointers = {name: Pointer(name, array) for name, array in arrays.items()}
    pointers |= spare_arrays(roles, dtypes) | bias_array(roles, Sizes(largest, largest, largest), dtypes)
    arguments: list[Argument] = [pointers[v] if isinstance(v, str) else v for v in values]
    stand = candidate.stand(roles.constants_at(choices[0]))
    outcome = stand.run(arguments, geometry, budget=budget_for(max(choices, key=_count)))
    if outcome.fault is not None or outcome.refusal:
        return None
    outcome.arrays |= {name: arrays[name] for name in "AB"}
    return outcome


def _share_right(roles: Roles, sizes: Sizes, geometry: Geometry, outcome: Outcome | None) -> float:
    """Return the share of C that is right if these are the sizes; 0 if something is written past its end."""
    assert outcome is not None
    operation, arrays = roles.operation, outcome.arrays
    extent = c_elements(operation, sizes, int(numpy.prod(geometry.grid)))
    if numpy.count_nonzero(numbers(arrays["C"][extent:])):
        return 0.0
    shapes = zip("AB", sizes.ab_shapes(operation), strict=True)
    a, b = (arrays[name][: numpy.prod(shape)].reshape(shape) for name, shape in shapes)
    comparison = compare(operation, a, b, result_of(operation, sizes, arrays["C"][:extent]))
    return float(comparison.right.mean())


def _found(candidate: Candidate, roles: Roles, rule: LaunchRule, sizes: Sequence[Sizes], *, fits: bool) -> Found:
    fixed = replace(roles, fixed=tuple(sizes))
    said = ", ".join(each.said(roles.operation) for each in sizes)
    what = "fits" if fits else "comes nearest"
    return Found(
        fixed,
        rule,
        tile_of(rule, fixed, candidate.shared_extents),
        candidate.dtypes(fixed),
        fits=fits,
        how=f"{fixed} {what}, with sizes that stand in the file: {said}",
    )


def _count(sizes: Sizes) -> int:
    return sizes.rows * sizes.inner * sizes.cols
