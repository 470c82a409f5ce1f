"""Replays a trace's document: the state of each array, sum and thread at every step of a block.

As docs/trace.md says, values that a step omits follow from the steps before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

Value = float | str | None
Cell = tuple[int, int]
"""The number of an array, and the flat index of an element."""
LOAD, STORE, ATOMIC, ADD, EXIT = "load", "store", "atomic", "add", "exit"
WAIT, ARRIVE, OPEN, GIVE = "wait", "arrive", "open", "give"


@dataclass(frozen=True)
class Moment:
    """The state of a block after one of its steps.

    step: its number. values: by array, None for unwritten elements. reads, writes: the cells of this step. padding:
    shared cells that hold a 0 in place of an element outside a matrix. sums: the first one of each thread. at_work,
    waiting: threads. loads: elements that the first thread has loaded from global memory so far. loads_beside: the
    same in the kernel used for comparison, None without one. planned, planned_beside: both in the end.
    """

    step: int
    kind: str
    line: int
    phase: int
    array: int | None
    values: dict[int, list[Value]]
    reads: frozenset[Cell]
    writes: frozenset[Cell]
    padding: frozenset[Cell]
    sums: dict[int, Value]
    at_work: frozenset[int]
    waiting: frozenset[int]
    loads: int
    loads_beside: int | None
    planned: int
    planned_beside: int


@dataclass
class _State:
    values: dict[int, list[Value]]
    padding: set[Cell] = field(default_factory=set)
    sums: dict[int, Value] = field(default_factory=dict)
    waiting: set[int] = field(default_factory=set)
    loaded: list[dict[int, list[Value]]] = field(default_factory=list)
    loads: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    updates: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    phase: int = 0


def moments(document: dict[str, Any], number: int = 0) -> Iterator[Moment]:
    """Yield the state of a recorded block after each of its steps; number: which of the document's blocks."""
    arrays = document["arrays"]
    threads = prod(document["launch"]["block"])
    state = _State({at: list(array.get("before") or [None] * prod(array["shape"])) for at, array in enumerate(arrays)})
    steps = document["blocks"][number]["steps"]
    curve = _curve(document, steps, threads)
    planned = sum(
        step.get("n", 1)
        for step in steps
        if step["k"] == LOAD
        and "a" in step
        and arrays[step["a"]]["space"] == "global"
        and step.get("w", 0) == 0
        and 0 in lanes_of(step, threads)
    )
    for index, step in enumerate(steps):
        lanes = lanes_of(step, threads)
        who = [32 * step.get("w", 0) + lane for lane in lanes] if "w" in step else []
        state.phase = step.get("p", state.phase)
        elements = elements_of(step.get("e", ()))
        reads, writes = _play(arrays, state, step, lanes, who, elements)
        first_updates = state.updates[0]
        beside = None
        if curve:
            ended = step["k"] == EXIT or index == len(steps) - 1
            beside = curve[-1] if ended else curve[min(first_updates, len(curve)) - 1] if first_updates else 0
        yield Moment(
            step=index,
            kind=step["k"],
            line=step.get("l", 0),
            phase=state.phase,
            array=step.get("a"),
            values={at: list(values) for at, values in state.values.items()},
            reads=frozenset(reads),
            writes=frozenset(writes),
            padding=frozenset(state.padding),
            sums=dict(state.sums),
            at_work=frozenset(who),
            waiting=frozenset(state.waiting),
            loads=state.loads[0],
            loads_beside=beside,
            planned=planned,
            planned_beside=curve[-1] if curve else 0,
        )


def lanes_of(step: dict[str, Any], threads: int) -> list[int]:
    """Return the active lanes of a step, in order."""
    if "w" not in step:
        return []
    count = min(32, threads - 32 * step["w"])
    mask = step.get("m", (1 << count) - 1)
    return [lane for lane in range(32) if mask >> lane & 1]


def elements_of(runs: Sequence[int]) -> list[int]:
    """Return the indices of runs of (start, step, length)."""
    found: list[int] = []
    for at in range(0, len(runs), 3):
        start, step, length = runs[at : at + 3]
        found += [start + step * place for place in range(length)]
    return found


def tiles_by_phase(document: dict[str, Any]) -> dict[int, dict[int, set[int]]]:
    """Return the elements of global memory that the first recorded block loads in each phase, by array."""
    arrays = document["arrays"]
    found: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    phase = 0
    for step in document["blocks"][0]["steps"]:
        phase = step.get("p", phase)
        if step["k"] == LOAD and "a" in step and arrays[step["a"]]["space"] == "global":
            found[phase][step["a"]].update(elements_of(step.get("e", ())))
    return found


def _play(
    arrays: list[dict[str, Any]],
    state: _State,
    step: dict[str, Any],
    lanes: list[int],
    who: list[int],
    elements: list[int],
) -> tuple[set[Cell], set[Cell]]:
    """Apply a step to the state; return the cells that it reads and writes."""
    kind, count, array = step["k"], step.get("n", 1), step.get("a")
    given = step.get("v")
    by_lane = None if given is None else {lane: given[count * at : count * (at + 1)] for at, lane in enumerate(lanes)}
    if kind == ADD and by_lane is not None and step.get("q", 0) == 0:
        for lane, thread in zip(lanes, who, strict=True):
            state.sums[thread] = by_lane[lane][0]
            state.updates[thread] += 1
    elif kind == WAIT:
        state.waiting.update(who)
    elif kind == OPEN:
        state.waiting.clear()
    loaded: dict[int, list[Value]] = {}
    touched: set[Cell] = set()
    if array is not None:
        size = len(state.values[array])
        for lane, thread, element in zip(lanes, who, elements, strict=False):
            cells = [(array, index) for index in range(element, element + count) if 0 <= index < size]
            touched.update(cells)
            if kind == LOAD:
                loaded[lane] = by_lane[lane] if by_lane else [state.values[array][index] for _, index in cells]
                state.loads[thread] += count if arrays[array]["space"] == "global" else 0
            else:
                _write(state, step, lane, cells, None if by_lane is None else by_lane[lane])
    state.loaded.append(loaded)
    return (touched, set()) if kind == LOAD else (set(), touched)


def _write(state: _State, step: dict[str, Any], lane: int, cells: list[Cell], given: list[Value] | None) -> None:
    """Write a lane's cells: the step's values or, for a copy, the loaded ones. An atomic's may be unknown."""
    values, is_padding = ([None] * len(cells) if given is None else given), False
    if given is None and step.get("c"):
        values, is_padding = _copied(state, step, lane)
    for (array, index), value in zip(cells, values, strict=False):
        state.values[array][index] = value
        (state.padding.add if is_padding else state.padding.discard)((array, index))


def _copied(state: _State, step: dict[str, Any], lane: int) -> tuple[list[Value], bool]:
    """Return the values of a lane's copy, and whether they are padding (0 for elements that it did not load)."""
    sources = [(source, 0) if isinstance(source, int) else tuple(source) for source in (step.get("f") or [[]])[0]]
    for index, element in sorted(sources, reverse=True):
        if lane in state.loaded[index]:
            return [state.loaded[index][lane][element]], False
    return [0], True


def _curve(document: dict[str, Any], steps: list[dict[str, Any]], threads: int) -> list[int]:
    """Return the loads of the kernel used for comparison by updates, for the element that the first thread stores."""
    beside = document.get("beside")
    if not beside:
        return []
    for step in steps:
        is_of_first = step["k"] == STORE and step.get("w") == 0 and 0 in lanes_of(step, threads)
        if is_of_first and document["arrays"][step["a"]]["name"] == "C":
            place = lanes_of(step, threads).index(0)
            curve = beside["curve_of"][elements_of(step["e"])[place]]
            return [] if curve < 0 else list(beside["curves"][curve])
    return []
