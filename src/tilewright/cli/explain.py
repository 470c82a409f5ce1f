"""`tilewright explain`: the plan for a problem, with its reasons; nothing runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from tilewright.call.arguments import check_kernel
from tilewright.call.way import machine_name
from tilewright.choose import Problem, choose_plan
from tilewright.launch import facts_of, kernel_machine

from .options import DeviceName, DtypeName, OperationName, PrecisionName, check_size
from .screen import screen


def explain(
    operation: Annotated[OperationName, typer.Option(help="What is computed.")] = OperationName.matmul,
    size: Annotated[
        tuple[int, int, int], typer.Option(metavar="M N K", help="C is M x N, K the inner size; of dot 1 1 K.")
    ] = (
        64,
        64,
        64,
    ),
    kernel: Annotated[str, typer.Option(help="auto, or a kernel such as tiled.")] = "auto",
    tile: Annotated[int | None, typer.Option(help="A tile in place of the plan's own.")] = None,
    dtype: Annotated[DtypeName, typer.Option(help="The element type.")] = DtypeName.float32,
    precision: Annotated[PrecisionName, typer.Option(help="How float32 is multiplied.")] = PrecisionName.auto,
    device: Annotated[
        DeviceName, typer.Option(help="auto: the GPU, or the emulator where there is none.")
    ] = DeviceName.auto,
) -> None:
    """Say which kernel would run, with which tile, grid and block, and why."""
    check_size(size)
    m, n, k = size
    sizes = (1, 1, k) if operation is OperationName.dot else (m, n, k)
    machine = machine_name(device.value, check_kernel(operation.value, kernel, tile))
    if device is DeviceName.auto and kernel.rpartition("/")[2] == "auto":
        machine, _ = kernel_machine()
    problem = replace(Problem.of(operation.value, *sizes, dtype.value), precision=precision.value)
    plan = choose_plan(problem, facts_of(machine), kernel, tile)
    screen().print(str(plan), markup=False, soft_wrap=True)
