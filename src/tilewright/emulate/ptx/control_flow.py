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
MOST_GUARDS = 64
"""The most predicates by whose values paths are told apart: more would take seconds."""


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

    reads, writes: registers by instruction. A path on which a predicate is true at one branch and false at another,
    with no write of it between, is none: what a condition writes, the same condition may read.
    """
    starts = block_starts(function)
    if not starts:
        return []
    graph = _Graph(function, reads, writes, starts)
    found = graph.unwritten([])
    guards = [each.guard.lstrip("!") for each in function.instructions if each.guard is not None]
    several = [name for name in dict.fromkeys(guards) if guards.count(name) > 1]
    return graph.unwritten(several) if found and 0 < len(several) <= MOST_GUARDS else found


class _Graph:
    """The blocks of a function, and which registers are written where each begins."""

    def __init__(
        self, function: Function, reads: Sequence[set[str]], writes: Sequence[set[str]], starts: list[int]
    ) -> None:
        self._instructions, self._reads, self._writes = function.instructions, reads, writes
        self._starts, self._ends = starts, block_ends(function, starts)
        self._edges, _ = edges_and_branches(function, starts, self._ends)
        self._number = {start: block for block, start in enumerate(starts)}
        self._function = function
        self._bit = {name: 1 << place for place, name in enumerate(sorted(set().union(*reads, *writes)))}
        self._all = (1 << len(self._bit)) - 1

    def unwritten(self, guards: Sequence[str]) -> list[int]:
        """Return the reads of what may not be written, with the paths told apart by the values of these predicates.

        A state holds the registers that are written on all paths, then for each predicate those that are written on
        all paths where it is false, and where it is true.
        """
        place = {name: 1 + 2 * at for at, name in enumerate(guards)}
        states = [[self._all] * (1 + 2 * len(guards)) for _ in self._starts]
        states[0] = [0] * len(states[0])
        todo, visited = [0], set[int]()
        while todo:
            block = todo.pop()
            visited.add(block)
            after = list(states[block])
            for index in range(self._starts[block], self._ends[block]):
                self._write(after, index, place)
            for target in self._edges[block]:
                fewer = [
                    old & new for old, new in zip(states[target], self._along(block, target, after, place), strict=True)
                ]
                if fewer != states[target] or target not in visited:
                    states[target] = fewer
                    todo.append(target)
        found = []
        for block in sorted(visited):
            state = list(states[block])
            for index in range(self._starts[block], self._ends[block]):
                known = state[self._of_guard(index, place)]
                if any(not known & self._bit[name] for name in self._reads[index]):
                    found.append(index)
                self._write(state, index, place)
        return found

    def _of_guard(self, index: int, place: dict[str, int]) -> int:
        """Return the place in a state of what is written where an instruction is executed; 0 without its predicate."""
        guard = self._instructions[index].guard
        at = place.get(guard.lstrip("!"), 0) if guard is not None else 0
        return at + (guard is not None and not guard.startswith("!")) if at else 0

    def _write(self, state: list[int], index: int, place: dict[str, int]) -> None:
        """Add what an instruction writes; a guarded write may be none."""
        written = sum(self._bit[name] for name in self._writes[index])
        if self._instructions[index].guard is None:
            state[:] = [each | written for each in state]
        elif at := self._of_guard(index, place):
            state[at] |= written
        for name in self._writes[index]:
            if name in place:  # another value: what was written under the old one says nothing
                state[place[name]] = state[place[name] + 1] = state[0]

    def _along(self, block: int, target: int, after: list[int], place: dict[str, int]) -> list[int]:
        """Return a state at the end of a block as it is at the beginning of the next: the branch says a predicate."""
        last = self._ends[block] - 1
        branch = self._instructions[last]
        at = self._of_guard(last, place)
        if not at or branch.opcode.split(".")[0] != "bra":
            return after
        taken = self._number.get(_label(self._function, branch.operands))
        if taken == block + 1:
            return after
        other = at + 1 if at % 2 else at - 1
        holds, fails = (at, other) if target == taken else (other, at)
        known = [each | after[holds] for each in after]
        known[fails] = self._all
        return known
