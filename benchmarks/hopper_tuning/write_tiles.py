"""Write the measured part of choose/hopper_tiles.toml: `python -m benchmarks.hopper_tuning.write_tiles RESULT.json`.

For each shape the fastest tile is kept: for long products relative to torch's time in the same rounds, since clocks
fall and rise between measurements, and for short ones, where torch's time is noise, by the time alone. Shapes with
fewer than three tiles tried are left out, and so are layouts other than row-major.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from tilewright.choose.hopper_rule import TABLE
from tilewright.choose.hopper_tile import HopperTile

LONG_US = 100
LEAST_TILES = 3
BEGINNING = "\n[[measured]]\n"
DEFAULTS = {field.name: field.default for field in fields(HopperTile)}

Row = dict[str, Any]


def best_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the best row of each shape, in the order in which shapes were measured."""
    by_shape: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        case = row["case"]
        plain = (
            case["layout"] == "NN" and case["dtype"] == "bfloat16" and not case["out_dtype"] and not case["epilogue"]
        )
        if plain and case["group"] != "check" and row.get("ours_us") and row.get("torch_us"):
            shape = (case["rows"], case["inner"], case["columns"], case["batch"], "matmul/repack" in row["launches"])
            by_shape[shape].append(row)
    best = []
    for tried in by_shape.values():
        if len(tried) >= LEAST_TILES:
            is_long = min(row["ours_us"] for row in tried) > LONG_US
            best.append(min(tried, key=lambda row: row["ours_us"] / (row["torch_us"] if is_long else 1)))
    return best


def as_toml(row: Row) -> str:
    """Return a row as the table has it; what a tile has by default is left out."""
    case = row["case"]
    values = {name: value for name, value in row["tile"].items() if DEFAULTS.get(name) != value}
    tile = ", ".join(f"{name} = {str(value).lower()}" for name, value in values.items())
    copied = str("matmul/repack" in row["launches"]).lower()
    shape = [case["rows"], case["inner"], case["columns"]]
    return (
        f"{BEGINNING}shape = {shape}\nbatch = {case['batch'] or 1}\ncopied = {copied}\ntile = {{ {tile} }}\n"
        f"us = {row['ours_us']}\n"
    )


def main() -> None:
    """Rewrite the table from the given results."""
    rows: list[Row] = []
    for name in sys.argv[1:]:
        read = json.loads(Path(name).read_text(encoding="utf-8"))
        rows += read["rows"] if isinstance(read, dict) else read
    kept = TABLE.read_text(encoding="utf-8").partition(BEGINNING)[0]
    best = best_rows(rows)
    TABLE.write_text(kept + "".join(as_toml(row) for row in best), encoding="utf-8")
    print(f"{len(best)} shapes from {len(rows)} measurements")


if __name__ == "__main__":
    main()
