"""A check's verdict in a few words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tilewright.lab.check.statuses import REFUSED, RIGHT

if TYPE_CHECKING:
    from .result import CheckResult, GpuResult


def verdict(result: CheckResult, *, strict: bool = False) -> str:
    """Return the verdict, such as `RIGHT, BUT 2 ERRORS`."""
    if result.refusal:
        return result.pending.upper() or "NOT CHECKED"
    ran = [case for case in result.cases if case.status != REFUSED]
    right = sum(case.status == RIGHT for case in ran)
    errors = sum(f.severity == "error" and not f.follows for f in result.findings)
    notes = sum(f.severity != "error" for f in result.findings)
    if not ran:
        text = "NOTHING RUN"
    elif right == len(ran):
        text = "RIGHT" if replace(result, gpu=None).is_well(strict=strict) else "RIGHT, BUT"
    else:
        text = f"WRONG on {_of(len(ran) - right, len(ran))}"
    said = ", ".join(filter(None, (_number(errors, "error"), _number(notes, "note"))))
    whole = " ".join(filter(None, (text if text.endswith("BUT") or not said else f"{text},", said)))
    return whole if result.gpu is None else f"{whole}; {gpu_verdict(result.gpu)}"


def gpu_verdict(gpu: GpuResult) -> str:
    """Return the verdict, such as `WRONG ON THE GPU on 2 of 11 problems`."""
    if gpu.refusal or not gpu.cases:
        return "NOT RUN ON THE GPU"
    wrong = sum(case.status != RIGHT for case in gpu.cases)
    if not wrong:
        return "RIGHT ON THE GPU"
    return f"WRONG ON THE GPU on {wrong} of {len(gpu.cases)} problem{'' if len(gpu.cases) == 1 else 's'}"


def _of(count: int, everything: int) -> str:
    return f"{count} of {everything} problem{'' if everything == 1 else 's'}"


def _number(count: int, what: str) -> str:
    if not count:
        return ""
    return f"{count} {what.upper() if what == 'error' else what}{'' if count == 1 else 'S' if what == 'error' else 's'}"
