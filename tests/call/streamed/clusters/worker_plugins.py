"""What is done to workers, in their processes: they note what they compute, and some are slow."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, ClassVar

from distributed import WorkerPlugin

from tilewright.call.streamed import host_tiles
from tilewright.call.streamed.clusters import tile_task


class Noted(WorkerPlugin):  # type: ignore[misc, unused-ignore]
    """Each tile that a worker begins becomes a line of a file: its number and the process."""

    name = "noted"

    def __init__(
        self, path: Path, *, seconds: float = 0.0, slow_name: object = None, slow_seconds: float = 0.0
    ) -> None:
        self.path, self.seconds, self.slow_name, self.slow_seconds = path, seconds, slow_name, slow_seconds

    def setup(self, worker: Any) -> None:
        """Wrap what computes tiles."""
        multiply = host_tiles.multiply_tiles
        seconds = self.slow_seconds if worker.name == self.slow_name else self.seconds
        path = self.path

        def noted(a: Any, b: Any, out: Any, plan: Any, numbers: Any, **how: Any) -> Any:
            with path.open("a") as file:
                file.write(f"{numbers[0]} {os.getpid()}\n")
            time.sleep(seconds)
            return multiply(a, b, out, plan, numbers, **how)

        setattr(tile_task, "multiply_tiles", noted)  # noqa: B010  (it is imported there)


class Here:
    """A function that workers in this process call as it is, not a copy of it."""

    called: ClassVar[dict[int, Any]] = {}

    def __init__(self, function: Any) -> None:
        self.key = id(function)
        self.called[self.key] = function

    def __call__(self, *given: Any) -> Any:
        """Call it."""
        return self.called[self.key](*given)


def noted_in(path: Path) -> list[tuple[int, int]]:
    """The tiles that were begun, with their processes, in order."""
    if not path.exists():
        return []
    return [(int(number), int(process)) for number, process in map(str.split, path.read_text().splitlines())]
