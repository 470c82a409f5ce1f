"""Barriers that some threads never reach: who waits where, who has returned, and who came to another barrier."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.execute import events as ev
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers import barrier_arrivals as ba
from tilewright.emulate.observers.finding import Coordinates, Finding
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.state import Int64s

ADVICE = {
    ba.RETURNED: "Let every thread come to every barrier: move __syncthreads() out of the `if`; where threads return "
    "before it, put the work behind an `if` instead.",
    ba.ELSEWHERE: "Move __syncthreads() out of the branch, so that all threads of the block meet at the same one.",
}
ADVICE_FOR_HANG = (
    "Let all threads of the block take the same way to the barrier: no branch or return by thread before it."
)
ADVICE_FOR_MASK = "Name in the mask only the lanes that come to this instruction."
AT_BARRIER, AT_WARP_SYNC = "wait at the barrier at", "wait for lanes of their mask at"
SHOWN_RUNS = 4


class BarrierReachObserver(Observer):
    """Finds barriers of a block that some of its threads don't reach, also where the launch does not hang.

    Barriers for a number of threads (`bar.sync 1, 64`) and `bar.arrive` are legal for some threads alone; so is a block
    all of whose threads return.
    """

    unit = ba.observe_arrivals
    events = ev.mask(ev.BARRIER, ev.BARRIER_OPEN, ev.EXIT, ev.BLOCK_START)
    spaces = 0

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Make room for arrivals and ends."""
        self._launch, self._worker = launch, worker
        resident = launch.resident
        self._arrivals = np.full((resident, st.BARRIERS, ba.ARRIVAL_COLUMNS), ba.NOBODY, np.int64)
        self._ends = np.full((resident, ba.END_COLUMNS), ba.NOBODY, np.int64)
        self._ended_at = np.full((resident, launch.warps * 32), ba.NOBODY, np.int32)
        self._pairs = np.zeros((ba.MOST_PAIRS, ba.PAIR_COLUMNS), np.int64)
        self._own = np.zeros(ba.OWN_WORDS, np.int64)
        for column, array in (
            (ba.ARRIVALS, self._arrivals),
            (ba.ENDS, self._ends),
            (ba.ENDED_AT, self._ended_at),
            (ba.PAIRS, self._pairs),
        ):
            self._own[column] = array.ctypes.data
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Make findings of the pairs, and of a barrier that stopped the launch."""
        merged: dict[tuple[object, ...], Finding] = {}
        for pair in self._pairs[: int(self._own[ba.COUNT])]:
            finding = self._finding(pair)
            key = finding.place, finding.other, int(pair[ba.KIND])
            if key in merged:
                finding = replace(merged[key], times=merged[key].times + finding.times)
            merged[key] = finding
        self.findings = list(merged.values())
        words = self._worker.words
        is_hung = words[st.CONTROL_STATUS] == st.FAULTED and words[st.CONTROL_FAULT] == st.FAULT_BARRIER
        if is_hung:
            self.findings.append(self._hang())

    def _finding(self, pair: Int64s) -> Finding:
        places = self._launch.places
        kind, first, second = (int(pair[column]) for column in (ba.KIND, ba.FIRST_PC, ba.SECOND_PC))
        block = places.block_of(int(pair[ba.BLOCK]))
        ones = _numbers(int(pair[ba.FIRST_WARP]), int(pair[ba.FIRST_LANES]))
        others = _numbers(int(pair[ba.SECOND_WARP]), int(pair[ba.SECOND_LANES]))
        if kind == ba.RETURNED:
            where, threads, count = second, (ones[0], others[0]), int(pair[ba.THREADS])
            # Who left by a branch (a return, an if, the end of a loop) did so there; the last instruction has no line.
            left = self._launch.module.code.rows[first][row.OPCODE] == op.BRANCH
            other = places.line_of(first) if left else None
            message = (
                f"{count} thread{'s' if count > 1 else ''} of block {block}, {self._thread(ones[0])} first, "
                f"{f'left at {places.where(first)}' if left else 'ended'} before the barrier at "
                f"{places.where(second)}, where {self._described(others)} and others wait."
            )
        else:
            where, other, threads = second, places.line_of(first), (others[0], ones[0])
            who, whom = self._described(ones), self._described(others)
            message = (
                f"{whom.capitalize()} of block {block} come to the barrier at {places.where(second)} while {who} wait "
                f"at the one at {places.where(first)}."
            )
        return Finding(
            "barrier not reached",
            "error",
            places.line_of(where),
            message,
            ADVICE[kind],
            other=other,
            threads=tuple((block, self._thread(number)) for number in threads),
            times=int(pair[ba.TIMES]),
        )

    def _hang(self) -> Finding:
        """Say where each thread of the block is that will never go on."""
        places, worker = self._launch.places, self._worker
        words = worker.words
        resident = int(words[st.CONTROL_FAULT_RESIDENT]) // self._launch.warps
        block = places.block_of(int(words[st.CONTROL_FAULT_BLOCK]))
        waiting: dict[tuple[str, int], list[int]] = {}
        for warp in range(self._launch.warps):
            number = resident * self._launch.warps + warp
            for split in worker.splits[number]:
                state = int(split[st.SPLIT_STATE])
                if state != st.FREE:
                    what = AT_BARRIER if state == st.AT_BARRIER else AT_WARP_SYNC
                    key = what, int(split[st.SPLIT_PC])
                    waiting.setdefault(key, []).extend(_numbers(warp, int(split[st.SPLIT_MASK])))
            for join in worker.joins[number]:
                if join[st.JOIN_USED] and join[st.JOIN_ARRIVED]:
                    key = "wait for the rest of their warp at", int(join[st.JOIN_PC])
                    waiting.setdefault(key, []).extend(_numbers(warp, int(join[st.JOIN_ARRIVED])))
        for number, pc in enumerate(self._ended_at[resident].tolist()):
            if pc != ba.NOBODY:
                waiting.setdefault(("left at", pc), []).append(number)
        groups: dict[str, list[int]] = {}
        for (what, pc), numbers in waiting.items():
            groups.setdefault(f"{what} {places.where(pc)}", []).extend(numbers)
        parts = [f"{self._described(numbers)} {text}" for text, numbers in groups.items()]
        pc, advice = int(words[st.CONTROL_FAULT_PC]), ADVICE_FOR_HANG
        stuck = [pc for what, pc in waiting if what == AT_WARP_SYNC]
        if stuck:  # whoever waits at a barrier of the block waits for these
            pc, advice = stuck[0], ADVICE_FOR_MASK
        firsts = [min(numbers) for numbers in groups.values()]
        return Finding(
            "barrier not reached",
            "error",
            places.line_of(pc),
            f"Block {block} hangs: {'; '.join(parts)}.",
            advice,
            threads=tuple((block, self._thread(number)) for number in firsts),
            details={"groups": groups},
        )

    def _thread(self, number: int) -> Coordinates:
        return self._launch.places.thread_of(number // 32, number % 32)

    def _described(self, numbers: list[int]) -> str:
        """Return `threads (0..15,2,0)` for numbers of threads in a block, run by run along x."""
        runs: list[list[Coordinates]] = []
        for x, y, z in (self._thread(number) for number in sorted(numbers)):
            if runs and runs[-1][-1] == (x - 1, y, z):
                runs[-1].append((x, y, z))
            else:
                runs.append([(x, y, z)])
        texts = [
            f"({run[0][0]}{f'..{run[-1][0]}' if len(run) > 1 else ''},{run[0][1]},{run[0][2]})"
            for run in runs[:SHOWN_RUNS]
        ]
        more = f" and {sum(map(len, runs[SHOWN_RUNS:]))} more" if len(runs) > SHOWN_RUNS else ""
        return f"{'thread' if len(numbers) == 1 else 'threads'} {', '.join(texts)}{more}"


def _numbers(warp: int, lanes: int) -> list[int]:
    return [32 * warp + lane for lane in range(32) if lanes >> lane & 1]
