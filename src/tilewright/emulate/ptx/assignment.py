"""Where a function may read a register that it has not written: what it finds there must not depend on luck.

Frames are used again by one block after another, and which block ran before depends on the number of workers. So the
frames of such functions are cleared at a block's start, and only theirs: clearing costs time.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.emulate.ptx.control_flow import block_ends, block_starts, edges_and_branches
from tilewright.emulate.ptx.parser import Function


def unwritten_reads(function: Function, reads: Sequence[set[str]], writes: Sequence[set[str]]) -> list[int]:
    """Return the instructions that a path leads to with a register unwritten that they read.

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
