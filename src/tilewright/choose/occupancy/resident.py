"""Occupancy: how many blocks are resident on an SM, what limits them, and how many loads they keep in flight."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from tilewright.choose import notebook
from tilewright.choose.chips import find_chip, with_architecture
from tilewright.choose.occupancy.limits import NOT_GIVEN, Limit, limits_of
from tilewright.choose.phase import Phase, phase_of
from tilewright.kernels.catalogue import find_taught
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.refusals import PlanError
from tilewright.kernels.taught import TaughtKernel

MODEL = "modelled: an SM's limits, divided by what a block takes"


def kernel_named(kernel: str | TaughtKernel, tile: int | None, dtype: str) -> tuple[TaughtKernel, int | None]:
    """Return a GPU kernel and its tile: the one given, else its default, or None for a kernel without tiles.

    Raises:
        UnknownKernelError: the catalogue has no such kernel.
        PlanError: the name lacks its operation, or the kernel runs on the host or takes no such tile or type.
    """
    if isinstance(kernel, str):
        operation, _, idea = kernel.rpartition("/")
        if not operation:
            raise PlanError(f"{kernel!r} names no kernel; write it as in matmul/tiled.")
        kernel = find_taught(operation, idea)
    if "gpu" not in kernel.runs_on:
        raise PlanError(f"{kernel.name} runs on the {' or '.join(sorted(kernel.runs_on))}, so no GPU holds its blocks.")
    refusal = kernel.variant_refusal(tile, dtype)
    if refusal is not None:
        raise PlanError(refusal)
    return kernel, kernel.tile.default if kernel.tile is not None and tile is None else tile


def device_named(device: str | DeviceFacts) -> DeviceFacts:
    """Return the facts of a chip of the table, or the given facts with missing fields filled in.

    Raises:
        UnknownChipError: the table has no such chip; the message lists the names.
    """
    return find_chip(device) if isinstance(device, str) else with_architecture(device)


@dataclass(frozen=True)
class Occupancy:
    """The blocks of a kernel that are resident on an SM.

    ``kernel`` is a name, or None for a block described by its threads. ``blocks_per_sm`` is the smallest known limit,
    None if none is known; it is an upper bound unless ``complete``. ``phase`` is None for a kernel without phases.
    """

    device: DeviceFacts
    kernel: str | None
    tile: int | None
    dtype: str | None
    threads_per_block: int
    shared_bytes_per_block: int
    registers_per_thread: int | None
    limits: tuple[Limit, ...]
    phase: Phase | None

    @property
    def blocks_per_sm(self) -> int | None:
        """The blocks resident on an SM: the smallest known limit."""
        return min((limit.blocks for limit in self.limits if limit.blocks is not None), default=None)

    @property
    def complete(self) -> bool:
        """Whether every limit is known; if not, an SM may hold fewer blocks than stated."""
        return all(limit.known for limit in self.limits)

    @property
    def limited_by(self) -> tuple[str, ...]:
        """The resources whose limit is the smallest."""
        return tuple(limit.resource for limit in self.limits if limit.blocks == self.blocks_per_sm is not None)

    @property
    def threads_per_sm(self) -> int | None:
        """The threads of those blocks."""
        return None if self.blocks_per_sm is None else self.blocks_per_sm * self.threads_per_block

    @property
    def fraction(self) -> float | None:
        """The resident warps as a fraction of the warps that an SM can hold: "occupancy" in NVIDIA's tools."""
        warp, held = self.device.warp_size, self.device.max_threads_per_sm
        if self.blocks_per_sm is None or warp is None or held is None:
            return None
        return self.blocks_per_sm * ceil_divide(self.threads_per_block, warp) * warp / held

    def pending_loads(self, blocks: int | None = None) -> int | None:
        """Return the global loads that ``blocks`` blocks (None: those that fit) have in flight at a phase's start.

        None for a kernel without phases, or where it is not known how many blocks fit.
        """
        blocks = self.blocks_per_sm if blocks is None else blocks
        return None if self.phase is None or blocks is None else blocks * self.phase.loads_per_block

    def limit(self, resource: str) -> Limit:
        """Return the limit of one resource: "threads", "blocks", "registers" or "shared memory"."""
        return next(limit for limit in self.limits if limit.resource == resource)

    def __str__(self) -> str:
        """Return the answer in sentences."""
        what = _what(self.kernel, self.tile, self.threads_per_block)
        if self.blocks_per_sm is None:
            return f"How many blocks of {what} an SM of {self.device.name} holds is not known."
        least = " and ".join(f"{limit.resource} ({limit.reason})" for limit in self._least())
        if self.blocks_per_sm == 0:
            return f"{self.device.name} cannot run {what}: {self._least()[0].reason}."
        blocks = "1 block" if self.blocks_per_sm == 1 else f"{self.blocks_per_sm} blocks"
        at_most = "" if self.complete else "at most "
        sentences = [f"An SM of {self.device.name} holds {at_most}{blocks} of {what}, limited by {least}."]
        sentences += [f"Not known: {limit.resource}: {limit.reason}." for limit in self.limits if not limit.known]
        if self.phase is not None:
            loads = f"{self.phase.loads_per_block:,} loads"
            sentences.append(f"At {loads} per block and phase, {self.pending_loads():,} are under way at once.")
        return " ".join(sentences)

    def _repr_html_(self) -> str:
        """Return every limit as HTML, the smallest marked."""
        least = [number for number, limit in enumerate(self.limits) if limit.resource in self.limited_by]
        rows = [
            (
                limit.resource,
                ("-" if limit.known else "?") if limit.blocks is None else f"{limit.blocks:,}",
                limit.reason,
            )
            for limit in self.limits
        ]
        limits = notebook.table(("limit", "blocks", "why"), rows, words=(0, 2), marked=least)
        return notebook.together(limits, notebook.sentences([str(self)]))

    def _least(self) -> list[Limit]:
        return [limit for limit in self.limits if limit.resource in self.limited_by]


def occupancy(
    kernel: str | TaughtKernel | int | tuple[int, ...],
    device: str | DeviceFacts,
    registers_per_thread: int | None = None,
    *,
    tile: int | None = None,
    dtype: str = "float32",
    shared_bytes: int | None = None,
    registers_unknown: str = NOT_GIVEN,
) -> Occupancy:
    """Return how many blocks are resident on an SM, with every limit. No device is needed.

    Args:
        kernel: a kernel of the catalogue or its name ("matmul/tiled"), or a block as its number of threads (256) or
            its extents ((16, 16)).
        device: a chip of the table by name (`tilewright.chip_names()`), or the facts of a device.
        registers_per_thread: as compiled for this chip (`tilewright.resource_usage`); None: not known.
        tile: the kernel's tile; None: its default.
        dtype: the kernel's element type, "float32" or "float64".
        shared_bytes: the shared memory of a block given by its threads (None: 0), in bytes.
        registers_unknown: why ``registers_per_thread`` is None; repeated in the answer.

    Raises:
        UnknownChipError: no such chip. UnknownKernelError: no such kernel.
        PlanError: no such tile or type, or a count that makes no sense.
    """
    facts = device_named(device)
    if isinstance(kernel, (str, TaughtKernel)):
        if shared_bytes is not None:
            raise PlanError("The catalogue says a kernel's shared memory; shared_bytes goes with a block's threads.")
        found, tile = kernel_named(kernel, tile, dtype)
        name, threads, shared, phase = (
            found.name,
            prod(found.block(tile)),
            found.shared_bytes(tile, dtype),
            phase_of(found, tile),
        )
    else:
        if tile is not None:
            raise PlanError(f"A block given by its threads has no tile, so tile = {tile} cannot be used.")
        name, threads, shared, phase = None, _threads(kernel), shared_bytes or 0, None
    for what, count in (("shared_bytes", shared), ("registers_per_thread", registers_per_thread)):
        if count is not None and (not hasattr(count, "__index__") or count < 0):
            raise PlanError(f"{what} is a whole number of 0 or more, not {count!r}.")
    return Occupancy(
        device=facts,
        kernel=name,
        tile=tile,
        dtype=dtype if name else None,
        threads_per_block=threads,
        shared_bytes_per_block=shared,
        registers_per_thread=registers_per_thread,
        limits=limits_of(facts, threads, shared, registers_per_thread, registers_unknown),
        phase=phase,
    )


def _threads(block: int | tuple[int, ...]) -> int:
    extents = (block,) if isinstance(block, int) else tuple(block)
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise PlanError(f"A block has 1 to 3 extents of at least 1 thread, not {block}.")
    return prod(extents)


def _what(kernel: str | None, tile: int | None, threads: int) -> str:
    if kernel is None:
        return f"{threads:,} threads"
    return kernel if tile is None else f"{kernel} with tile {tile}"
