"""The global loads of another kernel, for comparison: those each thread had made by each update of its sum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy

from .arrays import UNKNOWN, TracedArray
from .steps import ADD, LOAD, STORE
from .trace import Beside, BlockTrace


def beside_of(
    kernel: str, tile: int | None, global_loads: int, arrays: Sequence[TracedArray], blocks: Sequence[BlockTrace]
) -> Beside:
    """Return each thread's number of loads by its first, second, ... update, by the element of C that it stores."""
    result = next(number for number, array in enumerate(arrays) if array.name == "C")
    curves: dict[tuple[int, ...], int] = {}
    curve_of = [-1] * int(numpy.prod(arrays[result].shape))
    for block in blocks:
        loaded: dict[tuple[int, int], int] = defaultdict(int)
        growing: dict[tuple[int, int], list[int]] = defaultdict(list)
        stored: dict[tuple[int, int], list[int]] = defaultdict(list)
        for step in block.steps:
            for place, lane in enumerate(step.lane_numbers):
                thread = step.warp, lane
                if step.kind == LOAD and step.array != UNKNOWN and arrays[step.array].space == "global":
                    loaded[thread] += step.count
                elif step.kind == ADD:
                    growing[thread].append(loaded[thread])
                elif step.kind == STORE and step.array == result:
                    stored[thread].append(step.elements[place])
        for thread, elements in stored.items():
            curve = (*growing[thread], loaded[thread])
            for element in elements:
                if 0 <= element < len(curve_of):
                    curve_of[element] = curves.setdefault(curve, len(curves))
    return Beside(kernel, tile, global_loads, tuple(curves), tuple(curve_of))
