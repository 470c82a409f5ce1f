"""Endless launches: the budget of instructions, and the loop that was still running."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy

from tilewright.emulate import BudgetExceeded
from tilewright.emulate import instruction_row as row
from tilewright.emulate.observers import Finding
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.instructions import Instructions
from tilewright.lab.source.changes import LOOPS
from tilewright.lab.source.syntax import Syntax, descend

from .execution import Argument, Geometry, Stand
from .watching import ERROR

TOO_MANY = 100
"""A launch counts as endless, not merely slow, at this many times the instructions of a plain kernel."""
PER_WARP, PER_STEP = 20, 6
"""Warp instructions of `naive`, a thread per element: of a warp, and of each step along the inner size."""
PER_IDLE_WARP = 25
"""The most warp instructions that an idle warp needs to find that it has nothing to do."""
SAMPLES = 48
LONGEST_SAMPLE = 400_000
KIND = "endless loop"


def plain_instructions(sizes: Sizes, geometry: Geometry, tile: int) -> int:
    """Return the warp instructions that `naive` needs at these sizes, rounded up to whole tiles, in such a launch."""
    rows, inner, cols = (-(-size // tile) * tile for size in (sizes.rows, sizes.inner, sizes.cols))
    warps = -(-(rows if sizes.rows > 1 else 1) * (cols if sizes.cols > 1 else 1) // 32)
    launched = prod(geometry.grid) * -(-prod(geometry.block) // 32)
    return max(warps, 1) * (PER_WARP + PER_STEP * inner) + PER_IDLE_WARP * launched


def budget_at(sizes: Sizes, geometry: Geometry, tile: int) -> int:
    """Return the warp instructions after which a launch counts as endless."""
    return TOO_MANY * plain_instructions(sizes, geometry, max(tile, 1))


def endless_finding(
    fault: BudgetExceeded, stand: Stand, text: str, arguments: Sequence[Argument], geometry: Geometry, budget: int
) -> Finding:
    """Return the finding for a launch that used up its budget, at the loop that was running. text: of the file."""
    lines = loop_lines(stand, arguments, geometry, budget)
    first, last = _loop_of(text, lines) if lines else (fault.line, fault.line)
    loop = f"the loop of line {first} was still running" if lines else f"it was in line {first}"
    return Finding(
        KIND,
        ERROR,
        (fault.file, first),
        f"The kernel is endless, or a hundred times slower than the plain kernel: after {budget:,} warp instructions "
        f"{loop}, in thread {fault.thread} of block {fault.block}.",
        "Check what ends the loop: its variable must change in every trip and meet the bound.",
        other=(fault.file, last) if last != first else None,
        threads=((fault.block, fault.thread),) if fault.block is not None and fault.thread is not None else (),
    )


def loop_lines(stand: Stand, arguments: Sequence[Argument], geometry: Geometry, budget: int) -> frozenset[int]:
    """Return the lines of the running loop's code; none if no loop is found.

    The launch is stopped at several moments; the innermost loop that contains all of them is the endless one.
    """
    longest = min(budget, LONGEST_SAMPLE)
    seen: set[int] = set()
    moments = numpy.random.default_rng(0).integers(longest // 2, longest, SAMPLES)  # no step of a loop's period
    for moment in moments.tolist():
        outcome = stand.run(arguments, geometry, budget=moment)
        if isinstance(outcome.fault, BudgetExceeded) and outcome.fault.line is not None:
            seen.add(outcome.fault.line)
    code = Instructions(stand.module, stand.entry)
    lines = stand.module.code.lines

    def line_of(pc: int) -> int:
        return lines[code.rows[pc][row.LINE]][1]

    loops = []
    for pc in range(code.entry, code.end):
        for target in code.successors(pc):
            if target <= pc:
                within = {line_of(each) for each in range(target, pc + 1)}
                if seen and seen <= within:
                    loops.append((pc - target, frozenset(within)))
    return min(loops, key=lambda loop: loop[0])[1] if loops else frozenset()


def _loop_of(text: str, lines: frozenset[int]) -> tuple[int, int]:
    """Return the first and the last line of the smallest loop of the source that holds most of these lines."""
    syntax = Syntax(text)
    loops = [(syntax.line(node), syntax.lines.at(node.end_byte - 1)) for node in descend(syntax.root, *LOOPS)]

    def rank(loop: tuple[int, int]) -> tuple[int, int]:
        return sum(loop[0] <= line <= loop[1] for line in lines), loop[0] - loop[1]

    return max(loops, key=rank, default=(min(lines), max(lines)))
