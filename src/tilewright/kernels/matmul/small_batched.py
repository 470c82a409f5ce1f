"""Planning of small_batched.cu: batches of small matrices, of which a block computes whole products."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches, Scalar, ceil_divide
from tilewright.kernels.matmul.mma_sync import PADDING_ELEMENTS, VECTOR_BYTES
from tilewright.kernels.matmul.strided import operand_pointers, product_arguments
from tilewright.kernels.matmul.time_model import moved_us, overlapped_us
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem

SIDES = (32, 64, 128)
"""The multiple to which m, n and k are rounded up."""
LARGEST = SIDES[-1]
MOST_SPREAD = 8
SWIZZLED_ELEMENTS = 64
ROWS_PER_WARP, ROWS_PER_WARPGROUP = 16, 64
MOST_GAPS = 2
"""A matrix's span, gaps between rows included, may be at most this many times the size of its elements."""
MEASURED_ON = (9, 0)
MOST_PRODUCTS = 2**31 - 2**20
"""Products are counted in 32 bits, with room to add the blocks of a grid."""
LAUNCH_US, PRODUCT_US, ELEMENT_NS, OVERLAP = 5.80, 0.10, 0.18, 0.59
"""Of the cost model: a launch; each product that a block computes, and each of its elements; how much of the shorter of
two is added to the longer. Fitted to 52 random batches on an H100."""
MEMORY_SHARE, BLOCKS_AT_ONCE = 0.82, 2
REGISTERS_PER_SM = 65_536
REGISTERS_PER_THREAD = {32: 72, 64: 80, 128: 128}
"""By the columns of a tile (a thread has half as many sums): the most blocks without register spills."""


@dataclass(frozen=True)
class SmallTile:
    """The largest product that a kernel is compiled for; each warp computes 16 rows of it."""

    block_m: int
    block_n: int
    block_k: int
    blocks_per_sm: int
    wgmma: bool = False

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return 32 * self.block_m // ROWS_PER_WARP

    def lines_bytes(self, *, a_k_major: bool, b_k_major: bool) -> int:
        """Return the shared memory of B as aligned lines, and of A if it is rearranged as well."""
        of_a = 0 if a_k_major else self.block_k * (self.block_m + PADDING_ELEMENTS)
        width, height = (self.block_k, self.block_n) if b_k_major else (self.block_n, self.block_k)
        if self.wgmma:
            return 2 * (-(-width // SWIZZLED_ELEMENTS) * SWIZZLED_ELEMENTS * height + of_a)
        return 2 * ((width + PADDING_ELEMENTS) * height + of_a)


def small_tile(product: Problem, facts: DeviceFacts) -> SmallTile:
    """Return the smallest tile that fits a product, with as many blocks per SM as the registers allow."""
    m, n, k = (next(side for side in SIDES if size <= side) for size in (product.m, product.n, max(product.k, 1)))
    threads = REGISTERS_PER_SM // REGISTERS_PER_THREAD[n]
    wgmma = facts.compute_capability == MEASURED_ON and m % ROWS_PER_WARPGROUP == 0
    return SmallTile(m, n, k, threads // (32 * m // ROWS_PER_WARP), wgmma=wgmma)


def advantage(product: Problem, facts: DeviceFacts) -> str | None:
    """Return why it is the fastest kernel for a product, as half a sentence, or None if it was not measured to be."""
    largest = max(product.sizes)
    if facts.compute_capability != MEASURED_ON or largest > LARGEST or product.is_empty or product.k == 0:
        return None
    if refusal(product, facts, None) is not None:
        return None
    if any(_span_bytes(side) > MOST_GAPS * 2 * side.rows * side.columns + 64 for side in (product.a, product.b)):
        return None
    if any(product.copy_engine_refusals):
        return "its matrices are small, and need not be copied to aligned rows first"
    if largest <= SIDES[0] and product.batch_count > 1:
        return "its matrices are smaller than any tile"
    return None


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    m, n, k = problem.sizes
    rounds = ceil_divide(problem.batch_count, BLOCKS_AT_ONCE * (facts.sm_count or 1))
    working = rounds * (PRODUCT_US + 1e-3 * ELEMENT_NS * (m * k + k * n + m * n))
    return LAUNCH_US + overlapped_us(OVERLAP, working, moved_us(problem, facts, MEMORY_SHARE))


def refusal(product: Problem, facts: DeviceFacts, tile: object) -> str | None:
    """Return why the kernel cannot compute a product (which is not empty), as a sentence, or None."""
    if tile is not None:
        return f"matmul/small_batched has a whole product for a tile, not {tile}; leave the tile out."
    sizes = f"{product.m} x {product.k} x {product.n}"
    if max(product.m, product.n, product.k) > LARGEST:
        return f"matmul/small_batched takes products of up to {LARGEST} rows, columns and inner size, not {sizes}."
    if product.k == 0:
        return "matmul/small_batched takes an inner size of 1 or more, not 0."
    if product.batch_count > MOST_PRODUCTS:
        return f"matmul/small_batched counts products in 32 bits, and there are {product.batch_count:,}."
    is_transposed = _oriented(product)
    if is_transposed is None:
        return (
            f"matmul/small_batched writes contiguous rows or columns, and C has the strides "
            f"{(product.c.row_stride, product.c.column_stride)}."
        )
    oriented = _in_rows(BatchSlice(product))[0].part
    for name, operand in zip("BA" if is_transposed else "AB", (oriented.a, oriented.b.transposed), strict=True):
        if _line_stride(operand) is None:
            strides = (operand.row_stride, operand.column_stride)
            return (
                f"matmul/small_batched takes matrices whose rows or columns are contiguous and lie forwards, and "
                f"{name} has the strides {strides if name == 'A' else strides[::-1]}."
            )
    needed, allowed = _shared_bytes(oriented, small_tile(oriented, facts)), _allowed_bytes(facts)
    if needed > allowed:
        return (
            f"matmul/small_batched holds the contiguous spans from first to last element of A and B, and needs "
            f"{needed:,} bytes of shared memory for this product; {facts.name} allows {allowed:,}."
        )
    return None


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:  # noqa: ARG001
    """Return a launch for each part of the batch."""
    found = tuple(_launch(part, facts) for part in slices(problem))
    macros = dict(found[0].macros)
    rows, inner, columns = (macros[f"BLOCK_{side}"] for side in "MKN")
    reasons = (
        f"A block takes a whole product at a time, of up to {rows} x {inner} x {columns}.",
        "Each matrix is loaded as one contiguous span, of any alignment, while the previous product is multiplied.",
        f"A block keeps {found[0].shared_bytes:,} bytes in shared memory.",
    )
    return Launches(found, 0, reasons)


def _launch(part: BatchSlice, facts: DeviceFacts) -> Launch:
    oriented, is_transposed = _in_rows(part)
    product = oriented.part
    tile = small_tile(product, facts)
    shared_bytes = _shared_bytes(product, tile)
    per_sm = (facts.shared_bytes_per_sm or shared_bytes) // (
        shared_bytes + (facts.reserved_shared_bytes_per_block or 0)
    )
    blocks = max(1, min(tile.blocks_per_sm, per_sm)) * (facts.sm_count or 1)
    return Launch(
        kernel="matmul/small_batched",
        macros=(
            *epilogue_macros(product),
            ("BLOCK_M", str(tile.block_m)),
            ("BLOCK_N", str(tile.block_n)),
            ("BLOCK_K", str(tile.block_k)),
            ("BLOCKS_PER_SM", str(tile.blocks_per_sm)),
            ("WGMMA", str(int(tile.wgmma))),
            ("A_K_MAJOR", str(int(_is_k_major(product.a)))),
            ("B_K_MAJOR", str(int(_is_k_major(product.b.transposed)))),
            ("C_PACKED", str(int(_is_packed(product)))),
            ("SPREAD", str(_spread(product, tile))),
        ),
        grid=(min(product.batch_count, blocks), 1, 1),
        block=(tile.threads, 1, 1),
        arguments={
            **operand_pointers(oriented, is_transposed=is_transposed),
            **epilogue_pointers(product, oriented.c_operand_offset),
            **product_arguments(product),
            **epilogue_scalars(product, bias_along_rows=is_transposed),
            "staged_bytes": Scalar("int", _staged_bytes(product, tile)),
        },
        shared_bytes=shared_bytes,
        overlaps_previous=True,
    )


def _in_rows(part: BatchSlice) -> tuple[BatchSlice, bool]:
    """Return the problem, transposed if needed so that C has contiguous rows, and whether it is transposed."""
    is_transposed = _oriented(part.part)
    return (part.transposed, True) if is_transposed else (part, False)


def _oriented(product: Problem) -> bool | None:
    """Whether only the transposed problem has contiguous rows in C; None if neither has."""
    if product.c.column_stride == 1 or product.n == 1:
        return False
    return True if product.c.row_stride == 1 or product.m == 1 else None


def _is_k_major(operand: Operand) -> bool:
    """Whether an operand whose columns are k is contiguous along k."""
    return operand.major != "column"


def _line_stride(operand: Operand) -> int | None:
    """The stride between contiguous lines, in elements; None without contiguous lines or with a negative stride."""
    if operand.major is None:
        return None
    k_major = operand.major == "row"
    lines, stride = (operand.rows, operand.row_stride) if k_major else (operand.columns, operand.column_stride)
    if lines <= 1:
        return 0
    return stride if stride >= 0 else None


def _span_bytes(operand: Operand) -> int:
    """The shared memory of a contiguous span in bytes: Span::room_bytes of device/memory/span.cuh."""
    stride = _line_stride(operand)
    assert stride is not None
    height, width = (operand.rows, operand.columns) if operand.major == "row" else (operand.columns, operand.rows)
    vectors = ((height - 1) * stride + width + 22) * 2 // VECTOR_BYTES
    return vectors * VECTOR_BYTES


def _staged_bytes(product: Problem, tile: SmallTile) -> int:
    """The shared memory in bytes that holds the aligned lines, and then C."""
    lines = tile.lines_bytes(a_k_major=_is_k_major(product.a), b_k_major=_is_k_major(product.b.transposed))
    c = (
        product.m * product.n * product.out_bytes + VECTOR_BYTES
        if _is_packed(product)
        else product.m * (tile.block_n * product.out_bytes + VECTOR_BYTES)
    )
    return max(lines, ceil_divide(c, VECTOR_BYTES) * VECTOR_BYTES)


def _shared_bytes(product: Problem, tile: SmallTile) -> int:
    return _staged_bytes(product, tile) + _span_bytes(product.a) + _span_bytes(product.b.transposed)


def _is_packed(product: Problem) -> bool:
    """Whether C is stored as one contiguous span; not if its rows are aligned and would have bank conflicts."""
    return (product.m <= 1 or product.c.row_stride == product.n) and product.n % (2 * MOST_SPREAD) != 0


def _spread(product: Problem, tile: SmallTile) -> int:
    """The distance of C's rows that a warp stores together, so that eight of them are 16 bytes apart in the banks."""
    if not _is_packed(product) or not _is_k_major(product.a):
        return 1
    return min(MOST_SPREAD // gcd(product.n, MOST_SPREAD), tile.block_m // MOST_SPREAD)


def _allowed_bytes(facts: DeviceFacts) -> int:
    return facts.shared_bytes_per_block_optin or facts.shared_bytes_per_block or 48 * 1024
