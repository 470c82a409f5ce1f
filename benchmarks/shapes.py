"""The products of benchmarks/shapes.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tilewright.lab.bench.products import MeasuredProduct

TABLE = Path(__file__).with_name("shapes.toml")
DTYPES = ("bfloat16", "float16")


@dataclass(frozen=True)
class ShapeGroup:
    """A named group: its products in each type, the rival, and the geometric means of ratios to reach, if any."""

    name: str
    title: str
    against: str
    required: float | None
    aimed_at: float | None
    products: tuple[MeasuredProduct, ...]


def shape_groups() -> tuple[ShapeGroup, ...]:
    """Return the groups in their order."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))["group"]
    return tuple(
        ShapeGroup(
            name,
            entry["title"],
            entry["against"],
            entry.get("required"),
            entry.get("aimed_at"),
            tuple(
                _product(shape, dtype, entry["layout"], entry.get("epilogue", ""))
                for dtype in DTYPES
                for shape in entries[entry.get("same_as", name)]["shapes"]
            ),
        )
        for name, entry in entries.items()
    )


def single_shape_limits() -> tuple[float, float]:
    """Return the ratio that any single shape must reach, and the one that is aimed at."""
    entry = tomllib.loads(TABLE.read_text(encoding="utf-8"))["any-single-shape"]
    return entry["required"], entry["aimed_at"]


def sizes_in_a_row() -> list[int]:
    """Return the sizes of the square products that follow each other."""
    sizes: list[int] = tomllib.loads(TABLE.read_text(encoding="utf-8"))["in-a-row"]["sizes"]
    return sizes


def _product(shape: list[int], dtype: str, layout: str, epilogue: str) -> MeasuredProduct:
    *batch, rows, inner, columns = shape
    return MeasuredProduct(rows, inner, columns, dtype, batch[0] if batch else None, layout, epilogue)
