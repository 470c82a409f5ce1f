"""Tries a guess of the arguments' roles: runs the kernel on a small case and scores how much of C is right.

A trial is made robust: arrays, shared ones included, are padded at the end; C starts as 0, so that kernels that add to
C show their product; and a launch that faults merely scores nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.emulate import EmulationError
from tilewright.emulate.emulator import MAX_SHARED_BYTES
from tilewright.lab.check.element_types import numbers, unset
from tilewright.lab.check.kinds import KINDS, is_of_vectors, is_partial
from tilewright.lab.check.run.execution import Argument, Geometry, Outcome, Pointer, Stand
from tilewright.lab.check.run.structure import TouchedElements
from tilewright.lab.check.run.textbook_races import excused
from tilewright.lab.check.run.watching import ERROR, correctness_observers
from tilewright.lab.check.sizes import Sizes

from .launches import LaunchError, LaunchRule
from .layers import activation_of, bias_array, c_operand_of, layers_of
from .other_pairs import other_pairs
from .products import Comparison, Dtypes, c_elements, compare, operands, result_of, starting
from .roles import MATRICES, Roles
from .spare_arrays import spare_arrays

Array = NDArray[Any]

SIGNIFICANT = 4.0
"""A correlation must exceed this many standard errors to be significant."""
INSTRUCTIONS_PER_PRODUCT = 16
SPARE_INSTRUCTIONS = 100_000
MOST_INSTRUCTIONS = 20_000_000
"""Of a trial at large sizes: half a second in a loop that never ends, twice what a product of 256^3 takes."""
OF_OTHER_PAIRS = 1.5
"""The score of a reduced product that adds other rows or columns than it should, and is right but for that."""
ONE_SUM = 0.3
"""A dot product writes one sum, or one per block. A kernel that writes many more elements is something else, such as a
sum of vectors, which also reads A and B alike."""
MOST_LOADS = 1.5
"""Of what is computed element by element, each is loaded once; who loads more of them computes from neighbours."""
MOST_OF_SLICES = 1 << 20
"""Elements of C that a trial has room for behind it, where several blocks may leave a slice of the product each."""
MOST_OF_FLAT_SLICES = 1 << 17
"""The same for slices along x or y of the grid, which most products use for C: with more, trials take longer."""
SHARED_ROOM_BYTES = 4096
"""Padding past the shared arrays, so that a step or a row too far does not stop a trial."""


@dataclass(frozen=True)
class Trial:
    """The result of a guess. score: 2 if all of C is right and nothing else was written; -1 if nothing is known.

    share: of C that is right. fault: what stopped it. contents: of C after the launch. alike: how closely the touched
    elements match the roles, from 0 to 1, if examined; apart: of each array. is_impossible: whether no GPU would take
    the launch. pairs: which rows and columns a reduced product adds that are no neighbours.
    """

    roles: Roles
    rule: LaunchRule
    score: float
    fits: bool = False
    share: float = 0.0
    fault: EmulationError | None = None
    refusal: str = ""
    contents: bytes = b""
    alike: float = 0.0
    apart: Mapping[str, float] = field(default_factory=dict)
    is_impossible: bool = False
    pairs: tuple[str, str] | None = None


@dataclass(frozen=True)
class _Case:
    """A small case with known inputs. extent: the length of C's buffer, beyond which nothing may be written."""

    roles: Roles
    rule: LaunchRule
    sizes: Sizes
    a: Array
    b: Array
    extent: int
    geometry: Geometry
    matrices: dict[str, Pointer]
    arguments: list[Argument]

    def compare(self, result: Array) -> Comparison:
        """Compare a result with the reference."""
        c_operand = c_operand_of(self.roles, self.sizes, self.matrices)
        return compare(
            self.roles.operation, self.a, self.b, result, c_operand=c_operand, activation=activation_of(self.roles)
        )


def try_roles(
    stand: Stand,
    roles: Roles,
    rule: LaunchRule,
    sizes: Sizes,
    dtypes: Dtypes,
    seed: int,
    also: Sequence[str] = (),
) -> Trial:
    """Run the kernel once with these roles. dtypes: of A, B and C.

    also: other operations with the same inputs and outputs; the best is returned.
    """
    try:
        case = _case(stand, roles, rule, sizes, dtypes, seed)
    except LaunchError as error:
        return Trial(roles, rule, -1.0, refusal=str(error))
    outcome = stand.run(case.arguments, case.geometry, budget=budget_for(sizes))
    if outcome.fault is not None or outcome.refusal:
        return Trial(
            roles, rule, -1.0, fault=outcome.fault, refusal=outcome.refusal, is_impossible=outcome.is_impossible
        )
    named = (replace(case, roles=replace(roles, operation=name)) for name in (roles.operation, *also))
    layers = [replace(each, roles=layer) for each in named for layer in layers_of(each.roles)]
    return best([_scored(each, outcome) for each in (*layers, *_in_slices(case, outcome))])


def _in_slices(case: _Case, outcome: Outcome) -> Iterator[_Case]:
    """Yield a launch with several blocks along an axis as one in which each leaves a slice of the product.

    One that leaves 0 alone has read the zeros behind A or B, as one of many products does.
    """
    roles = case.roles
    is_whole = roles.operation in KINDS or is_partial(roles.operation) or roles.batched or roles.leading
    for axis, slices in zip("zyx", reversed(case.geometry.grid), strict=True):
        left = outcome.arrays["C"][: slices * case.extent]
        if slices < 2 or is_whole or roles.sliced or left.size < slices * case.extent:
            continue
        if (numbers(left).reshape(slices, -1) != 0).any(1).all():
            yield replace(case, roles=replace(roles, sliced=axis), extent=slices * case.extent)


def errors_in(stand: Stand, trial: Trial, sizes: Sizes, dtypes: Dtypes, seed: int) -> int:
    """Run once more with the observers of mistakes; return how many kinds of errors they find."""
    case = _case(stand, trial.roles, trial.rule, sizes, dtypes, seed)
    watching = correctness_observers()
    stand.run(case.arguments, case.geometry, budget=budget_for(sizes), observers=watching)
    seen = excused((finding for each in watching for finding in each.findings), stand.module, stand.entry)
    return len({finding.kind for finding in seen if finding.severity == ERROR})


def trial_by_addresses(stand: Stand, trial: Trial, sizes: Sizes, dtypes: Dtypes, seed: int) -> Trial:
    """Run once more and score the accesses: ideally all of A and B is read, all of C written, and nothing else."""
    try:
        case = _case(stand, trial.roles, trial.rule, sizes, dtypes, seed)
    except LaunchError as error:
        return replace(trial, refusal=str(error))
    touched = TouchedElements()
    outcome = stand.run(case.arguments, case.geometry, budget=budget_for(sizes), observers=[touched.recorder])
    trial = replace(trial, fault=outcome.fault)
    expected = {"A": case.a.size, "B": case.b.size, "C": case.extent}
    names = [name for name in MATRICES if name in trial.roles.arguments]

    def likeness(name: str, *, stored: bool, of: int = 0) -> float:
        address = outcome.addresses.get(name)
        if address is None:
            return 0.0
        count, itemsize = case.matrices[name].array.size, dtypes[name].itemsize
        return touched.likeness(address, count, itemsize, of or expected[name], stored=stored)

    if is_partial(trial.roles.operation):
        if likeness("C", stored=True) < ONE_SUM:
            expected["C"] = 1  # all blocks add into one sum
        writes = likeness("C", stored=True, of=case.matrices["C"].array.size) > 0
        writes_many = writes and likeness("C", stored=True) < ONE_SUM
        if writes_many or any(likeness(name, stored=True) for name in names if name != "C"):
            return replace(trial, alike=0.0)
    touching = [likeness(name, stored=name == "C") for name in names]
    kind = KINDS.get(trial.roles.operation)
    read = expected["A"] + expected["B"] + (expected["C"] if kind and kind.starts else 0)
    if kind and kind.a == kind.c and not kind.loads_again and _loads(outcome) > MOST_LOADS * read:
        return replace(trial, alike=0.0)
    if kind and kind.starts:
        touching.append(likeness("C", stored=False))  # what is computed in place is read there
    apart = dict(zip(names, touching, strict=False))
    return replace(trial, alike=min(touching) if kind else sum(touching) / len(touching), apart=apart)


def _loads(outcome: Outcome) -> int:
    """Return how often a launch loads from global memory; 0 if it was stopped."""
    return outcome.counts.as_dict().get("global_loads", 0) if outcome.counts else 0


def _case(stand: Stand, roles: Roles, rule: LaunchRule, sizes: Sizes, dtypes: Dtypes, seed: int) -> _Case:
    geometry = rule.at(roles, sizes)
    room_bytes = max(0, min(SHARED_ROOM_BYTES, MAX_SHARED_BYTES - stand.static_shared_bytes - geometry.shared_bytes))
    geometry = replace(geometry, shared_bytes=geometry.shared_bytes + room_bytes)
    values = roles.values(sizes, lambda text: rule.number(text, roles, sizes))
    a, b = operands(roles.operation, sizes, dtypes, numpy.random.default_rng(seed))
    slices = geometry.grid[2]
    extent = c_elements(roles.operation, sizes, int(numpy.prod(geometry.grid)), roles.slices_in(geometry.grid))
    longest = max(sizes.values().values())
    room = (2 * longest if is_of_vectors(roles.operation) else 2 * longest**2) + 4096
    room += min(slices * extent, MOST_OF_SLICES) if slices > 1 and not roles.sliced else 0
    flat = max(geometry.grid[:2]) * extent
    room += flat if flat <= MOST_OF_FLAT_SLICES and not roles.sliced else 0
    start = starting(roles.operation, a, b, numpy.zeros(extent, dtypes["C"]))
    matrices = {
        "A": Pointer("A", _with_room(roles.in_memory("A", a), room)),
        "B": Pointer("B", _with_room(roles.in_memory("B", b), room)),
        "C": Pointer("C", numpy.concatenate([start, unset(room, dtypes["C"])])),
    }
    matrices |= spare_arrays(roles, dtypes) | bias_array(roles, sizes, dtypes, room)
    arguments: list[Argument] = [matrices[v] if isinstance(v, str) else v for v in values]
    return _Case(roles, rule, sizes, a, b, extent, geometry, matrices, arguments)


def _with_room(array: Array, room: int) -> Array:
    """Return the array padded with zeros, so that a kernel that reads a tile too far still shows its product."""
    return numpy.concatenate([array.ravel(), numpy.zeros(room, array.dtype)])


def budget_for(sizes: Sizes) -> int:
    """Return a budget of warp instructions: several times what a single thread needs for a small product."""
    needed = INSTRUCTIONS_PER_PRODUCT * sizes.rows * sizes.inner * sizes.cols
    return SPARE_INSTRUCTIONS + min(needed, MOST_INSTRUCTIONS)


def _scored(case: _Case, outcome: Outcome) -> Trial:
    roles, arrays = case.roles, outcome.arrays
    c = arrays["C"][: case.extent]
    contents = arrays["C"].tobytes()
    is_clean = all(arrays[name].tobytes() == case.matrices[name].array.tobytes() for name in "AB" if name in arrays)
    strays = arrays["C"][case.extent :].tobytes() != case.matrices["C"].array[case.extent :].tobytes()
    result = result_of(roles.operation, case.sizes, c)
    comparison = case.compare(result)
    if not is_clean or not numpy.count_nonzero(numbers(c)):
        return Trial(roles, case.rule, -1.0 if not is_clean else 0.0, contents=contents)
    if comparison.passed and not strays:
        return Trial(roles, case.rule, 2.0, fits=True, share=1.0, contents=contents)
    if strays and is_partial(roles.operation):
        return Trial(roles, case.rule, 0.0, contents=contents)
    if roles.operation == "reduced_matmul" and (roles.is_bijective or roles.family) and not strays:
        pairs = other_pairs(case.a, case.b, result)
        if pairs is not None:
            return Trial(roles, case.rule, OF_OTHER_PAIRS, contents=contents, pairs=pairs)
    share = float(comparison.right.mean())
    likeness = share if roles.operation in KINDS else share + _likeness(result, comparison.expected)
    return Trial(roles, case.rule, likeness * (0.5 if strays else 1.0), share=share, contents=contents)


def _likeness(result: Array, expected: Array) -> float:
    """Return the correlation of a result with the expected one, or 0 if it is not significant."""
    got, wanted = result.astype(numpy.float64).ravel(), expected.astype(numpy.float64).ravel()
    known = numpy.isfinite(got) & (got != 0)
    if result.ndim == 0:
        share = float(got[0] / wanted[0]) if known.all() and wanted[0] else 0.0
        return max(0.0, min(share, 1 / share)) / 2 if share > 0 else 0.0
    if known.sum() < 8 or got[known].std() == 0 or wanted[known].std() == 0:
        return 0.0
    correlation = float(numpy.corrcoef(got[known], wanted[known])[0, 1])
    return correlation * known.mean() if correlation > SIGNIFICANT / numpy.sqrt(known.sum()) else 0.0


def best(trials: Sequence[Trial]) -> Trial:
    """Return the trial with the best score; among equals, one whose sizes all differ, then the first."""
    return max(enumerate(trials), key=lambda pair: (pair[1].score, pair[1].roles.is_bijective, -pair[0]))[1]
