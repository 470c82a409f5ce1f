"""Records a trace: runs a subject on the emulator with every observer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy

from tilewright.choose import PlanError
from tilewright.emulate.observers import Finding
from tilewright.kernels import find_taught
from tilewright.kernels.taught import ANY_CHIP
from tilewright.lab.check.find.products import compare, result_of
from tilewright.lab.check.run.execution import Outcome, Pointer
from tilewright.lab.check.run.tolerances import nearness
from tilewright.lab.check.run.watching import correctness_observers, of_fault, together, traffic_observers

from .arrays import UNKNOWN, Locator, Number, TracedArray, arrays_of, number_of
from .beside import beside_of
from .catalogue_subject import with_problem_of
from .dataflow import Dataflow
from .recording import StepRecorder
from .steps import Step, StepMaker, Traffic, count_phases, traffic_of
from .subject import Subject, TraceError
from .trace import MOST_THREAD_STEPS, Beside, BlockTrace, Extent, Selection, Trace

FEW_BLOCKS = 16
FEW_THREADS = 1024
"""The most blocks and threads of a grid that is recorded whole by default."""
WORDS_PER_THREAD_STEP = 12
OTHERS = {
    "matmul/naive": "tiled",
    "matmul": "naive",
    "reduced_matmul/naive_4p": "tiled",
    "reduced_matmul/naive_p": "tiled",
    "reduced_matmul": "naive_4p",
}
"""The kernel used for comparison, by kernel or operation: with tiles for one without, and the reverse."""


def record(subject: Subject, selection: Selection | None = None, *, schedule_seed: int | None = None) -> Trace:
    """Run a subject once and return its trace. schedule_seed: of a random order of warps; None for round robin.

    Raises:
        TraceError: the grid has no such block, no GPU would take the launch, or there are no steps in it.
    """
    selection = selection or Selection()
    chosen = _chosen_blocks(subject, selection)
    recorder, outcome, findings = _run(subject, chosen, schedule_seed, watched=True)
    missed = _where_it_goes_wrong(findings, chosen) if selection.blocks is None else []
    if missed:  # the same run again, for its order is the same
        chosen += missed
        recorder, outcome, findings = _run(subject, chosen, schedule_seed, watched=True)
    arrays = _named_arrays(recorder)
    every, cut = _blocks(subject, recorder, arrays, chosen, selection)
    blocks = [block for block in every if block.steps]
    if not blocks:
        fault = str(outcome.fault).rstrip(".") if outcome.fault else ""
        why = f"it stopped before: {fault}" if fault else "the chosen threads do nothing in the chosen phases"
        raise TraceError(f"{subject.name} has no steps to show: {why}.")
    sums = max((step.sum + 1 for block in blocks for step in block.steps if step.kind == "add"), default=0)
    return Trace(
        subject=subject,
        arrays=tuple(arrays),
        before=_contents(
            arrays, {a.name: a.array for a in subject.arguments if isinstance(a, Pointer) and not a.is_unset}
        ),
        after=_contents(arrays, outcome.arrays),
        blocks=tuple(blocks),
        selection=selection,
        schedule="round robin" if schedule_seed is None else f"random, seed {schedule_seed}",
        findings=tuple(findings),
        counts=outcome.counts.as_dict() if outcome.counts else {},
        beside=_beside(subject, chosen),
        wrong=wrong_elements(subject, outcome),
        fault=" ".join(str(outcome.fault).split()) if outcome.fault else "",
        cut=cut,
        sums=sums,
        notes=subject.notes,
    )


def _run(
    subject: Subject, chosen: Sequence[Extent], schedule_seed: int | None, *, watched: bool
) -> tuple[StepRecorder, Outcome, list[Finding]]:
    stand = subject.stand
    dataflow = Dataflow(stand.module, stand.entry)
    wanted = {pc: [(u.result, u.is_wide) for u in dataflow.updates_before(pc)] for pc in dataflow.told}
    grid = subject.geometry.grid
    linear = [x + grid[0] * (y + grid[1] * z) for x, y, z in chosen]
    recorder = StepRecorder(linear, wanted, WORDS_PER_THREAD_STEP * MOST_THREAD_STEPS)
    watching = [*correctness_observers(), *traffic_observers()] if watched else []
    outcome = stand.run(
        subject.arguments,
        subject.geometry,
        budget=subject.budget,
        observers=[*watching, recorder],
        schedule_seed=schedule_seed,
    )
    if outcome.refusal or recorder.launch is None:
        raise TraceError(f"{subject.name} cannot be launched: {outcome.refusal}.")
    findings = [finding for observer in watching for finding in observer.findings]
    own = of_fault(outcome.fault, findings) if outcome.fault is not None else None
    return recorder, outcome, together([*findings, own] if own else findings)


def _chosen_blocks(subject: Subject, selection: Selection) -> list[Extent]:
    if selection.blocks is not None:
        return checked_blocks(subject, selection.blocks)
    x, y, z = subject.geometry.grid
    everything = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)][: FEW_BLOCKS + 1]
    is_small = len(everything) <= FEW_BLOCKS and subject.geometry.threads <= FEW_THREADS
    return everything if is_small else everything[:1]


def checked_blocks(subject: Subject, blocks: Sequence[Extent]) -> list[Extent]:
    """Return the blocks that were asked for; raise TraceError for one that the grid lacks."""
    x, y, z = subject.geometry.grid
    for block in blocks:
        if not all(0 <= index < size for index, size in zip(block, (x, y, z), strict=True)):
            raise TraceError(f"Block {block} is none of the grid, which has {x} x {y} x {z} blocks, counted from 0.")
    return list(blocks)


def _where_it_goes_wrong(findings: Sequence[Finding], chosen: Sequence[Extent]) -> list[Extent]:
    """Return the block of the first error in which no chosen block takes part."""
    for finding in findings:
        where = [block for block, _ in finding.threads]
        if finding.severity == "error" and where and not set(where) & set(chosen):
            return where[:1]
    return []


def _named_arrays(recorder: StepRecorder) -> list[TracedArray]:
    assert recorder.launch is not None
    return arrays_of(recorder.launch)


def _blocks(
    subject: Subject,
    recorder: StepRecorder,
    arrays: Sequence[TracedArray],
    chosen: Sequence[Extent],
    selection: Selection,
) -> tuple[list[BlockTrace], str]:
    """Return the steps block by block, and a sentence about what did not fit."""
    launch = recorder.launch
    assert launch is not None
    dataflow = Dataflow(subject.stand.module, subject.stand.entry)
    locator = Locator(launch, arrays)
    makers: dict[int, StepMaker] = {}
    room, cut = MOST_THREAD_STEPS, ""
    for kept in recorder.records():
        maker = makers.setdefault(
            kept.block,
            StepMaker(dataflow, arrays, locator, lambda pc: subject.listing.line(launch.places.line_of(pc))),
        )
        before = len(maker.steps)
        maker.add(kept)
        room -= sum(max(1, step.lanes.bit_count()) for step in maker.steps[before:])
        if room < 0:
            break
    for maker in makers.values():
        maker.finish()
    if room < 0 or recorder.lost:
        cut = (
            f"The recording ends after {MOST_THREAD_STEPS:,} steps of threads; choose a block, threads or phases, or a "
            "smaller size, to see the rest."
        )
    found = []
    for block in chosen:
        linear = block[0] + launch.grid[0] * (block[1] + launch.grid[1] * block[2])
        steps = makers[linear].steps if linear in makers else []
        count_phases(steps, arrays)
        traffic = [_traffic(step, arrays) for step in steps]
        found.append(BlockTrace(block, *_selected(steps, traffic, selection, launch.block)))
    return found, cut


def _traffic(step: Step, arrays: Sequence[TracedArray]) -> Traffic:
    if step.kind not in ("load", "store") or step.array == UNKNOWN:
        return Traffic()
    return traffic_of(step, arrays[step.array].space)


def _selected(
    steps: Sequence[Step], traffic: Sequence[Traffic], selection: Selection, block: Extent
) -> tuple[tuple[Step, ...], tuple[Traffic, ...]]:
    """Return the steps of the chosen threads and phases, without sources in other steps."""
    if selection.threads is None and selection.phases is None:
        return tuple(steps), tuple(traffic)
    wanted = _lane_masks(selection.threads, block)
    first, last = selection.phases or (0, len(steps))
    place: dict[int, int] = {}
    kept: list[Step] = []
    costs: list[Traffic] = []
    for index, step in enumerate(steps):
        lanes = step.lanes if wanted is None else step.lanes & wanted.get(step.warp, 0)
        if not first <= step.phase <= last or (step.warp >= 0 and not lanes):
            continue
        place[index] = len(kept)
        at = [number for number, lane in enumerate(step.lane_numbers) if lanes >> lane & 1]
        kept.append(
            replace(
                step,
                lanes=lanes,
                elements=[step.elements[i] for i in at] if step.elements else [],
                values=[step.values[i] for i in at] if step.values else [],
                addresses=[step.addresses[i] for i in at] if step.addresses else [],
                sources=tuple(
                    tuple((place[source], element) for source, element in factor if source in place)
                    for factor in step.sources
                ),
            )
        )
        costs.append(traffic[index])
    return tuple(kept), tuple(costs)


def _lane_masks(threads: Iterable[Extent] | None, block: Extent) -> dict[int, int] | None:
    if threads is None:
        return None
    masks: dict[int, int] = {}
    for x, y, z in threads:
        if not (0 <= x < block[0] and 0 <= y < block[1] and 0 <= z < block[2]):
            raise TraceError(f"Thread {(x, y, z)} is none of a block of {block[0]} x {block[1]} x {block[2]} threads.")
        linear = x + block[0] * (y + block[1] * z)
        masks[linear // 32] = masks.get(linear // 32, 0) | 1 << linear % 32
    return masks


def _contents(arrays: Sequence[TracedArray], known: dict[str, Any]) -> dict[int, list[Number]]:
    found = {}
    for number, array in enumerate(arrays):
        values = known.get(array.name) if array.space == "global" else None
        if values is not None:
            flat = numpy.ascontiguousarray(values).reshape(-1)
            bits = flat.view(f"u{flat.itemsize}")
            found[number] = [number_of(int(each), flat.dtype) for each in bits]
    return found


def wrong_elements(subject: Subject, outcome: Outcome) -> int | None:
    """Return the number of wrong elements; None if there is nothing to compare with."""
    if outcome.fault is not None:
        return None
    if subject.compared is not None:
        return int((~subject.compared(outcome.arrays["C"])).sum())
    if subject.product is None:
        found = [
            nearness(outcome.arrays[name], array.reshape(outcome.arrays[name].shape))
            for name, array in subject.expected.items()
        ]
        return sum(int((~near.is_right).sum()) for near in found) if found else None
    c = result_of(subject.operation, subject.product.sizes, outcome.arrays["C"])
    return int((~compare(subject.operation, subject.product.a, subject.product.b, c).right).sum())


def _beside(subject: Subject, chosen: Sequence[Extent]) -> Beside | None:
    """Return the counts of the kernel used for comparison; None if there is none."""
    idea = OTHERS.get(subject.name) or OTHERS.get(subject.operation)
    if idea is None or subject.product is None or str(subject.product.a.dtype) not in ANY_CHIP:
        return None
    kernel = find_taught(subject.operation, idea)
    tile = subject.tile if kernel.tile is None or subject.tile is None else min(subject.tile, kernel.tile.largest)
    if kernel.tile is None:
        tile = None
    try:
        other = with_problem_of(subject.product, kernel, tile)
    except (PlanError, TraceError):
        return None
    grid = other.geometry.grid
    same = [block for block in chosen if all(index < size for index, size in zip(block, grid, strict=True))]
    recorder, outcome, _ = _run(other, same or [(0, 0, 0)], None, watched=False)
    if outcome.counts is None or recorder.lost:
        return None
    arrays = _named_arrays(recorder)
    blocks, cut = _blocks(other, recorder, arrays, same or [(0, 0, 0)], Selection())
    if cut:
        return None
    return beside_of(kernel.name, other.tile, outcome.counts.global_loads, arrays, blocks)
