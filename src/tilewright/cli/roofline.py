"""`tilewright roofline`: how fast a kernel can be on a chip, and what bounds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tilewright.choose import DeviceFacts, PlanError, Roofline, chip_names, find_chip
from tilewright.choose import roofline as roofline_of
from tilewright.choose.occupancy.launched import kernel_named
from tilewright.choose.occupancy.roofline import rate
from tilewright.kernels import TaughtKernel

from .json_output import JSON_HELP, STANDARD_OUTPUT, check_json_path, write_json
from .occupancy import DEVICE_HELP, device_facts
from .options import DtypeName
from .refusals import Refusal
from .screen import screen
from .tables import print_whole


def roofline(
    kernel: Annotated[str, typer.Argument(metavar="OPERATION/IDEA", help="Such as matmul/tiled.")],
    device: Annotated[str | None, typer.Option(metavar="CHIP", help=DEVICE_HELP)] = None,
    tile: Annotated[int | None, typer.Option(help="One tile. Without it, on one chip: the usual ones.")] = None,
    dtype: Annotated[DtypeName, typer.Option(help="The element type.")] = DtypeName.float32,
    size: Annotated[
        tuple[int, int, int] | None,
        typer.Option(metavar="M N K", help="Count the loads of this problem. Without it: those of large matrices."),
    ] = None,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
) -> None:
    """Say how fast a kernel can be on a chip, and whether memory or computing bounds it: no GPU is needed."""
    check_json_path(json_path)
    found, _ = kernel_named(kernel, tile, dtype.value)
    asked: list[tuple[str, DeviceFacts, int | None]]
    missing: list[str] = []
    if device is not None:
        facts = device_facts(device)
        by_tile = found.tile is not None and tile is None and found.loads_once_per_block
        tiles = found.tile.usual if found.tile is not None and by_tile else (tile,)
        asked = [(str(each) if each is not None else "-", facts, each) for each in tiles]
    else:
        missing = [name for name in chip_names() if not _has_rates(find_chip(name), dtype.value)]
        asked = [(name, find_chip(name), tile) for name in chip_names() if name not in missing]
    answers, unfit = _answered(found, asked, dtype.value, size)
    rows = [_row(answer) for _, answer in answers]
    write_json(json_path, {"rows": rows, "not_known": missing, "does_not_fit": unfit})
    if json_path == STANDARD_OUTPUT:
        return
    console = screen()
    _print(console, answers, "chip" if device is None else "tile")
    if missing:
        console.print(f"No {dtype.value} peak is known of {', '.join(missing)}.", markup=False)
    for sentence in unfit:
        console.print(sentence, markup=False)
    if device is not None:
        _print_one(console, answers[-1][1])


def _has_rates(facts: DeviceFacts, dtype: str) -> bool:
    return facts.peak_gflops(dtype) is not None and facts.bandwidth_gb_per_s is not None


def _answered(
    kernel: TaughtKernel,
    asked: Sequence[tuple[str, DeviceFacts, int | None]],
    dtype: str,
    size: tuple[int, int, int] | None,
) -> tuple[list[tuple[str, Roofline]], list[str]]:
    """Return what was asked for with its label, and why the rest has no roofline; refuse where nothing is left."""
    answers, unfit = [], []
    for label, facts, tile in asked:
        try:
            answers.append((label, roofline_of(kernel, facts, tile=tile, dtype=dtype, size=size)))
        except PlanError as error:
            unfit.append(str(error))
    if not answers:
        raise Refusal(unfit[0])
    return answers, unfit


def _print(console: Console, answers: list[tuple[str, Roofline]], first: str) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, no_wrap=True, style="cyan", justify="right" if first == "tile" else "left")
    names = ["FLOP\nper byte", "ridge", "bandwidth\nGB/s", "peak\nGFLOP/s", "attainable\nGFLOP/s", "of\npeak"]
    names += ["peak needs\nGB/s"]
    if answers[0][1].each_once is not None:
        names += ["perfect\ncache"]
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("bound by")
    for label, answer in answers:
        roof = answer.every_load
        cells = [f"{roof.flops_per_byte:.4g}", f"{answer.ridge_flops_per_byte:.4g}", rate(answer.bandwidth_gb_per_s)]
        cells += [rate(answer.peak_gflops), rate(roof.attainable_gflops)]
        cells += [f"{roof.attainable_gflops / answer.peak_gflops:.0%}", rate(roof.needed_gb_per_s)]
        if answer.each_once is not None:
            cells += [rate(answer.each_once.attainable_gflops)]
        table.add_row(label, *cells, roof.bound)
    print_whole(console, table)
    console.print()


def _print_one(console: Console, answer: Roofline) -> None:
    console.print(str(answer), markup=False)
    if answer.phase is not None:
        loads, flops = answer.phase.loads_per_block, answer.phase.flops_per_block
        console.print(f"Per block and phase: {loads:,} loads for {flops:,} operations.", markup=False)
    for what, where in answer.where.items():
        console.print(f"{what}: {where}", markup=False, style="dim")


def _row(answer: Roofline) -> dict[str, Any]:
    return {
        "device": answer.device.name,
        "kernel": answer.kernel,
        "tile": answer.tile,
        "dtype": answer.dtype,
        "size": answer.sizes,
        "peak_gflops": answer.peak_gflops,
        "bandwidth_gb_per_s": answer.bandwidth_gb_per_s,
        "ridge_flops_per_byte": answer.ridge_flops_per_byte,
        "every_load": asdict(answer.every_load),
        "each_once": None if answer.each_once is None else asdict(answer.each_once),
        "phase": None if answer.phase is None else asdict(answer.phase),
        "where": answer.where,
        "sentence": str(answer),
    }
