"""The findings of the hazard observer: collected once per kind and pair of places, each in sentences."""

from __future__ import annotations

from dataclasses import replace

from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.observers.finding import Finding, Place
from tilewright.emulate.observers.hazards.traces import PIECE_BYTES

Coordinates = tuple[int, int, int]

ADVICE = {
    "missing proxy fence": "Let the threads that accessed the memory execute fence.proxy.async before the barrier that "
    "hands it over.",
    "read before it came": "Wait for the barrier's phase that ends with these bytes before the memory is read.",
    "read without order": "Put a barrier between the write and what reads it asynchronously.",
    "overwritten too early": "Release the memory only after its last reader has finished, and wait for that release "
    "before it is filled again.",
    "wrong parity": "Keep one parity per barrier, begin with 0 (of a barrier that is waited for before anyone has "
    "arrived, with 1) and flip it after each wait.",
    "bytes do not match": "Expect exactly the bytes that the phase's copies bring to this barrier, in each block that "
    "they reach.",
    "too few arrivals": "Initialise the barrier with the number of arrivals of one phase, and let all of them arrive.",
    "too many arrivals": "Initialise the barrier with the number of arrivals of a phase, or let fewer threads arrive.",
    "barrier not published": "After mbarrier.init execute fence.mbarrier_init (or fence.proxy.async), then a barrier "
    "of all who use it, of the whole cluster where other blocks do.",
    "exit too early": "Wait for what is under way before the block ends; in a cluster, meet at barrier.cluster last.",
    "foreign group": "Let the thread that issued the copies commit and wait for them, and tell others by a barrier.",
    "wgmma not waited for": "Close the group with wgmma.commit_group, and wait for it with wgmma.wait_group before its "
    "sums are used or its tiles are released.",
    "wgmma registers in use": "Touch the sums and the registers of A only after the wgmma.wait_group that covers the "
    "product.",
    "missing wgmma fence": "Execute wgmma.fence after registers of the product were written, before wgmma.mma_async.",
    "barrier counts differ": "Give every bar.sync and bar.arrive of this barrier the same number of threads.",
    "dependent launch": "Execute griddepcontrol.wait before global memory that the launch before may still use is "
    "accessed.",
}  # fmt: skip


class Sentences:
    """Collects findings of a launch."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.found: dict[tuple[str, Place, Place | None], Finding] = {}

    def place(self, pc: int) -> Place:
        """Return file and line: where the kernel calls the function that an instruction was inlined from."""
        return self.launch.places.outer_line_of(pc)

    def at(self, pc: int) -> str:
        """Return ` (kernel.cu:12)` of an instruction."""
        if pc < 0:
            return ""
        file, line = self.place(pc)
        return f" ({(file or 'PTX').rpartition('/')[2]}:{line})" if line else ""

    def thread(self, warp: int, lanes: int) -> Coordinates:
        """Return threadIdx of the first of some lanes of a resident warp."""
        lane = (lanes & -lanes).bit_length() - 1 if lanes else 0
        return self.launch.places.thread_of(warp % self.launch.warps, lane)

    def block(self, linear: int) -> Coordinates:
        """Return blockIdx."""
        return self.launch.places.block_of(linear)

    def memory(self, first_piece: int) -> str:
        """Return what a piece of shared memory is called."""
        return self.name(first_piece * PIECE_BYTES)

    def name(self, offset: int) -> str:
        """Return what a byte of shared memory is called."""
        return self.launch.places.name_of(SHARED, offset)

    def barrier(self, offset: int) -> str:
        """Return `the mbarrier full+8 bytes`."""
        return f"the mbarrier {self.name(offset)}"

    def add(
        self,
        kind: str,
        message: str,
        pc: int,
        other: int = -1,
        *,
        threads: tuple[tuple[Coordinates, Coordinates], ...] = (),
        address: str = "",
        advice: str = "",
        severity: str = "error",
    ) -> None:
        """Keep a finding, or count it once more."""
        there = self.place(other) if other >= 0 else None
        key = (kind, self.place(pc), there)
        before = self.found.get(key)
        if before is not None:
            self.found[key] = replace(before, times=before.times + 1)
            return
        self.found[key] = Finding(
            kind,
            severity,
            self.place(pc),
            message,
            advice or ADVICE[kind],
            other=there,
            threads=threads,
            address=address,
        )
