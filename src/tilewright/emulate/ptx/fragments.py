"""The forms of `wmma` that are emulated, and which elements of a matrix each lane has in its registers.

PTX leaves the layout open. Here it is that of `mma.sync`, so that a product is some of those: lane 4 g + t has row g of
each 8 rows of A and of the sums, and column g of each 8 columns of B.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

ELEMENT_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1, "u8": 1, "f64": 8, "f32": 4, "s32": 4}
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)$")
_OF_16 = ("m16n16k16", "m32n8k16", "m8n32k16")
_SHAPES = {
    **dict.fromkeys(("f16", "bf16", "s8", "u8", "s32"), _OF_16),
    "f32": (*_OF_16, "m16n16k8"), "tf32": ("m16n16k8",), "f64": ("m8n8k4",),
}  # fmt: skip
_ROLES = {"a": ("f16", "bf16", "tf32", "s8", "u8", "f64"), "c": ("f16", "f32", "s32", "f64")}
REGISTERS_OF_HALVES = 8
"""Of A and B in float16, whatever the shape: where fewer hold all elements, the others hold them again."""


class Place(NamedTuple):
    """What a register of lane 4 g + t holds: `elements` of the line 8 block + g, from the (step t + first)th on.

    The lines are the rows of A and of the sums, and the columns of B.
    """

    block: int
    step: int
    first: int
    elements: int


class Fragment(NamedTuple):
    """A matrix as a warp holds it. are_lines_whole: whether the elements of a line lie side by side in memory."""

    type: str
    places: list[Place]
    registers: int
    are_lines_whole: bool
    default_stride: int


class Product(NamedTuple):
    """A `wmma.mma`: the fragments of the sums, of A and of B; rows, columns and inner indices; saturating or not."""

    sums: Fragment
    a: Fragment
    b: Fragment
    shape: tuple[int, int, int]
    saturates: bool


def moved_fragment(parts: Sequence[str]) -> Fragment | None:
    """Return what `wmma.load` or `wmma.store` moves, or None where it is not emulated."""
    if len(parts) < 8 or parts[1] not in ("load", "store") or list(parts[3:5]) != ["sync", "aligned"]:
        return None
    return _fragment("c" if parts[2] == "d" else parts[2], parts[6], parts[-1], parts[5])


def product(parts: Sequence[str]) -> Product | None:
    """Return what `wmma.mma` multiplies, or None where it is not emulated."""
    if list(parts[1:4]) != ["mma", "sync", "aligned"] or len(parts) < 9 or not _SHAPE.match(parts[6]):
        return None
    types = [part for part in parts[7:] if part in ELEMENT_BYTES]
    of_sums, of_a, of_b, of_terms = types if len(types) == 4 else (types[0], "f16", "f16", types[-1])
    found = [_fragment(role, parts[6], kind, "row") for role, kind in (("c", of_sums), ("a", of_a), ("b", of_b))]
    if of_sums != of_terms or of_a != of_b or found[0] is None or found[1] is None or found[2] is None:
        return None
    return Product(found[0], found[1], found[2], _numbers(parts[6]), "satfinite" in parts)


def _numbers(shape: str) -> tuple[int, int, int]:
    match = _SHAPE.match(shape)
    assert match is not None
    return int(match[1]), int(match[2]), int(match[3])


def _fragment(role: str, shape: str, kind: str, order: str) -> Fragment | None:
    if kind not in _ROLES["c" if role == "c" else "a"] or shape not in _SHAPES[kind]:
        return None
    rows, columns, depth = _numbers(shape)
    lines, length = {"a": (rows, depth), "b": (columns, depth), "c": (rows, columns)}[role]
    places = _places(role, lines, length, 2 if role == "c" and kind == "f16" else max(4 // ELEMENT_BYTES[kind], 1))
    registers = REGISTERS_OF_HALVES if kind == "f16" and role != "c" else len(places)
    are_lines_whole = (order == "row") != (role == "b")
    return Fragment(kind, places, registers, are_lines_whole, length if are_lines_whole else lines)


def _places(role: str, lines: int, length: int, elements: int) -> list[Place]:
    """Return what the registers hold, in the order in which the `mma.sync` of 16 rows take them."""
    if role == "b":
        step = 4 * elements
        return [Place(b, elements, first, elements) for b in range(lines // 8) for first in range(0, length, step)]
    tiles = [range(top, min(top + 2, lines // 8)) for top in range(0, lines // 8, 2)]
    if role == "a":
        firsts = range(0, length, 4 * elements)
        return [Place(b, elements, first, elements) for tile in tiles for first in firsts for b in tile]
    return [
        Place(b, 2, first + more, elements)
        for tile in tiles
        for first in range(0, length, 8)
        for b in tile
        for more in range(0, 2, elements)
    ]
