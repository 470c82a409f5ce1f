"""What limits the blocks resident on an SM: threads, blocks, registers, shared memory.

An SM allocates its resources in units, as NVIDIA's occupancy calculator describes them: threads and registers by warps,
shared memory by bytes rounded up. Where a unit is not known, resources are divided exactly, which is an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import ceil_divide

NOT_GIVEN = "how many registers a thread takes is known only after a compile for the chip, and was not given"


@dataclass(frozen=True)
class Limit:
    """How many blocks of a kernel one resource allows on an SM.

    ``resource`` is "threads", "blocks", "registers" or "shared memory". ``blocks`` is None where the kernel uses none
    of it (``known``) or where the limit cannot be known (not ``known``). ``reason`` gives the arithmetic, or what is
    missing, without a final period.
    """

    resource: str
    blocks: int | None
    reason: str
    known: bool = True


def limits_of(
    facts: DeviceFacts,
    threads_per_block: int,
    shared_bytes: int,
    registers_per_thread: int | None = None,
    registers_unknown: str = NOT_GIVEN,
) -> tuple[Limit, ...]:
    """Return the four limits, in the order threads, blocks, registers, shared memory.

    ``registers_unknown`` says why ``registers_per_thread`` is None.
    """
    return (
        _threads(facts, threads_per_block),
        _blocks(facts),
        _registers(facts, threads_per_block, registers_per_thread, registers_unknown),
        _shared_memory(facts, shared_bytes),
    )


def resident_blocks(
    facts: DeviceFacts, threads_per_block: int, shared_bytes: int, registers_per_thread: int | None = None
) -> int | None:
    """Return how many blocks are resident on one SM, or None where the SM's limit of threads is not known.

    ``registers_per_thread`` is known only after a compile; without it, registers set no limit.
    """
    if facts.max_threads_per_sm is None:
        return None
    limits = limits_of(facts, threads_per_block, shared_bytes, registers_per_thread)
    return min(limit.blocks for limit in limits if limit.blocks is not None)


def why_no_block_fits(facts: DeviceFacts, threads_per_block: int, shared_bytes: int) -> str | None:
    """Return why not even one such block fits on the chip, or None if one does. Registers are not considered."""
    limits = limits_of(facts, threads_per_block, shared_bytes)
    return next((limit.reason for limit in limits if limit.blocks == 0), None)


def _threads(facts: DeviceFacts, threads: int) -> Limit:
    allowed, held = facts.max_threads_per_block, facts.max_threads_per_sm
    if allowed is not None and threads > allowed:
        return Limit("threads", 0, f"a block has {threads:,} threads, and the chip allows {allowed:,}")
    if held is None:
        return Limit("threads", None, "how many threads an SM holds is not known", known=False)
    warp = facts.warp_size or 1
    blocks = held // warp // ceil_divide(threads, warp)
    if threads % warp == 0:
        return Limit("threads", blocks, f"{held:,} threads per SM / {threads:,} threads per block")
    warps = ceil_divide(threads, warp)
    return Limit("threads", blocks, f"{held // warp} warps per SM / {warps} warps for {threads:,} threads per block")


def _blocks(facts: DeviceFacts) -> Limit:
    if facts.max_blocks_per_sm is None:
        return Limit("blocks", None, "how many blocks an SM holds is not known", known=False)
    return Limit("blocks", facts.max_blocks_per_sm, "the most blocks that an SM holds, of any size")


def _registers(facts: DeviceFacts, threads: int, registers: int | None, unknown: str) -> Limit:
    if registers is None:
        return Limit("registers", None, unknown, known=False)
    if facts.registers_per_sm is None:
        return Limit("registers", None, "how many registers an SM has is not known", known=False)
    if registers == 0:
        return Limit("registers", None, "the kernel uses none")
    most = facts.max_registers_per_thread
    if most is not None and registers > most:
        return Limit("registers", 0, f"a thread takes {registers}, and the chip allows {most}")
    by = _by_block if facts.registers_allocated_by == "block" else _by_warp
    return by(facts, facts.registers_per_sm, threads, registers)


def _by_block(facts: DeviceFacts, held: int, threads: int, registers: int) -> Limit:
    """Allocation before compute capability 2.0: the registers of a whole block are rounded up."""
    warp = facts.warp_size or 1
    warps = _rounded_up(ceil_divide(threads, warp), facts.warp_unit)
    per_block = _rounded_up(warps * warp * registers, facts.register_unit)
    reason = f"{held:,} registers per SM / {per_block:,} per block ({registers} per thread)"
    return Limit("registers", held // per_block, reason)


def _by_warp(facts: DeviceFacts, held: int, threads: int, registers: int) -> Limit:
    """Allocation since 2.0: the registers of a warp are rounded up, and each SM sub-partition holds whole warps."""
    warp = facts.warp_size or 1
    warps = ceil_divide(threads, warp)
    per_warp = _rounded_up(warp * registers, facts.register_unit)
    most, checked = facts.max_registers_per_block, per_warp * _rounded_up(warps, facts.warp_unit)
    if most is not None and checked > most:
        reason = f"a block takes {checked:,} registers ({registers} per thread), and the chip allows {most:,}"
        return Limit("registers", 0, reason)
    parts = facts.warp_unit or 1
    warps_held = held // parts // per_warp * parts
    reason = f"registers for {warps_held} warps per SM ({registers} per thread) / {warps} warps per block"
    return Limit("registers", warps_held // warps, reason)


def _shared_memory(facts: DeviceFacts, shared_bytes: int) -> Limit:
    allowed = facts.shared_bytes_per_block_optin or facts.shared_bytes_per_block
    if allowed is not None and shared_bytes > allowed:
        reason = f"a block takes {shared_bytes:,} bytes, and the chip allows {allowed:,}"
        return Limit("shared memory", 0, reason)
    reserved = facts.reserved_shared_bytes_per_block or 0
    if shared_bytes + reserved == 0:
        return Limit("shared memory", None, "the kernel uses none")
    if facts.shared_bytes_per_sm is None:
        return Limit("shared memory", None, "how much shared memory an SM has is not known", known=False)
    per_block = _rounded_up(shared_bytes + reserved, facts.shared_unit_bytes)
    kept = f", {reserved:,} of them the system's" if reserved else ""
    reason = f"{facts.shared_bytes_per_sm:,} bytes per SM / {per_block:,} bytes per block{kept}"
    return Limit("shared memory", facts.shared_bytes_per_sm // per_block, reason)


def _rounded_up(count: int, unit: int | None) -> int:
    return count if unit is None else ceil_divide(count, unit) * unit
