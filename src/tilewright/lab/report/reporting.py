"""`tilewright.report`: a report on two arrays, two files, or random matrices."""

from __future__ import annotations

from pathlib import Path

from tilewright.call.arguments import check_operation
from tilewright.call.errors import ShapeError
from tilewright.call.free_memory import free_memory_bytes, in_words
from tilewright.choose import PlanError
from tilewright.lab.compare.inputs import SEED_SIZES, Inputs, array_inputs, file_inputs, random_inputs
from tilewright.lab.compare.planning import needed_bytes
from tilewright.lab.report.contents import Given, Report
from tilewright.lab.report.gathering import DEFAULT_CHIP, Doing, gather


def report(
    a: object = None,
    b: object = None,
    *,
    operation: str | None = None,
    size: tuple[int, int, int] | None = None,
    dtype: str | None = None,
    chip: str = DEFAULT_CHIP,
    device: str = "auto",
    seed: int = 0,
    doing: Doing | None = None,
) -> Report:
    """Find out everything about one multiplication; a notebook shows it as a page.

    Args:
        a: A (m, k), or (k,) for dot: a NumPy array, nested lists, or the path of a file; None for random matrices.
        b: B (k, n), or (k,) for dot, likewise.
        operation: "matmul", "reduced_matmul" or "dot"; None for dot of two vectors and matmul of all else.
        size: m, n and k of random matrices.
        dtype: "float32" or "float64"; None for float32 where A and B are.
        chip: what occupancy, roofline, sweep and modelled times are of (`tilewright.chip_names()`).
        device: "auto" to time the kernels on a GPU where there is one, "gpu" to insist, "emulator" to leave it alone.
        seed: of random matrices.
        doing: told what begins, and which part of how many it is.

    Raises:
        ShapeError, DtypeError, FileError: A and B cannot be multiplied.
        UnknownChipError, PlanError: no such chip, no model of it, too little memory, or sizes that no kernel takes.
        CompileError, CompilerMissingError, DeviceUnavailableError: kernels cannot be compiled, or there is no GPU.
    """
    inputs = _inputs(a, b, operation, size, dtype, seed)
    return report_on(inputs, chip=chip, device=device, doing=doing)


def report_on(inputs: Inputs, *, chip: str, device: str, doing: Doing | None) -> Report:
    """Report on matrices that may have to be made yet, where memory allows it."""
    problem = inputs.problem
    impossible = problem.about.refusal(*problem.sizes)
    if impossible:
        raise PlanError(impossible)
    needed, free = needed_bytes(problem) - inputs.held_bytes, free_memory_bytes()
    if free is not None and needed > free:
        raise PlanError(
            f"{problem} needs about {in_words(needed)} of memory with its reference, and {in_words(free)} are free; "
            "use smaller sizes."
        )
    a, b = inputs.make()
    return gather(Given(problem, a, b, inputs.description, inputs.notes), chip=chip, device=device, doing=doing)


def _inputs(
    a: object, b: object, operation: str | None, size: tuple[int, int, int] | None, dtype: str | None, seed: int
) -> Inputs:
    if operation is not None:
        check_operation(operation)
    if dtype not in (None, "float32", "float64"):
        raise PlanError(f"report takes the types float32 and float64, not {dtype!r}.")
    if a is None and b is None:
        operation = operation or "matmul"
        m, n, k = size or SEED_SIZES[operation]
        return random_inputs(operation, (1, 1, k) if operation == "dot" else (m, n, k), dtype or "float32", seed)
    if a is None or b is None:
        raise ShapeError("Only one of A and B is given; report takes both, or none for random matrices.")
    if size is not None:
        raise ShapeError(f"A and B have sizes of their own, so size = {size} cannot be used with them.")
    if isinstance(a, str | Path) and isinstance(b, str | Path):
        return file_inputs(operation, (str(a), str(b)), dtype)
    return array_inputs(operation, (a, b), dtype)
