"""Functions that may read a register before they write it.

Blocks reuse frames, in an order that depends on the number of workers. So that results do not, the frames of such
functions are cleared at a block's start; other frames are not, since clearing costs time.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.emulate.ptx.control_flow import block_ends, block_starts, edges_and_branches
from tilewright.emulate.ptx.parser import Function


def unwritten_reads(function: Function, reads: Sequence[set[str]], writes: Sequence[set[str]]) -> list[int]:
    """Return the instructions that on some path read a register before anything writes it.

    reads, writes: registers by instruction.
    """
    starts = block_starts(function)
    if not starts:
        return []
    ends = block_ends(function, starts)
    edges, _ = edges_and_branches(function, starts, ends)
    bit = {name: 1 << place for place, name in enumerate(sorted(set().union(*reads, *writes)))}
    # A guarded write may be none.
    sure = [
        0 if instruction.guard else sum(bit[name] for name in names)
        for instruction, names in zip(function.instructions, writes, strict=True)
    ]
    written = [(1 << len(bit)) - 1] * len(starts)
    written[0] = 0
    todo = [0]
    visited: set[int] = set()
    while todo:
        block = todo.pop()
        visited.add(block)
        after = written[block]
        for index in range(starts[block], ends[block]):
            after |= sure[index]
        for target in edges[block]:
            fewer = written[target] & after
            if fewer != written[target] or target not in visited:
                written[target] = fewer
                todo.append(target)
    found = []
    for block in sorted(visited):
        known = written[block]
        for index in range(starts[block], ends[block]):
            if any(not known & bit[name] for name in reads[index]):
                found.append(index)
            known |= sure[index]
    return found
