"""The rows of a comparison, and all of it as JSON takes it: everything raw, with its device and versions."""

from __future__ import annotations

import dataclasses
import math
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import tilewright
from tilewright.call.reference import Verdict
from tilewright.choose import Plan
from tilewright.kernels import find
from tilewright.launch import driver_report, facts_of
from tilewright.launch.plan_run import PlanRun

from .inputs import Inputs

PLANNED, PASS, FAIL, REFUSED, NOT_RUN, EMPTY = "planned", "PASS", "FAIL", "refused", "not run", "empty"
"""PLANNED becomes one of the others. EMPTY: C has no elements, so that there is nothing to launch."""
PACKAGES = (
    "numpy",
    "numba",
    "cuda-bindings",
    "nvidia-cuda-nvrtc",
    "nvidia-cuda-nvrtc-cu12",
)


@dataclass(frozen=True)
class Candidate:
    """A kernel to run: idea and tile (None: its default, or none), and the machine."""

    idea: str
    tile: int | None
    machine: str


@dataclass(frozen=True)
class Row:
    """The result of a candidate. status: one of the words above; note: the reason in a sentence, or ""."""

    operation: str
    candidate: Candidate
    status: str
    plan: Plan | None = None
    run: PlanRun | None = None
    verdict: Verdict | None = None
    note: str = ""

    @property
    def tile(self) -> int | None:
        """The tile that ran or would have run; None for a kernel without one."""
        if self.plan is not None or self.candidate.machine == "host":
            return None if self.plan is None else self.plan.side
        rule = find(self.operation, self.candidate.idea).tile
        return self.candidate.tile or (None if rule is None else rule.default)

    @property
    def gflops(self) -> float | None:
        """The operation's floating-point operations per second of kernel time, in 10^9; None if nothing ran."""
        if self.run is None or self.plan is None or self.run.kernel_seconds <= 0:
            return None
        return self.plan.problem.flops / self.run.kernel_seconds / 1e9

    @property
    def name(self) -> str:
        """The kernel as an option names it in full, `matmul/tiled`."""
        return f"{self.operation}/{self.candidate.idea}"

    @property
    def can(self) -> bool:
        """Whether it runs or has run."""
        return self.status in (PLANNED, PASS, FAIL)


def record(device: str, tables: Sequence[tuple[Inputs, Sequence[Row]]]) -> dict[str, Any]:
    """The whole comparison as JSON takes it: numbers that are not finite become null."""
    results = [_result(inputs, row) for inputs, rows in tables for row in rows]
    made_with = {"tilewright": tilewright.__version__, "python": platform.python_version(), **_versions()}
    content = {
        "device": device,
        "device_facts": dataclasses.asdict(facts_of(device)),
        "host": {"system": platform.platform(), "processor": platform.machine(), "cpu_count": os.cpu_count()},
        "versions": made_with,
        "results": results,
    }
    cleaned: dict[str, Any] = _finite(content)
    return cleaned


def _result(inputs: Inputs, row: Row) -> dict[str, Any]:
    problem, plan, run, verdict = inputs.problem, row.plan, row.run, row.verdict
    result: dict[str, Any] = {
        "operation": problem.operation,
        "kernel": row.candidate.idea,
        "machine": row.candidate.machine,
        "m": problem.m,
        "n": problem.n,
        "k": problem.k,
        "dtype": problem.dtype,
        "input": inputs.source,
        "input_description": inputs.description,
        "seed": inputs.seed,
        "tile": row.tile,
        "status": row.status,
        "note": row.note or None,
    }
    if plan is not None and plan.machine != "host":
        result |= {
            "grid": list(plan.grid),
            "block": list(plan.block),
            "shared_bytes": plan.shared_bytes,
            "predicted_global_loads": plan.predicted_global_loads,
        }
    if run is not None:
        result |= {
            "copy_in_us": run.copy_in_seconds * 1e6,
            "kernel_us": run.kernel_seconds * 1e6,
            "kernel_us_all": [seconds * 1e6 for seconds in run.kernel_seconds_all],
            "copy_out_us": run.copy_out_seconds * 1e6,
            "gflops": row.gflops,
            "counts": None if run.counts is None else _counts(run.counts),
            "lines": [
                {"file": file, "line": line, "counts": _counts(counts)}
                for (file, line), counts in sorted(run.lines.items())
            ],
        }
    if verdict is not None:
        result |= {"error": verdict.error, "bound": verdict.bound, "rule": verdict.rule}
    return result


def _counts(counts: Any) -> dict[str, int]:
    return {field.name: int(getattr(counts, field.name)) for field in dataclasses.fields(counts)}


def _versions() -> dict[str, str | None]:
    versions: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    report = driver_report()
    cuda = report.cuda_version
    return versions | {"driver": report.release, "driver_cuda": None if cuda is None else f"{cuda[0]}.{cuda[1]}"}


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
