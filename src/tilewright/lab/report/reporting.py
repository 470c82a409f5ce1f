"""`tilewright.report`: a report on two arrays, two files, or random matrices."""

from __future__ import annotations

from tilewright.call.free_memory import free_memory_bytes
from tilewright.choose import PlanError
from tilewright.choose.quantities import in_words
from tilewright.lab.compare.inputs import Inputs, inputs_of
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
    """Report on one multiplication; a notebook shows it as a page.

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
    inputs = inputs_of("report", a, b, operation, size, dtype, seed)
    return report_on(inputs, chip=chip, device=device, doing=doing)


def report_on(inputs: Inputs, *, chip: str, device: str, doing: Doing | None) -> Report:
    """Report on matrices, made first if they are not given, if memory allows."""
    problem = inputs.problem
    impossible = problem.size_refusal
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
