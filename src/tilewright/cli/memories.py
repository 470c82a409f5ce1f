"""`tilewright memories`: where each variable of a kernel lives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from . import PASSED
from .check_inputs import named
from .occupancy import device_facts
from .options import DtypeName
from .refusals import Refusal
from .screen import screen
from .tables import new_table, print_whole
from .within import MemoryLimit, TimeLimit, limits_of, status_within
from .writing import JSON_HELP, check_json_path, write_json

if TYPE_CHECKING:
    from tilewright.lab.memories import Memories
    from tilewright.lab.memory_kinds import LocatedVariable

SHORT = {"read": "R", "write": "W", "read and write": "R/W", "not used": "-"}
FILE_ENDINGS = (".cu", ".cuh", ".cpp", ".c", ".h", ".hpp")


def memories(
    kernel: Annotated[str, typer.Argument(metavar="OPERATION/IDEA|FILE", help="Such as matmul/tiled or my_kernel.cu.")],
    tile: Annotated[int | None, typer.Option(help="A tile in place of the default.")] = None,
    dtype: Annotated[DtypeName | None, typer.Option(help="The element type; float32 without it.")] = None,
    device: Annotated[str, typer.Option(metavar="CHIP", help="The chip that registers are counted for.")] = "h200",
    symbol: Annotated[str | None, typer.Option(help="Of a file: this kernel alone.")] = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", metavar="NAME=VALUE", help="Of a file: a macro.")
    ] = None,
    template: Annotated[
        list[str] | None, typer.Option("--template", metavar="ARGUMENT", help="Of a file: a template argument.")
    ] = None,
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
) -> int:
    """Say in which memory each variable of a kernel lives, who sees it and for how long, as compiled."""
    from tilewright.lab.compiled_memories import file_memories, kernel_memories  # imports Numba, which takes a while

    check_json_path(json_path)
    facts = device_facts(device)
    if is_file(kernel):
        if tile is not None or dtype is not None:
            raise Refusal("A file has neither a tile nor a type to set; -D NAME=VALUE sets a macro.")
        found = file_memories(
            kernel,
            facts,
            symbol=symbol,
            defines=named(define or [], "-D", "NAME=VALUE", default="1"),
            template_arguments=template or [],
            limits=limits_of(time_limit, memory_limit),
        )
    elif (status := status_within("the compile", time_limit, memory_limit)) is not None:
        return status
    else:
        if symbol or define or template:
            raise Refusal(
                "--symbol, -D and --template go with a file; a kernel of the catalogue takes --tile and --dtype."
            )
        element = (dtype or DtypeName.float32).value
        found = [(kernel, kernel_memories(kernel, facts, tile=tile, dtype=element))]
    if not write_json(json_path, {"device": facts.name, "kernels": [_record(name, each) for name, each in found]}):
        console = screen()
        for name, each in found:
            _print(console, name, each)
        _legend(console)
    return PASSED


def is_file(name: str) -> bool:
    """Whether an argument names a file rather than a kernel of the catalogue."""
    return name.endswith(FILE_ENDINGS) or Path(name).is_file()


def _print(console: Console, name: str, found: Memories) -> None:
    console.print(name, style="bold", markup=False)
    table = new_table("memory", "~variable", "scope", "lifetime", "access", ">bytes", "~note")
    for names, variable, nbytes in _grouped(found.variables):
        size = "-" if nbytes is None else f"{nbytes:,}"
        cells = (variable.scope, variable.lifetime, SHORT[variable.access], size, variable.note)
        table.add_row(variable.memory.name, escape(names), *cells)
    print_whole(console, table, keys=2)
    virtual = f"The PTX names {found.virtual_registers} registers"
    if found.resources is None:
        text = f"{virtual}; how many the chip takes is not known: {found.counted_by}."
    else:
        registers, local_bytes = found.resources.registers_per_thread, found.resources.local_bytes_per_thread
        text = f"{virtual}; the cubin takes {registers} and {local_bytes:,} bytes of local memory per thread"
        text = f"{text} ({found.counted_by})."
    console.print(text, markup=False)
    console.print()


def _grouped(variables: Sequence[LocatedVariable]) -> list[tuple[str, LocatedVariable, int | None]]:
    """Rows of the table; parameters that differ only in name and size share a row."""
    groups: dict[tuple[Any, ...], list[LocatedVariable]] = {}
    for index, variable in enumerate(variables):
        same = variable.note if variable.scope == "grid" and variable.note else index
        key = (variable.memory, variable.scope, variable.lifetime, variable.access, same)
        groups.setdefault(key, []).append(variable)
    rows = []
    for group in groups.values():
        first = group[0]
        names = (first.declaration or first.name) if len(group) == 1 else ", ".join(each.name for each in group)
        sizes = [each.nbytes for each in group if each.nbytes is not None]
        rows.append((names, first, sum(sizes) if sizes else None))
    return rows


def _legend(console: Console) -> None:
    from tilewright.lab.memory_kinds import KINDS

    speeds = "; ".join(f"{kind.name}: {kind.speed}" for kind in KINDS)
    console.print(f"How fast (seed 001): {speeds}.", markup=False, style="dim")


def _record(name: str, found: Memories) -> dict[str, Any]:
    counted = None if found.resources is None else asdict(found.resources)
    variables = [{**asdict(variable), "memory": variable.memory.name} for variable in found.variables]
    return {
        "kernel": name,
        "entry": found.entry,
        "virtual_registers": found.virtual_registers,
        "resources": counted,
        "counted_by": found.counted_by,
        "variables": variables,
    }
