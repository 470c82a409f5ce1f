"""What went wrong with mbarriers, clusters and copies in bulk, in words."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.execute import bulk_transfers as bulk
from tilewright.emulate.execute import mbarriers as mb
from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.faults import BarrierFault, EmulationError, MemoryFault, UnsupportedInstruction

if TYPE_CHECKING:
    from tilewright.emulate.machine.fault_report import FaultReport

Cause = tuple[type[EmulationError], str]
OFFSET_MASK = (1 << op.CLUSTER_SHIFT) - 1
_REFUSALS: dict[int, tuple[type[EmulationError], str]] = {
    bulk.NO_MAP: (MemoryFault, "by what lies at {address:#x}, which is no tensor map"),
    bulk.WRONG_RANK: (MemoryFault, "by a tensor map of {address} dimensions, another number than its coordinates have"),
    bulk.WRONG_SIZE: (MemoryFault, "of {address} bytes, which is no multiple of 16"),
    bulk.MISALIGNED_SHARED: (MemoryFault, "at the shared address {address:#x}, which is no multiple of 16"),
    bulk.MISALIGNED_GLOBAL: (MemoryFault, "at the global address {address:#x}, which is no multiple of 16"),
    bulk.MISALIGNED_MAP: (MemoryFault, "by a tensor map at {address:#x}, which is no multiple of 64"),
    bulk.MISALIGNED_BOX: (MemoryFault, "of a box at the shared address {address:#x}, which is no multiple of 128"),
    bulk.NO_BLOCK: (MemoryFault, "to the block of rank {address}, which its cluster lacks or which has ended"),
    bulk.MISALIGNED_COORDINATE: (
        MemoryFault,
        "of a box that begins {address} bytes into a tensor's row, which is no multiple of 16",
    ),
    bulk.NO_REDUCTION: (UnsupportedInstruction, "that reduces a tensor of data type {address}, which no engine does"),
}
MOST_RANKS = 16
"""Ranks that an address may name; one beyond these is a wrong index, and means no block of a cluster."""
_COMPLAINTS = {
    mb.NOT_INITIALISED: "no mbarrier was initialised there",
    mb.OVERWRITTEN: "the mbarrier there was overwritten",
    mb.TOO_MANY_ARRIVALS: "more threads arrive than its phase waits for",
    mb.TOO_MANY_BYTES: f"more than {mb.MOST} bytes would be on their way",
    mb.NO_COUNT: f"a number of arrivals is 1 to {mb.MOST}",
    mb.ENDS_PHASE: "an arrival with .noComplete would end its phase",
    mb.NOT_SHARED: "an mbarrier lies in shared memory",
}


def endless_wait(report: FaultReport) -> Cause:
    """Return the cause of a wait for a phase or for a cluster that nothing can end any more."""
    if report.module.code.rows[report.pc][row.OPCODE] == op.CLUSTER:
        return BarrierFault, f"barrier.cluster is never completed, for not all threads reach it: {_cluster(report)}"
    address, phase = _operand(report, row.OPERAND_A) + report.module.code.rows[report.pc][row.IMMEDIATE], 0
    is_parity = op.MBARRIER_OPERATIONS[report.module.code.rows[report.pc][row.KIND]].endswith("parity")
    phase = _operand(report, row.OPERAND_B)
    parity = phase & 1 if is_parity else phase >> mb.PHASE_SHIFT & 1
    where = mbarrier_name(report, address)
    return BarrierFault, f"waits for ever for phase parity {parity} of {where}: {_missing(report, address)}"


def refused_mbarrier(report: FaultReport) -> Cause:
    """Return the cause of an operation that an mbarrier cannot take."""
    text = report.module.code.texts[report.pc].split()[0]
    kind = MemoryFault if report.nbytes in (mb.NOT_INITIALISED, mb.OVERWRITTEN, mb.NOT_SHARED) else BarrierFault
    return kind, f"{text} at {mbarrier_name(report, report.address)}: {_COMPLAINTS[report.nbytes]}"


def refused_copy(report: FaultReport) -> Cause:
    """Return the cause of a copy in bulk that no engine takes."""
    kind, said = _REFUSALS[report.nbytes]
    return kind, f"a copy in bulk {said.format(address=report.address)}"


def other_block(report: FaultReport, access: str, rank: int, offset: int) -> str:
    """Return the cause of an access to the shared memory of another block of the cluster, which is not there."""
    size, extent = (int(report.state.words[word]) for word in (st.LAYOUT_CLUSTER, st.LAYOUT_SHARED_BYTES))
    owner = f"byte {offset & OFFSET_MASK} of the shared memory of the block of rank {rank} in the cluster"
    if rank >= size:
        return f"{access} {owner}, and the cluster of {size} blocks has none of rank {rank}"
    if offset & OFFSET_MASK < extent:
        return f"{access} {owner}, which has ended"
    return f"{access} {owner}, which has {extent} bytes"


def mbarrier_name(report: FaultReport, address: int) -> str:
    """Return `the mbarrier full+8 bytes`, with the block that has it if that is another one of the cluster."""
    address &= (1 << op.WINDOW_SHIFT) - 1
    rank, name = (address >> op.CLUSTER_SHIFT) - 1, report.launch.places.name_of(SHARED, address & OFFSET_MASK)
    return f"the mbarrier {name}{f' of rank {rank} in the cluster' if rank >= 0 else ''}"


def _missing(report: FaultReport, address: int) -> str:
    """Say what a phase still waits for, and where the block's threads are."""
    word = _word(report, address)
    pending, expected, nbytes = word & mb.MOST, word >> mb.EXPECTED_SHIFT & mb.MOST, 0
    nbytes = (word >> mb.BYTES_SHIFT & (2 * mb.NO_BYTES - 1)) - mb.NO_BYTES
    pieces = [f"{pending} of {expected} arrivals"] if pending else []
    pieces += [f"{nbytes} bytes"] if nbytes > 0 else []
    missing = f"{' and '.join(pieces)} {'is' if pieces == ['1 of 1 arrivals'] else 'are'} missing" if pieces else ""
    early = f"{-nbytes} bytes came that nobody expected" if nbytes < 0 else ""
    return "; ".join(piece for piece in (missing, early, report.whereabouts(report.own_block)) if piece)


def _word(report: FaultReport, address: int) -> int:
    words, rank = report.state.words, (address & ((1 << op.WINDOW_SHIFT) - 1)) >> op.CLUSTER_SHIFT
    size = int(words[st.LAYOUT_CLUSTER])
    block = report.own_block // size * size + rank - 1 if rank else report.own_block
    at = int(words[st.LAYOUT_MBARRIERS]) + block * int(words[st.LAYOUT_SHARED_BYTES]) + (address & OFFSET_MASK)
    return _read(at, 8)


def _operand(report: FaultReport, column: int) -> int:
    """Return what the thread at fault has in an operand of 64 bits."""
    words, slot = report.state.words, report.module.code.rows[report.pc][column]
    waiting = next(s for s in report.state.splits[report.resident] if s[st.SPLIT_STATE] == st.AT_EVENT)
    frame = int(words[st.LAYOUT_FRAMES]) + report.resident * int(words[st.LAYOUT_FRAME_BYTES])
    at = int(words[st.LAYOUT_CONSTANTS]) + ~slot if slot < 0 else frame + int(waiting[st.SPLIT_FRAME]) + slot
    is_wide = column == row.OPERAND_A or not report.module.code.texts[report.pc].split()[0].count(".parity")
    nbytes = 8 if is_wide else 4
    return _read(at + nbytes * report.lane, nbytes)


def _read(at: int, nbytes: int) -> int:
    return int.from_bytes(ctypes.string_at(at, nbytes), "little")


def _cluster(report: FaultReport) -> str:
    """Say where the threads of every block of the cluster are."""
    size = int(report.state.words[st.LAYOUT_CLUSTER])
    first = report.own_block // size * size
    return "; ".join(f"of rank {rank} {report.whereabouts(first + rank)}" for rank in range(size))
