"""`tilewright chips`: the table of chips, or one chip with the source of each number."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated

import typer
from rich.markup import escape

from tilewright.choose import DeviceFacts, chip_names, find_chip

from .screen import screen
from .tables import new_table, print_whole

HEADINGS = (
    *(">capa-\nbility", ">SMs", ">threads\nper SM", ">blocks\nper SM", ">shared\nKiB", ">GB/s"),
    *(">float32\nGFLOP/s", ">float64\nGFLOP/s"),
)
NOT_FACTS = ("name", "source", "sources", "machine")


def chips(
    name: Annotated[str | None, typer.Argument(metavar="[CHIP]", help="Show all that is known of this one.")] = None,
) -> None:
    """List the chips that occupancy and roofline know without a GPU, or one of them with the source of each number."""
    console = screen()
    if name is not None:
        _one(find_chip(name))
        return
    table = new_table("chip", "~is", *HEADINGS)
    for chip in chip_names():
        facts = find_chip(chip)
        shared = None if facts.shared_bytes_per_sm is None else facts.shared_bytes_per_sm // 1024
        cells = (facts.sm_count, facts.max_threads_per_sm, facts.max_blocks_per_sm, shared, facts.bandwidth_gb_per_s)
        rates = (facts.fp32_gflops, facts.fp64_gflops)
        table.add_row(chip, escape(facts.name), _version(facts), *(_cell(value) for value in (*cells, *rates)))
    print_whole(console, table)
    console.print()
    console.print("`tilewright chips h200` says all that is known of a chip, and where each number is from.")


def _one(facts: DeviceFacts) -> None:
    console = screen()
    table = new_table("fact", ">value", "~from", title=facts.name)
    for field in fields(facts):
        value = getattr(facts, field.name)
        if field.name in NOT_FACTS or value is None:
            continue
        shown = _version(facts) if field.name == "compute_capability" else _cell(value)
        table.add_row(field.name, shown, escape(facts.source_of(field.name)))
    print_whole(console, table)


def _version(facts: DeviceFacts) -> str:
    return "-" if facts.compute_capability is None else ".".join(map(str, facts.compute_capability))


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)
