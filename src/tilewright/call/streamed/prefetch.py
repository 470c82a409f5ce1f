"""One thread that fills the next panels while the present ones are multiplied.

A panel that the next step needs again stays where it is. With two buffers for each operand, one is filled while the
other is read.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Step:
    """One panel of A times one of B, for the tile ``number`` of C."""

    number: int
    rows: slice
    columns: slice
    along: slice
    is_first: bool
    is_last: bool


@dataclass(frozen=True)
class Filled:
    """A step whose panels are in the buffers ``a`` and ``b``; ``is_new``: whether each was filled for this step."""

    step: Step
    a: int
    b: int
    is_new: tuple[bool, bool]


class Buffers:
    """What the buffers of one operand hold, and until the end of which step each is read."""

    def __init__(self, count: int) -> None:
        self.keys: list[tuple[int, ...] | None] = [None] * count
        self.read_until = [-1] * count
        self.latest = count - 1

    def place(self, *spans: slice) -> tuple[int, bool]:
        """The buffer for a panel, and whether it has to be filled."""
        key = tuple(bound for span in spans for bound in (span.start, span.stop))
        if self.keys[self.latest] == key:
            return self.latest, False
        self.latest = (self.latest + 1) % len(self.keys)
        self.keys[self.latest] = key
        return self.latest, True


class Prefetch:
    """Fills buffers in the order of the steps, in a thread of its own, while the block runs.

    ``fill(operand, buffer, step)`` fills one, operand "A" or "B". ``stalled_seconds`` is the time that `filled` waited.
    """

    def __init__(self, steps: Iterable[Step], fill: Callable[[str, int, Step], None], buffers: int = 2) -> None:
        self.stalled_seconds = 0.0
        self.first_seconds = 0.0
        self._steps, self._fill = steps, fill
        self._a, self._b = Buffers(buffers), Buffers(buffers)
        self._ready: deque[Filled] = deque()
        self._turn = threading.Condition()
        self._finished = 0
        self._is_over = self._is_stopped = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="tilewright-prefetch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._turn:
            self._is_stopped = True
            self._turn.notify_all()
        self._thread.join()

    def filled(self) -> Iterator[Filled]:
        """Each step once its panels are there. Raises what filling them raised."""
        number = 0
        while True:
            started = time.perf_counter()
            with self._turn:
                self._turn.wait_for(lambda: self._ready or self._is_over or self._error is not None)
                if self._ready:
                    found = self._ready.popleft()
                elif self._error is not None:
                    raise self._error
                else:
                    return
            waited = time.perf_counter() - started
            if number == 0:
                self.first_seconds = waited
            self.stalled_seconds += waited
            yield found
            number += 1

    def finished(self) -> None:
        """The panels of one more step are no longer read."""
        with self._turn:
            self._finished += 1
            self._turn.notify_all()

    def _run(self) -> None:
        try:
            for number, step in enumerate(self._steps):
                a, new_a = self._a.place(step.rows, step.along)
                b, new_b = self._b.place(step.along, step.columns)
                for operand, buffers, buffer, is_new in (("A", self._a, a, new_a), ("B", self._b, b, new_b)):
                    if is_new:
                        if not self._is_free_after(buffers.read_until[buffer]):
                            return
                        self._fill(operand, buffer, step)
                    buffers.read_until[buffer] = number
                with self._turn:
                    self._ready.append(Filled(step, a, b, (new_a, new_b)))
                    self._turn.notify_all()
                    if self._is_stopped:
                        return
            with self._turn:
                self._is_over = True
                self._turn.notify_all()
        except BaseException as error:  # noqa: BLE001  (it is raised where the panels are waited for)
            with self._turn:
                self._error = error
                self._turn.notify_all()

    def _is_free_after(self, number: int) -> bool:
        """Wait until a step no longer reads its panels; False if the block has ended."""
        with self._turn:
            self._turn.wait_for(lambda: self._is_stopped or self._finished > number)
            return not self._is_stopped
