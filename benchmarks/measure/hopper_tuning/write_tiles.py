"""Write the measured part of choose/sm90/tiles.toml.

    python -m benchmarks.measure.hopper_tuning.write_tiles RESULT.json

For each shape the fastest tile is kept: for long products relative to torch's time in the same rounds, since clocks
fall and rise between measurements, and for short ones, where torch's time is noise, by the lower quartile alone.
Shapes with fewer than two tiles tried are left out, and so are layouts other than row-major. Where a tile was measured
again, the last file counts.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from tilewright.choose.sm90.tiles import TABLE, tile_table
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile

LONG_US = 100
NOISE = 1.015
"""Tiles whose times differ by less are as fast as each other; the first among the model's candidates is kept."""
LEAST_TILES = 2
BEGINNING = "measured = [\n"
DEFAULTS = {field.name: field.default for field in fields(WgmmaTile)}
RENAMED = {"swapped": "transposed_problem"}
"""Fields under another name in older results."""

Row = dict[str, Any]


def best_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the best row of each shape, in the order in which shapes were measured."""
    by_shape: dict[tuple[Any, ...], dict[str, Row]] = defaultdict(dict)
    for row in rows:
        case = row["case"]
        plain = (
            case["layout"] == "NN" and case["dtype"] == "bfloat16" and not case["out_dtype"] and not case["epilogue"]
        )
        if plain and case["group"] != "check" and row.get("ours_us") and row.get("torch_us"):
            shape = (case["rows"], case["inner"], case["columns"], case["batch"], is_repacked(case))
            by_shape[shape][json.dumps(values_of(row), sort_keys=True)] = row
    best = []
    for tried in (list(of_shape.values()) for of_shape in by_shape.values()):
        if len(tried) >= LEAST_TILES:
            is_long = min(row["ours_us"] for row in tried) > LONG_US
            times = [row["ours_us"] / row["torch_us"] if is_long else quiet_us(row) for row in tried]
            equal = [row for row, time in zip(tried, times, strict=True) if time <= NOISE * min(times)]
            best.append(min(equal, key=preference))
    return best


def quiet_us(row: Row) -> float:
    """The lower quartile where it is known: what else goes on in a GPU makes a measurement longer, never shorter."""
    return float(row["ours_low_us"] if "ours_low_us" in row else row["ours_us"])


def values_of(row: Row) -> dict[str, Any]:
    """Return the fields of a tile that differ from their defaults."""
    named = {RENAMED.get(name, name): value for name, value in row["tile"].items()}
    return {name: value for name, value in named.items() if name in DEFAULTS and DEFAULTS[name] != value}


def preference(row: Row) -> tuple[int, float]:
    """The place among the model's candidates, behind them all where it is none of them, and then the time."""
    tile = WgmmaTile(**values_of(row))
    candidates = (*tile_table().candidates, *tile_table().small)
    return candidates.index(tile) if tile in candidates else len(candidates), row["ours_us"]


def is_repacked(case: Row) -> bool:
    """Whether rows of A or of B begin off 16 bytes, so that the copy engine cannot address them as they are."""
    return not case["views"] and bool(case["inner"] % 8 or case["columns"] % 8)


def as_toml(row: Row) -> str:
    """Return a row as the table has it; what has its default is left out."""
    case = row["case"]
    tile = ", ".join(f"{name} = {str(value).lower()}" for name, value in values_of(row).items())
    batch = f"batch = {case['batch']}, " if (case["batch"] or 1) > 1 else ""
    repacked = "repacked = true, " if is_repacked(case) else ""
    shape = [case["rows"], case["inner"], case["columns"]]
    return f"    {{ shape = {shape}, {batch}{repacked}us = {row['ours_us']}, tile = {{ {tile} }} }},\n"


def main() -> None:
    """Rewrite the table from the given results."""
    rows: list[Row] = []
    for name in sys.argv[1:]:
        read = json.loads(Path(name).read_text(encoding="utf-8"))
        rows += read["rows"] if isinstance(read, dict) else read
    kept = TABLE.read_text(encoding="utf-8").partition(BEGINNING)[0]
    best = best_rows(rows)
    TABLE.write_text("".join([kept, BEGINNING, *map(as_toml, best), "]\n"]), encoding="utf-8")
    print(f"{len(best)} shapes from {len(rows)} measurements")


if __name__ == "__main__":
    main()
