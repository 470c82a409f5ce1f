"""Runs a kernel under the race observer."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.emulate.running import Dimensions, launch
from tilewright.emulate.observers import Finding
from tilewright.emulate.observers.races.observer import RaceObserver

BUDGET = 1_000_000
"""Warp instructions: a kernel of a test that waits for ever must not."""


def races(
    source: str, *arguments: object, grid: Dimensions = 1, block: Dimensions = 32, strict: bool = False, **options: Any
) -> list[Finding]:
    """Return what the observer found; every table must have had room."""
    observer = RaceObserver(strict=strict)
    launch(source, *arguments, grid=grid, block=block, observers=[observer], instruction_budget=BUDGET, **options)
    assert observer.is_complete
    return observer.findings


def kernel(body: str, parameters: str = "int* x", before: str = "") -> str:
    """Return CUDA C++ with one kernel; `t` is the thread's number in its block, `b` the block's."""
    return f"""{before}
extern "C" __global__ void kernel({parameters}) {{
    int t = threadIdx.x; int b = blockIdx.x;
    {body}
}}"""


def pairs(findings: list[Finding]) -> list[tuple[object, ...]]:
    """Return kind of pair, severity, and the two lines of each finding: in the order in which a warp executes them."""
    found = [(f.details["pair"], f.severity, f.other[1] if f.other else None, f.place[1]) for f in findings]
    return sorted(found, key=repr)


def numbers(count: int) -> Any:
    """Return int32 zeros."""
    return np.zeros(count, np.int32)
