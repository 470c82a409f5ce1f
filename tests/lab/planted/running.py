"""Runs a case on the emulator with observers, and collects what they, a fault and NumPy say about it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from tests.lab.planted.launching import Launched
from tests.lab.planted.manifest import PlantedCase
from tilewright.compile import compile_source
from tilewright.emulate import BarrierFault, BudgetExceeded, EmulationError, MemoryFault
from tilewright.emulate.execute import events
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.observers import EventRecorder, Finding, Observer
from tilewright.lab.source import SUBSCRIPT_LOG, compile_user_file, findings_of_instrumented_run, read_cuda_file

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
    stores = EventRecorder(100_000, events.mask(events.STORE, events.ATOMIC), events.mask(GLOBAL))
    launched = Launched(case, ptx_of(case.device_part(), case.path.name), seed)
    found = []
    fault = launched.launch([*watching, stores], schedule)
    if fault is not None:
        found.append(Named(kind_of(fault), "error", frozenset({fault.line or 0}), str(fault)))
    elif (wrong := launched.first_wrong()) is not None:
        found.append(Named("wrong result", "error", launched.lines_that_wrote(wrong, stores), wrong.words))
    found += [_named(case, finding) for observer in watching for finding in observer.findings]
    return [one for one in found if one.kind in JUDGED]


def run_instrumented(case: PlantedCase) -> list[Named]:
    """Launch a case compiled with its subscripts checked, and return those that leave their dimension."""
    compiled = compile_user_file(read_cuda_file(case.path), instrument=True)
    assert compiled.subscripts is not None
    launched = Launched(case, compiled.ptx)
    launched.launch()
    log = launched.emulator.get_variable(launched.module, SUBSCRIPT_LOG, numpy.int64, compiled.subscripts.log_shape)
    return [_named(case, finding) for finding in findings_of_instrumented_run(compiled.subscripts, log)]


def _named(case: PlantedCase, finding: Finding) -> Named:
    places = [finding.place, *([finding.other] if finding.other else [])]
    lines = frozenset(line or 0 for file, line in places if file == case.path.name)
    return Named(finding.kind, finding.severity, lines, finding.message)


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
