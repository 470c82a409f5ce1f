"""Results as files: raw rows, and where, with what and when they were measured."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("numpy", "numba", "cuda-core", "cuda-bindings")


def write(path: Path, how: str, rows: Sequence[Mapping[str, Any]], **more: object) -> None:
    """Write a result: how it was measured, on what, and its rows, one per line so that a change can be read."""
    head = {"how": how, "date": f"{datetime.now(UTC):%Y-%m-%d}", "environment": environment(), **more}
    save(path, head, rows)


def save(path: Path, head: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a result that has its head already."""
    lines = [f"{json.dumps(key)}: {json.dumps(value, indent=1)}" for key, value in head.items()]
    body = ",\n".join(f" {json.dumps(row)}" for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + f',\n"rows": [\n{body}\n]\n}}\n', encoding="utf-8")
    print(f"wrote {path}")


def read(path: Path) -> dict[str, Any]:
    """Read a result that `write` wrote."""
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result


def environment() -> dict[str, Any]:
    """The device, the processor and the versions at hand; None where there is none."""
    from tilewright.launch.cuda.driver import driver_report

    report = driver_report()
    return {
        "device": report.gpus[0].name if report.gpus else None,
        "driver": report.release,
        "driver_cuda": ".".join(map(str, report.cuda_version)) if report.cuda_version else None,
        "nvrtc": nvrtc(),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{package: package_version(package) for package in PACKAGES},
    }


def nvrtc() -> str | None:
    """The installed NVRTC's version, such as "13.0"."""
    from tilewright.compile import CompilerMissingError, nvrtc_version

    try:
        return ".".join(map(str, nvrtc_version()))
    except CompilerMissingError:
        return None


def package_version(package: str) -> str | None:
    """The version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def processor() -> str:
    """The processor's model name."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
