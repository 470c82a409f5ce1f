"""`tilewright roofline`: how fast a kernel can be on a chip, and what bounds it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tilewright.choose import Roofline, chip_names, find_chip
from tilewright.choose import roofline as roofline_of
from tilewright.choose.launched import kernel_named
from tilewright.choose.roofline import rate

from .json_output import JSON_HELP, STANDARD_OUTPUT, check_json_path, write_json
from .occupancy import DEVICE_HELP, device_facts
from .options import DtypeName
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
    answers: list[tuple[str, Roofline]] = []
    missing = []
    if device is not None:
        facts = device_facts(device)
        tiles = found.tile.usual if found.tile is not None and tile is None and found.loads_once_per_block else (tile,)
        for each in tiles:
            answer = roofline_of(found, facts, tile=each, dtype=dtype.value, size=size)
            answers.append(("-" if answer.tile is None else str(answer.tile), answer))
    else:
        for name in chip_names():
            facts = find_chip(name)
            if facts.peak_gflops(dtype.value) is None or facts.bandwidth_gb_per_s is None:
                missing.append(name)
            else:
                answers.append((name, roofline_of(found, facts, tile=tile, dtype=dtype.value, size=size)))
    write_json(json_path, {"rows": [_row(answer) for _, answer in answers], "not_known": missing})
    if json_path == STANDARD_OUTPUT:
        return
    console = screen()
    _print(console, answers, "chip" if device is None else "tile")
    if missing:
        console.print(f"No {dtype.value} peak is known of {', '.join(missing)}.", markup=False)
    if device is not None:
        _print_one(console, answers[-1][1])


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
