"""Whether an access may meet what others left in shared memory: ordered, complete, and handed over between proxies."""

from __future__ import annotations

import numpy as np

from tilewright.emulate.observers.hazards.knowledge import FENCED, RELEASED, Knowledge
from tilewright.emulate.observers.hazards.phases import Phases
from tilewright.emulate.observers.hazards.sentences import Sentences
from tilewright.emulate.observers.hazards.traces import Copy, Note, Pieces, Product, Traces, numbers_in


class Handovers:
    """Judges accesses of one launch. notes, copies, products: by the numbers that traces hold."""

    def __init__(self, knowledge: Knowledge, sentences: Sentences, barriers: list[Phases]) -> None:
        self.knowledge, self.say, self.barriers = knowledge, sentences, barriers
        self.notes: list[Note | None] = [None]
        self.copies: list[Copy | None] = [None]
        self.products: list[Product | None] = [None]
        self.foreign: dict[int, Note] = {}
        """By block: a wait for groups by a thread that has none."""

    # Threads

    def read(self, traces: Traces, pieces: Pieces, note: Note) -> None:
        """A thread reads."""
        self._have_come(traces, pieces, note, "reads")

    def write(self, traces: Traces, pieces: Pieces, note: Note) -> None:
        """A thread writes."""
        self._have_come(traces, pieces, note, "writes")
        self._have_left(traces, pieces, note, "overwrites")

    # Asynchronous work: `note` is of the thread that asks for it

    def read_async(self, traces: Traces, pieces: Pieces, note: Note, what: str) -> None:
        """A copy or product reads. what: `wgmma`, or `a copy in bulk`."""
        self._have_come(traces, pieces, note, f"lets {what} read")
        for number in numbers_in(traces.writes, pieces):
            before = self._note(number)
            where = self.say.memory(_first(traces.writes, pieces, number))
            if not self.knowledge.knows(note.warp, before.warp, before.time):
                self._tell("read without order", f"{{who}} lets {what} read {where}{{at}} without a barrier after the "
                           "write by {other}{other_at}.", note, before, where)  # fmt: skip
            elif not self.knowledge.knows(note.warp, before.warp, before.time, FENCED):
                self._tell("missing proxy fence", f"{{who}} lets {what} read {where}{{at}}, which {{other}} wrote"
                           "{other_at} through the generic proxy, and no fence.proxy.async lies between.", note, before,
                           where)  # fmt: skip

    def write_async(self, traces: Traces, pieces: Pieces, note: Note) -> None:
        """A copy in bulk writes."""
        for number in numbers_in(traces.copied_in, pieces):
            before = self._copy(number)
            if not self._has_come(before, note.warp):
                where = self.say.memory(_first(traces.copied_in, pieces, number))
                self.say.add(
                    "overwritten too early",
                    f"{self._who(note)} asks for a copy into {where}{self.say.at(note.pc)}, into which another copy"
                    f"{self.say.at(before.pc)} is still under way{self._of(before)}.",
                    *(note.pc, before.pc),
                    threads=self._threads(note),
                    address=where,
                )
        self._have_left(traces, pieces, note, "asks for a copy into")
        self._are_released(traces, pieces, note)

    def _are_released(self, traces: Traces, pieces: Pieces, note: Note) -> None:
        """Compare a copy's write with what threads did there before."""
        for number in numbers_in(traces.writes, pieces):
            before = self._note(number)
            where = self.say.memory(_first(traces.writes, pieces, number))
            if not self.knowledge.knows(note.warp, before.warp, before.time):
                self._tell("overwritten too early", f"{{who}} asks for a copy into {where}{{at}} without a barrier "
                           "after the write by {other}{other_at}.", note, before, where)  # fmt: skip
            elif not self.knowledge.knows(note.warp, before.warp, before.time, FENCED):
                self._tell("missing proxy fence", f"{{who}} asks for a copy into {where}{{at}}, which {{other}} wrote"
                           "{other_at} through the generic proxy, and no fence.proxy.async lies between.", note, before,
                           where)  # fmt: skip
        for row in list(traces.reads.values()):
            for number in numbers_in(row, pieces):
                before = self._note(number)
                where = self.say.memory(_first(row, pieces, number))
                if not self.knowledge.knows(note.warp, before.warp, before.time):
                    self._tell("overwritten too early", f"{{who}} asks for a copy into {where}{{at}}, and nothing says "
                               "that {other} has read it{other_at}.", note, before, where)  # fmt: skip
                elif not self.knowledge.knows(note.warp, before.warp, before.time, RELEASED):
                    self._tell("missing proxy fence", f"{{who}} asks for a copy into {where}{{at}}, which {{other}} "
                               "read{other_at} through the generic proxy, and neither fence.proxy.async nor an "
                               "mbarrier lies between.", note, before, where)  # fmt: skip

    # What both have in common

    def _have_come(self, traces: Traces, pieces: Pieces, note: Note, does: str) -> None:
        """Compare an access with the copies that brought the memory."""
        for number in numbers_in(traces.copied_in, pieces):
            copy = self._copy(number)
            if self._has_come(copy, note.warp):
                continue
            where = self.say.memory(_first(traces.copied_in, pieces, number))
            barrier, kind, why = self.barriers[copy.barrier], "read before it came", ""
            wait = barrier.last_waits.get(note.warp)
            if barrier.misses(copy):
                self._mismatch(barrier, copy, note, does, where)
                continue
            if wait is not None and not wait.is_news:
                kind = "wrong parity"
                why = (
                    f": the wait{self.say.at(wait.pc)} for parity {wait.parity} of {self.say.barrier(barrier.offset)} "
                    "ended with a phase before that one"
                )
            else:
                why = f" and has not waited for the phase of {self.say.barrier(barrier.offset)} with which it comes"
            pc, other = (wait.pc, note.pc) if kind == "wrong parity" and wait is not None else (note.pc, copy.pc)
            self.say.add(
                kind,
                f"{self._who(note)} {does} {where}{self.say.at(note.pc)}, which a copy{self.say.at(copy.pc)} brings"
                f"{why}.",
                *(pc, other),
                threads=self._threads(note),
                address=where,
            )

    def _mismatch(self, barrier: Phases, copy: Copy, note: Note, does: str, where: str) -> None:
        """A phase ended without a copy's bytes."""
        self.say.add(
            "bytes do not match",
            f"A copy{self.say.at(copy.pc)} brings {where} with bytes that no phase of "
            f"{self.say.barrier(barrier.offset)} expects"
            f"{self.say.at(barrier.last_expected_pc)}, and {self._who(note, lower=True)} {does} it"
            f"{self.say.at(note.pc)}.",
            *(copy.pc, barrier.last_expected_pc),
            threads=self._threads(note),
            address=where,
        )

    def _have_left(self, traces: Traces, pieces: Pieces, note: Note, does: str) -> None:
        """Compare a write with the asynchronous reads of what was there."""
        for number in numbers_in(traces.copied_out, pieces):
            copy = self._copy(number)
            if copy.waited and self.knowledge.knows(note.warp, copy.warp, copy.waited):
                continue
            where = self.say.memory(_first(traces.copied_out, pieces, number))
            self._still_read(copy, note, does, where)
        for row in list(traces.multiplied.values()):
            for number in numbers_in(row, pieces):
                product = self.products[number]
                assert product is not None
                if product.waited and self.knowledge.knows(note.warp, product.warp, product.waited):
                    continue
                where = self.say.memory(_first(row, pieces, number))
                kind = "overwritten too early"
                why = "has been waited for without telling this thread" if product.waited else "has not been waited for"
                self.say.add(
                    kind,
                    f"{self._who(note)} {does} {where}{self.say.at(note.pc)}, which wgmma{self.say.at(product.pc)} of "
                    f"warp {product.warp % self.say.launch.warps} in block {self.say.block(product.block)} reads; its "
                    f"group {why}.",
                    *(note.pc, product.pc),
                    threads=self._threads(note),
                    address=where,
                    advice="Wait for the group (wgmma.commit_group, wgmma.wait_group) before the stage is released.",
                )

    def _still_read(self, copy: Copy, note: Note, does: str, where: str) -> None:
        issuer = self.say.thread(copy.warp, 1 << copy.lane)
        foreign = self.foreign.get(copy.block)
        if foreign is not None and not copy.waited:
            self.say.add(
                "foreign group",
                f"Thread {self.say.thread(foreign.warp, foreign.lanes)} of block {self.say.block(copy.block)} waits "
                f"for groups of copies in bulk{self.say.at(foreign.pc)} and has issued none; the copy"
                f"{self.say.at(copy.pc)} of {where} is of thread {issuer}, and {self._who(note, lower=True)} "
                f"{does} what it reads{self.say.at(note.pc)}.",
                *(foreign.pc, copy.pc),
                threads=self._threads(note),
                address=where,
            )
            return
        why = (
            "has waited for it without telling this thread"
            if copy.waited
            else "has not waited for its group"
            if copy.is_closed
            else "has closed no group with it"
        )
        self.say.add(
            "overwritten too early",
            f"{self._who(note)} {does} {where}{self.say.at(note.pc)}, which a copy in bulk{self.say.at(copy.pc)} "
            f"reads: thread {issuer} {why}.",
            *(note.pc, copy.pc),
            threads=self._threads(note),
            address=where,
            advice="Let the thread that issued the copy wait with cp.async.bulk.wait_group.read, then meet the others "
            "at a barrier, before the memory is written again.",
        )

    def _has_come(self, copy: Copy, warp: int) -> bool:
        """Return whether a warp knows that the phase has ended with which a copy came."""
        column = self.barriers[copy.barrier].column
        return bool(copy.completed) and self.knowledge.knows(warp, column, copy.completed)

    def _of(self, copy: Copy) -> str:
        barrier = self.barriers[copy.barrier]
        return f", as far as phases of {self.say.barrier(barrier.offset)} tell"

    def _tell(self, kind: str, text: str, note: Note, before: Note, where: str) -> None:
        message = text.format(
            who=self._who(note),
            at=self.say.at(note.pc),
            other=self._who(before, lower=True),
            other_at=self.say.at(before.pc),
        )
        self.say.add(
            *(kind, message, note.pc, before.pc), threads=(*self._threads(note), *self._threads(before)), address=where
        )

    def _who(self, note: Note, *, lower: bool = False) -> str:
        word = "thread" if lower else "Thread"
        return f"{word} {self.say.thread(note.warp, note.lanes)} of block {self.say.block(note.block)}"

    def _threads(self, note: Note) -> tuple[tuple[tuple[int, int, int], tuple[int, int, int]], ...]:
        return ((self.say.block(note.block), self.say.thread(note.warp, note.lanes)),)

    def _note(self, number: int) -> Note:
        note = self.notes[number]
        assert note is not None
        return note

    def _copy(self, number: int) -> Copy:
        copy = self.copies[number]
        assert copy is not None
        return copy


def _first(table: np.ndarray[tuple[int, ...], np.dtype[np.int32]], pieces: Pieces, number: int) -> int:
    """Return the first of some pieces that has a number in a table."""
    inside = int(np.flatnonzero(table[pieces] == number)[0])
    return inside + pieces.start if isinstance(pieces, slice) else int(pieces[inside])
