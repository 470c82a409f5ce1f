"""Planning of mma_sync.cu, for compute capability 7.5 and later: the tile, its stages, the load paths."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Launches
from tilewright.kernels.matmul.strided import operand_pointers, product_arguments, tiles_of_c
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

PADDING_ELEMENTS = 8
"""PADDING of device/memory/vectors.cuh: the padding of each line of a tile in shared memory, in elements."""
VECTOR_BYTES = 16
MOST_STAGES = 4


@dataclass(frozen=True)
class WarpTile:
    """A tile of C for mma.sync: ``block_m`` x ``block_n`` results of ``warps_m`` x ``warps_n`` warps."""

    block_m: int
    block_n: int
    block_k: int
    warps_m: int
    warps_n: int

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return 32 * self.warps_m * self.warps_n

    @property
    def c_bytes(self) -> int:
        """The shared memory that stages a tile of a 16-bit C, in bytes; the larger of both orientations."""
        rows, columns = (
            self.block_m * (self.block_n + PADDING_ELEMENTS),
            self.block_n * (self.block_m + PADDING_ELEMENTS),
        )
        return 2 * max(rows, columns)

    def stage_bytes(self, *, a_k_major: bool, b_k_major: bool) -> int:
        """Return the shared memory of one tile of A and one of B, each line padded."""
        return 2 * (
            _padded(self.block_m, self.block_k, k_major=a_k_major)
            + _padded(self.block_n, self.block_k, k_major=b_k_major)
        )


WARP_TILES = (
    WarpTile(128, 128, 32, 2, 4),
    WarpTile(128, 64, 32, 4, 2),
    WarpTile(64, 128, 32, 2, 4),
    WarpTile(64, 64, 32, 2, 2),
    WarpTile(64, 32, 32, 2, 2),
    WarpTile(32, 64, 32, 2, 2),
    WarpTile(32, 32, 32, 2, 2),
)
"""Largest first. With each of them, every thread loads the same number of 16-byte vectors."""


def refusal(problem: Problem, facts: DeviceFacts, tile: tuple[int, int] | None) -> str | None:  # noqa: ARG001
    """Return why the kernel does not compute a problem with a tile, as a sentence, or None."""
    names = [(each.block_m, each.block_n) for each in WARP_TILES]
    if tile is None or tuple(tile) in names:
        return None
    return f"matmul/mma_sync has the tiles {', '.join(map(str, names))}, not {tile}."


def launches(problem: Problem, facts: DeviceFacts, tile: tuple[int, int] | None) -> Launches:
    """Return a launch for each part of the batch.

    Raises:
        PlanError: two stages of the tile do not fit the chip's shared memory.
    """
    parts = slices(problem)
    warp_tile, why = _warp_tile(parts[0].part, facts, tile)
    found = tuple(_launch(part, facts, warp_tile) for part in parts)
    return Launches(found, 0, (why, *_about_loads(found[0])))


def _warp_tile(product: Problem, facts: DeviceFacts, asked: tuple[int, int] | None) -> tuple[WarpTile, str]:
    if asked is not None:
        tile = next(tile for tile in WARP_TILES if (tile.block_m, tile.block_n) == tuple(asked))
        return tile, f"Tile {tile.block_m} x {tile.block_n} was asked for."
    if facts.sm_count is None:
        tile = WARP_TILES[-1]
        return tile, f"Tile {tile.block_m} x {tile.block_n}: the smallest, which reaches least past the edges of C."
    sms = facts.sm_count
    for tile in WARP_TILES:
        tiles = tiles_of_c(product, (tile.block_m, tile.block_n))
        if tiles >= sms:
            why = f"C has {tiles:,} of them, enough for each of the {sms} SMs, and a larger tile is read fewer times."
            return tile, f"Tile {tile.block_m} x {tile.block_n}: {why}"
    why = f"C is small, and even with the smallest tile {tiles:,} of {sms} SMs have one."
    return tile, f"Tile {tile.block_m} x {tile.block_n}: {why}"


def _launch(part: BatchSlice, facts: DeviceFacts, tile: WarpTile) -> Launch:
    product = part.part
    a_k_major, a_vector, a_shifted = load_path(product.a, product.element_bytes)
    b_k_major, b_vector, b_shifted = load_path(product.b.transposed, product.element_bytes)
    stage_bytes = tile.stage_bytes(a_k_major=a_k_major, b_k_major=b_k_major)
    stages, store_path = _stages(facts, stage_bytes), _store_path(product)
    return Launch(
        kernel="matmul/mma_sync",
        macros=(
            *epilogue_macros(product),
            ("BLOCK_M", str(tile.block_m)),
            ("BLOCK_N", str(tile.block_n)),
            ("BLOCK_K", str(tile.block_k)),
            ("WARPS_M", str(tile.warps_m)),
            ("WARPS_N", str(tile.warps_n)),
            ("STAGES", str(stages)),
            ("A_K_MAJOR", str(int(a_k_major))),
            ("B_K_MAJOR", str(int(b_k_major))),
            ("A_VECTOR", str(a_vector)),
            ("B_VECTOR", str(b_vector)),
            ("A_SHIFTED", str(int(a_shifted))),
            ("B_SHIFTED", str(int(b_shifted))),
            ("C_BY_LINES", str(store_path)),
        ),
        grid=(tiles_of_c(product, (tile.block_m, tile.block_n)), 1, 1),
        block=(tile.threads, 1, 1),
        arguments={
            **operand_pointers(part),
            **epilogue_pointers(product, part.c_operand_offset),
            **product_arguments(product),
            **epilogue_scalars(product),
        },
        shared_bytes=max(stages * stage_bytes, tile.c_bytes if store_path else 0),
        overlaps_previous=True,
    )


def _about_loads(launch: Launch) -> tuple[str, ...]:
    macros = dict(launch.macros)
    sentences = [
        f"{name} is loaded in {2 * int(macros[f'{name}_VECTOR'])}-byte vectors, as its address and strides allow."
        for name in ("A", "B")
        if macros[f"{name}_VECTOR"] != "8"
    ]
    sentences += [
        f"{name}'s lines are unaligned: each 16-byte vector is assembled from two aligned ones."
        for name in ("A", "B")
        if macros[f"{name}_SHIFTED"] == "1"
    ]
    return (*sentences, f"{macros['STAGES']} stages of tiles take {launch.shared_bytes:,} bytes of shared memory.")


def load_path(operand: Operand, element_bytes: int) -> tuple[bool, int, bool]:
    """Return the load path: if k is contiguous, elements per vector, if vectors are assembled from two aligned ones.

    ``operand`` has k along its columns: A as it is, B transposed.
    """
    vector = min(operand.vector_bytes(element_bytes), VECTOR_BYTES) // element_bytes
    k_major = operand.major != "column"
    if operand.major is None or vector > 1:
        return k_major, vector if operand.major is not None else 1, False
    along, across = (
        (operand.column_stride, operand.row_stride) if k_major else (operand.row_stride, operand.column_stride)
    )
    # Between its first element and its last there are only its own and those of its gaps.
    if along == 1 and across > 0:
        return k_major, VECTOR_BYTES // element_bytes, True
    return k_major, 1, False


def _store_path(product: Problem) -> int:
    """Return C_BY_LINES: 1 if rows of a 16-bit C are contiguous, 2 if columns are, 0 for single elements."""
    c = product.c
    if product.out_bytes != 2 or 1 not in {c.row_stride, c.column_stride}:
        return 0
    return 1 if c.column_stride == 1 else 2


def _stages(facts: DeviceFacts, stage_bytes: int) -> int:
    """Return the number of stages: 2 to 4, so that two blocks fit on an SM, or fewer by the limit of a block."""
    allowed = facts.shared_bytes_per_block_optin or facts.shared_bytes_per_block or 48 * 1024
    per_sm = facts.shared_bytes_per_sm or allowed
    reserved = facts.reserved_shared_bytes_per_block or 0
    wanted = max(2, min(MOST_STAGES, (per_sm // 2 - reserved) // stage_bytes))
    stages = min(wanted, allowed // stage_bytes)
    if stages < 2:
        raise PlanError(
            f"matmul/mma_sync needs {2 * stage_bytes:,} bytes of shared memory per block for this tile; "
            f"{facts.name} allows {allowed:,}: use a smaller tile."
        )
    return stages


def _padded(lines: int, inner: int, *, k_major: bool) -> int:
    width, height = (inner, lines) if k_major else (lines, inner)
    return (width + PADDING_ELEMENTS) * height
