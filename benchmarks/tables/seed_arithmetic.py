"""The seeds' arithmetic about memory traffic, each figure beside what the emulator counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy

from benchmarks.kernel_run import KernelRun, Launch, Operands
from tilewright.launch.emulator import EmulatorMachine
from tilewright.launch.machine import Record


@dataclass(frozen=True)
class Emulated:
    """A finished launch and what its counts are divided by."""

    launch: Launch
    record: Record
    threads: int
    blocks: int
    product_line: tuple[str, int]

    @property
    def phases(self) -> int:
        """How many pairs of tiles each block loads."""
        assert self.launch.tile is not None
        return -(-self.launch.k // self.launch.tile)

    def loads_per_thread(self) -> float:
        """Elements that a thread loads from global memory."""
        return float(self.record.counts.global_loads / self.threads)

    def loads_per_block_and_phase(self) -> float:
        """Elements that a block loads from global memory for one pair of tiles."""
        return float(self.record.counts.global_loads / (self.blocks * self.phases))

    def multiply_adds_per_block_and_phase(self) -> float:
        """Fused multiply-adds: what the line of the inner product executes beside its loads from shared memory."""
        line = self.record.lines[self.product_line]
        return float((line.thread_instructions - line.shared_loads) / (self.blocks * self.phases))

    def load_requests(self) -> float:
        """Load instructions of warps that go to global memory."""
        return float(self.record.counts.global_load_requests)


@dataclass(frozen=True)
class Figure:
    """A figure of a seed: where it stands, what it counts, and the number, as the seed's formula gives it."""

    seed: str
    what: str
    launch: Launch
    counted: Callable[[Emulated], float]
    formula: str
    expected: int


def square(kernel: str, tile: int | None, n: int) -> Launch:
    """A float32 product of n x n matrices."""
    return Launch(kernel, "float32", tile, n, n, n)


THREAD = "loads per thread"
BLOCK = "loads per block and phase"
FUSED = "multiply-adds per block and phase"
FIGURES = (
    Figure("002", THREAD, square("matmul/naive", 2, 4), Emulated.loads_per_thread, "4 + 4", 8),
    Figure("002", THREAD, square("matmul/tiled", 2, 4), Emulated.loads_per_thread, "2 + 2", 4),
    Figure("000, 001", BLOCK, square("matmul/tiled", 16, 64), Emulated.loads_per_block_and_phase, "2 x 256", 512),
    Figure(
        *("000, 001", FUSED, square("matmul/tiled", 16, 64), Emulated.multiply_adds_per_block_and_phase),
        *("8,192 operations / 2", 4096),
    ),
    Figure("000", BLOCK, square("matmul/tiled", 32, 64), Emulated.loads_per_block_and_phase, "2 x 1,024", 2048),
    Figure(
        *("000", FUSED, square("matmul/tiled", 32, 64), Emulated.multiply_adds_per_block_and_phase),
        *("65,536 operations / 2", 32_768),
    ),
    Figure("003", THREAD, square("reduced_matmul/naive_p", None, 64), Emulated.loads_per_thread, "4 N", 256),
    Figure("003", THREAD, square("reduced_matmul/tiled", 8, 64), Emulated.loads_per_thread, "4 N / TILE", 32),
    Figure(
        *("003", "load requests", square("reduced_matmul/tiled", 32, 256), Emulated.load_requests),
        *("N³ / 1,024", 16_384),
    ),
)


@cache
def emulate(launch: Launch) -> Emulated:
    """Run a launch once, its result checked against float64."""
    machine = EmulatorMachine()
    operands = Operands(machine, launch, numpy.random.default_rng(0))
    run = KernelRun(machine, launch, operands)
    record = run.run_checked()
    plan = run.plan
    lines = plan.kernel.source_text().splitlines()
    product = next((number for number, text in enumerate(lines, 1) if "sum += tile_A" in text), 0)
    blocks = prod(plan.grid)
    result = Emulated(launch, record, blocks * prod(plan.block), blocks, (plan.kernel.source_name, product))
    run.close()
    operands.close()
    return result


def rows() -> list[dict[str, Any]]:
    """Every figure with what was counted."""
    return [{"figure": figure, "counted": figure.counted(emulate(figure.launch))} for figure in FIGURES]
