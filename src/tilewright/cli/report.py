"""`tilewright report`: everything about one multiplication, as one HTML file."""

from __future__ import annotations

import shlex
import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tilewright.lab.compare.inputs import SEED_SIZES, Inputs, file_inputs, random_inputs

from . import FAILED, PASSED
from .options import DtypeName, OperationName, check_size
from .refusals import Refusal
from .screen import Bar, error_screen, screen
from .within import MemoryLimit, TimeLimit, status_within
from .writing import check_ending, check_outputs, write_whole


class ReportDevice(StrEnum):
    """Where a report's kernels are timed, as the option takes it."""

    auto = "auto"
    gpu = "gpu"
    emulator = "emulator"


def report(
    a: Annotated[str | None, typer.Argument(metavar="A", help="File with A: .npy .npz .mtx .csv.")] = None,
    b: Annotated[str | None, typer.Argument(metavar="B", help="File with B; file.npz:name names an array.")] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page: one file that any browser opens.")
    ] = Path("report.html"),
    operation: Annotated[
        OperationName | None, typer.Option(help="Without it: matmul; with files that hold vectors: dot.")
    ] = None,
    size: Annotated[
        tuple[int, int, int] | None,
        typer.Option(metavar="M N K", help="In place of files, random: C is M x N, K the inner size; of dot 1 1 K."),
    ] = None,
    dtype: Annotated[DtypeName | None, typer.Option(help="Without it float32; files have their own.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the random matrices, 0 without it.")] = None,
    chip: Annotated[
        str, typer.Option(metavar="CHIP", help="What occupancy, roofline and sweep are of (`tilewright chips`).")
    ] = "h200",
    device: Annotated[
        ReportDevice, typer.Option(help="emulator: time on no GPU. auto: on a GPU as well, where there is one.")
    ] = ReportDevice.auto,
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
) -> int:
    """Write one page about one multiplication: its answer, each kernel, occupancy, roofline, tiles, an animation."""
    if (status := status_within("the report", time_limit, memory_limit)) is not None:
        return status
    check_outputs([output])
    check_ending(output, "a page", ".html", ".htm")
    inputs = _inputs(a, b, operation, size, dtype, seed)
    console, began = screen(), time.perf_counter()
    with Bar(error_screen()).running("importing the emulator"):
        from tilewright.lab.plots.look import Look, drawing_in
        from tilewright.lab.report.reporting import report_on
    with drawing_in(Look()):
        pass  # refuses before anything runs where Matplotlib is missing
    with Bar(error_screen()).stages("making A and B") as say:
        found = report_on(inputs, chip=chip, device=device.value, doing=say)
        if say is not None:
            say("drawing", 1, 1)
        made_by = shlex.join(["tilewright", *sys.argv[1:]])
        page = found.page(made_by=made_by, made_on=time.strftime("%Y-%m-%d")).encode()
    write_whole(output, page)
    seconds = time.perf_counter() - began
    console.print(
        f"{output}: {inputs.problem}, {len(page) / 1000:,.0f} kB, in {seconds:.1f} s. Any browser opens it.",
        markup=False,
        soft_wrap=True,
    )
    if found.counted != found.problem:
        m, n, k = found.counted.sizes
        part = f"{k:,} elements" if found.problem.about.vectors else f"m = {m:,}, n = {n:,}, k = {k:,}"
        console.print(f"Kernels were counted on its beginning alone: {part}.", markup=False, soft_wrap=True)
    if not found.passed:
        console.print("A result is wrong: the page says which.", style="red", markup=False)
    return PASSED if found.passed else FAILED


def _inputs(
    a: str | None,
    b: str | None,
    operation: OperationName | None,
    size: tuple[int, int, int] | None,
    dtype: DtypeName | None,
    seed: int | None,
) -> Inputs:
    name = None if operation is None else operation.value
    kind = None if dtype is None else dtype.value
    if a is None:
        m, n, k = size or SEED_SIZES[name or "matmul"]
        check_size((m, n, k))
        return random_inputs(name or "matmul", (1, 1, k) if name == "dot" else (m, n, k), kind or "float32", seed or 0)
    if b is None:
        raise Refusal(f"Only one file is given, {a}; report takes A and B, or none for random matrices.")
    if size is not None or seed is not None:
        raise Refusal("Files bring their own matrices, so --size and --seed cannot be used with them.")
    return file_inputs(name, (a, b), kind)
