"""What is read of all blind kernels before anything runs: launches, slots, constants, blocks, guesses; and sizes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy

from tests.nets.checks import BLIND
from tests.repeats import sampled
from tilewright.lab.check.expressions import evaluate
from tilewright.lab.check.find.block_shapes import block_shapes, launch_bound
from tilewright.lab.check.find.candidate import Candidate
from tilewright.lab.check.find.candidates import candidate_of, launch_of, operations_of
from tilewright.lab.check.find.described_launch import with_described_launch
from tilewright.lab.check.find.hypotheses import families_of, hypotheses
from tilewright.lab.check.find.kernel_file import KernelFile, OpenedFile, open_file, parameters_of
from tilewright.lab.check.find.launches import LaunchError, grids_of_kind, guesses, in_words_of, tile_of
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.promises import promise_of_vectors, says_multiples
from tilewright.lab.check.find.roles import RolesError
from tilewright.lab.check.find.said_launch import with_said_launch
from tilewright.lab.check.find.stated_block import stated_shapes
from tilewright.lab.check.kind import Kind
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.sizes import FAMILIES, fewer_rows, least_inner, looped_sizes, tested_sizes, trial_sizes
from tilewright.lab.check.sizes import uneven_sizes as uneven
from tilewright.lab.source import KernelSignature, SourceError

PRODUCTS = ("matmul", "reduced_matmul", "dot")
UNITS = (1, 2, 12, 16, 32, 100)
MOST_GUESSES = 40
AT = {"rows": 3, "inner": 5, "cols": 4}


def readings() -> Iterator[tuple[str, str]]:
    """Yield each kernel with what is read of it, and each operation with the sizes at which it is tried and tested."""
    for path in sampled(sorted(BLIND.rglob("*.cu"))):
        opened = open_file(path)
        for signature in opened.kernels:
            yield f"{path.parent.name}/{path.stem} {signature.name}", until_refused(_of_kernel(opened, signature))
    for operation in (*PRODUCTS, *KINDS):
        for family in ("", *FAMILIES):
            yield f"sizes {operation} {family}", _sizes(operation, family)


def until_refused(lines: Iterator[str]) -> str:
    """Return what is read of a kernel, up to the sentence that refuses it."""
    said = []
    try:
        for line in lines:
            said.append(line)  # noqa: PERF402 -- what was read before a refusal counts
    except (CheckError, SourceError, LaunchError, RolesError) as refused:
        said.append(f"refused: {refused}")
    return "\n".join(said)


def _of_kernel(opened: OpenedFile, signature: KernelSignature) -> Iterator[str]:
    options = with_said_launch(opened, signature, Options())
    described = with_described_launch(opened, signature)
    kernel = KernelFile(described or opened, signature, options)
    rule = launch_of(kernel, parameters_of(kernel))
    yield f"{described is not None} {rule and rule.said} {sorted(kernel.indices)} {kernel.looped_axes} {kernel.numbers}"
    if isinstance(rule, OwnLaunch):
        yield f"{rule.roots} {sorted(rule.block_names)} {rule.unknown} {sorted(rule.taken_for_sides)} {rule.counts}"
    yield f"{kernel.shared_extents} {list(kernel.constants.items())} {list(kernel.size_variables.items())}"
    shapes = block_shapes(
        kernel.indices,
        kernel.shared_extents,
        kernel.numbers,
        launch_bound(kernel.text_with_head, kernel.known_numbers),
    )
    yield f"{shapes} {stated_shapes(kernel, shapes)} {promise_of_vectors(kernel)} {says_multiples(opened.file.text)}"
    for operation in ("matmul", "dot"):
        found = guesses(operation, kernel.shared_extents, kernel.indices, kernel.numbers)
        yield " ".join(each.said for each in found)
    yield f"{kernel.notes} {kernel.template_arguments}"
    yield from _guesses(candidate_of(kernel), operations_of(kernel))


def _guesses(candidate: Candidate, operations: Any) -> Iterator[str]:
    slots = candidate.slots
    yield (
        f"{slots.pointers} {slots.may_be_c} {slots.sizes} {slots.factors} {slots.constants} {slots.said} "
        f"{slots.settled} {slots.counts} {slots.count} {list(slots.dtypes.items())}"
    )
    yield f"{candidate.is_guessed} {candidate.is_batched} {candidate.is_flat} {candidate.looks_like_dot}"
    for operation in operations:
        for family in families_of(operation, slots):
            roles = list(islice(hypotheses(operation, family, slots), MOST_GUESSES))
            rarer = list(islice(hypotheses(operation, family, slots, rarer_for_tile=16), MOST_GUESSES))
            yield f"{operation} {family}: {' '.join(map(str, roles))}; {' '.join(map(str, rarer))}"
            if roles and not candidate.is_guessed:
                (rule,) = candidate.rules(operation)
                yield f"{tile_of(rule, roles[0], candidate.shared_extents)}"


def _sizes(operation: str, family: str) -> str:
    found: list[object] = []
    for unit in UNITS:
        found += [each(operation, family, unit) for each in (trial_sizes, fewer_rows, least_inner, uneven)]
        found += looped_sizes(operation, family, unit)
        found += [tested_sizes(operation, family, unit, 7, multiples) for multiples in (None, 4, unit)]
    if operation in KINDS:
        kind = KINDS[operation]
        grids = [each for block in ((256, 1, 1), (32, 8, 1)) for each in grids_of_kind(kind, block, [(16, 16), (64,)])]
        found += [*grids, in_words_of(kind, "ceil(cols/16),ceil(rows/16)") if len(kind.c) == 2 else ""]
        found += _results(kind)
    return "\n".join(map(str, found))


def _results(kind: Kind) -> Iterator[object]:
    """Yield the operands and the result of a kind, for small arrays."""
    shapes = {name: tuple(int(evaluate(side, AT)) for side in kind.shape_of(name)) for name in "ABC"}
    for dtype in ("float32", "uint8", "float16"):
        generator = numpy.random.default_rng(3)
        a, b = kind.operands(shapes, dict.fromkeys("ABC", numpy.dtype(dtype)), generator)
        yield a.tolist(), b.tolist(), kind.shifted(a, generator).ravel()[:5].tolist()
        result = numpy.asarray(kind.result(a.astype("f8"), b.astype("f8")), "f8")
        yield [f"{value:.6g}" for value in result.ravel()]
