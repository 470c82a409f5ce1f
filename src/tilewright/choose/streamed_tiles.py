"""The tiles of a product that streams: of all that fit in the limit, those that take least time at usual rates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import ceil, lcm

from tilewright.choose.quantities import in_words
from tilewright.choose.streamed import Rate, StreamedMatrix, StreamedPlan, StreamedProblem, StreamRates
from tilewright.kernels.refusals import PlanError

MOST_CANDIDATES = 24
"""The most sides of a tile that are tried for each of m and n."""
ALIGNED = 8
"""Sides of panels on a GPU are multiples of so many elements, if chunks allow: rows of 16 bytes or a multiple."""
WHOLE = 256
"""C's tiles on a GPU are multiples of so many elements where C is much larger: whole tiles of its kernels."""
WEIGHT_OF_REST = 0.5
"""What of the time of all parts counts beside that of the longest: they overlap, and share the host's cores."""
NARROW = 32
"""Products with a side of so many elements take about twice the time that their operations would."""
SHORT_ROW_BYTES = 4096
"""A row of a panel or of C in the host's memory takes as long as so many bytes more: its pages are far apart."""
STEP_SECONDS = 5e-4
"""What a step along k takes beside its bytes and operations."""


def plan_streamed(
    problem: StreamedProblem, memory_limit_bytes: int, rates: StreamRates, least_tiles: int = 1
) -> StreamedPlan:
    """The plan that takes least time within the limit, by usual rates; ``rates`` are those that it tells times by.

    Of C's tiles there are at least ``least_tiles``, if there can be so many.

    Raises:
        PlanError: no tile fits; the sentence says what the smallest takes.
    """
    best, least = _best(problem, memory_limit_bytes, least_tiles)
    if best is not None:
        return replace(best, rates=rates)
    assert least is not None
    memory = max(least.peak_bytes, key=lambda name: least.peak_bytes[name])
    chunks = [f"{name} has chunks of {x.chunks[0]:,} x {x.chunks[1]:,}" for name, x in _named(problem) if x.chunks]
    raise PlanError(
        f"memory_limit is {in_words(memory_limit_bytes)}, and the smallest tiles of this product take "
        f"{in_words(least.peak_bytes[memory])} of the {memory} memory"
        f"{': ' + ', '.join(chunks) if chunks else ''}; allow more{', or store smaller chunks' if chunks else ''}."
    )


@lru_cache(maxsize=64)
def _best(problem: StreamedProblem, limit: int, least_tiles: int) -> tuple[StreamedPlan | None, StreamedPlan | None]:
    """The plan that takes least time by usual rates; and if none fits, the one that takes least memory."""
    usual = usual_rates(problem)
    m, n, k = problem.sizes
    unit_m = _unit(m, problem.c.side(0), problem.a.side(0) if problem.pairs == 1 else 1)
    unit_n = _unit(n, problem.c.side(1), problem.b.side(1) if problem.pairs == 1 else 1)
    unit_k = _unit(k, *_sides_of_k(problem))
    if problem.machine == "gpu":  # rows that the copy engine can load
        unit_n, unit_k = (
            lcm(unit, ALIGNED) if extent >= ALIGNED else unit for unit, extent in ((unit_n, n), (unit_k, k))
        )
        unit_m, unit_n = (
            lcm(unit, WHOLE) if extent >= 16 * lcm(unit, WHOLE) else unit for unit, extent in ((unit_m, m), (unit_n, n))
        )
    least_m, least_n = (
        unit if side == 1 and problem.machine == "gpu" else side
        for unit, side in ((unit_m, problem.c.side(0)), (unit_n, problem.c.side(1)))
    )
    tiles = list(product(_sides(m, unit_m, least_m), _sides(n, unit_n, least_n)))
    tiles = [tile for tile in tiles if _is_shared_evenly(problem, tile)] or tiles
    # With k in one step each tile takes least: what cannot be better than the best so far need not be looked at.
    hopes = sorted(_hope(StreamedPlan(problem, tile, max(1, k), limit, usual), least_tiles) for tile in tiles)
    best: tuple[int, float, float, StreamedPlan] | None = None
    least: StreamedPlan | None = None
    for missing, hope, tile in hopes:
        if best is not None and (missing, hope) >= best[:2]:
            break
        found = _deepest(problem, tile, unit_k, limit, usual)
        if _fits(found):
            for each in _finer(found, unit_k):
                key = missing, _cost(each), float(each.read_bytes)
                if best is None or key < best[:3]:
                    best = (*key, each)
        elif least is None or max(found.peak_bytes.values()) < max(least.peak_bytes.values()):
            least = found
    return None if best is None else best[3], least


def _hope(plan: StreamedPlan, least_tiles: int) -> tuple[int, float, tuple[int, int]]:
    """How many tiles are missing, the least that a plan with this tile can cost, and the tile."""
    return max(0, least_tiles - plan.tile_count), _parts(plan), plan.tile


def _is_shared_evenly(problem: StreamedProblem, tile: tuple[int, int]) -> bool:
    """Whether each GPU gets as many whole rows (or columns) of tiles that share a panel, or as many tiles of one."""
    lines, along = ceil(problem.c.shape[0] / tile[0]), ceil(problem.c.shape[1] / tile[1])
    if tile[1] > tile[0]:
        lines, along = along, lines
    return lines % problem.gpus == 0 or (lines == 1 and along % problem.gpus == 0)


def planned_as(
    problem: StreamedProblem, tile: tuple[int, int], step: int, memory_limit_bytes: int, rates: StreamRates
) -> StreamedPlan:
    """The plan with the tiles of an earlier run, whose sums it continues.

    Raises:
        PlanError: they do not fit in the limit of this run.
    """
    found = StreamedPlan(problem, tile, step, memory_limit_bytes, rates)
    if not _fits(found):
        needed = max(found.peak_bytes.values())
        raise PlanError(
            f"memory_limit is {in_words(memory_limit_bytes)}, and the run to be continued has tiles that take "
            f"{in_words(needed)}; allow as much, or leave resume out to begin anew."
        )
    return found


def usual_rates(problem: StreamedProblem) -> StreamRates:
    """The rates by which tiles are chosen: constants, since measured rates vary, and the bits vary with the tiles.

    Those of a GPU are an H100's.
    """
    if problem.machine == "host":
        return StreamRates()
    read = Rate(50.0) if problem.a.kind == problem.b.kind == "memory" else StreamRates.read
    write = Rate(20.0) if problem.c.kind == "memory" else StreamRates.write
    flops = Rate(600_000.0) if problem.panel_bytes == 2 else Rate(40_000.0)
    return StreamRates(read, write, flops, Rate(2000.0), Rate(50.0))


def _parts(plan: StreamedPlan) -> float:
    """The seconds of the longest part, and some of those of the others."""
    seconds = plan.seconds.values()
    return max(seconds) + WEIGHT_OF_REST * sum(seconds)


def _cost(plan: StreamedPlan) -> float:
    """The seconds by which plans are compared: the longest part, some of the others, and what nothing overlaps."""
    problem, (rows, columns), seconds = plan.problem, plan.tile, plan.seconds
    m, n, k = problem.sizes
    first = (min(rows, m) + min(columns, n)) * min(plan.step, k) * problem.panel_bytes
    last = min(rows, m) * min(columns, n) * problem.c.item_bytes
    alone = plan.rates.read.seconds(first) + plan.rates.write.seconds(last)
    if plan.rates.link is not None:
        alone += plan.rates.link.seconds(first + last)
    if problem.machine == "gpu":
        alone += plan.rates.read.seconds(SHORT_ROW_BYTES * _rows_in_memory(plan))
    narrow = seconds["compute"] * NARROW * (1 / rows + 1 / columns + 1 / plan.step)
    each = plan.tile_count * plan.step_count * STEP_SECONDS
    return _parts(plan) + alone + narrow + each


def _rows_in_memory(plan: StreamedPlan) -> float:
    """How many rows of panels and tiles are copied from and to the host's memory."""
    problem, step = plan.problem, max(1, min(plan.step, plan.problem.sizes[2]))
    of_a, of_b = plan.passes
    found = 0.0
    for matrix, passes, columns in (
        (problem.a, of_a, step),
        (problem.b, of_b, plan.tile[1]),
        (problem.c, 1, plan.tile[1]),
    ):
        if matrix.kind == "memory":
            found += passes * matrix.shape[0] * matrix.shape[1] / min(columns, max(1, matrix.shape[1]))
    return found


def _fits(plan: StreamedPlan) -> bool:
    return max(plan.peak_bytes.values()) <= plan.memory_limit_bytes


def _deepest(
    problem: StreamedProblem, tile: tuple[int, int], unit: int, limit: int, rates: StreamRates
) -> StreamedPlan:
    """The plan with the fewest steps along k that fits; the one of the smallest steps if none does."""
    k = problem.sizes[2]
    most = max(1, ceil(k / unit))
    low, high = 1, most
    while low < high:  # fewer steps take more memory
        middle = (low + high) // 2
        if _fits(StreamedPlan(problem, tile, _even(k, middle, unit), limit, rates)):
            high = middle
        else:
            low = middle + 1
    found = StreamedPlan(problem, tile, _even(k, low, unit), limit, rates)
    if _fits(found) or unit == 1:
        return found
    smaller = _deepest(problem, tile, 1, limit, rates)  # chunks are decoded more than once
    return smaller if _fits(smaller) else found


def _finer(plan: StreamedPlan, unit: int) -> Iterator[StreamedPlan]:
    """The plan, and those of more and smaller steps: the first of them is read while nothing is computed."""
    k, count = plan.problem.sizes[2], plan.step_count
    yield plan
    for more in (2, 4, 8, 16):
        step = _even(k, count * more, unit)
        if step < plan.step:
            yield replace(plan, step=step)


def _even(extent: int, parts: int, unit: int) -> int:
    """The extent of each of ``parts`` parts, rounded up to a multiple of ``unit``."""
    return max(1, min(max(extent, 1), ceil(ceil(extent / max(parts, 1)) / unit) * unit))


def _sides(extent: int, unit: int, least: int) -> list[int]:
    """Sides of a tile to try: even parts of the extent, in multiples of ``unit``, and of ``least``, a chunk's."""
    found: set[int] = set()
    for each in {unit, least}:
        parts, most = 1, max(1, ceil(extent / each))
        while parts <= most and len(found) < 2 * MOST_CANDIDATES:
            found.add(_rounded(extent, parts, each))
            parts = parts + 1 if parts < MOST_CANDIDATES // 2 else ceil(parts * 1.5)
        found.add(_rounded(extent, most, each))
    return sorted(found)


def _rounded(extent: int, parts: int, unit: int) -> int:
    return max(1, ceil(ceil(extent / parts) / unit) * unit)


def _unit(extent: int, *sides: int) -> int:
    """The least extent that ends where all chunks do, or the largest chunk's if that is most of the matrix."""
    both = lcm(*sides)
    return both if both <= max(extent // 4, 1) else max(sides[0], 1)


def _sides_of_k(problem: StreamedProblem) -> tuple[int, int]:
    first, second = problem.a.side(1), problem.b.side(0)
    return (first, second) if first >= second else (second, first)


def _named(problem: StreamedProblem) -> tuple[tuple[str, StreamedMatrix], ...]:
    return ("A", problem.a), ("B", problem.b), ("C", problem.c)
