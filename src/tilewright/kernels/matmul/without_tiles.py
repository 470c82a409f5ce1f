"""Products of float32 and float64 that no tile serves: vectors, few rows or columns, a short k.

Each of their numbers is used few times, so memory sets the time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul import few_lines, outer_products
from tilewright.kernels.matmul.vectors import dot_products
from tilewright.kernels.problem import Problem

LAUNCHES = {"few_lines": few_lines.launches, "outer_products": outer_products.launches}


def without_tiles(problem: Problem, facts: DeviceFacts, tiles_us: Callable[[], float]) -> Launches | None:
    """Return the launches of a product on a chip whose SMs are counted; None where tiles are faster by the models."""
    vectors = dot_products(problem, facts)
    if vectors is not None:
        return vectors
    times = ways_us(problem, facts)
    if not times:
        return None
    idea = min(times, key=times.__getitem__)
    if times[idea] >= (of_tiles := tiles_us()):
        return None
    found = LAUNCHES[idea](problem, facts, None)
    why = f"matmul/{idea} takes about {times[idea]:,.1f} us by its model, and tiles {of_tiles:,.1f}."
    return replace(found, reasons=(why, *found.reasons))


def ways_us(problem: Problem, facts: DeviceFacts) -> dict[str, float]:
    """Return the modelled times of the ways that take a product, by the kernel's name."""
    if not facts.sm_count or problem.is_empty or problem.k == 0:
        return {}
    found = {}
    if few_lines.refusal(problem, facts, None) is None:
        found["few_lines"] = few_lines.us(problem, facts)
    if outer_products.refusal(problem, facts, None) is None and outer_products.is_wide(problem):
        found["outer_products"] = outer_products.us(problem, facts)
    return found
