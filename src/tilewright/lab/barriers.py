"""The barrier problem of seeds 000 and 004: the tiled product run with, without and with misplaced barriers.

Each variant is the catalogue's own file with one line taken out or replaced, so every line keeps its number. It runs on
the emulator under several schedules, watched for races and for barriers that not all threads reach.

A timeline shows how far the warps of a block drift apart, and how many tiles they work on at once. Time counts the
shared-memory accesses and barrier arrivals of the block, in the order in which they ran: it has no unit of seconds. A
warp is in the phase whose tile it stored last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.choose import EMULATOR_FACTS, Problem, choose_plan
from tilewright.compile import compile_source
from tilewright.emulate import BarrierFault, BudgetExceeded
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.observers import Finding
from tilewright.emulate.observers.barrier_reach import BarrierReachObserver
from tilewright.emulate.observers.observer import EventRecorder
from tilewright.emulate.observers.races.observer import RaceObserver
from tilewright.emulate.state import Int64s
from tilewright.kernels import find
from tilewright.launch.emulator import EmulatorMachine

BARRIER = "__syncthreads();"
BRANCH = "if (row < m) __syncthreads();"
RECORDED_EVENTS = 200_000
INSTRUCTION_BUDGET = 50_000_000
"""Warp instructions: a wrong variant could also wait forever."""
WAITS, NOT_BEGUN = -1, -2
BINS = 64
TILES_PER_PHASE = 2
FLOAT_BYTES = 4


@dataclass(frozen=True)
class Variant:
    """A kernel to run. title: what is different; source: its text; changes: lines, and what became of each."""

    title: str
    entry: str
    file: str
    source: str
    changes: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Schedule:
    """An order of the warps: `round_robin`, each until it waits, or `random` turns drawn from a seed."""

    kind: str
    seed: int = 0

    def __str__(self) -> str:
        return self.kind.replace("_", " ") if self.kind != "random" else f"random, seed {self.seed}"


@dataclass(frozen=True)
class Run:
    """What one variant did under one schedule.

    wrong: elements of C beyond their bound, or NaN, of `elements`. findings: races, and barriers that were not reached.
    fault: what stopped it, or None. timeline: of the first block.
    """

    variant: Variant
    schedule: Schedule
    wrong: int
    elements: int
    findings: tuple[Finding, ...]
    fault: str | None
    timeline: Timeline


def variants() -> list[Variant]:
    """The kernels that are compared, the right one first."""
    tiled, inner = find("matmul", "tiled"), find("matmul", "tiled_inner_barrier")
    text = tiled.source_text()
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == BARRIER]
    first, second = lines

    def changed(title: str, *changes: tuple[int, str]) -> Variant:
        source = text.splitlines()
        for number, replacement in changes:
            source[number - 1] = replacement
        return Variant(title, tiled.entry, tiled.source_name, "\n".join(source), changes)

    return [
        changed("as it is"),
        changed("without the first barrier", (first, "")),
        changed("without the second barrier", (second, "")),
        changed("without both", (first, ""), (second, "")),
        Variant("the blog's placement", inner.entry, inner.source_name, inner.source_text()),
        changed("the first barrier in a branch", (first, BRANCH)),
    ]


def schedules(seeds: int) -> list[Schedule]:
    """Round robin, and so many random ones."""
    return [Schedule("round_robin"), *(Schedule("random", seed) for seed in range(1, seeds + 1))]


def run_all(
    size: tuple[int, int, int], tile: int, orders: Sequence[Schedule], some: Sequence[Variant] | None = None
) -> Iterator[Run]:
    """Run every variant, or some, under every schedule, on the same random float32 matrices of `size` (m, n, k)."""
    m, n, k = size
    generator = numpy.random.default_rng([m, n, k])
    a = generator.standard_normal((m, k), numpy.float32)
    b = generator.standard_normal((k, n), numpy.float32)
    for variant in variants() if some is None else some:
        macros = {"TILE": str(tile), "ELEMENT": "float"}
        ptx = compile_source(variant.source, variant.file, architecture="compute_90", macros=macros)
        assert isinstance(ptx, str)
        for schedule in orders:
            yield run(variant, ptx, schedule, a, b, tile)


def run_variant(variant: Variant, size: tuple[int, int, int], tile: int, schedule: Schedule) -> Run:
    """Run one variant under one schedule, on random float32 matrices of `size` (m, n, k)."""
    return next(found for found in run_all(size, tile, [schedule], [variant]))


def run(
    variant: Variant,
    ptx: str,
    schedule: Schedule,
    a: NDArray[numpy.float32],
    b: NDArray[numpy.float32],
    tile: int,
) -> Run:
    """Run one variant under one schedule."""
    (m, k), n = a.shape, b.shape[1]
    machine = EmulatorMachine(workers=1)
    held: list[Any] = []
    for name, shape in (("A", (m, k)), ("B", (k, n)), ("C", (m, n))):
        held.append(machine.emulator.allocate(4 * shape[0] * shape[1], name, dtype=numpy.float32, shape=shape))
    held[0].write(a)
    held[1].write(b)
    races, reach = RaceObserver(), BarrierReachObserver()
    recorder = EventRecorder(RECORDED_EVENTS, ev.mask(ev.STORE, ev.LOAD, ev.BARRIER), ev.mask(SHARED))
    tiles = (numpy.float32, (tile, tile))
    idea = variant.entry.removeprefix("matmul_")
    plan = choose_plan(Problem.of("matmul", m, n, k, "float32"), EMULATOR_FACTS, idea, tile)
    loaded = machine.load_code(plan.launches, [ptx], shared_arrays={"tile_A": tiles, "tile_B": tiles})
    fault = None
    try:
        loaded.run(
            [*(allocation.address for allocation in held), 0, 0, 0],
            observers=[races, reach, recorder],
            budget=INSTRUCTION_BUDGET,
            schedule=None if schedule.kind == "round_robin" else schedule.seed,
        )
    except (BarrierFault, BudgetExceeded) as stopped:
        fault = str(stopped)
    c = held[2].read(numpy.float32, (m, n))
    wrong = int((~_is_right(a, b, c)).sum())
    findings = (*races.findings, *reach.findings)
    return Run(variant, schedule, wrong, m * n, findings, fault, timeline_of(recorder.rows, tile))


def _is_right(a: NDArray[numpy.float32], b: NDArray[numpy.float32], c: NDArray[numpy.float32]) -> NDArray[numpy.bool_]:
    """Which elements keep the bound gamma_k |A| |B| (call/reference.py derives it); the float64 reference's own error
    is far below the 1 % that it is widened by.
    """
    exact, other = a.astype(numpy.float64), b.astype(numpy.float64)
    roundings = 1.01 * a.shape[1] * 2.0**-24
    right: NDArray[numpy.bool_] = numpy.abs(c - exact @ other) <= roundings * (numpy.abs(exact) @ numpy.abs(other))
    return right


@dataclass(frozen=True)
class Timeline:
    """The first block's warps over time.

    bins: per warp its phase in each part of the run; WAITS at a barrier, NOT_BEGUN before its first tile. drift: the
    most phases between the first warp and the last one, mean_drift over time. working_set_bytes: of the tiles that the
    warps worked on at once, at most.
    """

    bins: tuple[tuple[int, ...], ...]
    drift: int
    mean_drift: float
    working_set_bytes: int


def timeline_of(rows: Int64s, tile: int) -> Timeline:
    """Read the timeline of block 0 from recorded events of shared memory and barriers (EventRecorder.rows)."""
    rows = rows[rows[:, ev.BLOCK] == 0]
    if len(rows) == 0:
        return Timeline((), 0, 0.0, 0)
    warps = int(rows[:, ev.WARP_IN_BLOCK].max()) + 1
    phases = numpy.full((len(rows) + 1, warps), NOT_BEGUN, numpy.int64)
    waiting = numpy.zeros((len(rows) + 1, warps), bool)
    for time, row in enumerate(rows, 1):
        phases[time], waiting[time] = phases[time - 1], waiting[time - 1]
        warp, kind = int(row[ev.WARP_IN_BLOCK]), int(row[ev.KIND])
        waiting[time, warp] = kind == ev.BARRIER
        if kind == ev.STORE:
            phases[time, warp] = max(int(row[ev.TRIP]), int(phases[time, warp]))
    drifts = _drifts(phases[1:])
    most = int(drifts.max(initial=0))
    nbytes = (most + 1) * TILES_PER_PHASE * tile * tile * FLOAT_BYTES
    chosen = numpy.linspace(1, len(rows), min(BINS, len(rows))).astype(int)
    shown = numpy.where(waiting[chosen], WAITS, phases[chosen])
    bins = tuple(tuple(int(value) for value in column) for column in shown.T)
    return Timeline(bins, most, float(drifts.mean()) if len(drifts) else 0.0, nbytes)


def _drifts(phases: Int64s) -> Int64s:
    """Return at each time the phases between the warp that is furthest and the one that is last, from 0."""
    begun = phases.max(axis=1) >= 0
    # A warp that has not begun counts as being before its first tile.
    counted = numpy.maximum(phases[begun], -1)
    spread: Int64s = counted.max(axis=1) - counted.min(axis=1)
    return spread
