"""`tilewright roofline`: how fast a kernel can be on a chip, and what bounds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tilewright.choose import DeviceFacts, PlanError, Roofline, chip_names, find_chip
from tilewright.choose import roofline as roofline_of
from tilewright.choose.occupancy.resident import kernel_named
from tilewright.choose.occupancy.roofline import rate
from tilewright.kernels import TaughtKernel

from .occupancy import DEVICE_HELP, device_facts
from .options import DtypeName
from .refusals import Refusal
from .screen import screen
from .tables import new_table, print_whole
from .writing import JSON_HELP, check_json_path, write_json

HEADINGS = (
    *(">FLOP\nper byte", ">ridge", ">bandwidth\nGB/s", ">peak\nGFLOP/s", ">attainable\nGFLOP/s", ">of\npeak"),
    ">peak needs\nGB/s",
)


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
    asked: list[tuple[str, DeviceFacts, int | None]] = []
    missing: list[str] = []
    if device is not None:
        facts = device_facts(device)
        by_tile = found.tile is not None and tile is None and found.loads_once_per_block
        tiles = found.tile.usual if found.tile is not None and by_tile else (tile,)
        asked = [(str(each) if each is not None else "-", facts, each) for each in tiles]
    else:
        for name, facts in ((name, find_chip(name)) for name in chip_names()):
            if facts.peak_gflops(dtype.value) is None or facts.bandwidth_gb_per_s is None:
                missing.append(name)
            else:
                asked.append((name, facts, tile))
    answers, unfit = _answered(found, asked, dtype.value, size)
    rows = [_row(answer) for _, answer in answers]
    if write_json(json_path, {"rows": rows, "not_known": missing, "does_not_fit": unfit}):
        return
    console = screen()
    _print(console, answers, "chip" if device is None else ">tile")
    if missing:
        console.print(f"No {dtype.value} peak is known of {', '.join(missing)}.", markup=False)
    for sentence in unfit:
        console.print(sentence, markup=False)
    if device is not None:
        _print_one(console, answers[-1][1])


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
    cache = [] if answers[0][1].each_once is None else [">perfect\ncache"]
    table = new_table(first, *HEADINGS, *cache, "~bound by")
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
