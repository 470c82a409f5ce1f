"""Threads that fill the next panels while the present ones are multiplied.

A panel that the next step needs again stays where it is. With two buffers for each operand, one is filled while the
other is read.
"""

from __future__ import annotations

import threading
import time
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
    """Fills buffers in the order of the steps, in threads of its own, while the block runs.

    ``fill(operand, buffer, step)`` fills one, operand "A" or "B". ``stalled_seconds`` is the time that `filled` waited.

    Args:
        steps: what is multiplied; they are drawn as they are looked at.
        fill: see above. It may be called for A and B at once if they have threads of their own.
        buffers: how many each operand has.
        fillers: the operands that each thread fills. ("AB",) reads one panel at a time; with ("A", "B") a panel of A
            that many steps share is filled beside those of B for the steps before.
        ahead: how many steps after the last that has ended are looked at.
    """

    def __init__(
        self,
        steps: Iterable[Step],
        fill: Callable[[str, int, Step], None],
        buffers: int = 2,
        fillers: tuple[str, ...] = ("AB",),
        ahead: int = 2,
    ) -> None:
        self.stalled_seconds = 0.0
        self.first_seconds = 0.0
        self._source, self._fill, self._ahead = iter(steps), fill, ahead
        self._buffers = {"A": Buffers(buffers), "B": Buffers(buffers)}
        self._steps: dict[int, Step] = {}
        self._places: dict[int, dict[str, tuple[int, bool]]] = {}
        self._turn = threading.Condition()
        self._drawn = self._finished = 0
        self._is_over = self._is_stopped = False
        self._error: BaseException | None = None
        self._threads = [
            threading.Thread(target=self._run, args=(operands,), name=f"tilewright-prefetch-{operands}", daemon=True)
            for operands in fillers
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._turn:
            self._is_stopped = True
            self._turn.notify_all()
        for thread in self._threads:
            thread.join()

    def filled(self) -> Iterator[Filled]:
        """Each step once its panels are there. Raises what filling them raised."""
        number = 0
        while True:
            started = time.perf_counter()
            with self._turn:
                self._turn.wait_for(lambda: self._is_known(number))  # noqa: B023  (it is asked within this turn)
                if self._is_filled(number):
                    step, places = self._steps.pop(number), self._places.pop(number)
                elif self._error is not None:
                    raise self._error
                else:
                    return
            waited = time.perf_counter() - started
            if number == 0:
                self.first_seconds = waited
            self.stalled_seconds += waited
            (a, new_a), (b, new_b) = places["A"], places["B"]
            yield Filled(step, a, b, (new_a, new_b))
            number += 1

    def finished(self) -> None:
        """The panels of one more step are no longer read."""
        with self._turn:
            self._finished += 1
            self._turn.notify_all()

    def _is_filled(self, number: int) -> bool:
        return len(self._places.get(number, ())) == len(self._buffers)

    def _is_known(self, number: int) -> bool:
        """Whether a step is filled, or never will be."""
        return self._is_filled(number) or self._error is not None or (self._is_over and number >= self._drawn)

    def _run(self, operands: str) -> None:
        try:
            number = 0
            while (step := self._step(number)) is not None:
                for operand in operands:
                    place = self._placed(operand, number, step)
                    if place is None:
                        return
                    with self._turn:
                        self._places.setdefault(number, {})[operand] = place
                        self._turn.notify_all()
                number += 1
        except BaseException as error:  # noqa: BLE001  (it is raised where the panels are waited for)
            with self._turn:
                self._error = self._error or error
                self._is_stopped = True
                self._turn.notify_all()

    def _step(self, number: int) -> Step | None:
        """A step once it is near enough; None if there is none, or the block has ended."""
        with self._turn:
            self._turn.wait_for(lambda: self._is_stopped or number < self._finished + self._ahead)
            if self._is_stopped:
                return None
            if number == self._drawn and not self._is_over:
                step = next(self._source, None)
                if step is None:
                    self._is_over = True
                else:
                    self._steps[number], self._drawn = step, number + 1
                self._turn.notify_all()
            return self._steps[number] if number < self._drawn else None

    def _placed(self, operand: str, number: int, step: Step) -> tuple[int, bool] | None:
        """The buffer of a step's panel of an operand, and whether it was filled now; None if the block has ended."""
        buffers = self._buffers[operand]
        spans = (step.rows, step.along) if operand == "A" else (step.along, step.columns)
        buffer, is_new = buffers.place(*spans)
        if is_new:
            if not self._is_free_after(buffers.read_until[buffer]):
                return None
            self._fill(operand, buffer, step)
        buffers.read_until[buffer] = number
        return buffer, is_new

    def _is_free_after(self, number: int) -> bool:
        """Wait until a step no longer reads its panels; False if the block has ended."""
        with self._turn:
            self._turn.wait_for(lambda: self._is_stopped or self._finished > number)
            return not self._is_stopped
