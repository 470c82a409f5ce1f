"""The facts about a machine that planning needs, as data. No device is queried here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tilewright.kernels.tuned import Tuned


@dataclass(frozen=True)
class DeviceFacts:
    """The limits and rates of one machine. A field that is not known, or has no meaning there, is None.

    ``machine`` is what runs the kernels: "gpu", "emulator" or "host". ``source`` is the source of the numbers, and
    ``sources`` those of single fields, for chips of the table (`tilewright.choose.chips`).

    An SM allocates its resources in units. ``registers_allocated_by`` is "warp", or "block" before compute capability
    2.0; ``register_unit`` counts registers, ``warp_unit`` the warps whose registers are counted together (an SM's
    sub-partitions), ``shared_unit_bytes`` bytes of shared memory. ``shared_bytes_per_block`` limits static shared
    memory, ``shared_bytes_per_block_optin`` what a launch can opt in to. Rates are peaks without tensor cores, a fused
    multiply-add counted as two.

    Of a card at hand, ``driver`` is the newest CUDA that its driver supports ("13.0"), and ``tuned`` what
    `tilewright tune` kept of it.
    """

    name: str
    source: str
    compute_capability: tuple[int, int] | None = None
    sm_count: int | None = None
    max_threads_per_block: int | None = None
    max_threads_per_sm: int | None = None
    max_blocks_per_sm: int | None = None
    shared_bytes_per_block: int | None = None
    shared_bytes_per_block_optin: int | None = None
    shared_bytes_per_sm: int | None = None
    reserved_shared_bytes_per_block: int | None = None
    shared_unit_bytes: int | None = None
    registers_per_sm: int | None = None
    max_registers_per_block: int | None = None
    max_registers_per_thread: int | None = None
    registers_allocated_by: str | None = None
    register_unit: int | None = None
    warp_unit: int | None = None
    warp_size: int | None = None
    bandwidth_gb_per_s: float | None = None
    fp32_gflops: float | None = None
    fp64_gflops: float | None = None
    machine: str = "gpu"
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)
    driver: str | None = None
    tuned: Tuned | None = field(default=None, repr=False)

    def peak_gflops(self, dtype: str) -> float | None:
        """Return the peak rate for an element type, or None where it is not known."""
        return {"float32": self.fp32_gflops, "float64": self.fp64_gflops}.get(dtype)

    def source_of(self, name: str) -> str:
        """Return the source of the field ``name``."""
        return self.sources.get(name, self.source)


EMULATOR_FACTS = DeviceFacts(
    name="the emulator",
    source="CUDA's limits for every GPU since compute capability 2.0, and 9.0's for shared memory that a launch asks "
    "for; an emulator has no SMs",
    max_threads_per_block=1024,
    shared_bytes_per_block=48 * 1024,
    shared_bytes_per_block_optin=227 * 1024,
    warp_size=32,
    machine="emulator",
)

HOST_FACTS = DeviceFacts(name="the host", source="the processor runs NumPy or a single thread", machine="host")
