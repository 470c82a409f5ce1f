"""Launches drawn at random: the seed of each set was written down before one of its launches was measured.

Products of matrices in many styles, stencils, gathers and strides, with random blocks, tiles, types, sizes, leading
dimensions and distances of reuse. The model and its intervals are fitted to all sets but the last, which says how
good they are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from benchmarks.measure.caches.cache_launches import drawn_others, drawn_products
from benchmarks.measure.caches.cache_launches.case import DRAWN, DRAWN_SECOND, HELD_BACK, CacheCase
from benchmarks.measure.caches.cache_launches.drawn_launch import TYPES, Launch

DRAWS = ((DRAWN, 20261122, 240), (DRAWN_SECOND, 20261123, 120), (HELD_BACK, 20261201, 160))
"""Sets, their seeds, and how many launches each has. A set is held back until the next one is drawn."""
FAMILIES: dict[Callable[[Random, Launch], CacheCase], int] = {
    drawn_products.naive: 18,
    drawn_products.outputs: 12,
    drawn_products.tiles: 32,
    drawn_products.warp_rows: 8,
    drawn_products.warp_elements: 5,
    drawn_products.reduced: 6,
    drawn_products.columns: 6,
    drawn_others.stencil: 5,
    drawn_others.gather: 4,
    drawn_others.strides: 4,
}


@cache
def drawn_cases() -> tuple[CacheCase, ...]:
    """All drawn launches, in the order of the draw, those held back last."""
    cases: list[CacheCase] = []
    for of_set, seed, count in DRAWS:
        chosen = Random(seed)  # noqa: S311
        cases += [drawn(chosen, number, of_set) for number in range(len(cases), len(cases) + count)]
    return tuple(cases)


def drawn(chosen: Random, number: int, of_set: str) -> CacheCase:
    """One launch of a family drawn by its weight."""
    family = chosen.choices(list(FAMILIES), list(FAMILIES.values()))[0]
    return family(chosen, Launch(number, of_set, chosen.choices(tuple(TYPES), (6, 2, 2))[0]))
