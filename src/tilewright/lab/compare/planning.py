"""What a comparison will run: a plan for each kernel and tile, or why there is none.

A row that cannot run says why; the others run. The comparison as a whole is refused when a kernel or a tile that the
user named can run nowhere, or when nothing can run on the device.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod

from tilewright.call.free_memory import free_memory_bytes
from tilewright.choose import EMULATOR_FACTS, PlanError, Problem, choose_plan
from tilewright.choose.quantities import in_words
from tilewright.compile import CompileError, CompilerMissingError
from tilewright.kernels import OPERATIONS, UnknownKernelError, find, kernels_of
from tilewright.kernels.catalogue import present_name
from tilewright.kernels.precision import accepted
from tilewright.kernels.problem import INPUT_DTYPES
from tilewright.kernels.taught import TaughtKernel
from tilewright.launch import DeviceUnavailableError, facts_of
from tilewright.launch.plan_run import prepare

from .inputs import Inputs
from .record import EMPTY, NOT_RUN, PLANNED, REFUSED, Candidate, Row

LARGEST_ARRAY_BYTES = 2**63 - 1
"""NumPy's limit; sizes of 0 count as 1 in it."""


def ideas_of(operation: str, dtype: str) -> list[str]:
    """What can be run for an operation in a type, in the catalogue's order, NumPy last (not in 16-bit types)."""
    ideas = [kernel.idea for kernel in kernels_of(operation) if dtype in kernel.since]
    return ideas if dtype in INPUT_DTYPES else [*ideas, "numpy"]


def names_kernel(name: str, operation: str, idea: str) -> bool:
    """Whether a name, an idea or "auto" with or without its operation, stands for a kernel."""
    prefix, slash, asked = name.rpartition("/")
    return (not slash or prefix == operation) and asked in ("auto", idea)


def known_names(names: Sequence[str], dtype: str) -> list[str]:
    """The names as they are now, after a look into the catalogue.

    Raises:
        UnknownKernelError: there is no such kernel.
        PlanError: it takes no A and B of the type.
    """
    names = [present_name(name) for name in names]
    for name in names:
        if any(has_any(item.name, [name], dtype) for item in OPERATIONS):
            continue
        kernels = [kernel for item in OPERATIONS for kernel in kernels_of(item.name)]
        for kernel in kernels:
            if names_kernel(name, kernel.operation, kernel.idea):
                raise PlanError(f"This comparison is in {dtype}, and {kernel.chip_refusal(dtype, None)}")
        if name.rpartition("/")[2] == "numpy":
            raise PlanError(f"NumPy does not sum {dtype} in float32, as kernels do; leave numpy out.")
        ideas = dict.fromkeys(["auto", "numpy", *(kernel.idea for kernel in kernels)])
        raise UnknownKernelError(f"There is no kernel {name!r}; there are {', '.join(ideas)}.")
    return names


def check_names(names: Sequence[str], operation: str, dtype: str) -> None:
    """Refuse names that stand for none of the operation's kernels, where it is the only operation."""
    ideas = ideas_of(operation, dtype)
    for name in names:
        if not has_any(operation, [name], dtype):
            raise UnknownKernelError(f"{operation} has no kernel {name}; it has {', '.join(ideas)}.")


def has_any(operation: str, names: Sequence[str], dtype: str) -> bool:
    """Whether any of the names, or any kernel where none are given, stands for a kernel of the operation."""
    ideas = ideas_of(operation, dtype)
    return any(names_kernel(name, operation, idea) for name in names or ["auto"] for idea in ideas)


def candidates(problem: Problem, names: Sequence[str], tiles: Sequence[int], device: str) -> list[Candidate]:
    """What to run for a problem, in the order of `ideas_of`; on the emulator what it executes, and what is named.

    A kernel for some shapes alone is left out where the problem has another, unless it is named.
    names: ideas or operation/idea; none means every kernel. Names of other operations are passed over.
    device: "gpu", "emulator" or "host"; sequential and NumPy run on the host whatever it is.
    """
    ideas, operation = [], problem.operation
    for idea in ideas_of(operation, problem.dtype):
        by = [name for name in names or ["auto"] if names_kernel(name, operation, idea)]
        by_itself = any(name.rpartition("/")[2] != "auto" for name in by)
        if by_itself or (by and (_on_host(operation, idea) or _takes(problem, idea, device))):
            ideas.append(idea)
    return [candidate for idea in ideas for candidate in _tiled(operation, idea, tiles, device)]


def _takes(problem: Problem, idea: str, device: str) -> bool:
    """Whether a kernel runs on a device, and takes products of such a shape; the seeds' say why where they do not."""
    kernel = find(problem.operation, idea)
    is_taught = isinstance(kernel, TaughtKernel)
    return device in kernel.runs_on and (is_taught or kernel.refusal(problem, EMULATOR_FACTS) is None)


def _tiled(operation: str, idea: str, tiles: Sequence[int], device: str) -> Iterator[Candidate]:
    if _on_host(operation, idea):
        yield Candidate(idea, None, "host")
        return
    takes_tile = find(operation, idea).tile is not None
    for tile in tiles if takes_tile and tiles else (None,):
        yield Candidate(idea, tile, device)


def _on_host(operation: str, idea: str) -> bool:
    return idea == "numpy" or "host" in find(operation, idea).runs_on


def plan_rows(inputs: Inputs, chosen: Iterable[Candidate]) -> list[Row]:
    """A row for each candidate: PLANNED with its plan, its kernel compiled and its machine open, or why not.

    Raises:
        DeviceUnavailableError, MachineError: the device cannot be used here.
    """
    problem = inputs.problem
    impossible = problem.size_refusal or _memory_refusal(problem, inputs.held_bytes)
    rows = [Row(problem.operation, candidate, REFUSED, note=impossible or "") for candidate in chosen]
    return rows if impossible else [_planned(_as_multiplied(problem, row), row) for row in rows]


def _as_multiplied(problem: Problem, row: Row) -> Problem:
    """Return the problem with the precision that the kernel has, where it is not as accurate as SGEMM."""
    idea = row.candidate.idea
    honoured = () if problem.precision is None or idea == "numpy" else find(problem.operation, idea).precisions
    return replace(problem, precision=honoured[0]) if honoured and "auto" not in accepted(honoured) else problem


def _planned(problem: Problem, row: Row) -> Row:
    candidate = row.candidate
    on_host = candidate.machine == "host"
    try:
        plan = choose_plan(problem, facts_of(candidate.machine), candidate.idea, candidate.tile)
    except PlanError as error:
        return replace(row, status=NOT_RUN if on_host else REFUSED, note=str(error))
    if not on_host and problem.is_empty:
        note = f"C {problem.c_shape} is empty: kernels have nothing to compute, and none was launched."
        return replace(row, status=EMPTY, note=note)
    try:
        prepare(plan)
    except (CompileError, CompilerMissingError, PlanError) as error:
        return replace(row, note=str(error))
    except DeviceUnavailableError as error:
        if not on_host:
            raise
        return replace(row, status=NOT_RUN, note=str(error))
    return replace(row, status=PLANNED, plan=plan)


def needed_bytes(problem: Problem) -> int:
    """The peak memory of a comparison, within a third of what was measured.

    It is reached in checking, while the emulator keeps its copies: A and B as given, copied, as absolute values and in
    float64; C as results, reference, bound and their intermediates.
    """
    element = problem.element_bytes
    given, result = prod(problem.a_shape) + prod(problem.b_shape), prod(problem.c_shape)
    return given * (3 * element + 8) + result * (3 * element + 6 * 8)


def _memory_refusal(problem: Problem, held_bytes: int) -> str | None:
    shapes = {"A": problem.a_shape, "B": problem.b_shape, "C": problem.c_shape}
    for name, shape in shapes.items():
        if prod(max(1, side) for side in shape) * 8 > LARGEST_ARRAY_BYTES:
            return f"{name} {shape} would be larger than any array can be."
    needed, free = needed_bytes(problem) - held_bytes, free_memory_bytes()
    if free is None or needed <= free:
        return None
    return (
        f"{problem} needs about {in_words(needed)} of memory with its reference, and {in_words(free)} are free; "
        "use smaller sizes."
    )


def refusal(rows: Sequence[Row], names: Sequence[str], tiles: Sequence[int]) -> str | None:
    """Why the comparison as a whole is refused, or None. `rows` are those of all operations, planned or run."""
    for name in names:
        asked = [row for row in rows if names_kernel(name, row.operation, row.candidate.idea)]
        if name.rpartition("/")[2] != "auto" and not any(row.can for row in asked):
            return asked[0].note
    for tile in tiles:
        asked = [row for row in rows if row.candidate.tile == tile]
        if not asked:
            return f"Tile {tile} cannot be used: {_listed(rows)} {'have' if len(rows) > 1 else 'has'} no tile to set."
        if not any(row.can or row.status == EMPTY for row in asked):
            return asked[0].note
    on_device = [row for row in rows if row.candidate.machine != "host"]
    if on_device and not any(row.can or row.status == EMPTY for row in on_device):
        return on_device[0].note
    if rows and not any(row.can or row.status == EMPTY for row in rows):
        return rows[0].note
    return None


def _listed(rows: Sequence[Row]) -> str:
    *others, last = dict.fromkeys(row.name for row in rows)
    return f"{', '.join(others)} and {last}" if others else last
