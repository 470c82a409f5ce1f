"""What planning knows of a machine, as data: no device is asked here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DeviceFacts:
    """The limits of one machine. A field that is not known, or has no meaning there, is None.

    ``machine`` is what runs the kernels: "gpu", "emulator" or "host". ``source`` says where the numbers are from.
    """

    name: str
    source: str
    compute_capability: tuple[int, int] | None = None
    sm_count: int | None = None
    max_threads_per_block: int | None = None
    max_threads_per_sm: int | None = None
    max_blocks_per_sm: int | None = None
    shared_bytes_per_block: int | None = None
    shared_bytes_per_sm: int | None = None
    registers_per_sm: int | None = None
    warp_size: int | None = None
    machine: str = "gpu"


EMULATOR_FACTS = DeviceFacts(
    name="the emulator",
    source="CUDA's limits for every GPU since compute capability 2.0; an emulator has no SMs",
    max_threads_per_block=1024,
    shared_bytes_per_block=48 * 1024,
    warp_size=32,
    machine="emulator",
)

HOST_FACTS = DeviceFacts(name="the host", source="the processor runs NumPy or a single thread", machine="host")


def resident_blocks(
    facts: DeviceFacts, threads_per_block: int, shared_bytes: int, registers_per_thread: int | None = None
) -> int | None:
    """Return how many blocks one SM holds at a time, or None where the SM's limit of threads is not known.

    ``registers_per_thread`` is what only a compiled program knows; without it registers set no limit.
    """
    if facts.max_threads_per_sm is None:
        return None
    limits = [facts.max_threads_per_sm // threads_per_block]
    if facts.max_blocks_per_sm is not None:
        limits.append(facts.max_blocks_per_sm)
    if facts.shared_bytes_per_sm is not None and shared_bytes > 0:
        limits.append(facts.shared_bytes_per_sm // shared_bytes)
    if facts.registers_per_sm is not None and registers_per_thread:
        limits.append(facts.registers_per_sm // (registers_per_thread * threads_per_block))
    return min(limits)
