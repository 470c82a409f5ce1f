"""A product that streams, from the caller's arguments to the result: checked, planned, continued, run."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Self

from tilewright.arrays.errors import StoreError
from tilewright.arrays.stores.store import Store
from tilewright.call import trip_rates
from tilewright.call.arguments import check_precision
from tilewright.choose import PlanError
from tilewright.choose.choice import precision_refusal
from tilewright.choose.streamed import Rate, StreamedPlan, StreamRates
from tilewright.choose.streamed_tiles import plan_streamed, planned_as
from tilewright.choose.trip import LEAST_FLOPS
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.precision import precision_of
from tilewright.launch.cuda.driver import driver_report

from .host_tiles import multiply_tiles, read_checksum
from .journal import VERSION, Journal, folder_of
from .lock import locked
from .progress import reporting
from .request import Streamed, check_streamed
from .tile_steps import Timing

IN_MEMORY = Rate(10.0)


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
    **options: Any,
) -> Any:
    """The result of a product of stored arrays, by tiles within a memory limit. Returns `out`, or a new NumPy array.

    Raises:
        ShapeError, DtypeError, ValueError, PlanError: before anything runs.
        StoreError: an input cannot be read, the output not written, or another process writes it. What was whole
            stays whole, and resume=True continues from there.
    """
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
    **options: Any,
) -> StreamedPlan:
    """The plan of a product of stored arrays. Nothing runs, and nothing is written. Raises as `multiply_streamed`."""
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
            timing = _run(asked, plan, list(range(plan.tile_count)), machine, ordinals, str(precision), None, report)
        else:
            held.enter_context(locked(folder, asked.out.shown))
            journal = Journal(folder)
            held.callback(journal.close)
            plan, whole = _continued(asked, problem, limit, rates, journal, folder, machine, resume=resume)
            left = [number for number in range(plan.tile_count) if number not in whole]
            with _Finisher(asked.out, plan, journal) as finisher:
                timing = _run(asked, plan, left, machine, ordinals, str(precision), finisher.written, report)
            timing.flushing_seconds, timing.tiles_kept = finisher.seconds, len(whole)
    timing.seconds = time.perf_counter() - started
    return timing


def machine_of(asked: Streamed, device: Any, precision: object) -> tuple[str, tuple[int, ...]]:
    """The machine, "host" or "gpu", and the numbers of the GPUs.

    Raises:
        PlanError: there is no such device, or it does not multiply this.
        DeviceUnavailableError: a GPU was asked for, and there is none.
    """
    takes = asked.dtype in DTYPE_BYTES and asked.operation != "dot"
    names = list(device) if isinstance(device, list | tuple) else [device]
    how = precision_of(asked.dtype, check_precision(precision))
    if names == ["auto"]:
        m, n, k = asked.problem("host").sizes
        is_large = takes and 2 * m * n * k >= LEAST_FLOPS and driver_report().problem is None
        names = ["gpu"] if is_large else ["host"]
    if names == ["host"]:
        refused = precision_refusal("The host", how)
        if refused is not None:
            raise PlanError(refused)
        return "host", ()
    ordinals = tuple(_ordinal(name) for name in names)
    if not ordinals or len(set(ordinals)) < len(ordinals):
        raise PlanError(f"device is {device!r}, and different GPUs such as ['cuda:0', 'cuda:1'] are accepted.")
    if not takes:
        raise PlanError(f"{asked.operation} of {asked.dtype} streams on the host alone; leave device out.")
    return "gpu", ordinals


def _ordinal(name: object) -> int:
    if name in ("gpu", "cuda"):
        return 0
    if isinstance(name, str) and name.startswith("cuda:") and name[5:].isdecimal():
        return int(name[5:])
    raise PlanError(
        f"device is {name!r}, and a product that streams takes 'auto', 'host', 'gpu', 'cuda:0' or a list of GPUs."
    )


def rates_of(asked: Streamed, machine: str) -> StreamRates:
    """The rates for a plan: those of the product and the link are measured once per process, those of files assumed."""
    read = IN_MEMORY if asked.a.path is None and asked.b.path is None else StreamRates.read
    write = IN_MEMORY if asked.out.path is None else StreamRates.write
    if machine == "gpu":
        measured = trip_rates.measured_rates("float16" if asked.dtype == "bfloat16" else asked.dtype)
        if measured is not None:
            return StreamRates(
                read,
                write,
                Rate(measured.gpu_gflops, "measured"),
                Rate(1000.0),
                Rate(min(measured.there_gb_per_s, measured.back_gb_per_s), "measured"),
            )
        return StreamRates(read, write, Rate(10_000.0), Rate(1000.0), Rate(20.0))
    return StreamRates(read, write, host_rate(asked.dtype))


@cache
def host_rate(dtype: str) -> Rate:
    """NumPy's rate: measured for floats, assumed for others, which have no BLAS."""
    return Rate(trip_rates.host_gflops(dtype), "measured") if dtype in DTYPE_BYTES else Rate(0.5)


def _continued(
    asked: Streamed,
    problem: Any,
    limit: int,
    rates: StreamRates,
    journal: Journal,
    folder: Path,
    machine: str,
    *,
    resume: bool,
) -> tuple[StreamedPlan, set[int]]:
    """The plan, and the tiles that are whole, of an earlier run if there was one; the journal is written anew."""
    told, tiles = journal.read() if resume else (None, {})
    identity = _identity(asked, folder, machine)
    if told is None:
        plan, kept = plan_streamed(problem, limit, rates), {}
    else:
        for name, value in identity.items():
            if told.get(name) != value:
                raise PlanError(
                    f"{asked.out.shown} was begun with another {_WORDS[name]}, so it cannot be continued; leave resume "
                    "out to begin anew."
                )
        plan = planned_as(problem, tuple(told["tile"]), told["step"], limit, rates)
        kept = {number: sum_ for number, sum_ in tiles.items() if _is_whole(asked.out, plan, number, sum_)}
    journal.begin({"version": VERSION, **identity, "tile": list(plan.tile), "step": plan.step}, kept)
    return plan, set(kept)


_WORDS = {
    "operation": "operation",
    "machine": "machine",
    "dtype": "type",
    "a": "A, or A has changed since",
    "b": "B, or B has changed since",
    "out": "shape or type",
}


def _identity(asked: Streamed, folder: Path, machine: str) -> dict[str, Any]:
    """What must be the same for a run to be continued."""

    def of(store: Store) -> list[Any]:
        is_apart = store.path is not None and store.path != asked.out.path and not _holds(store.path, folder)
        return [list(store.shape), store.dtype, store.fingerprint(), store.stamp() if is_apart else None]

    return {
        "operation": asked.operation,
        "machine": machine,
        "dtype": [asked.dtype, asked.sum_dtype],
        "a": of(asked.a),
        "b": of(asked.b),
        "out": [list(asked.out.shape), asked.out.dtype, list(asked.out.written_chunks or ())],
    }


def _holds(folder: Path, path: Path) -> bool:
    return path.is_relative_to(folder.resolve())


def _is_whole(out: Store, plan: StreamedPlan, number: int, checksum: int) -> bool:
    """Whether a tile is on the disk as it was reported."""
    if not 0 <= number < plan.tile_count:
        return False
    try:
        return read_checksum(out, *plan.tiles()[number], plan.strip_bytes) == checksum
    except StoreError:
        return False  # it is computed again


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
