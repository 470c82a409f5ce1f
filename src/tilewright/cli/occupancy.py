"""`tilewright occupancy`: how many blocks an SM holds, and what limits them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tilewright.choose import DeviceFacts, Limit, Occupancy, chip_names, find_chip
from tilewright.choose import occupancy as occupancy_of
from tilewright.choose.occupancy.resident import MODEL
from tilewright.lab.compiled_occupancy import compiled_occupancy
from tilewright.launch import facts_of

from .options import DtypeName
from .refusals import Refusal
from .screen import screen
from .tables import new_table, print_whole
from .writing import JSON_HELP, check_json_path, write_json

DEVICE_HELP = "A chip, such as h200 (`tilewright chips` lists them), or gpu for the one at hand. Without it: all chips."
GIVEN = "given"


def occupancy(
    kernel: Annotated[str | None, typer.Argument(metavar="[OPERATION/IDEA]", help="Such as matmul/tiled.")] = None,
    device: Annotated[str | None, typer.Option(metavar="CHIP", help=DEVICE_HELP)] = None,
    tile: Annotated[int | None, typer.Option(help="A tile in place of the default.")] = None,
    dtype: Annotated[DtypeName, typer.Option(help="The element type.")] = DtypeName.float32,
    registers: Annotated[
        int | None, typer.Option(min=0, help="Registers per thread. Without it: what NVRTC takes for the chip.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="In place of a kernel: the threads of a block.")] = None,
    shared_bytes: Annotated[int | None, typer.Option(min=0, help="With --threads: shared memory of a block.")] = None,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
) -> None:
    """Say how many blocks of a kernel an SM holds at a time, and what limits them: no GPU is needed."""
    check_json_path(json_path)
    if (kernel is None) == (threads is None):
        raise Refusal("occupancy takes a kernel, such as matmul/tiled, or --threads, and not both.")
    names = chip_names() if device is None else (device,)
    answers = []
    for facts in map(device_facts, names):
        if kernel is not None and registers is None:
            if shared_bytes is not None:
                raise Refusal("The catalogue says a kernel's shared memory; --shared-bytes goes with --threads.")
            answers.append(compiled_occupancy(kernel, facts, tile=tile, dtype=dtype.value))
        else:
            block = kernel if kernel is not None else threads
            assert block is not None
            answer = occupancy_of(block, facts, registers, tile=tile, dtype=dtype.value, shared_bytes=shared_bytes)
            answers.append((answer, GIVEN if registers is not None else "unknown"))
    if write_json(json_path, {"model": MODEL, "rows": [_row(answer, origin) for answer, origin in answers]}):
        return
    console = screen()
    if device is None:
        _print_chips(console, names, [answer for answer, _ in answers])
    else:
        _print_limits(console, *answers[0])


def device_facts(device: str) -> DeviceFacts:
    """The facts of a chip in the table, or of this machine's GPU."""
    return facts_of("gpu") if device == "gpu" else find_chip(device)


def _print_limits(console: Console, answer: Occupancy, origin: str) -> None:
    table = new_table("limit", ">blocks", *([] if answer.phase is None else [">pending\nloads"]), "~why")
    for limit in answer.limits:
        mark = " <" if limit.resource in answer.limited_by else ""
        loads = [] if answer.phase is None else [_count(_loads(answer, limit))]
        table.add_row(limit.resource, _blocks(limit) + mark, *loads, limit.reason)
    print_whole(console, table)
    console.print()
    console.print(str(answer), markup=False)
    if answer.fraction is not None:
        known = "" if answer.complete else "at most "
        console.print(f"Occupancy: {known}{answer.fraction:.0%} of the warps that an SM holds.")
    if answer.registers_per_thread is not None:
        console.print(f"{answer.registers_per_thread} registers per thread ({origin}).", markup=False)
    console.print(f"All else is {MODEL}.", markup=False)


def _print_chips(console: Console, names: Sequence[str], answers: list[Occupancy]) -> None:
    by = [f">~by {limit.resource}".replace(" ", "\n", 1) for limit in answers[0].limits]
    table = new_table("chip", *by, ">blocks\nper SM", ">of its\nwarps", "~limited by")
    for name, answer in zip(names, answers, strict=True):
        fraction = "-" if answer.fraction is None else f"{answer.fraction:.0%}"
        blocks = f"{'' if answer.complete else '<= '}{_count(answer.blocks_per_sm)}"
        table.add_row(name, *map(_blocks, answer.limits), blocks, fraction, ", ".join(answer.limited_by))
    print_whole(console, table)
    console.print()
    console.print("?: not known; `--device CHIP` says why. -: sets no limit. Blocks per SM are modelled, not measured.")


def _blocks(limit: Limit) -> str:
    if limit.blocks is None:
        return "-" if limit.known else "?"
    return f"{limit.blocks:,}"


def _loads(answer: Occupancy, limit: Limit) -> int | None:
    return None if limit.blocks is None else answer.pending_loads(limit.blocks)


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _row(answer: Occupancy, origin: str) -> dict[str, Any]:
    limits = {
        limit.resource: {"blocks": limit.blocks, "known": limit.known, "reason": limit.reason}
        for limit in answer.limits
    }
    return {
        "device": answer.device.name,
        "kernel": answer.kernel,
        "tile": answer.tile,
        "dtype": answer.dtype,
        "threads_per_block": answer.threads_per_block,
        "shared_bytes_per_block": answer.shared_bytes_per_block,
        "registers_per_thread": answer.registers_per_thread,
        "registers_from": origin,
        "limits": limits,
        "blocks_per_sm": answer.blocks_per_sm,
        "complete": answer.complete,
        "limited_by": list(answer.limited_by),
        "occupancy": answer.fraction,
        "pending_loads": answer.pending_loads(),
        "phase": None if answer.phase is None else asdict(answer.phase),
        "sentence": str(answer),
    }
