"""Runs a case on the emulator with observers, and collects what they, a fault and NumPy say about it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy

from tests.lab.planted.manifest import PlantedCase
from tests.lab.planted.operations import Array
from tilewright.compile import compile_source
from tilewright.emulate import (
    Allocation,
    BarrierFault,
    BudgetExceeded,
    EmulationError,
    Emulator,
    LoadedModule,
    MemoryFault,
    events,
    instruction_row,
)
from tilewright.emulate.addresses import GLOBAL
from tilewright.emulate.observers import Observer
from tilewright.emulate.observers.recorder import EventRecorder

BUDGET = 300_000
"""Warp instructions: several times what the longest of these launches needs, so that an endless one ends soon."""
JUDGED = (
    "race",
    "out of bounds",
    "misaligned",
    "uninitialised read",
    "uninitialised variable",
    "barrier not reached",
    "inner dimension",
    "endless loop",
    "wrong result",
    "other fault",
)
"""Kinds that say that a kernel is wrong; the others (uncoalesced, bank conflict) say that it could be faster."""


@dataclass(frozen=True)
class Named:
    """What was found: its kind, how severe it is, the lines of the case's file that it names, and its words."""

    kind: str
    severity: str
    lines: frozenset[int]
    words: str


@functools.cache
def ptx_of(text: str, name: str) -> str:
    """Compile a kernel's device part, once."""
    ptx = compile_source(text, name, architecture="compute_90")
    assert isinstance(ptx, str)
    return ptx


def run(
    case: PlantedCase, watching: Sequence[Observer], *, schedule: str = "round_robin", seed: int = 0
) -> list[Named]:
    """Launch a case once, and return what is wrong with it, by whomever it was found."""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of(case.device_part(), case.path.name))
    given = case.operation.inputs(case.sizes, case.dtype, numpy.random.default_rng(seed))
    for name in case.operation.variables:
        emulator.set_variable(module, name, given[name])
    buffers = _allocated(case, emulator, given)
    stores = EventRecorder(100_000, events.mask(events.STORE, events.ATOMIC), events.mask(GLOBAL))
    found = []
    try:
        emulator.launch(
            module,
            case.symbol,
            grid=case.grid,
            block=case.block,
            arguments=[buffers.get(name, case.sizes.get(name)) for name in case.arguments],
            dynamic_shared_bytes=case.shared_bytes,
            schedule=schedule,
            seed=seed,
            instruction_budget=BUDGET,
            observers=[*watching, stores],
        )
    except EmulationError as fault:
        found.append(Named(kind_of(fault), "error", frozenset({fault.line or 0}), str(fault)))
    else:
        found += _wrong_results(case, module, buffers, given, stores)
    for observer in watching:
        for finding in observer.findings:
            places = [finding.place, *([finding.other] if finding.other else [])]
            lines = frozenset(line or 0 for file, line in places if file == case.path.name)
            found.append(Named(finding.kind, finding.severity, lines, finding.message))
    return [one for one in found if one.kind in JUDGED]


def kind_of(fault: EmulationError) -> str:
    """The kind of finding that a fault is."""
    match fault:
        case MemoryFault():
            return "misaligned" if "is no multiple of" in str(fault) else "out of bounds"
        case BarrierFault():
            return "barrier not reached"
        case BudgetExceeded():
            return "endless loop"
        case _:
            return "other fault"


def _allocated(case: PlantedCase, emulator: Emulator, given: Mapping[str, Array]) -> dict[str, Allocation]:
    buffers = {}
    for name, shape in case.operation.arrays(case.sizes).items():
        if name in case.operation.variables:
            continue
        dtype = case.operation.dtype(name, case.dtype)
        buffers[name] = emulator.allocate(prod(shape) * dtype.itemsize, name, dtype=dtype, shape=shape)
        if name in given:
            buffers[name].write(given[name])
    return buffers


def _wrong_results(
    case: PlantedCase,
    module: LoadedModule,
    buffers: Mapping[str, Allocation],
    given: Mapping[str, Array],
    stores: EventRecorder,
) -> list[Named]:
    """Hold the outputs against NumPy's; a wrong element is put down to the line that wrote it last."""
    shapes = case.operation.arrays(case.sizes)
    got = {name: b.read(case.operation.dtype(name, case.dtype), shapes[name]) for name, b in buffers.items()}
    wrong = case.operation.first_wrong(got, given, case.sizes)
    if wrong is None:
        return []
    allocation = buffers[wrong.name]
    writers = _writers(stores, allocation.address + wrong.index * got[wrong.name].itemsize, 1)
    # An element that nobody wrote is put down to the lines that write to its array at all.
    writers = writers[-1:] or _writers(stores, allocation.address, allocation.nbytes)
    lines = {module.code.lines[module.code.rows[pc][instruction_row.LINE]][1] for pc in writers}
    return [Named("wrong result", "error", frozenset(lines), wrong.words)]


def _writers(stores: EventRecorder, address: int, nbytes: int) -> list[int]:
    """The instructions that stored into some bytes, in order of time."""
    assert stores.dropped == 0
    rows = stores.rows
    first = rows[:, events.ADDRESSES : events.ADDRESSES + 32]
    last = first + rows[:, [events.NBYTES]]
    is_active = (rows[:, [events.LANES]] >> numpy.arange(32)) & 1 == 1
    touches = (is_active & (first < address + nbytes) & (last > address)).any(axis=1)
    return [int(pc) for pc in rows[touches, events.PC]]
