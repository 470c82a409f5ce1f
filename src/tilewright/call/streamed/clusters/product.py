"""A product by the workers of the caller's Dask cluster: checked, planned, continued, and run tile by tile."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tilewright
from tilewright.arrays.stores.store import Location, Store
from tilewright.call.streamed.continued import continued
from tilewright.call.streamed.journal import Journal, folder_of
from tilewright.call.streamed.lock import locked
from tilewright.call.streamed.machines import machine_of, rates_of
from tilewright.call.streamed.progress import reporting
from tilewright.call.streamed.request import Streamed, check_streamed
from tilewright.choose import PlanError
from tilewright.choose.clustered import ClusteredPlan, least_tiles
from tilewright.choose.streamed import StreamedPlan
from tilewright.choose.streamed_tiles import plan_streamed
from tilewright.kernels.operand import DTYPE_BYTES

from .dask_tiles import as_stores, submitter
from .engine import Engine
from .run_file import begin_run, end_run
from .tile_task import TileIndex, TileTask, WorkerReport, multiply_tile, report, whole_of

SEEN_SECONDS = 10
"""How long a file system may take to show a new file to all workers."""
CHECKED_AT_ONCE = 16
"""How many tiles of an earlier run a task compares with their checksums."""


@dataclass
class ClusterRun:
    """What was measured: seconds, the tiles that were kept of an earlier run, and what each task returned."""

    seconds: float = 0.0
    tiles_kept: int = 0
    tiles: list[TileIndex] = field(default_factory=list)


def multiply_on_cluster(
    operation: str,
    a: object,
    b: object,
    out: object,
    client: object,
    *,
    memory_limit: object = None,
    resume: bool = False,
    progress: Any = False,
    device: Any = "auto",
    precision: object = "auto",
    **options: Any,
) -> Any:
    """`out`, with a product of stored arrays that the client's workers computed.

    Raises:
        ShapeError, DtypeError, ValueError, PlanError: before anything runs.
        StoreError: an input cannot be read, the output not written, or another process writes it.
        MachineError: the scheduler or all workers are lost. What was whole stays whole, and resume=True continues.
    """
    engine = Engine(client)
    asked = check_clustered(operation, a, b, out, options)
    run_on_cluster(asked, engine, memory_limit, resume=resume, progress=progress, device=device, precision=precision)
    return asked.result


def explain_on_cluster(
    operation: str,
    a: object,
    b: object,
    out: object,
    client: object,
    *,
    memory_limit: object = None,
    device: Any = "auto",
    precision: object = "auto",
    **options: Any,
) -> ClusteredPlan:
    """The plan of a product by the client's workers. Nothing runs. Raises as `multiply_on_cluster`."""
    engine = Engine(client)
    asked = check_clustered(operation, a, b, out, options, runs=False)
    machine = _machine(asked, engine, device, precision)
    problem, limit = asked.problem(machine), asked.limit(engine.limit(memory_limit))
    plan = plan_streamed(problem, limit, rates_of(asked, machine), least_tiles(problem))
    return ClusteredPlan.of(plan, engine.counted(engine.needs(machine, plan.peak_bytes["host"])))


def check_clustered(
    operation: str, a: object, b: object, out: object, options: dict[str, Any], *, runs: bool = True
) -> Streamed:
    """As `check_streamed`, and that workers can open all three by their paths.

    Raises:
        PlanError: one is in memory, or several processes cannot write the output.
    """
    if out is None:
        raise PlanError("With engine= the result goes to an out on a disk that all workers see; give one.")
    asked = check_streamed(operation, *as_stores(a, b), out, options, runs=runs)
    if asked.operation == "dot":
        raise PlanError("dot of two vectors is one tile, which one process computes; leave engine out.")
    for store in (asked.a, asked.b, asked.out):
        if store.kind != "dask" and (store.location() is None or store.path is None):
            raise PlanError(
                f"{store.shown} is in this process's memory, and workers open arrays by their paths: a zarr array in a "
                "folder, a numpy.memmap or an HDF5 dataset."
            )
    if asked.out.kind == "hdf5":
        raise PlanError(f"{asked.out.shown} is of HDF5, which one process at a time writes; give a zarr array as out.")
    return asked


def run_on_cluster(
    asked: Streamed,
    engine: Engine,
    memory_limit: object,
    *,
    resume: bool = False,
    progress: Any = False,
    device: Any = "auto",
    precision: object = "auto",
) -> ClusterRun:
    """Run a checked product; what was measured. Raises as `multiply_on_cluster`."""
    started, found = time.perf_counter(), ClusterRun()
    if engine.machines() > 1 and asked.out.kind == "memmap":
        raise PlanError(
            f"{asked.out.shown} is one file, which the workers' {engine.machines()} machines cannot write together; "
            "give a zarr array as out."
        )
    machine, folder = _machine(asked, engine, device, precision), folder_of(asked.out)
    assert folder is not None
    problem, limit = asked.problem(machine), asked.limit(engine.limit(memory_limit))
    rates, tiles = rates_of(asked, machine), least_tiles(problem)
    fresh = plan_streamed(problem, limit, rates, tiles)
    engine.needs(machine, fresh.peak_bytes["host"])  # refused before anything is written

    def task_of(plan: StreamedPlan) -> TileTask:
        return TileTask(
            operation=asked.operation,
            a=None if asked.a.kind == "dask" else _located(asked.a),
            b=None if asked.b.kind == "dask" else _located(asked.b),
            out=_located(asked.out),
            plan=plan,
            dtype=asked.dtype,
            sum_dtype=asked.sum_dtype,
            machine=machine,
            precision=str(precision),
            folder=str(folder),
            run=run,
        )

    def whole(plan: StreamedPlan, told: dict[int, int]) -> dict[int, int]:
        kept: dict[int, int] = {}
        for part in engine.run(engine.submitter(whole_of, task_of(plan), {}), _batches(told)):
            kept |= part
        return kept

    with ExitStack() as held, reporting(progress) as told:
        held.enter_context(locked(folder, asked.out.shown))
        run = secrets.token_hex(16)
        held.callback(end_run, folder)
        begin_run(folder, run)
        check_workers(asked, engine, task_of(fresh))
        journal = Journal(folder)
        held.callback(journal.close)
        how: dict[str, Any] = {"resume": resume, "least_tiles": tiles, "whole": whole}
        plan, kept = continued(asked, problem, limit, rates, journal, **how)
        left = [number for number in range(plan.tile_count) if number not in kept]
        needs = engine.needs(machine, plan.peak_bytes["host"])
        submit = engine.submitter(multiply_tile, task_of(plan), needs)
        if asked.a.kind == "dask":
            submit = submitter(engine.client, asked, plan, task_of(plan), needs)
        for index in engine.run(submit, left):
            journal.add(index.number, index.checksum)
            found.tiles.append(index)
            if told is not None:
                told(len(found.tiles), len(left))
    found.seconds, found.tiles_kept = time.perf_counter() - started, len(kept)
    return found


def check_workers(asked: Streamed, engine: Engine, task: TileTask) -> None:
    """Ask each worker whether it has this version, sees the run's file, and opens the same arrays.

    Raises:
        PlanError: one does not; the sentence says which, and why. One that died meanwhile is no matter.
    """
    samples, tries = (asked.a.fingerprint(), asked.b.fingerprint()), SEEN_SECONDS
    reports = engine.asked(report, task, samples)
    while tries and not all(getattr(told, "sees_run", True) for told in reports.values()):
        time.sleep(1)  # another machine may see a new file a little later
        reports, tries = engine.asked(report, task, samples), tries - 1
    for address, told in reports.items():
        if isinstance(told, OSError):
            continue  # it is gone, and its tasks will go to others
        if not isinstance(told, WorkerReport):
            raise PlanError(
                f"The worker {address} cannot run Tilewright's tasks ({type(told).__name__}: {told}); install "
                f"tilewright {tilewright.__version__} there."
            )
        if told.version != tilewright.__version__:
            raise PlanError(
                f"The worker {address} has tilewright {told.version}, and this process {tilewright.__version__}; "
                "install one version everywhere."
            )
        if told.problem is not None:
            raise PlanError(f"The worker {address} cannot do this product: {told.problem}.")


def _machine(asked: Streamed, engine: Engine, device: Any, precision: object) -> str:
    """Where tasks compute: "gpu" on workers that declare one, if asked for or, for "auto", if floats are multiplied.

    Raises:
        PlanError: there is no such device, or no worker has declared a GPU.
    """
    if device == "auto":
        device = "gpu" if engine.has_gpus() and asked.dtype in DTYPE_BYTES and asked.a.kind != "dask" else "host"
    if device not in ("host", "gpu"):
        raise PlanError(f"device is {device!r}, and with engine= 'auto', 'host' or 'gpu' is accepted.")
    if asked.a.kind == "dask" and device == "gpu":
        raise PlanError("device is 'gpu', and products of Dask arrays are computed on the host; leave device out.")
    machine, _ = machine_of(asked, device, precision)
    if machine == "gpu" and not engine.has_gpus():
        raise PlanError("device is 'gpu', and no worker has declared one; start them with --resources GPU=1.")
    return machine


def _located(store: Store) -> Location:
    """Where a store lies, by a path that does not depend on a process's folder."""
    where = store.location()
    assert where is not None
    return {**where, "path": str(Path(where["path"]).resolve())}


def _batches(tiles: dict[int, int]) -> Iterator[dict[int, int]]:
    numbers = list(tiles)
    for first in range(0, len(numbers), CHECKED_AT_ONCE):
        yield {number: tiles[number] for number in numbers[first : first + CHECKED_AT_ONCE]}
