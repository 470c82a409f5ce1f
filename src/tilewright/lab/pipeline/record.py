"""Records a pipeline: runs a subject on the emulator, with copies that take their time, and returns its document."""

from __future__ import annotations

from typing import Any

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.observers.bounds import BoundsObserver
from tilewright.emulate.observers.hazards.observer import HazardObserver
from tilewright.emulate.observers.swizzles import SwizzleObserver
from tilewright.emulate.observers.uninitialised import UninitialisedObserver
from tilewright.lab.check.run.execution import pointers_of
from tilewright.lab.check.run.watching import of_fault, together
from tilewright.lab.trace.arrays import arrays_of
from tilewright.lab.trace.document import finding_of, frame_of
from tilewright.lab.trace.record import checked_blocks, wrong_elements
from tilewright.lab.trace.subject import Subject, TraceError
from tilewright.lab.trace.trace import Extent, Selection

from .boxes import Matrix
from .document import FORMAT, MOST_STEPS, VERSION, block_of, matrices_of
from .recording import PipelineRecorder

FEW_BLOCKS = 4
"""The most blocks that are recorded by default; of more, the first cluster."""


def is_pipeline(subject: Subject) -> bool:
    """Return whether a kernel has mbarriers or bulk copies."""
    opcodes = subject.stand.module.rows[:, row.OPCODE]
    return bool(((opcodes == op.MBARRIER) | (opcodes == op.BULK_COPY)).any())


def record_pipeline(subject: Subject, selection: Selection, *, schedule_seed: int | None = None) -> dict[str, Any]:
    """Run a subject once and return its document. schedule_seed: of the order of warps and of when copies are made.

    Raises:
        TraceError: the grid has no such block, no GPU would take the launch, or threads or phases are chosen.
    """
    if selection.threads is not None or selection.phases is not None:
        raise TraceError("A pipeline is recorded with all of its threads and phases; blocks can be chosen.")
    chosen = _chosen_blocks(subject, selection)
    grid = subject.geometry.grid
    numbers = {x + grid[0] * (y + grid[1] * z): (x, y, z) for x, y, z in chosen}
    recorder = PipelineRecorder(_with_neighbours(subject, chosen))
    watching = [BoundsObserver(), UninitialisedObserver(), SwizzleObserver(), HazardObserver()]
    outcome = subject.stand.run(
        subject.arguments,
        subject.geometry,
        budget=subject.budget,
        observers=[*watching, recorder],
        schedule_seed=schedule_seed,
        completion="random",
    )
    if outcome.refusal or recorder.launch is None:
        raise TraceError(f"{subject.name} cannot be launched: {outcome.refusal}.")
    findings = [finding for observer in watching for finding in observer.findings]
    own = of_fault(outcome.fault, findings) if outcome.fault is not None else None
    given = {pointer.name for pointer in pointers_of(subject.arguments)}
    matrices = [
        Matrix(each.name, str(each.dtype or "bits"), each.first_address, each.itemsize, each.shape)
        for each in arrays_of(recorder.launch)
        if each.space == "global" and each.name in given
    ]
    names = [matrix.name for matrix in matrices]
    is_product = subject.operation == "matmul" and {"A", "B", "C"} <= set(names)
    product = (names.index("A"), names.index("B"), names.index("C")) if is_product else None
    events = list(recorder.told(subject.listing))
    blocks, is_whole = [], not recorder.lost
    for number, index in numbers.items():
        document, has_all = block_of(events, number, index, matrices, product, MOST_STEPS // len(numbers))
        blocks.append(document)
        is_whole = is_whole and has_all
    cut = f"The recording ends after {MOST_STEPS:,} events; choose a block, or a smaller size, to see the rest."
    fault = " ".join(str(outcome.fault).split()) if outcome.fault else ""
    order = "round robin" if schedule_seed is None else f"random, seed {schedule_seed}"
    schedule = f"{order}; a copy comes when chance takes it, which the same seed repeats"
    frame = frame_of(subject, wrong_elements(subject, outcome), schedule, fault)
    frame["launch"]["cluster"] = list(subject.geometry.cluster)
    return {
        "format": FORMAT,
        "version": VERSION,
        **frame,
        "recorded": {"cut": "" if is_whole else cut},
        "arrays": matrices_of(matrices),
        "blocks": blocks,
        "findings": [finding_of(subject, each) for each in together([*findings, own] if own else findings)],
        "counts": outcome.counts.as_dict() if outcome.counts else {},
        "notes": list(subject.notes),
    }


def _chosen_blocks(subject: Subject, selection: Selection) -> list[Extent]:
    if selection.blocks is not None:
        return list(dict.fromkeys(checked_blocks(subject, selection.blocks)))
    x, y, z = subject.geometry.grid
    cluster = subject.geometry.cluster
    shown = (x, y, z) if x * y * z <= FEW_BLOCKS else cluster
    return [(i, j, k) for k in range(shown[2]) for j in range(shown[1]) for i in range(shown[0])]


def _with_neighbours(subject: Subject, chosen: list[Extent]) -> set[int]:
    """Return the linear numbers of blocks and of all others of their clusters."""
    (x, y, _), cluster = subject.geometry.grid, subject.geometry.cluster
    found = set()
    for block in chosen:
        first = [index - index % extent for index, extent in zip(block, cluster, strict=True)]
        for k in range(cluster[2]):
            for j in range(cluster[1]):
                for i in range(cluster[0]):
                    found.add(first[0] + i + x * (first[1] + j + y * (first[2] + k)))
    return found
