"""The caller's Dask cluster: what its workers are, and tasks that it runs, some at a time, whoever dies meanwhile."""

from __future__ import annotations

import asyncio
import queue
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tilewright.arrays.errors import StoreError, described
from tilewright.choose import PlanError
from tilewright.choose.clustered import Workers
from tilewright.choose.quantities import in_words
from tilewright.launch.machine import MachineError

Submit = Callable[[Any, str], Any]
"""Gives a part of the work to the scheduler under a name; the future of Dask's."""

QUEUED_PER_THREAD = 3
"""How many tasks are at the scheduler for each thread of the workers: some to be stolen from the slow, no flood."""
RESUBMITTED = 2
"""How often a task is given back to Dask that it gave up because of too many workers' deaths."""
LOOK_SECONDS = 5.0
"""How often the workers are counted while no task ends, ..."""
WAIT_SECONDS = 60.0
"""... and how long it may be that there are none."""
REST_BYTES = 2**27
"""What a worker's process takes beside its tasks: Python, NumPy, Dask's own."""
PAUSED_ABOVE = 0.8
"""Dask gives a worker no more tasks above this part of its memory."""
NO_LIMIT_BYTES = 2**30
"""What a task may take if neither the caller nor the workers have a limit."""


@dataclass(frozen=True)
class Worker:
    """A worker as the scheduler knows it. ``memory_bytes`` is 0 for one without a limit."""

    address: str
    machine: str
    threads: int
    memory_bytes: int
    resources: dict[str, float]

    @property
    def most_bytes(self) -> int | None:
        """What a task may take if one runs on each thread; None without a limit."""
        if not self.memory_bytes:
            return None
        return max(0, int(PAUSED_ABOVE * self.memory_bytes) - REST_BYTES) // self.threads

    def at_once(self, needs: dict[str, float]) -> int:
        """How many tasks that need these resources run at once."""
        return int(min([self.threads, *(self.resources.get(name, 0) // amount for name, amount in needs.items())]))


class Engine:
    """A client of Dask's, connected.

    Raises:
        PlanError: it is something else, or asynchronous.
        MachineError: it has no scheduler, or no workers.
    """

    def __init__(self, client: Any) -> None:
        library = sys.modules.get("distributed")
        if library is None or not isinstance(client, library.Client):
            raise PlanError(f"engine is {described(client)}, and a distributed.Client of the caller's is accepted.")
        if client.asynchronous:
            raise PlanError("engine is an asynchronous Client, and one that is not asynchronous is accepted.")
        self.client = client
        self._address = str(getattr(client.scheduler, "address", "its address"))
        self.workers = self._workers()
        if not self.workers:
            raise MachineError(f"The scheduler at {self._address} has no workers; start some first.")

    def limit(self, given: object) -> object:
        """The memory limit of a task: what was given, or half of the least that a worker has for each thread."""
        if given is not None:
            return given
        known = [min(each.most_bytes, each.memory_bytes // (2 * each.threads)) for each in self._limited()]
        return max(min(known, default=NO_LIMIT_BYTES), 2**20)

    def needs(self, machine: str, peak_bytes: int) -> dict[str, float]:
        """The resources of a task, of those that workers declare: GPU, and MEMORY in bytes if all of them do.

        Raises:
            PlanError: no worker has what is needed, or a worker without MEMORY could not run a task on each thread.
        """
        found: dict[str, float] = {"GPU": 1} if machine == "gpu" else {}
        if all("MEMORY" in each.resources for each in self.workers):
            found["MEMORY"] = peak_bytes
        else:
            for each in self._limited():
                if peak_bytes > each.most_bytes:
                    raise PlanError(
                        f"A task takes {in_words(peak_bytes)} of memory, and the worker {each.address} has "
                        f"{in_words(each.most_bytes)} for each of its {each.threads} threads; give memory_limit as "
                        "much, or start all workers with --resources MEMORY=BYTES."
                    )
        if not any(each.at_once(found) for each in self.workers):
            said = " and ".join(f"{name}={amount:,.0f}" for name, amount in found.items())
            raise PlanError(f"No worker has declared the resources of a task, {said}; start some with --resources.")
        return found

    def has_gpus(self) -> bool:
        """Whether a worker has declared a GPU."""
        return any(each.resources.get("GPU", 0) >= 1 for each in self.workers)

    def counted(self, needs: dict[str, float]) -> Workers:
        """The workers for a plan: those that can run a task with these needs."""
        able = [each for each in self.workers if each.at_once(needs)]
        return Workers(len(able), sum(each.at_once(needs) for each in able), len({each.machine for each in able}))

    def machines(self) -> int:
        """The number of machines that workers run on."""
        return len({each.machine for each in self.workers})

    def asked(self, function: Callable[..., Any], *given: Any) -> dict[str, Any]:
        """What each worker returns for a call, or the exception that it raises; by address. Runs beside its tasks."""
        with self._told_in_a_sentence():
            found: dict[str, Any] = self.client.run(function, *given, nanny=False, on_error="return")
        return found

    def submitter(self, function: Callable[..., Any], task: Any, needs: dict[str, float]) -> Submit:
        """What gives ``function(task, part)`` to the scheduler, under a name."""

        def submit(part: Any, key: str) -> Any:
            return self.client.submit(function, task, part, key=key, pure=False, resources=needs or None, retries=0)

        return submit

    def run(self, submit: Submit, parts: Iterable[Any]) -> Iterator[Any]:
        """What tasks return for each part, as they end.

        Some are at the scheduler at a time. Those of workers that die go to others. On leaving, those that have not run
        are cancelled.

        Raises:
            StoreError, PlanError, MachineError: as a task does, which ends all.
            MachineError: the scheduler is lost, or there are no workers for some time.
        """
        left, running = iter(parts), _Running(self.client, submit)
        deaths: dict[str, int] = {}

        def fill() -> None:
            if time.monotonic() > self._counted_at + LOOK_SECONDS:  # new ones get tasks, too
                self.workers = self._workers()
            most = QUEUED_PER_THREAD * max(1, sum(each.threads for each in self.workers))
            while len(running.futures) < most:
                for part in left:
                    running.submit(part)
                    break
                else:
                    return

        with self._told_in_a_sentence():
            try:
                fill()
                while running.futures:
                    ended = self._next(running)
                    if ended.error is None:
                        yield ended.result
                    elif type(ended.error).__name__ == "KilledWorker" and deaths.get(ended.name, 0) < RESUBMITTED:
                        deaths[ended.name] = deaths.get(ended.name, 0) + 1
                        running.submit(ended.part)
                    else:
                        error = self._error(ended)
                        raise error from (None if error is ended.error else ended.error)
                    fill()
            finally:
                running.cancel()

    def _next(self, running: _Running) -> _Ended:
        """The task that ends next. Raises MachineError if there have been no workers for some time."""
        waited = 0.0
        while True:
            try:
                return running.next(LOOK_SECONDS)
            except queue.Empty:
                self.workers = self._workers()
            waited = 0.0 if self.workers else waited + LOOK_SECONDS
            if waited > WAIT_SECONDS:
                raise MachineError(
                    f"The scheduler at {self._address} has had no workers for {WAIT_SECONDS:.0f} s, but such as it "
                    "pauses for want of memory; what is whole stays, and resume=True continues once there are some."
                )

    def _error(self, ended: _Ended) -> BaseException:
        """What a caller is told of a task's end."""
        error = ended.error
        if isinstance(error, StoreError | PlanError | MachineError):
            return error
        if isinstance(error, asyncio.CancelledError) or self.client.status != "running":
            return self._lost()
        if type(error).__name__ == "KilledWorker":
            return MachineError(
                f"Every worker that computed {ended.name} died, {RESUBMITTED + 1} times as often as the scheduler "
                "allows; if they ran out of memory, give a smaller memory_limit, and resume=True continues."
            )
        said = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
        return MachineError(f"A worker failed to compute {ended.name}: {said}.")

    def _lost(self) -> MachineError:
        return MachineError(
            f"The scheduler at {self._address} is lost, or has dropped the tasks; what is whole stays, and resume=True "
            "continues with a client of another."
        )

    def _told_in_a_sentence(self) -> _Told:
        return _Told(self)

    def _workers(self) -> list[Worker]:
        with self._told_in_a_sentence():
            if self.client.status != "running":
                raise self._lost()
            told = self.client.scheduler_info(n_workers=-1)["workers"]
        self._counted_at = time.monotonic()
        return [
            Worker(
                address,
                str(each["host"]),
                max(1, int(each["nthreads"])),
                int(each["memory_limit"] or 0),
                dict(each.get("resources", {})),
            )
            for address, each in told.items()
            if each.get("status") != "paused"
        ]

    def _limited(self) -> Iterator[Any]:
        return (each for each in self.workers if each.memory_bytes)


class _Told:
    """What Dask raises when it has lost its scheduler becomes our sentence."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, OSError | TimeoutError | asyncio.CancelledError) and not isinstance(error, StoreError):
            raise self._engine._lost() from error  # noqa: SLF001  (its own module)


@dataclass(frozen=True)
class _Ended:
    """A task that ended; ``part`` is what it computed, ``error`` what it raised."""

    key: str
    part: Any
    result: Any
    error: BaseException | None

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"tile {self.part}" if isinstance(self.part, int) else "checksums of tiles"


class _Running:
    """Tasks at the scheduler: ``futures`` are those that have not come back to the thread that asks for the next."""

    def __init__(self, client: Any, submit: Submit) -> None:
        self.futures: dict[str, Any] = {}
        self._ended: queue.Queue[_Ended] = queue.Queue()
        self._client, self._submit, self._run, self._count = client, submit, secrets.token_hex(8), 0

    def submit(self, part: Any) -> None:
        """Give a task to the scheduler, under a name that was never used."""
        key = f"tilewright_tile-{self._run}-{self._count}"
        self._count += 1
        self.futures[key] = future = self._submit(part, key)
        asyncio.run_coroutine_threadsafe(self._followed(future, key, part), self._client.loop.asyncio_loop)

    def next(self, seconds: float) -> _Ended:
        """The task that ends next. Raises queue.Empty if none does in so many seconds."""
        ended = self._ended.get(timeout=seconds)
        del self.futures[ended.key]
        return ended

    async def _followed(self, future: Any, key: str, part: Any) -> None:
        result, error = None, None
        try:
            result = await future
        except BaseException as raised:  # noqa: BLE001  (it is told where tasks are waited for)
            error = raised
        self._ended.put(_Ended(key, part, result, error))

    def cancel(self) -> None:
        """Take back what has not run."""
        left = list(self.futures.values())
        if left and self._client.status == "running":
            with suppress(Exception):
                self._client.cancel(left)
