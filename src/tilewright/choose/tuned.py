"""The plan of a product that was timed on this card by `tilewright tune`: by measurement, in place of the models."""

from __future__ import annotations

from typing import NamedTuple

from tilewright.choose.candidates import candidates
from tilewright.kernels.batches import flattened
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.kernel import Kernel
from tilewright.kernels.launch import Launches
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError


class TunedPlan(NamedTuple):
    """The kernel that was the fastest, the reason as a sentence, and its launches."""

    kernel: Kernel
    why: str
    launches: Launches


def tuned_plan(problem: Problem, facts: DeviceFacts) -> TunedPlan | None:
    """Return what was measured to be faster than the models' choice for a product; None where nothing was.

    A product with an epilogue has the plan of the one without.
    """
    if facts.tuned is None or not facts.tuned.choices or problem.operation != "matmul" or problem.invariant:
        return None
    kept = facts.tuned.choices.get(problem_key(problem))
    if kept is None:
        return None
    for each in candidates(problem, facts, kept.kernel):
        if each.tile == kept.tile:
            try:
                launches = each.launches()
            except PlanError:
                return None
            without = "" if problem.epilogue.is_plain else " (measured without an epilogue)"
            why = (
                f"{kept.kernel} is the choice on {facts.name}, tuned on this card: {kept.us:,.1f} us, the model's "
                f"choice {kept.model_us:,.1f} us{without}. {each.kernel.summary}"
            )
            return TunedPlan(each.kernel, why, launches)
    return None


def problem_key(problem: Problem) -> str:
    """Return what a measured product is kept by, as in ``bfloat16 8x1000x64x1000 row/16 column/16 row/16``.

    That is the type, batch, rows, inner size and columns; of A, B and C along what they are contiguous, and in vectors
    of how many bytes they can be read; for float32 the precision that was asked for.
    """
    flat = flattened(problem) if problem.batch else problem
    sizes = "x".join(map(str, (*flat.batch, problem.m, problem.k, problem.n)))
    types = problem.dtype if problem.out_dtype == problem.dtype else f"{problem.dtype}->{problem.out_dtype}"
    lies = (_lies(flat.a, flat.element_bytes), _lies(flat.b, flat.element_bytes), _lies(flat.c, flat.out_bytes))
    return " ".join((types, sizes, *lies, *([problem.precision] if problem.precision else [])))


def _lies(operand: Operand, element_bytes: int) -> str:
    """Return how an operand lies; for a broadcast one, also which of its batch extents repeat it."""
    repeats = "".join("0" if stride == 0 else "1" for stride in operand.batch_strides)
    text = f"{operand.major or 'neither'}/{operand.vector_bytes(element_bytes)}"
    return f"{text}/{repeats}" if "0" in repeats else text
