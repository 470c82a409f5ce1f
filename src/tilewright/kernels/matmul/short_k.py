"""Planning of short_k.cu, for compute capability 7.5 and later: products whose time is that of writing C.

A warp has 64 columns, and walks down 64 or 128 rows, fewer where there are too few warps. With one wave of taller
blocks 12,447 x 9 x 8,359 took up to 2.8 times as long on an H200 (docs/decisions/0019-whole-sectors.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.kernels.batches import BatchSlice, in_rows, in_rows_refusal, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches, Scalar, ceil_divide
from tilewright.kernels.matmul.direct_loads import (
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

ROWS = 16
"""That a warp multiplies at once."""
MOST_STEPS = 4
LONGEST = MOST_STEPS * STEP
"""The largest k."""
SECTOR_BYTES, VECTOR_BYTES, WORD_BYTES = 32, 16, 4
WARP_N = 64
"""Columns of C that a warp multiplies. With 128, few warps have room for all of k."""
MOST_WARPS = 4
"""Of a block."""
MOST_ROWS, LEAST_WARPS_OF_SM = (64, 128, 128, 128), 8
"""Rows of a block by steps of k, halved until an SM has so many warps to run."""
LAUNCH_US, OVERLAP, MEMORY_SHARE, LAST_WAVE = 4.35, 0.39, 0.82, 0.23
"""Of the cost model: a launch, how much of the shorter of two is added to the longer, the share of the bandwidth, and
what of a wave its last blocks take at least. Fitted to 287 times of 61 random products on an H200; it errs by 16 % in
those of 31 others."""
ROWS_US, KEEPING_NS, LOAD_NS, KEPT_OF_SM_NS, LOAD_OF_SM_NS = 0.29, 7.9, 19.7, 1.19, 4.0
"""16 rows of a warp, each load of what it keeps, and of A; what those loads take of an SM."""
UNEVEN_OF_SM_NS = {VECTOR_BYTES: 0, WORD_BYTES: 28, 2: 13}
"""And what 16 rows do whose strips do not begin at vectors, by the bytes at which they do."""
RESIDENT_WARPS = (24, 18, 13, 10)
"""How many warps an SM holds by their registers, by steps of k."""


@dataclass(frozen=True)
class Strip:
    """``warps`` warps of a block, each with ``strip_n`` columns of C to store and ``rows`` rows, a multiple of 16.

    They are as many as it multiplies where these are all of C, or where rows of C begin at multiples of 16 bytes. Else
    each row's part begins at a sector of memory, up to 32 bytes later: no sector has two warps that write to it.
    """

    strip_n: int
    warps: int
    rows: int


def strip_of(product: Problem, sms: int) -> Strip:
    """Return the strip for a C with contiguous rows.

    Of up to 90 strips each, timed for 15 products on an H200, these were 5 % slower than each product's best.
    """
    is_whole = _stored_bytes(product) == VECTOR_BYTES or product.n <= WARP_N
    strip_n = WARP_N if is_whole else WARP_N - SECTOR_BYTES // product.out_bytes
    across = ceil_divide(product.n, strip_n)
    rows = MOST_ROWS[_steps(product) - 1]
    while rows > ROWS and across * ceil_divide(product.m, rows) * product.batch_count < LEAST_WARPS_OF_SM * sms:
        rows //= 2
    return Strip(strip_n, min(MOST_WARPS, across), rows)


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    if tile is not None:
        return f"matmul/short_k has strips of rows for tiles, not {tile}; leave the tile out."
    if problem.k > LONGEST:
        return f"matmul/short_k takes an inner size of up to {LONGEST}, not {problem.k}."
    refused = in_rows_refusal("matmul/short_k", problem)
    if refused is not None:
        return refused
    product = in_rows(slices(problem)[0])[0].part
    if not fits_grid(_grid(product, strip_of(product, facts.sm_count or 1))):
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
        f"Each warp keeps {macros['STRIP_N']} columns in registers, for all of k, and walks down {rows.value:,} rows.",
        "Rows of C are written 16 bytes by each thread"
        + ("." if macros["C_VECTOR_BYTES"] == str(VECTOR_BYTES) else ", from the first sector that begins in them."),
    )
    return Launches(found, 0, reasons)


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    return sum(_us(in_rows(part)[0].part, facts) for part in slices(problem))


def _us(product: Problem, facts: DeviceFacts) -> float:
    size, steps, strip = product.element_bytes, _steps(product), strip_of(product, facts.sm_count or 1)
    run = k_run(product, steps)
    across, down, batch = _grid(product, strip)
    groups = ceil_divide(min(strip.rows, product.m), ROWS)
    kept = WARP_N // STEP * steps * loads_per_step(product.b.transposed, size, run)
    blocks = ceil_divide(across * down * batch, facts.sm_count or 1)
    resident = max(1, RESIDENT_WARPS[steps - 1] // strip.warps)
    waves = waves_of(blocks, resident, LAST_WAVE)
    loads = steps * loads_per_step(product.a, size, run)
    waiting = waves * (1e-3 * KEEPING_NS * kept + groups * (ROWS_US + 1e-3 * LOAD_NS * loads))
    of_warp = KEPT_OF_SM_NS * kept + groups * (UNEVEN_OF_SM_NS[_stored_bytes(product)] + LOAD_OF_SM_NS * loads)
    working = 1e-3 * blocks * strip.warps * of_warp
    return LAUNCH_US + overlapped_us(OVERLAP, waiting, working, moved_us(product, facts, MEMORY_SHARE))


def _launch(part: BatchSlice, facts: DeviceFacts) -> Launch:
    oriented, is_transposed = in_rows(part)
    product = oriented.part
    strip = strip_of(product, facts.sm_count or 1)
    return Launch(
        kernel="matmul/short_k",
        macros=(
            *epilogue_macros(product),
            ("STRIP_N", str(strip.strip_n)),
            ("WARPS", str(strip.warps)),
            ("STEPS", str(_steps(product))),
            ("K_RUN", str(k_run(product, _steps(product)))),
            ("A_LOADS", str(loads_of(product.a, product.element_bytes))),
            ("B_LOADS", str(loads_of(product.b.transposed, product.element_bytes))),
            ("C_VECTOR_BYTES", str(_stored_bytes(product))),
        ),
        grid=_grid(product, strip),
        block=(32 * strip.warps, 1, 1),
        arguments={
            **operand_pointers(oriented, is_transposed=is_transposed),
            **epilogue_pointers(product, oriented.c_operand_offset),
            **product_arguments(product),
            **epilogue_scalars(product, bias_along_rows=is_transposed),
            "rows_per_block": Scalar("int", strip.rows),
        },
        overlaps_previous=True,
    )


def _grid(product: Problem, strip: Strip) -> tuple[int, int, int]:
    across = ceil_divide(product.n, strip.strip_n * strip.warps)
    return across, ceil_divide(product.m, strip.rows), product.batch_count


def _steps(product: Problem) -> int:
    return max(1, ceil_divide(product.k, STEP))


def _stored_bytes(product: Problem) -> int:
    """Return C_VECTOR_BYTES: 16 or 4 where all rows of C begin and end at multiples of it, else 2."""
    at, length = product.c.vector_bytes(product.out_bytes), product.n * product.out_bytes
    return next((size for size in (VECTOR_BYTES, WORD_BYTES) if at % size == 0 and length % size == 0), 2)
