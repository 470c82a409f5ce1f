"""Where the lanes of a divergent branch meet again: immediate post-dominators of the basic blocks.

An early return is no divergence: lanes that branch to a bare `ret` leave, and nobody waits for them, so such edges
do not count (unless nothing else leads out of a loop).

Also functions that may read a register before they write it. Blocks reuse frames, in an order that depends on the
number of workers. So that results do not, the frames of such functions are cleared at a block's start; other frames are
not, since clearing costs time.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.emulate.faults import PtxSyntaxError
from tilewright.emulate.ptx.parser import Function

ENDS = ("ret", "exit", "trap")


def reconvergence(function: Function) -> tuple[dict[int, int], set[int]]:
    """Return, for each branch (index of its instruction), the index of the instruction where its lanes meet again.

    The second part are those meeting points that some lanes never reach, because they return first: waiting there could
    be forever, since those lanes may wait for this one.
    """
    starts = block_starts(function)
    if not starts:
        return {}, set()
    ends = block_ends(function, starts)
    bare = {block for block, start in enumerate(starts) if _is_end(function, start)}
    edges, branches = edges_and_branches(function, starts, ends)
    last = max((b for b, end in enumerate(ends) if _is_end(function, end - 1)), default=len(starts))
    if last == len(starts):
        edges.append([])  # a function that never returns: an end to lead its loops to
    _let_endless_loops_end(edges, last)
    kept = [[t for t in targets if t not in bare or t == block + 1] for block, targets in enumerate(edges)]
    strict = _post_dominators(kept, last)
    fallback = _post_dominators(edges, last)
    meeting, avoidable = {}, set()
    for branch, block in branches.items():
        nearest = _immediate(strict, block)
        if nearest is None:
            nearest = _immediate(fallback, block)
        if nearest is not None and nearest not in bare and nearest < len(starts):
            meeting[branch] = starts[nearest]
            if not fallback[block] >> nearest & 1:
                avoidable.add(starts[nearest])
    return meeting, avoidable


def _let_endless_loops_end(edges: list[list[int]], last: int) -> None:
    """Connect the back edges of endless loops to the end as well, the outermost first: lanes meet on each trip."""
    while True:
        ending = _blocks_that_end(edges)
        jumps = [(to, block) for to, block in _jumps_back(edges) if block not in ending]
        if not jumps:
            return
        for to, block in jumps:
            if to == jumps[0][0]:
                edges[block].append(last)


def _jumps_back(edges: list[list[int]]) -> list[tuple[int, int]]:
    """Return the edges that close a loop, as (to, from), those of outer loops before those of inner ones."""
    found: list[tuple[int, int]] = []
    order = {0: 0}
    path = {0: iter(edges[0])}
    while path:
        block = next(reversed(path))
        target = next(path[block], None)
        if target is None:
            del path[block]
        elif target in path:
            found.append((target, block))
        elif target not in order:
            order[target] = len(order)
            path[target] = iter(edges[target])
    return sorted(found, key=lambda edge: order[edge[0]])


def _blocks_that_end(edges: list[list[int]]) -> set[int]:
    """Return the blocks from which a path leads out of the function."""
    sources: list[list[int]] = [[] for _ in edges]
    for block, targets in enumerate(edges):
        for target in targets:
            sources[target].append(block)
    todo = [block for block, targets in enumerate(edges) if not targets]
    ending = set(todo)
    while todo:
        for source in sources[todo.pop()]:
            if source not in ending:
                ending.add(source)
                todo.append(source)
    return ending


def _is_end(function: Function, index: int) -> bool:
    instruction = function.instructions[index]
    return instruction.guard is None and instruction.opcode.split(".")[0] in ENDS


def block_starts(function: Function) -> list[int]:
    """Return the index of the first instruction of each basic block."""
    count = len(function.instructions)
    starts = {0, *function.labels.values()}
    for index, instruction in enumerate(function.instructions):
        head = instruction.opcode.split(".")[0]
        if head in ("bra", "brx", *ENDS):
            starts.add(index + 1)
    return sorted(start for start in starts if start < count)


def block_ends(function: Function, starts: list[int]) -> list[int]:
    """Return the index behind the last instruction of each basic block."""
    return [*starts[1:], len(function.instructions)]


def edges_and_branches(
    function: Function, starts: list[int], ends: list[int]
) -> tuple[list[list[int]], dict[int, int]]:
    """Return the successors of each block, and the block of each instruction that may diverge."""
    number = {start: block for block, start in enumerate(starts)}
    edges: list[list[int]] = []
    branches: dict[int, int] = {}
    for block, end in enumerate(ends):
        instruction = function.instructions[end - 1]
        head = instruction.opcode.split(".")[0]
        targets: list[int] = []
        falls_through = instruction.guard is not None or head not in ("bra", "brx", *ENDS)
        if head == "bra":
            targets.append(number.get(_label(function, instruction.operands), len(starts)))
            if instruction.guard is not None:
                branches[end - 1] = block
        elif head == "brx":
            labels = function.branch_targets.get(instruction.operands[1], []) if len(instruction.operands) > 1 else []
            if not labels:
                raise PtxSyntaxError(f"{instruction.text!r} in {function.name} has no table of targets")
            targets += [number.get(_label(function, [label]), len(starts)) for label in labels]
            branches[end - 1] = block
        if falls_through and block + 1 < len(starts):
            targets.append(block + 1)
        edges.append(list(dict.fromkeys(target for target in targets if target < len(starts))))
    return edges, branches


def _label(function: Function, operands: list[str]) -> int:
    """Return the index of the instruction behind a label."""
    if not operands or operands[0] not in function.labels:
        raise PtxSyntaxError(f"{function.name} branches to {' '.join(operands) or 'nowhere'}, which is no label of it")
    return function.labels[operands[0]]


def _post_dominators(edges: list[list[int]], last: int) -> list[int]:
    """Return each block's post-dominators as a bit set; all ones for a block that never reaches the end."""
    everything = (1 << len(edges)) - 1
    result = [everything] * len(edges)
    result[last] = 1 << last
    changed = True
    while changed:
        changed = False
        for block in range(len(edges) - 1, -1, -1):
            if block == last or not edges[block]:
                continue
            meet = everything
            for target in edges[block]:
                meet &= result[target]
            meet |= 1 << block
            if meet != result[block]:
                result[block] = meet
                changed = True
    return result


def _immediate(dominators: list[int], block: int) -> int | None:
    """Return the nearest post-dominator besides the block itself: the one that all others post-dominate too."""
    everything = (1 << len(dominators)) - 1
    if dominators[block] == everything:
        return None
    others = [b for b in range(len(dominators)) if b != block and dominators[block] >> b & 1]
    return max(others, key=lambda b: dominators[b].bit_count(), default=None)


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
