"""What a page tells around the run of a product: how often numbers are read without tiles, what each tile saves, and
the runs that go wrong without a barrier, which a dot product has as well. Everything is executed when the page is
written; what takes a compiler is left out where there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from typing import Any

import numpy

from tilewright.choose import EMULATOR_FACTS, Plan, PlanError, choose_plan, find_chip
from tilewright.choose.occupancy.limits import limits_of
from tilewright.compile import CompilerMissingError
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.observers.observer import EventRecorder
from tilewright.kernels import Problem, find_taught
from tilewright.lab.barriers import Schedule, run_variant, variants
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.compiled_memories import kernel_memories
from tilewright.lab.on_zeros import run_on_zeros
from tilewright.lab.trace.catalogue_subject import catalogue_subject
from tilewright.lab.trace.document import FORMAT, document_of
from tilewright.lab.trace.record import record

FROM_TILES = "matmul/tiled"
TOLD = ("matmul/tiled", "matmul/tiled_exact", "matmul/naive")
REDUCED = ("reduced_matmul/tiled", "reduced_matmul/naive_p", "reduced_matmul/naive_4p")
WITHOUT_TILES = {"matmul": "naive", "reduced_matmul": "naive_p"}
"""The kernel that reads everything anew, by operation."""
MOST_READ = 1 << 16
"""The most loads that are counted element by element."""
LARGEST_TILE = 32
SWEPT = {"matmul": 32, "reduced_matmul": 64}
"""The side of the matrices on which every tile is tried: a block of the largest tile computes all of C."""
CHIPS = {"matmul": ("h200", "rtx-4090", "g80"), "reduced_matmul": ("gtx-1050-mobile", "h200", "g80")}
"""The thesis's own chip is the first for its product."""
MACHINE = (
    "Intel i5-9300H @2.40 GHz, 8 cores",
    "8 GB",
    "NVIDIA GeForce GTX 1050 Mobile",
    "11.7",
    "4 GB",
)
"""The thesis's table 4.1, as printed: CPU, its memory, GPU, CUDA version, its memory."""
THESIS_CHIP = "gtx-1050-mobile"
RACES = {
    "matmul/tiled": {1: (Sizes(8, 16, 8), 8), 2: (Sizes(8, 16, 8), 8)},
    "reduced_matmul/tiled": {1: (Sizes(16, 16, 16), 8), 2: (Sizes(16, 16, 16), 8)},
    "dot/tiled": {1: (Sizes(1, 64, 1), 64), 2: (Sizes(1, 128, 1), 128)},
}
"""By kernel, the smallest size and tile at which a missing barrier does harm: within a single warp nobody is late. Two
warps and two phases of a product; the steps of a tree are of one warp alone once 64 sums are left."""
DRIFTED = (40, 40, 96), 16
"""Eight warps and six phases, enough to drift apart."""
OCCUPIED_CHIP = "h200"
"""Registers are counted for a chip; where variables live is the same on all."""
RESOURCES = ("threads", "blocks", "registers", "shared memory")


def with_lesson(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a trace's document with what its page tells around the run."""
    return {**document, "lesson": lesson_of(document)} if document["format"] == FORMAT else dict(document)


def lesson_of(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what is told around a product or a dot product of the catalogue's taught kernels; None for others."""
    name, problem = document["kernel"]["name"], document["problem"]
    if name not in (*TOLD, *REDUCED, *RACES) or document["launch"]["fault"]:
        return None
    operation = problem["operation"]
    without = {str(number): run for number in RACES.get(name, ()) if (run := wrong_run(name, number))}
    if operation == "dot":
        return {"without": without}
    return {
        "reads": reads(operation, problem["m"], problem["n"], problem["k"]),
        "tiles": tiles(operation),
        "memories": memories(name, problem["tile"]),
        "timing": timing() if name == FROM_TILES else None,
        "machine": machine() if name in REDUCED else None,
        "without": without,
    }


@cache
def reads(operation: str, m: int, n: int, k: int) -> dict[str, Any] | None:
    """Return how often the kernel without tiles reads each element of A and B; None for what is too large to draw."""
    if m * n * k * 2 > MOST_READ:
        return None
    plan = choose_plan(Problem.of(operation, m, n, k, "float32"), EMULATOR_FACTS, WITHOUT_TILES[operation], None)
    recorder = EventRecorder(MOST_READ, ev.mask(ev.LOAD), ev.mask(GLOBAL))
    counts = run_on_zeros(plan, observers=[recorder]).counts.as_dict()
    of_element: dict[int, int] = {}
    for address in _addresses(recorder):
        of_element[address] = of_element.get(address, 0) + 1
    first = min(of_element)
    # Allocations lie one behind the other; whatever lies behind the whole of A is B's.
    in_a = sorted(address for address in of_element if address < first + 4 * m * k)
    in_b = sorted(address for address in of_element if address >= first + 4 * m * k)
    if len(in_a) != m * k or len(in_b) != k * n:
        return None
    return {
        "A": [of_element[address] for address in in_a],
        "B": [of_element[address] for address in in_b],
        "loads": counts["global_loads"],
    }


def _addresses(recorder: EventRecorder) -> Iterator[int]:
    rows = recorder.rows
    active = (rows[:, ev.LANES, None] >> numpy.arange(32) & 1) == 1
    yield from rows[:, ev.ADDRESSES : ev.ADDRESSES + 32][active].tolist()


@cache
def tiles(operation: str) -> dict[str, Any]:
    """Return the loads of the tiled kernel with every tile, counted, and what bounds the tile on some chips."""
    kernel = find_taught(operation, "tiled")
    tried = [(tile, plan, _loads(plan)) for tile in range(1, LARGEST_TILE + 1) for plan in [_swept(operation, tile)]]
    ran = [(tile, plan, loads) for tile, plan, loads in tried if loads is not None]
    plans = [plan for _, plan, _ in ran]
    return {
        "kernel": kernel.name,
        "side": SWEPT[operation],
        "tiles": [tile for tile, _, _ in ran],
        "loads": [loads for _, _, loads in ran],
        "threads": [prod(plan.block) for plan in plans],
        "shared_bytes": [plan.shared_bytes for plan in plans],
        "chips": [_bounds(name, plans) for name in CHIPS[operation]],
    }


def _swept(operation: str, tile: int) -> Plan:
    side = SWEPT[operation]
    return choose_plan(Problem.of(operation, side, side, side, "float32"), EMULATOR_FACTS, "tiled", tile)


def _loads(plan: Plan) -> int | None:
    """Return the elements that a plan loads; None where its tile does not ship and there is no compiler."""
    try:
        return int(run_on_zeros(plan).counts.as_dict()["global_loads"])
    except CompilerMissingError:
        return None


def _bounds(name: str, plans: list[Plan]) -> dict[str, Any]:
    """Return how many blocks of each tile an SM holds, and which resource allows no more."""
    facts = find_chip(name)
    blocks: list[int] = []
    limited_by: list[int] = []
    for plan in plans:
        known = [limit for limit in limits_of(facts, prod(plan.block), plan.shared_bytes) if limit.blocks is not None]
        least = min(limit.blocks or 0 for limit in known)
        blocks.append(least)
        limited_by.append(next(RESOURCES.index(limit.resource) for limit in known if limit.blocks == least))
    return {
        "name": facts.name,
        "threads_per_block": facts.max_threads_per_block,
        "blocks": blocks,
        "limited_by": limited_by,
    }


@cache
def memories(name: str, tile: int | None) -> list[dict[str, str]] | None:
    """Return where each variable of a kernel lives, from its compiled code; None where there is no compiler."""
    try:
        found = kernel_memories(name, OCCUPIED_CHIP, tile=tile)
    except CompilerMissingError:
        return None
    return [
        {"memory": each.memory.name, "scope": each.scope, "shown": each.declaration or each.name}
        for each in found.variables
    ]


def machine() -> dict[str, Any]:
    """Return the machine on which the thesis measured, as it says, and what is known of its chip."""
    facts = find_chip(THESIS_CHIP)
    limits = facts.max_threads_per_block, facts.max_threads_per_sm, facts.shared_bytes_per_block
    return {"printed": list(MACHINE), "chip": [facts.sm_count, *limits]}


@cache
def timing() -> list[dict[str, Any]] | None:
    """Return how far warps drift apart with both barriers and without them; None where there is no compiler."""
    with_both, _, _, without, *_ = variants()
    size, tile = DRIFTED
    try:
        runs = [run_variant(variant, size, tile, Schedule("round_robin")) for variant in (with_both, without)]
    except CompilerMissingError:
        return None
    return [
        {
            "bins": [list(row) for row in run.timeline.bins],
            "drift": run.timeline.drift,
            "bytes": run.timeline.working_set_bytes,
        }
        for run in runs
    ]


@cache
def wrong_run(name: str, barrier: int) -> dict[str, Any] | None:
    """Return the trace of a kernel without one of its barriers, at the smallest size where that does harm.

    None where there is no compiler.
    """
    sizes, tile = RACES[name][barrier]
    try:
        subject = catalogue_subject(find_taught(*name.split("/")), sizes, tile, without=(barrier,))
    except (PlanError, CompilerMissingError):
        return None
    document = document_of(record(subject))
    # The page has the kernel's source already, and leads to the first place of a finding, not to every one.
    taken = [number for number, line in enumerate(subject.listing.text.split("\n"), 1) if not line.strip()]
    document["kernel"] |= {"source": "", "empty": taken}
    for finding in document["findings"]:
        finding["at"] = finding["at"][:1]
    return document | {"beside": None, "counts": {}}
