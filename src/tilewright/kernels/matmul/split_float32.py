"""Planning of split_float32.cu and largest_exponents.cu: float32 operands become planes of 16-bit parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from tilewright.kernels.epilogue import NO_ADDRESS
from tilewright.kernels.launch import Argument, Arguments, Launch, Pointer, Scalar, TensorMap, ceil_divide
from tilewright.kernels.matmul.repack import padded_row
from tilewright.kernels.matmul.wgmma_operands import Side, inner_is_k
from tilewright.kernels.operand import C_TYPES, DTYPE_BYTES

THREADS = 256
REGION = 64
"""The rows and columns that a block splits, and the side of a region of flags."""
EXPONENT_CHUNK, LEAST_CHUNKS, MOST_CHUNKS, BUSY_BLOCKS = 512, 16, 128, 1024
"""The inner indices that share an entry of largest_exponents.cu."""
WORKSPACE_MULTIPLE = 256
FLOAT32_BYTES, INT_BYTES = DTYPE_BYTES["float32"], 4
PART_BYTES = 2

PARTS = {"bf16x6": ("bfloat16", 3), "fp16x3": ("float16", 2)}
"""By precision: the type of the parts of a number, and how many there are."""

MEMBERS = (
    ("rows", "int"),
    ("inner", "int"),
    ("row_stride", "long long"),
    ("inner_stride", "long long"),
    ("to_row_stride", "int"),
    ("batches_1", "int"),
    ("batch_stride_1", "long long"),
    ("batch_stride_2", "long long"),
    ("inner_is_k", "int"),
    ("in_vectors", "int"),
    ("blocks", "int"),
)
"""Of struct Matrix of device/memory/float32_matrix.cuh."""


@dataclass(frozen=True)
class SplitSide:
    """A split operand in the workspace. Offsets are in bytes; those of exponents are None where nothing is scaled.

    ``batch_steps``: by how many matrices batch dimensions 1 and 2 move on, 0 where they are broadcast.
    """

    side: Side
    dtype: str
    planes: int
    batches: int
    batch_steps: tuple[int, int]
    to_row_stride: int
    offset_bytes: int
    flags_offset: int
    largest_offset: int | None
    exponents_offset: int | None
    end_offset: int

    @property
    def k_major(self) -> bool:
        """Whether the planes are contiguous along k."""
        return inner_is_k(self.side)

    @property
    def extents(self) -> tuple[int, int]:
        """Rows and inner extent of a plane."""
        return (self.side.mn, self.side.k) if self.k_major else (self.side.k, self.side.mn)

    def tensor_map(self, box: tuple[int, int]) -> TensorMap:
        """Return the map of all planes of all matrices; ``box`` along the inner dimension, and along rows."""
        rows, inner = self.extents
        row_bytes = self.to_row_stride * PART_BYTES
        strides = (row_bytes, rows * row_bytes, self.planes * rows * row_bytes)
        sizes = (inner, rows, self.planes, self.batches)
        return TensorMap("workspace", self.dtype, sizes, strides, (*box, 1, 1), 128, self.offset_bytes)


def split_launches(
    sides: Sequence[Side], precision: str, offset_bytes: int
) -> tuple[list[SplitSide], list[Launch], int]:
    """Return the split operands, the launches that split them, and where the workspace they take ends.

    The first word of the workspace says whether any sum is suspect; the launches clear it.
    """
    any_suspect = offset_bytes
    offset_bytes += WORKSPACE_MULTIPLE
    found: list[SplitSide] = []
    for side in sides:
        found.append(_placed(side, precision, offset_bytes))
        offset_bytes = found[-1].end_offset
    launches = [_largest_launch(found)] if found[0].largest_offset is not None else []
    return found, [*launches, _split_launch(found, any_suspect)], offset_bytes


def exponent_chunk(mn: int, k: int) -> int:
    """Return how many of k share an entry of largest_exponents.cu, as split_flags.cuh does."""
    most = max(min(BUSY_BLOCKS // max(ceil_divide(mn, REGION), 1), MOST_CHUNKS), LEAST_CHUNKS)
    return max(ceil_divide(ceil_divide(k, EXPONENT_CHUNK), most), 1) * EXPONENT_CHUNK


def _placed(side: Side, precision: str, offset_bytes: int) -> SplitSide:
    """Return where an operand's planes, flags and exponents lie. Broadcast batches are split once."""
    dtype, planes = PARTS[precision]
    rows, inner = (side.mn, side.k) if inner_is_k(side) else (side.k, side.mn)
    (one, _), (two, _) = side.operand.batch_steps
    extents = [extent if moves else 1 for extent, moves in zip((one, two), side.moves, strict=True)]
    batches = prod(extents)
    row = padded_row(inner)
    regions = ceil_divide(side.mn, REGION) * ceil_divide(side.k, REGION)
    is_scaled = dtype == "float16"
    sizes = (
        batches * planes * rows * row * PART_BYTES,
        batches * regions * INT_BYTES,
        batches * ceil_divide(side.k, exponent_chunk(side.mn, side.k)) * side.mn if is_scaled else 0,
        batches * side.mn * INT_BYTES if is_scaled else 0,
    )
    ends = []
    at = offset_bytes
    for size in sizes:
        at += ceil_divide(size, WORKSPACE_MULTIPLE) * WORKSPACE_MULTIPLE
        ends.append(at)
    return SplitSide(
        side,
        dtype,
        planes,
        batches,
        (side.moves[0], side.moves[1] * extents[0]),
        row,
        offset_bytes,
        ends[0],
        ends[1] if is_scaled else None,
        ends[2] if is_scaled else None,
        ends[3],
    )


def _split_launch(sides: Sequence[SplitSide], any_suspect: int) -> Launch:
    arguments: Arguments = {}
    total = 0
    for number, split in enumerate(_two(sides), 1):
        rows, inner = (0, 0) if split is None else split.extents
        blocks = 0 if split is None else split.batches * ceil_divide(rows, REGION) * ceil_divide(inner, REGION)
        pointers = (
            _source(split),
            _workspace(None if split is None else split.offset_bytes),
            _workspace(None if split is None else split.flags_offset),
            _workspace(None if split is None else split.largest_offset),
            _workspace(None if split is None else split.exponents_offset),
        )
        names = ("from", "to", "flags", "largest", "exponents")
        arguments |= {f"{name}_{number}": pointer for name, pointer in zip(names, pointers, strict=True)}
        arguments |= _members(number, split, blocks)
        total += blocks
    arguments["any_suspect"] = _workspace(any_suspect)
    return _launch("matmul/split_float32", (("ELEMENT", C_TYPES[sides[0].dtype]),), total, arguments)


def _largest_launch(sides: Sequence[SplitSide]) -> Launch:
    arguments: Arguments = {}
    total = 0
    for number, split in enumerate(_two(sides), 1):
        blocks = 0
        if split is not None:
            mn, k = split.side.mn, split.side.k
            blocks = split.batches * ceil_divide(mn, REGION) * ceil_divide(k, exponent_chunk(mn, k))
        arguments[f"from_{number}"] = _source(split)
        arguments[f"largest_{number}"] = _workspace(None if split is None else split.largest_offset)
        arguments |= _members(number, split, blocks)
        total += blocks
    return _launch("matmul/largest_exponents", (), total, arguments)


def _two(sides: Sequence[SplitSide]) -> tuple[SplitSide | None, ...]:
    """Return the operands, and None in the place of a second one that is not split."""
    return (*sides, *[None] * (2 - len(sides)))


def _launch(kernel: str, macros: tuple[tuple[str, str], ...], blocks: int, arguments: Arguments) -> Launch:
    return Launch(
        kernel=kernel,
        macros=macros,
        grid=(blocks, 1, 1),
        block=(THREADS, 1, 1),
        arguments=arguments,
        overlaps_previous=True,
    )


def _source(split: SplitSide | None) -> Argument:
    return NO_ADDRESS if split is None else Pointer(split.side.buffer, split.side.offset_bytes)


def _workspace(offset_bytes: int | None) -> Argument:
    return NO_ADDRESS if offset_bytes is None else Pointer("workspace", offset_bytes)


def _members(number: int, split: SplitSide | None, blocks: int) -> Arguments:
    values = [0] * len(MEMBERS) if split is None else matrix_values(split.side, split.to_row_stride, blocks)
    return {
        f"matrix_{number}.{name}": Scalar(ctype, value) for (name, ctype), value in zip(MEMBERS, values, strict=True)
    }


def matrix_values(side: Side, to_row_stride: int, blocks: int) -> list[int]:
    """Return the values of a matrix's MEMBERS."""
    k_major = inner_is_k(side)
    rows, inner = (side.mn, side.k) if k_major else (side.k, side.mn)
    operand = side.operand if k_major else side.operand.transposed
    (one, stride_one), (_, stride_two) = operand.batch_steps
    in_vectors = operand.major == "row" and operand.vector_bytes(FLOAT32_BYTES) == 4 * FLOAT32_BYTES
    return [
        rows,
        inner,
        operand.row_stride,
        operand.column_stride if inner > 1 else 1,
        to_row_stride,
        one if side.moves[0] else 1,
        stride_one,
        stride_two,
        int(k_major),
        int(in_vectors),
        blocks,
    ]
