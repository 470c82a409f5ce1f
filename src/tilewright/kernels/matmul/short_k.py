"""Planning of short_k.cu, for compute capability 7.5 and later: products whose time is that of writing C.

How many columns a warp keeps and how many rows it walks is a small table: the fastest of up to 18 ways, by their times
for 132 random products on an H100. The cost model was fitted to three quarters of those.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilewright.kernels.batches import BatchSlice, in_rows, in_rows_refusal, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches, Scalar, ceil_divide
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
from tilewright.kernels.matmul.time_model import moved_us, overlapped_us
from tilewright.kernels.problem import Problem

ROWS = 16
"""That a warp multiplies at once."""
MOST_STEPS = 4
LONGEST = MOST_STEPS * STEP
"""The largest k."""
WORD_BYTES = 4
LAUNCH_US, ROWS_US, OVERLAP = 3.59, 0.60, 0.26
"""Of the cost model: a launch, 16 rows of a warp, and how much of the shorter of two is added to the longer."""
MOST_MB_PER_US = 3.7
"""What an H200 moves, whose products took 10 % longer than at an H100's share of its bandwidth."""
KEEPING_NS, KEPT_OF_SM_NS, UNEVEN_LINE_OF_SM_NS, LOAD_OF_SM_NS = 23.8, 2.22, 3.20, 8.73
"""Each load of what a warp keeps; what it takes of an SM, and so do 64 elements of an uneven row, and a load of A."""


@dataclass(frozen=True)
class Strip:
    """``warps`` warps of a block, each with ``warp_n`` columns of C; ``on_an_sm`` warps share an SM, about."""

    warp_n: int
    warps: int
    on_an_sm: int

    def rows(self, product: Problem, sms: int) -> int:
        """Return the rows of a block, a multiple of 16."""
        across = ceil_divide(product.n, self.warp_n * self.warps) * self.warps * product.batch_count
        wanted = ceil_divide(product.m * across, sms * self.on_an_sm * ROWS)
        return ROWS * max(1, min(wanted, ceil_divide(product.m, ROWS)))


NARROW = Strip(64, 1, 16)
"""Where C has no more columns."""
EVEN = (Strip(128, 2, 8), Strip(128, 2, 8), Strip(64, 2, 16), Strip(64, 2, 16))
ODD = (Strip(128, 4, 16), Strip(128, 4, 8), Strip(64, 4, 16), Strip(64, 4, 16))
"""By steps of k, where rows of C are whole words of 4 bytes and where they are not."""


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    if tile is not None:
        return f"matmul/short_k has strips of rows for tiles, not {tile}; leave the tile out."
    if problem.k > LONGEST:
        return f"matmul/short_k takes an inner size of up to {LONGEST}, not {problem.k}."
    refused = in_rows_refusal("matmul/short_k", problem)
    if refused is not None:
        return refused
    if not fits_grid(_grid(in_rows(slices(problem)[0])[0].part, facts)):
        return "matmul/short_k counts strips of C by the y and z of a grid, and there are too many."
    return offset_refusal("matmul/short_k", problem)


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:  # noqa: ARG001
    """Return a launch for each part of the batch."""
    found = tuple(_launch(part, facts) for part in slices(problem))
    first = found[0]
    macros = dict(first.macros)
    rows = first.arguments["rows_per_block"]
    assert isinstance(rows, Scalar)
    reasons = (
        f"Each warp keeps {macros['WARP_N']} columns in registers, for all of k, and walks down {rows.value:,} rows.",
        "Rows of C are written a word by each thread, "
        + ("which is where rows begin." if macros["C_EVEN"] == "1" else "from the first word that begins in them."),
    )
    return Launches(found, 0, reasons)


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    return sum(_us(in_rows(part)[0].part, facts) for part in slices(problem))


def _us(product: Problem, facts: DeviceFacts) -> float:
    strip, size, run = _strip(product), product.element_bytes, k_run(product, _steps(product))
    across, down, batch = _grid(product, facts)
    rows = strip.rows(product, facts.sm_count or 1)
    steps, groups = _steps(product), ceil_divide(min(rows, product.m), ROWS)
    kept = strip.warp_n // STEP * steps * loads_per_step(product.b.transposed, size, run)
    warps = strip.warps * ceil_divide(across * down * batch, facts.sm_count or 1)
    lines = 0 if _is_even(product) else groups * ROWS * min(product.n, strip.warp_n) / 64
    waiting = 1e-3 * KEEPING_NS * kept + ROWS_US * groups
    loads = groups * steps * loads_per_step(product.a, size, run)
    working = 1e-3 * warps * (KEPT_OF_SM_NS * kept + UNEVEN_LINE_OF_SM_NS * lines + LOAD_OF_SM_NS * loads)
    moving = max(moved_us(product, facts, MEMORY_SHARE), 1e-6 * product.least_bytes / MOST_MB_PER_US)
    return LAUNCH_US + overlapped_us(OVERLAP, waiting, working, moving)


def _launch(part: BatchSlice, facts: DeviceFacts) -> Launch:
    oriented, is_transposed = in_rows(part)
    product = oriented.part
    strip = _strip(product)
    return Launch(
        kernel="matmul/short_k",
        macros=(
            *epilogue_macros(product),
            ("WARP_N", str(strip.warp_n)),
            ("WARPS", str(strip.warps)),
            ("STEPS", str(_steps(product))),
            ("K_RUN", str(k_run(product, _steps(product)))),
            ("A_LOADS", str(loads_of(product.a, product.element_bytes))),
            ("B_LOADS", str(loads_of(product.b.transposed, product.element_bytes))),
            ("C_EVEN", str(int(_is_even(product)))),
        ),
        grid=_grid(product, facts),
        block=(32 * strip.warps, 1, 1),
        arguments={
            **operand_pointers(oriented, is_transposed=is_transposed),
            **epilogue_pointers(product, oriented.c_operand_offset),
            **product_arguments(product),
            **epilogue_scalars(product, bias_along_rows=is_transposed),
            "rows_per_block": Scalar("int", strip.rows(product, facts.sm_count or 1)),
        },
        overlaps_previous=True,
    )


def _grid(product: Problem, facts: DeviceFacts) -> tuple[int, int, int]:
    strip = _strip(product)
    down = ceil_divide(product.m, strip.rows(product, facts.sm_count or 1))
    return ceil_divide(product.n, strip.warp_n * strip.warps), down, product.batch_count


def _strip(product: Problem) -> Strip:
    if product.n <= NARROW.warp_n:
        return NARROW
    strip = (EVEN if _is_even(product) else ODD)[_steps(product) - 1]
    return replace(strip, warps=min(strip.warps, ceil_divide(product.n, strip.warp_n)))


def _steps(product: Problem) -> int:
    return max(1, ceil_divide(product.k, STEP))


def _is_even(product: Problem) -> bool:
    """Whether rows of C are whole words, at addresses of words."""
    is_whole = product.n * product.out_bytes % WORD_BYTES == 0
    return is_whole and product.c.vector_bytes(product.out_bytes) >= WORD_BYTES
