"""A comparison as JSON takes it: everything raw, with the device and the versions that it came from."""

from __future__ import annotations

import dataclasses
import math
import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import tilewright
from tilewright.launch import driver_report, facts_of

from .inputs import Inputs
from .rows import Row

PACKAGES = (
    "numpy",
    "numba",
    "cuda-core",
    "cuda-bindings",
    "nvidia-cuda-nvrtc",
    "nvidia-cuda-nvrtc-cu12",
)


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
