"""Guesses the blocks of a kernel without a launch, from its shared arrays, its numbers and its indices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

Block = tuple[int, int, int]

MOST_THREADS = 1024
WARP = 32
MOST_SIDE = 128
MOST_SHAPES = 28
USUAL_LINES = (256, 128, 64, 32, 512, 1024)
USUAL_PLANES = (
    *((16, 16), (32, 32), (32, 8), (8, 32), (8, 8), (64, 4), (4, 64), (32, 4), (4, 32), (16, 8), (8, 16)),
    *((16, 4), (4, 16), (32, 16), (16, 32), (64, 8), (8, 64), (4, 4), (128, 2), (64, 16), (16, 64), (128, 8)),
)
_BOUNDS = re.compile(r"__launch_bounds__\s*\(\s*(\w+)")


def block_shapes(
    indices: AbstractSet[str],
    extents: Sequence[tuple[int, ...]],
    numbers: Sequence[int],
    bound: int = 0,
    tiles: Sequence[tuple[int, int]] = (),
) -> list[Block]:
    """Return blocks to try, the likeliest first.

    indices: the words `threadIdx.x`, `blockDim.y` and so on that the kernel uses. extents: of its shared arrays.
    numbers: those in its text, named or literal. bound: the threads of `__launch_bounds__`, or 0. tiles: the rows and
    columns of shared arrays that are indexed by threadIdx.y and threadIdx.x.
    """
    if not any(index.startswith("threadIdx") for index in indices):
        return [(1, 1, 1)]
    if "threadIdx.z" in indices:
        found = list(_solids(numbers))
    elif "threadIdx.y" in indices:
        found = [(cols, rows, 1) for rows, cols in tiles if rows != cols and cols % 4 == 0]
        found += [(x, y, 1) for x, y in _planes(indices, extents, numbers)]
    else:
        found = [(threads, 1, 1) for threads in _lines(indices, extents, numbers)]
    fitting = [block for block in dict.fromkeys(found) if 1 < block[0] * block[1] * block[2] <= MOST_THREADS]
    if bound:
        fitting.sort(key=lambda block: block[0] * block[1] * block[2] != bound)
    return fitting[:MOST_SHAPES]


def tiles_of_threads(body: str, arrays: Mapping[str, tuple[int, ...]]) -> list[tuple[int, int]]:
    """Return rows and columns of the shared arrays that a kernel indexes as `tile[threadIdx.y][threadIdx.x]`.

    body: the kernel's text. arrays: the extents by name. A thread's indices may stand in variables.
    """
    named = {axis: "|".join(["threadIdx" + r"\s*\.\s*" + axis, *_names_of_thread(body, axis)]) for axis in "xy"}
    found = []
    for name, extents in arrays.items():
        index = rf"\b{re.escape(name)}\s*\[\s*(?:{named['y']})\s*\]\s*\[\s*(?:{named['x']})\s*\]"
        if len(extents) == 2 and re.search(index, body):
            found.append((extents[0], extents[1]))
    return list(dict.fromkeys(found))


def _names_of_thread(body: str, axis: str) -> list[str]:
    return [rf"{name}\b" for name in re.findall(rf"\b(\w+)\s*=\s*threadIdx\s*\.\s*{axis}\s*[;,]", body)]


def launch_bound(text: str, known: dict[str, int]) -> int:
    """Return the threads of `__launch_bounds__` in a kernel's text, or 0."""
    match = _BOUNDS.search(text)
    if match is None:
        return 0
    return int(match[1]) if match[1].isdigit() else known.get(match[1], 0)


def _planes(
    indices: AbstractSet[str], extents: Sequence[tuple[int, ...]], numbers: Sequence[int]
) -> Iterator[tuple[int, int]]:
    sides = [side for sides in extents if len(sides) >= 2 for side in (sides[-2], sides[-1])]
    named = [number for number in dict.fromkeys([*sides, *numbers]) if 1 < number <= MOST_SIDE]
    parts = [a // b for a in named for b in named if a > b and a % b == 0 and a // b > 1]
    if not sides and {"blockDim.x", "blockDim.y"} <= indices:
        yield (16, 16)
    for side in (*sides, *named):
        yield (side, side)
    for a, b in _pairs(named):
        yield (max(a, b), min(a, b))
        yield (min(a, b), max(a, b))
    for part in dict.fromkeys(parts):
        yield (part, part)
    yield from USUAL_PLANES[:8]
    for a in named:
        for b in dict.fromkeys(parts):
            yield (a, b)
            yield (b, a)
    yield from USUAL_PLANES[8:]


def _lines(indices: AbstractSet[str], extents: Sequence[tuple[int, ...]], numbers: Sequence[int]) -> Iterator[int]:
    of_arrays = [sides[0] for sides in extents if len(sides) == 1]
    of_tiles = [sides[-2] * sides[-1] for sides in extents if len(sides) >= 2]
    named = [number for number in (*of_arrays, *numbers, *of_tiles) if WARP <= number <= MOST_THREADS]
    named.sort(key=lambda number: number == WARP)  # beside another number, it is that of a warp's lanes
    if "blockDim.x" in indices and not of_arrays and not of_tiles:
        yield USUAL_LINES[0]
    yield from named
    yield from USUAL_LINES
    small = [number for number in numbers if 1 < number <= MOST_SIDE]
    yield from (a * b for a, b in _pairs(small) if a * b >= WARP)
    yield from (number * number for number in small)
    yield from small


def _solids(numbers: Sequence[int]) -> Iterator[Block]:
    small = [number for number in numbers if 1 < number <= 32]
    for z in (*small, 2, 4, 8):
        for side in (*small, 16, 8, 32):
            yield (side, side, z)


def _pairs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    known = list(dict.fromkeys(numbers))
    for i, a in enumerate(known):
        for b in known[i + 1 :]:
            yield a, b
