"""Planning of mma_direct.cu, for compute capability 7.5 and later: the tile, and how many warps share k.

A cost model ranks tiles. It was fitted to 1,245 times of 258 random products on an H200; in 116 others its choice was
3.2 % slower than the fastest tile that was tried, as a geometric mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches, ceil_divide
from tilewright.kernels.matmul.direct_loads import (
    MEMORY_SHARE,
    STEP,
    fits_grid,
    k_run,
    loads_of,
    loads_per_step,
    offset_refusal,
)
from tilewright.kernels.matmul.strided import operand_pointers, product_arguments
from tilewright.kernels.matmul.time_model import moved_us, overlapped_us, waves_of
from tilewright.kernels.problem import Problem

LAUNCH_US, RUN_US, LONG_RUN_US, LOAD_NS, LOAD_OF_SM_NS, ADDITION_OF_SM_NS = 4.24, 0.30, 0.34, 18.6, 2.2, 1.29
OVERLAP, LAST_WAVE = 0.38, 0.48
"""Of the cost model: a launch; one run of a warp, of one step or of several, and each of its loads; what each load of a
block, and each sum that passes through shared memory, takes of its SM; how much of the shorter of two is added to the
longer, and of what the last wave of blocks leaves idle."""
PADDING_FLOATS = 8


@dataclass(frozen=True)
class DirectTile:
    """``block_m`` x ``block_n`` results of a block, whose ``warps`` share k; ``registers`` are a thread's, about.

    ``steps``: how often 16 inner indices are loaded before they are multiplied. ``longer``: by how much products took
    longer than modelled, beside other tiles: means of 39 to 227 times (random_plans_h200.json).
    """

    block_m: int
    block_n: int
    warps: int
    steps: int
    registers: int
    longer: float

    def grid(self, product: Problem) -> tuple[int, int, int]:
        """Return the blocks along n, along m, and over the batch."""
        return ceil_divide(product.n, self.block_n), ceil_divide(product.m, self.block_m), product.batch_count

    @property
    def shared_bytes(self) -> int:
        """The sums of all warps, in lines that begin in different banks."""
        return 4 * self.warps * self.block_m * (self.block_n + PADDING_FLOATS)

    def us(self, product: Problem, facts: DeviceFacts) -> float:
        """Return the modelled time on a chip whose SMs are counted."""
        across, down, batch = self.grid(product)
        on_an_sm = ceil_divide(across * down * batch, facts.sm_count or 1)
        waves = waves_of(on_an_sm, self._resident(facts), LAST_WAVE)
        steps = ceil_divide(product.k, STEP)
        run = k_run(product, self.steps)
        each = self.block_m // STEP * loads_per_step(product.a, product.element_bytes, run)
        each += self.block_n // STEP * loads_per_step(product.b.transposed, product.element_bytes, run)
        runs = ceil_divide(steps, self.warps * self.steps)
        waiting = waves * runs * ((RUN_US if self.steps == 1 else LONG_RUN_US) + 1e-3 * LOAD_NS * self.steps * each)
        additions = self.block_m * self.block_n / 32 * (1.5 * self.warps + 3)
        working = 1e-3 * on_an_sm * (LOAD_OF_SM_NS * steps * each + ADDITION_OF_SM_NS * additions)
        moving = moved_us(product, facts, MEMORY_SHARE)
        return (1 + self.longer) * (LAUNCH_US + overlapped_us(OVERLAP, waiting, working, moving))

    def _resident(self, facts: DeviceFacts) -> int:
        """Return how many blocks an SM holds, about."""
        shared = (facts.shared_bytes_per_sm or 64 * 1024) // (self.shared_bytes + 1024)
        return max(1, min(32, 64 // self.warps, shared, 65_536 // (32 * self.warps * self.registers)))


TILES = (
    DirectTile(16, 16, 2, 1, 64, 0.005),
    DirectTile(16, 16, 4, 1, 64, -0.016),
    DirectTile(16, 16, 8, 1, 64, -0.014),
    DirectTile(16, 16, 16, 1, 64, 0.002),
    DirectTile(16, 16, 8, 2, 64, 0.007),
    DirectTile(16, 16, 16, 2, 64, 0.028),
    DirectTile(16, 32, 8, 1, 96, -0.03),
    DirectTile(16, 32, 8, 2, 96, -0.035),
    DirectTile(16, 32, 16, 2, 96, -0.017),
    DirectTile(32, 16, 8, 1, 96, -0.003),
    DirectTile(32, 16, 8, 2, 96, 0.022),
    DirectTile(32, 16, 16, 2, 96, 0.023),
    DirectTile(32, 32, 2, 1, 128, 0.028),
    DirectTile(32, 32, 4, 1, 128, -0.026),
    DirectTile(32, 32, 8, 1, 128, -0.009),
    DirectTile(32, 64, 4, 1, 128, 0.022),
)
WITHOUT_COUNTS = TILES[13]
"""Where SMs are not counted."""


def refusal(problem: Problem, facts: DeviceFacts, tile: tuple[int, int] | None) -> str | None:  # noqa: ARG001
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    names = list(dict.fromkeys((each.block_m, each.block_n) for each in TILES))
    if tile is not None and tuple(tile) not in names:
        return f"matmul/mma_direct has the tiles {', '.join(map(str, names))}, not {tile}."
    return offset_refusal("matmul/mma_direct", problem) or (
        None
        if any(fits_grid(each.grid(part.part)) for part in slices(problem)[:1] for each in _tiles(tile))
        else "matmul/mma_direct counts tiles of C by the x, y and z of a grid, and there are too many."
    )


def launches(problem: Problem, facts: DeviceFacts, tile: tuple[int, int] | None) -> Launches:
    """Return a launch for each part of the batch."""
    parts = slices(problem)
    chosen = _fastest(parts[0].part, facts, _tiles(tile))
    why = "as asked"
    if tile is None:
        found_us = chosen.us(parts[0].part, facts)
        why = "one for any product" if facts.sm_count is None else f"about {found_us:,.1f} us by the cost model"
    reasons = (
        f"Tile {chosen.block_m} x {chosen.block_n}: {why}; {chosen.warps} warps share k.",
        "Operands are loaded straight into the registers that the tensor cores read: "
        + " and ".join(
            f"{name} by {'pairs of elements' if loads_of(operand, problem.element_bytes) else 'single elements'}"
            for name, operand in (("A", parts[0].part.a), ("B", parts[0].part.b.transposed))
        )
        + ".",
    )
    return Launches(tuple(direct_launch(part, chosen) for part in parts), 0, reasons)


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    return sum(_fastest(part.part, facts, TILES).us(part.part, facts) for part in slices(problem))


def _tiles(asked: tuple[int, int] | None) -> Sequence[DirectTile]:
    return [tile for tile in TILES if asked is None or (tile.block_m, tile.block_n) == tuple(asked)]


def _fastest(product: Problem, facts: DeviceFacts, tiles: Sequence[DirectTile]) -> DirectTile:
    fitting = [tile for tile in tiles if fits_grid(tile.grid(product))]
    if facts.sm_count is None:
        return WITHOUT_COUNTS if WITHOUT_COUNTS in fitting else fitting[0]
    return min(fitting, key=lambda tile: tile.us(product, facts))


def direct_launch(part: BatchSlice, tile: DirectTile) -> Launch:
    """Return the launch of a part of the batch with a tile."""
    product = part.part
    return Launch(
        kernel="matmul/mma_direct",
        macros=(
            *epilogue_macros(product),
            ("BLOCK_M", str(tile.block_m)),
            ("BLOCK_N", str(tile.block_n)),
            ("WARPS", str(tile.warps)),
            ("STEPS", str(tile.steps)),
            ("K_RUN", str(k_run(product, tile.steps))),
            ("A_LOADS", str(loads_of(product.a, product.element_bytes))),
            ("B_LOADS", str(loads_of(product.b.transposed, product.element_bytes))),
            ("C_COLUMNS_FIRST", str(int(product.c.major == "column"))),
        ),
        grid=tile.grid(product),
        block=(32 * tile.warps, 1, 1),
        arguments={
            **operand_pointers(part),
            **epilogue_pointers(product, part.c_operand_offset),
            **product_arguments(product),
            **epilogue_scalars(product),
        },
        overlaps_previous=True,
    )
