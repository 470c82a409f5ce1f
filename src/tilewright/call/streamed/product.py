"""A product that streams, from the caller's arguments to the result: checked, planned, continued, run."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Self

from tilewright.arrays.stores.store import Store
from tilewright.choose import PlanError
from tilewright.choose.streamed import StreamedPlan
from tilewright.choose.streamed_tiles import plan_streamed

from .continued import continued
from .host_tiles import multiply_tiles
from .journal import Journal, folder_of
from .lock import locked
from .machines import machine_of, rates_of
from .progress import reporting
from .request import Streamed, check_streamed
from .tile_steps import Timing


def multiply_streamed(
    operation: str,
    a: object,
    b: object,
    out: object,
    *,
    memory_limit: object = None,
    resume: bool = False,
    progress: Any = False,
    device: Any = "auto",
    precision: object = "auto",
    engine: object = None,
    **options: Any,
) -> Any:
    """The result of a product of stored arrays, by tiles within a memory limit. Returns `out`, or a new NumPy array.

    Raises:
        ShapeError, DtypeError, ValueError, PlanError: before anything runs.
        StoreError: an input cannot be read, the output not written, or another process writes it. What was whole
            stays whole, and resume=True continues from there.
        MachineError: with an ``engine``, a client of Dask's: its scheduler or all of its workers are lost.
    """
    if engine is not None:
        from .clusters.product import multiply_on_cluster

        how: dict[str, Any] = {"memory_limit": memory_limit, "resume": resume, "progress": progress}
        return multiply_on_cluster(operation, a, b, out, engine, device=device, precision=precision, **how, **options)
    asked = check_streamed(operation, a, b, out, options)
    run_streamed(asked, memory_limit, resume=resume, progress=progress, device=device, precision=precision)
    return asked.result[()] if getattr(asked.result, "shape", None) == () and out is None else asked.result


def explain_streamed(
    operation: str,
    a: object,
    b: object,
    out: object = None,
    *,
    memory_limit: object = None,
    device: Any = "auto",
    precision: object = "auto",
    engine: object = None,
    **options: Any,
) -> StreamedPlan:
    """The plan of a product of stored arrays. Nothing runs, and nothing is written. Raises as `multiply_streamed`."""
    if engine is not None:
        from .clusters.product import explain_on_cluster

        how: dict[str, Any] = {"memory_limit": memory_limit, "device": device, "precision": precision}
        return explain_on_cluster(operation, a, b, out, engine, **how, **options)
    asked = check_streamed(operation, a, b, out, options, runs=False)
    machine, ordinals = machine_of(asked, device, precision)
    problem = asked.problem(machine, max(1, len(ordinals)))
    return plan_streamed(problem, asked.limit(memory_limit), rates_of(asked, machine))


def run_streamed(
    asked: Streamed,
    memory_limit: object,
    *,
    resume: bool = False,
    progress: Any = False,
    device: Any = "auto",
    precision: object = "auto",
) -> Timing:
    """Run a checked product; what was measured. Raises as `multiply_streamed`."""
    machine, ordinals = machine_of(asked, device, precision)
    limit, folder = asked.limit(memory_limit), folder_of(asked.out)
    if resume and folder is None:
        raise PlanError(f"{asked.out.shown} is not on this machine's disk, so there is nothing to continue there.")
    problem = asked.problem(machine, max(1, len(ordinals)))
    rates, started = rates_of(asked, machine), time.perf_counter()
    with ExitStack() as held, reporting(progress) as report:
        if folder is None:
            plan = plan_streamed(problem, limit, rates)
            timing = _run(asked, plan, plan.order(), machine, ordinals, str(precision), None, report)
        else:
            held.enter_context(locked(folder, asked.out.shown))
            journal = Journal(folder)
            held.callback(journal.close)
            plan, whole = continued(asked, problem, limit, rates, journal, resume=resume)
            left = [number for number in plan.order() if number not in whole]
            with _Finisher(asked.out, plan, journal) as finisher:
                timing = _run(asked, plan, left, machine, ordinals, str(precision), finisher.written, report)
            timing.flushing_seconds, timing.tiles_kept = finisher.seconds, len(whole)
    timing.seconds = time.perf_counter() - started
    return timing


def _run(
    asked: Streamed,
    plan: StreamedPlan,
    numbers: list[int],
    machine: str,
    ordinals: tuple[int, ...],
    precision: str,
    done: Callable[[int, int], None] | None,
    report: Callable[[int, int], object] | None,
) -> Timing:
    everything, steps, turn = len(numbers) * plan.step_count, [0], threading.Lock()

    def stepped() -> None:
        with turn:
            steps[0] += 1
            if report is not None:
                report(steps[0], everything)

    element = asked.panel_element(machine)
    if machine == "host":
        return multiply_tiles(
            asked.a,
            asked.b,
            asked.out,
            plan,
            iter(numbers),
            sum_dtype=asked.sum_dtype,
            panel_element=element.str,
            done=done,
            stepped=stepped,
        )
    from .gpu_tiles import multiply_on_gpus

    return multiply_on_gpus(asked, plan, numbers, ordinals, precision, done, stepped)


class _Finisher:
    """Waits, in a thread of its own, until tiles are on the disk, and then says so in the journal.

    The next tile is multiplied meanwhile. ``seconds`` is the time that this took.
    """

    def __init__(self, out: Store, plan: StreamedPlan, journal: Journal) -> None:
        self.seconds = 0.0
        self._out, self._tiles, self._journal = out, plan.tiles(), journal
        self._written: queue.Queue[tuple[int, int] | None] = queue.Queue(maxsize=2)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._finish, name="tilewright-finisher", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._written.put(None)
        self._thread.join()
        if self._error is not None and kind is None:
            raise self._error

    def written(self, number: int, checksum: int) -> None:
        """A tile was written. Raises what finishing an earlier one raised."""
        if self._error is not None:
            raise self._error
        self._written.put((number, checksum))

    def _finish(self) -> None:
        for number, checksum in self._drawn():
            if self._error is not None:
                continue  # so that nobody waits to put
            started = time.perf_counter()
            try:
                self._out.flush(*self._tiles[number])
                self._journal.add(number, checksum)
            except BaseException as error:  # noqa: BLE001  (it is raised where the next tile is written)
                self._error = error
            self.seconds += time.perf_counter() - started

    def _drawn(self) -> Iterator[tuple[int, int]]:
        while (found := self._written.get()) is not None:
            yield found
