"""`tilewright compare`: every kernel on the same matrices, each checked, timed and counted."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy
import typer
from numpy.typing import NDArray

from tilewright.kernels import OPERATIONS
from tilewright.kernels.catalogue import present_name
from tilewright.lab.compare.inputs import (
    SEED_004_SIZES,
    SEED_SIZES,
    Inputs,
    file_inputs,
    random_inputs,
    seed_004_inputs,
)
from tilewright.lab.compare.planning import candidates, check_names, has_any, known_names, plan_rows, refusal
from tilewright.lab.compare.record import FAIL, Row, record
from tilewright.lab.compare.running import run_rows
from tilewright.launch import facts_of, kernel_machine

from . import FAILED, PASSED
from .compare_table import print_legend, print_table
from .json_output import JSON_HELP, STANDARD_OUTPUT, write_json
from .options import DeviceName, OperationName, check_size
from .progress import Bar
from .refusals import Refusal
from .screen import error_screen, screen
from .writing import check_ending, check_outputs, write_whole


class InputName(StrEnum):
    """The built-in inputs, as the option takes them."""

    random = "random"
    seed004 = "seed004"


class TypeName(StrEnum):
    """The types of A and B, as the option takes them."""

    float32 = "float32"
    float64 = "float64"
    float16 = "float16"
    bfloat16 = "bfloat16"


def compare(
    a: Annotated[str | None, typer.Argument(metavar="A", help="File with A: .npy .npz .mtx .csv.")] = None,
    b: Annotated[str | None, typer.Argument(metavar="B", help="File with B; file.npz:name names an array.")] = None,
    operation: Annotated[OperationName | None, typer.Option(help="Without it: all; with files: matmul.")] = None,
    size: Annotated[
        tuple[int, int, int] | None,
        typer.Option(metavar="M N K", help="C is M x N, K the inner size; dot takes K alone."),
    ] = None,
    kernel: Annotated[list[str] | None, typer.Option(help="A kernel, such as tiled; may be repeated.")] = None,
    tile: Annotated[list[int] | None, typer.Option(help="A tile in place of the default; may be repeated.")] = None,
    dtype: Annotated[
        TypeName | None, typer.Option(help="Without it float32; files and seed004 have their own.")
    ] = None,
    device: Annotated[
        DeviceName, typer.Option(help="auto: the GPU, or the emulator where there is none.")
    ] = DeviceName.auto,
    source: Annotated[
        InputName, typer.Option("--input", help="What to multiply when no files are given.")
    ] = InputName.random,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the random matrices, 0 without it.")] = None,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="C.npy", help="Write C of the first kernel that is right.")
    ] = None,
) -> int:
    """Multiply real matrices with every kernel, and check, time and count each."""
    check_outputs([path for path in (json_path, out) if path is not None and path != STANDARD_OUTPUT])
    check_ending(out, "a NumPy array", ".npy")
    names, tiles = [present_name(name) for name in kernel or []], list(dict.fromkeys(tile or []))
    if seed is not None and (a is not None or source is not InputName.random):
        raise Refusal(f"--seed {seed} cannot be used: it makes random matrices, and these are given.")
    inputs = _inputs(a, b, operation, size, dtype, source, seed or 0, names)
    if out is not None and len(inputs) != 1:
        raise Refusal("--out takes the result of one operation; choose it with --operation.")
    machine, unused_gpu = kernel_machine() if device is DeviceName.auto else (device.value, None)

    console, bar = screen(), Bar(error_screen())
    console.quiet = json_path == STANDARD_OUTPUT
    with bar.running("planning and compiling"):
        planned = [plan_rows(item, candidates(item.problem, names, tiles, machine)) for item in inputs]
    _refuse(planned, names, tiles)
    results: list[NDArray[Any]] = []
    tables: list[tuple[Inputs, Sequence[Row]]] = []
    for item, plans in zip(inputs, planned, strict=True):
        rows = run_rows(item, plans, bar.running, lambda c: results.append(c) if not results else None)
        tables.append((item, rows))
        print_table(console, item, rows)
    ran = {row.candidate.machine for _, rows in tables for row in rows if row.run is not None}
    used = machine if machine in ran else "host"
    print_legend(console, used, facts_of(used).name)
    if unused_gpu is not None:
        console.print(unused_gpu, style="yellow", markup=False)

    if json_path is not None:
        write_json(json_path, record(machine, tables))
    if out is not None and results:
        write_whole(out, lambda file: numpy.save(file, results[0], allow_pickle=False))
    elif out is not None:
        console.print(f"{out} was not written: no result is right.", style="red", markup=False)
    _refuse([rows for _, rows in tables], names, tiles)  # what only running could tell, as a lack of memory
    return FAILED if any(row.status == FAIL for _, rows in tables for row in rows) else PASSED


def _refuse(tables: Sequence[Sequence[Row]], names: list[str], tiles: list[int]) -> None:
    why = refusal([row for rows in tables for row in rows], names, tiles)
    if why is not None:
        raise Refusal(why)


def _inputs(
    a: str | None,
    b: str | None,
    operation: OperationName | None,
    size: tuple[int, int, int] | None,
    dtype: TypeName | None,
    source: InputName,
    seed: int,
    names: list[str],
) -> list[Inputs]:
    asked = None if operation is None else operation.value
    if a is not None:
        if b is None:
            raise Refusal(f"Only one file is given, {a}; compare takes A and B, or none for random matrices.")
        if size is not None or source is not InputName.random:
            raise Refusal("Files bring their own matrices, so --size and --input cannot be used with them.")
        inputs = file_inputs(asked, (a, b), None if dtype is None else dtype.value)
        kind = inputs.problem.dtype
        check_names(known_names(names, kind), inputs.problem.operation, kind)
        return [inputs]
    if size is not None:
        check_size(size)
    kind = (dtype or (TypeName.float64 if source is InputName.seed004 else TypeName.float32)).value
    known_names(names, kind)
    if asked:
        check_names(names, asked, kind)
    operations = [asked] if asked else [item.name for item in OPERATIONS if has_any(item.name, names, kind)]
    return [_built_in(name, size, kind, source, seed) for name in operations]


def _built_in(operation: str, size: tuple[int, int, int] | None, dtype: str, source: InputName, seed: int) -> Inputs:
    defaults = SEED_004_SIZES if source is InputName.seed004 else SEED_SIZES
    m, n, k = size or defaults[operation]
    sizes = (1, 1, k) if operation == "dot" else (m, n, k)
    if source is InputName.seed004:
        return seed_004_inputs(operation, sizes, dtype)
    return random_inputs(operation, sizes, dtype, seed)
