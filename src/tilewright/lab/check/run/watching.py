"""The observers of a check, and merging their findings over many launches."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from tilewright.emulate import (
    AssertionFailed,
    BarrierFault,
    BudgetExceeded,
    EmulationError,
    MemoryFault,
    UnsupportedInstruction,
)
from tilewright.emulate.observers import Finding, Observer

ERROR = "error"


def correctness_observers() -> list[Observer]:
    """Return new observers of mistakes."""
    from tilewright.emulate.observers.barrier_reach import BarrierReachObserver
    from tilewright.emulate.observers.bounds import BoundsObserver
    from tilewright.emulate.observers.hazards.observer import HazardObserver
    from tilewright.emulate.observers.races.observer import RaceObserver
    from tilewright.emulate.observers.swizzles import SwizzleObserver
    from tilewright.emulate.observers.uninitialised import UninitialisedObserver
    from tilewright.emulate.observers.warp_masks import WarpMaskObserver

    return [
        BoundsObserver(),
        UninitialisedObserver(),
        RaceObserver(),
        BarrierReachObserver(),
        WarpMaskObserver(),
        SwizzleObserver(),
        HazardObserver(),
    ]


def traffic_observers() -> list[Observer]:
    """Return new observers of slow memory accesses."""
    from tilewright.emulate.observers.banks.observer import BankConflictObserver
    from tilewright.emulate.observers.coalescing import CoalescingObserver

    return [CoalescingObserver(), BankConflictObserver()]


def together(findings: Iterable[Finding]) -> list[Finding]:
    """Return one finding per kind and place, with the total of its times; errors first, in the order of the lines."""
    first: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        key = (finding.kind, finding.place, finding.other)
        if key in first:
            earlier = first[key]
            worse = ERROR if ERROR in (earlier.severity, finding.severity) else earlier.severity
            first[key] = replace(earlier, times=earlier.times + finding.times, severity=worse)
        else:
            first[key] = finding
    return sorted(first.values(), key=lambda f: (f.severity != ERROR, f.place[1] or 0, f.kind))


def of_output(finding: Finding, outputs: Collection[str]) -> Finding:
    """Return the finding; if a kernel adds to an output that is not initialized, the message says so.

    outputs: names of the arrays without initial contents.
    """
    name = finding.address.partition("[")[0]
    if finding.kind != "uninitialised read" or finding.details.get("space") != "global" or name not in outputs:
        return finding
    return replace(
        finding,
        message=f"{finding.message} The kernel adds into {name}, or reads it for another purpose, before it writes it.",
        advice=f"Sum up in a variable and store it with `=`; if the caller is to fill {name} with zeros, say so with "
        "--zero-output.",
    )


_ADVICE_OF_BUDGET = ", or pass a larger instruction_budget"
"""What callers of the emulator can do, and users of `check` can't."""


def said(fault: EmulationError) -> str:
    """Return a fault in one line."""
    return " ".join(str(fault).replace(_ADVICE_OF_BUDGET, "").split())


def of_fault(fault: EmulationError, found: Iterable[Finding]) -> Finding | None:
    """Return a fault as a finding, or None if an observer already found it."""
    kind, advice = _kind(fault)
    place = (fault.file, fault.line)
    if any(each.kind == kind and (each.place == place or kind == "barrier not reached") for each in found):
        return None
    who = ((fault.block, fault.thread),) if fault.block is not None and fault.thread is not None else ()
    whom = f" in thread {fault.thread} of block {fault.block}" if who else ""
    what = fault.cause.replace(_ADVICE_OF_BUDGET, ", or far too much work")
    message = f"The launch stops{whom}: {what}." if what else _sentence(str(fault))
    return Finding(kind, ERROR, place, message, advice, threads=who)


def _kind(fault: EmulationError) -> tuple[str, str]:
    match fault:
        case MemoryFault() if "is no multiple of" in str(fault):
            return (
                "misaligned",
                "Let the address be a multiple of the access's size: check the row's length and the cast.",
            )
        case MemoryFault():
            return (
                "out of bounds",
                "Compare every index with its size before the access, and let other threads do nothing.",
            )
        case BarrierFault():
            return (
                "barrier not reached",
                "Let all threads of the block reach the same barrier: take it out of the branch.",
            )
        case BudgetExceeded():
            return (
                "endless loop",
                "Check what ends the loop: its variable must change in every trip and meet the bound.",
            )
        case UnsupportedInstruction():
            return "not emulated", "Run this kernel on a GPU, or write the line without that instruction."
        case AssertionFailed():
            return "assertion failed", "See which values the assertion forbids."
        case _:
            return "other fault", "See the message."


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
