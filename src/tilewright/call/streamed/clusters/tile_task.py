"""What runs on a worker: one tile of C, from inputs that are opened by their paths to bytes on the disk."""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tilewright
from tilewright.arrays.errors import StoreError
from tilewright.arrays.stores.opened import reopened
from tilewright.arrays.stores.store import Location, Store
from tilewright.call.streamed.continued import whole_tiles
from tilewright.call.streamed.host_tiles import multiply_tiles
from tilewright.call.streamed.request import Streamed
from tilewright.choose import PlanError
from tilewright.choose.streamed import StreamedPlan

from .run_file import OtherRunError, writing


@dataclass(frozen=True)
class TileTask:
    """All that a worker has to know of a product: where its matrices lie, and how it is computed.

    ``folder`` is that of the output's journal, ``run`` the name of the run that may write. A and B are None where they
    are Dask's arrays, whose blocks come to the tasks.
    """

    operation: str
    a: Location | None
    b: Location | None
    out: Location
    plan: StreamedPlan
    dtype: str
    sum_dtype: str
    machine: str
    precision: str
    folder: str
    run: str
    version: str = tilewright.__version__

    def inputs(self) -> list[Store]:
        """A and B, opened; none for Dask's arrays. Raises StoreError."""
        named = (("A", self.a), ("B", self.b))
        return [reopened(location, name) for name, location in named if location is not None]

    def output(self) -> Store:
        """The output, opened to be written. Raises StoreError."""
        return reopened(self.out, "out", writable=True)


@dataclass(frozen=True)
class TileIndex:
    """What a task returns: a tile's number and checksum, who computed it, and the seconds that it took and waited."""

    number: int
    checksum: int
    process: str
    seconds: float
    stalled_seconds: float


@dataclass(frozen=True)
class WorkerReport:
    """What a worker says of itself: its version, whether it sees the run's file, and a sentence if it cannot do it."""

    version: str
    problem: str | None = None
    sees_run: bool = True


def multiply_tile(task: TileTask, number: int) -> TileIndex:
    """Compute a tile of C, write it, and wait until its bytes are on the disk.

    Raises:
        StoreError: a store cannot be read or written.
        OtherRunError: the run has ended meanwhile.
        PlanError: this worker came later, with another version; or a GPU cannot do it.
        MachineError: a GPU fails.
    """
    if task.version != tilewright.__version__:
        raise PlanError(
            f"A worker on {platform.node()} has tilewright {tilewright.__version__}, and the caller's process "
            f"{task.version}; install one version everywhere."
        )
    started, checksums = time.perf_counter(), []
    with writing(Path(task.folder), task.run) as look:
        (a, b), out = task.inputs(), task.output()

        def done(_: int, checksum: int) -> None:
            checksums.append(checksum)

        timing = _multiplied(task, a, b, out, number, done, look)
        out.flush(*task.plan.tiles()[number])
    return TileIndex(number, checksums[0], process_name(), time.perf_counter() - started, timing.stalled_seconds)


def _multiplied(
    task: TileTask, a: Store, b: Store, out: Store, number: int, done: Any, look: Callable[[], None]
) -> Any:
    asked = Streamed(task.operation, a, b, out, None, task.dtype, task.sum_dtype)
    if task.machine == "host":
        element = asked.panel_element("host").str
        how: dict[str, Any] = {"sum_dtype": task.sum_dtype, "panel_element": element, "done": done, "stepped": look}
        return multiply_tiles(a, b, out, task.plan, [number], **how)
    from tilewright.call.streamed.gpu_tiles import multiply_on_gpus

    with _a_gpu() as ordinal:
        return multiply_on_gpus(asked, task.plan, [number], (ordinal,), task.precision, done, look)


def process_name() -> str:
    """The machine and the number of this process."""
    return f"{platform.node()}:{os.getpid()}"


def whole_of(task: TileTask, tiles: dict[int, int]) -> dict[int, int]:
    """Those of the tiles, given with their checksums, that are on the disk as they were reported. Raises StoreError."""
    return whole_tiles(task.output(), task.plan, tiles)


def report(task: TileTask, samples: tuple[int, int]) -> WorkerReport:
    """Whether this process can do the tasks: it sees the run's file, and opens what the user's process opened."""
    version = tilewright.__version__
    try:
        with writing(Path(task.folder), task.run):
            opened = task.inputs()
            task.output()
        for store, sample in zip(opened, samples, strict=False):
            if store.fingerprint() != sample:
                return WorkerReport(version, f"{store.shown} has other elements there")
    except OtherRunError:
        return WorkerReport(version, f"it does not see the file {task.folder}/run that this process wrote", False)
    except (StoreError, ImportError) as error:
        return WorkerReport(version, str(error).rstrip("."))
    return WorkerReport(version)


_in_use: dict[int, int] = {}
_turn = threading.Lock()


@contextmanager
def _a_gpu() -> Iterator[int]:
    """The number of a GPU of this process that has the fewest tasks. Dask's resource says how many run at once."""
    from tilewright.launch.cuda.driver import driver_report

    with _turn:
        gpus = range(max(1, len(driver_report().gpus)))
        ordinal = min(gpus, key=lambda each: _in_use.get(each, 0))
        _in_use[ordinal] = _in_use.get(ordinal, 0) + 1
    try:
        yield ordinal
    finally:
        with _turn:
            _in_use[ordinal] -= 1
