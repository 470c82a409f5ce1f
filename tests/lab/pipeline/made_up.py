"""A pipeline as wgmma.cu runs it, made up: events of a producer, the copy engine and consumers of one block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tilewright.lab.pipeline.boxes import Box, Matrix
from tilewright.lab.pipeline.document import FORMAT, VERSION, block_of, matrices_of
from tilewright.lab.pipeline.events import BarrierEvent, BarrierKind, CopyEvent, Event, GroupEvent, MultiplyEvent

TILE, BLOCK_K, HALF = 128, 64, 2
A_BYTES = B_BYTES = TILE * BLOCK_K * HALF
A_AT, B_AT, C_AT = 1 << 20, 1 << 21, 1 << 22
STAGED = 1024


class MadeUp:
    """A product of 128 x k times k x 128. stages: of the pipeline. consumers: warpgroups, of 64 rows each."""

    def __init__(self, k: int = 256, stages: int = 3, consumers: int = 2) -> None:
        self.k, self.stages, self.consumers = k, stages, consumers
        self.matrices = (
            Matrix("A", "float16", A_AT, HALF, (TILE, k)),
            Matrix("B", "float16", B_AT, HALF, (k, TILE)),
            Matrix("C", "float16", C_AT, HALF, (TILE, TILE)),
        )
        staging = stages * (A_BYTES + B_BYTES)
        self.full = [staging + consumers * 16384 + 8 * stage for stage in range(stages)]
        self.empty = [at + 8 * stages for at in self.full]
        self.arrivals = {**dict.fromkeys(self.full, 1), **dict.fromkeys(self.empty, 4 * consumers)}
        self.state = {at: [0, count, 0] for at, count in self.arrivals.items()}
        self.staging = staging

    def barrier(self, kind: BarrierKind, at: int, warp: int, line: int, parity: int | None = None) -> BarrierEvent:
        """Return an event with the barrier's state."""
        phase, pending, nbytes = self.state[at]
        parity = phase % 2 if parity is None else parity
        return BarrierEvent(0, warp, line, kind, 0, at, parity, pending, self.arrivals[at], nbytes)

    def settled(self, at: int, warp: int, line: int) -> Iterator[Event]:
        """Yield the end of a phase, if nothing is missing."""
        state = self.state[at]
        if state[1:] == [0, 0]:
            self.state[at] = [state[0] + 1, self.arrivals[at], 0]
            yield self.barrier("turn", at, warp, line)

    def events(self) -> list[Event]:
        """Return all of them; copies arrive two steps after they are asked for, consumers take turns."""
        return list(self._events())

    def _events(self) -> Iterator[Event]:
        for at in self.state:
            yield self.barrier("init", at, 0, 11)
        self.waiting: set[tuple[int, int]] = set()
        self.consumed = [0] * self.consumers
        self.asked, blocks = 0, self.k // BLOCK_K
        flying: list[tuple[int, list[CopyEvent]]] = []
        while min(self.consumed) < blocks:
            if self.asked < blocks:
                made = list(self._request())
                yield from made
                flying += (
                    [(self.asked - 1, copies)] if (copies := [e for e in made if isinstance(e, CopyEvent)]) else []
                )
            if len(flying) > 1 or self.asked == blocks:
                for number, copies in flying[:1]:
                    yield from self._land(copies, number)
                del flying[:1]
            for consumer in range(self.consumers):
                if self.consumed[consumer] < blocks:
                    yield from self._turn(consumer)
        for consumer in range(self.consumers):
            yield from self._finish(consumer)

    def _request(self) -> Iterator[Event]:
        stage, turn = self.asked % self.stages, self.asked // self.stages
        if self.state[self.empty[stage]][0] >= turn:
            yield from self._produce(stage, turn, self.asked)
            self.asked += 1
        elif (-1, self.asked) not in self.waiting:
            self.waiting.add((-1, self.asked))
            yield self.barrier("wait", self.empty[stage], 0, 20)

    def _turn(self, consumer: int) -> Iterator[Event]:
        block = self.consumed[consumer]
        stage, turn = block % self.stages, block // self.stages
        warps = range(4 * (consumer + 1), 4 * (consumer + 2))
        if self.state[self.full[stage]][0] > turn:
            yield from self._consume(warps, consumer, block)
            self.consumed[consumer] += 1
        elif (consumer, block) not in self.waiting:
            self.waiting.add((consumer, block))
            for warp in warps:
                yield self.barrier("wait", self.full[stage], warp, 40)

    def _produce(self, stage: int, turn: int, block: int) -> Iterator[Event]:
        yield self.barrier("pass", self.empty[stage], 0, 20, (turn & 1) ^ 1)
        state = self.state[self.full[stage]]
        state[1:] = [state[1] - 1, state[2] + A_BYTES + B_BYTES]
        yield self.barrier("expect", self.full[stage], 0, 21)
        base, k = stage * A_BYTES, block * BLOCK_K
        a = Box(A_AT, (k, 0), (BLOCK_K, TILE), (self.k, TILE), (HALF, self.k * HALF))
        yield CopyEvent(0, 0, 22, False, True, 0, base, self.full[stage], a.nbytes, a)
        for i in range(2):
            b = Box(B_AT, (64 * i, k), (64, BLOCK_K), (TILE, self.k), (HALF, TILE * HALF))
            at = self.stages * A_BYTES + stage * B_BYTES + i * b.nbytes
            yield CopyEvent(0, 0, 23, False, True, 0, at, self.full[stage], b.nbytes, b)

    def _land(self, copies: list[CopyEvent], number: int) -> Iterator[Event]:
        at = self.full[number % self.stages]
        for copy in copies:
            yield CopyEvent(0, 0, copy.line, True, True, 0, copy.offset, at, copy.nbytes, copy.box)
            self.state[at][2] -= copy.nbytes
            yield self.barrier("bytes", at, 0, copy.line or 0)
            yield from self.settled(at, 0, copy.line or 0)

    def _consume(self, warps: range, consumer: int, block: int) -> Iterator[Event]:
        stage, turn = block % self.stages, block // self.stages
        a, b = stage * A_BYTES, self.stages * A_BYTES + stage * B_BYTES
        for warp in warps:
            yield self.barrier("pass", self.full[stage], warp, 40, turn & 1)
            for step in range(4):
                a_at = a + consumer * 64 * 128 + 32 * step
                yield MultiplyEvent(0, warp, 44, 64, TILE, 16, a_at, b + 16 * 128 * step, True, False)
            yield GroupEvent(0, warp, 45, None)
        for warp in warps:
            yield GroupEvent(0, warp, 46, 1)
            if block:
                yield from self._arrive(self.empty[(block - 1) % self.stages], warp)

    def _arrive(self, at: int, warp: int) -> Iterator[Event]:
        self.state[at][1] -= 1
        yield self.barrier("arrive", at, warp, 48)
        yield from self.settled(at, warp, 48)

    def _finish(self, consumer: int) -> Iterator[Event]:
        warps = range(4 * (consumer + 1), 4 * (consumer + 2))
        for warp in warps:
            yield GroupEvent(0, warp, 52, 0)
            yield from self._arrive(self.empty[(self.k // BLOCK_K - 1) % self.stages], warp)
        copies = []
        for i in range(2):
            box = Box(C_AT, (64 * i, 64 * consumer), (64, 64), (TILE, TILE), (HALF, TILE * HALF))
            at = self.staging + consumer * 16384 + 8192 * i
            copies.append(CopyEvent(0, warps[0], 60, False, False, 0, at, None, box.nbytes, box))
            yield copies[-1]
        for copy in copies:
            yield CopyEvent(0, warps[0], 60, True, False, 0, copy.offset, None, copy.nbytes, copy.box)


def document_of_made_up(**options: int) -> dict[str, Any]:
    """Return the document of a made-up pipeline, with the parts that it shares with a trace."""
    made = MadeUp(**options)
    block, is_whole = block_of(made.events(), 0, (0, 0, 0), made.matrices, (0, 1, 2))
    assert is_whole
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_by": "tilewright 0",
        "kernel": {
            "name": "matmul/made_up",
            "entry": "made_up",
            "file": "made_up.cu",
            "source": "\n".join(f"line({number});" for number in range(1, 70)),
            "headers": {},
        },
        "problem": {"operation": "matmul", "m": TILE, "n": TILE, "k": made.k, "tile": None, "wrong_elements": 0},
        "launch": {
            "grid": [1, 1, 1],
            "block": [384, 1, 1],
            "cluster": [1, 1, 1],
            "shared_bytes": made.empty[-1] + 8,
            "schedule": "round robin",
            "fault": "",
        },
        "recorded": {"cut": ""},
        "arrays": matrices_of(made.matrices),
        "blocks": [block],
        "findings": [],
        "counts": {},
        "notes": ["In float16."],
    }
