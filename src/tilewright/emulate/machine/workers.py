"""The workers of a launch: threads of the host that take its blocks, chunk by chunk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tilewright.emulate import state as st
from tilewright.emulate.execute.addresses import COPIED
from tilewright.emulate.faults import BudgetExceeded
from tilewright.emulate.machine.fault_report import FaultReport
from tilewright.emulate.machine.prints import PrintedText, drain, join_lines
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.state import Int64s

if TYPE_CHECKING:
    from tilewright.emulate.machine.launch import Launch
    from tilewright.emulate.observers.observer import Observer

MAX_PRINTS = 1_000_000
"""Calls of printf whose text a launch may leave: an endless loop that prints must not fill the host's memory."""

Progress = Callable[[int, int], None]


def _no_chunks() -> Iterator[tuple[int, int]]:
    yield from ()


class Workers:
    """The workers of one execution."""

    def __init__(
        self, launch: Launch, workers: int, progress: Progress | None, observers: Sequence[Observer] = ()
    ) -> None:
        self.launch, self.progress = launch, progress
        is_parallel = workers > 1
        self.originals = [np.empty(a.nbytes if is_parallel and a.writable else 0, np.uint8) for a in launch.allocations]
        self.kept = np.zeros(len(launch.allocations) + 1, np.int64)
        self.spent = np.zeros(1, np.int64)
        self.workers = [Worker(launch, is_parallel, self.originals, self.kept, self.spent) for _ in range(workers)]
        if observers:
            self.workers[0].watch(observers)
        self.chunks: Iterator[tuple[int, int]]
        self.output: list[tuple[int, PrintedText]] = []
        self.lock = threading.Lock()
        resident, blocks = launch.resident, launch.blocks
        groups = -(-blocks // resident)
        size = max(1, min(groups // (8 * workers), 256)) * resident
        self.chunks = ((first, min(first + size, blocks)) for first in range(0, blocks, size))
        self.done = 0
        self.fault: tuple[int, Worker] | None = None
        self.failure: BaseException | None = None

    def execute(self) -> None:
        """Run all chunks, or as many as a fault or an interruption lets start."""
        ended = [threading.Event() for _ in self.workers]
        try:
            for worker, event in zip(self.workers, ended, strict=True):
                threading.Thread(target=self._work, args=(worker, event), daemon=True).start()
            for event in ended:
                while not event.wait(0.1):
                    if self.progress:
                        self.progress(self.done, self.launch.blocks)
            if self.progress:
                self.progress(self.done, self.launch.blocks)
        except BaseException:
            # A worker must not outlive the memory that it writes to. (Thread.join may return early once interrupted.)
            with self.lock:
                self.chunks = _no_chunks()
            for worker, event in zip(self.workers, ended, strict=True):
                while worker.is_running and not event.wait(0.01):
                    worker.words[st.CONTROL_STATUS] = st.STOPPED
            raise
        if self.failure is not None:
            raise self.failure

    def _work(self, worker: Worker, ended: threading.Event) -> None:
        worker.is_running = True
        try:
            while True:
                with self.lock:
                    chunk = None if self.fault else next(self.chunks, None)
                if chunk is None:
                    return
                status = worker.run(chunk, self._collect)
                with self.lock:
                    self.done += chunk[1] - chunk[0]
                    if status == st.FAULTED:
                        # Chunks are handed out in order, so whoever has an earlier one still works on it.
                        if self.fault is None or chunk[0] < self.fault[0]:
                            self.fault = (chunk[0], worker)
                        return
                if status == st.STOPPED:
                    return
        except BaseException as failure:  # noqa: BLE001  (execute raises it again)
            self.failure = failure
        finally:
            worker.is_running = False
            ended.set()

    def _collect(self, worker: Worker) -> None:
        words = worker.words
        launch = self.launch
        used = int(words[st.CONTROL_PRINTED])
        pieces = list(drain(worker.prints, used, worker.string_at, launch.grid, launch.block))
        words[st.CONTROL_PRINTED] = 0
        with self.lock:
            if len(self.output) + len(pieces) > MAX_PRINTS:
                self.chunks = _no_chunks()
                raise BudgetExceeded(
                    f"{launch.kernel} calls printf more than {MAX_PRINTS} times: print less often",
                    kernel=launch.kernel,
                )
            self.output += [(launch.group_of(block), text) for block, text in pieces]

    def raise_fault(self) -> None:
        """Raise what stopped the launch, if anything did: of several faults the one of the earliest blocks."""
        if self.fault is not None:
            launch = self.launch
            report = FaultReport(launch.module, launch.kernel, self.fault[1], launch.memory, launch)
            error = report.exception()
            last = launch.group_of(int(self.fault[1].words[st.CONTROL_FAULT_BLOCK]))
            error.output = join_lines([piece.text for piece in self.prints(last)])
            raise error

    def prints(self, last: int) -> list[PrintedText]:
        """Return what the groups of resident blocks up to number `last` printed, in their order."""
        pieces = sorted(self.output, key=lambda item: item[0])
        return [text for group, text in pieces if group <= last]

    def counters(self) -> Int64s:
        """Return the sum of what the workers counted (state.py, COUNTER_COLUMNS)."""
        total: Int64s = np.sum([worker.counters for worker in self.workers], axis=0)
        return total

    def restore_originals(self) -> None:
        """Put back what the workers changed."""
        for allocation, original, kept in zip(self.launch.allocations, self.originals, self.kept, strict=False):
            if kept == COPIED:
                allocation.data[:] = original

    def is_entangled(self) -> bool:
        """Say whether a worker read or changed what another one changed."""
        uses = [worker.allocations[:, st.ALLOCATION_USED] for worker in self.workers]
        for index in range(len(uses[0])):
            flags = [int(use[index]) for use in uses]
            together = int(np.bitwise_or.reduce(flags))
            if together & st.USED_ATOMIC and together & (st.USED_LOAD | st.USED_STORE):
                return True
            stored = [number for number, flag in enumerate(flags) if flag & st.USED_STORE]
            loaded = [number for number, flag in enumerate(flags) if flag & st.USED_LOAD]
            if any(s != other for s in stored for other in loaded):
                return True
            if len(stored) > 1:
                marks = np.add.reduce([self.workers[n].shadows[index] for n in stored], axis=0, dtype=np.uint16)
                if marks.max(initial=0) > 1:
                    return True
        return False
