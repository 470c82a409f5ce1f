"""Raw results as plots take them: the package's copy, or the repository's benchmarks/results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tilewright.lab.plots.look import PlotError

SHIPPED = Path(__file__).with_name("results")
REPOSITORY = Path(__file__).parents[4] / "benchmarks" / "results"


def result(name: str, folder: Path | None = None) -> dict[str, Any]:
    """Return a raw result by its file's name without ".json".

    Raises:
        PlotError: there is no such file.
    """
    for place in (folder,) if folder is not None else (SHIPPED, REPOSITORY):
        path = place / f"{name}.json"
        if path.is_file():
            read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return read
    where = SHIPPED if folder is None else folder
    raise PlotError(
        f"This plot is drawn from {name}.json, and {where} has no such file; --results names another folder."
    )


def exists(name: str, folder: Path | None = None) -> bool:
    """Say whether a result is there."""
    try:
        result(name, folder)
    except PlotError:
        return False
    return True


def device_and_date(measured: dict[str, Any]) -> str:
    """Return where and when, as in "NVIDIA H200, 2026-11-21"."""
    environment = measured["environment"]
    return f"{environment['device'] or environment['processor']}, {measured['date']}"
