"""Planning of pair_sums.cu: the sums of pairs in the workspace, and the matrix product that remains of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.epilogue import NO_ADDRESS
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import MAX_GRID_X, Arguments, Launch, Launches, Pointer, Scalar, ceil_divide
from tilewright.kernels.matmul.wgmma_operands import Side, inner_is_k
from tilewright.kernels.operand import C_TYPES, DTYPE_BYTES, Operand
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

THREADS = 256
VECTOR_BYTES, LINE_BYTES = 16, 128
"""Lines of sums are padded to cache lines where they are long, so that TMA reads no line of a neighbour."""
LINES_AT_ONCE = 4
LEAST_VECTORS = 132 * 2 * THREADS * LINES_AT_ONCE
"""With fewer vectors of sums than two blocks on each of an H200's SMs make, a thread makes one alone."""

MEMBERS = (
    ("lines", "int"),
    ("inner", "int"),
    ("line_step", "long long"),
    ("pair_step", "long long"),
    ("inner_step", "long long"),
    ("to_line_stride", "int"),
    ("batches_1", "int"),
    ("batch_step_1", "long long"),
    ("batch_step_2", "long long"),
    ("lanes_log2", "int"),
    ("parts", "int"),
    ("blocks", "int"),
)
"""Of struct Pairs of the source."""
NOTHING: Arguments = {
    name: value
    for side in "AB"
    for name, value in (
        (side, NO_ADDRESS),
        (f"sums_{side}", NO_ADDRESS),
        *((f"pairs_{side}.{member}", Scalar(ctype, 0)) for member, ctype in MEMBERS),
    )
}
"""The parameters where there is nothing to add."""


def refusal(problem: Problem, facts: DeviceFacts, tile: object) -> str | None:  # noqa: ARG001
    """Return None: what the product of the sums refuses, its own kernel says."""
    return None


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:  # noqa: ARG001
    """Return the launch that adds the pairs of the first part of the batch; `choose.summed` adds the product's."""
    return sums_of(*sides_of(slices(problem)[0]))


def sums_of(*sides: Pairs) -> Launches:
    """Return the launch that adds the pairs of A, B or both, in this order, one after another in the workspace.

    Nothing is launched if k is 0.

    Raises:
        PlanError: the sums are more than a grid's blocks make.
    """
    if sides[0].side.k == 0:
        return Launches(())
    lines_at_once = LINES_AT_ONCE if sum(side.vectors for side in sides) >= LEAST_VECTORS else 1
    blocks = sum(side.blocks(lines_at_once) for side in sides)
    if blocks > MAX_GRID_X:
        raise PlanError(f"Adding the pairs would need {blocks:,} blocks in grid.x; CUDA's limit is {MAX_GRID_X:,}.")
    arguments = dict(NOTHING)
    size_bytes = 0
    for side in sides:
        arguments |= side.arguments(size_bytes, side.blocks(lines_at_once))
        size_bytes += side.size_bytes
    launch = Launch(
        kernel="reduced_matmul/pair_sums",
        macros=(
            ("ELEMENT", C_TYPES[sides[0].dtype]),
            ("LINES_AT_ONCE", str(lines_at_once)),
            ("SHIFTED", str(int(any(side.shifted for side in sides)))),
        ),
        grid=(blocks, 1, 1),
        block=(THREADS, 1, 1),
        arguments=arguments,
        overlaps_previous=True,
    )
    return Launches((launch,), size_bytes)


def sides_of(whole: BatchSlice) -> tuple[Pairs, Pairs]:
    """Return the operands of a reduced product, each with its pairs along its rows: A, and B transposed."""
    part = whole.part
    a = Side("A", part.a, whole.a_offset * part.element_bytes, part.element_bytes)
    b = Side("B", part.b.transposed, whole.b_offset * part.element_bytes, part.element_bytes)
    return Pairs(a, part.dtype), Pairs(b, part.dtype)


@dataclass(frozen=True)
class Pairs:
    """An operand whose rows (those of A, the columns of B) are added in pairs. Its sums keep what is contiguous."""

    side: Side
    dtype: str

    @cached_property
    def k_major(self) -> bool:
        """Whether a line of sums goes along k."""
        return inner_is_k(self.side)

    @cached_property
    def lines(self) -> int:
        """The lines of a matrix of sums."""
        return self.side.mn // 2 if self.k_major else self.side.k

    @cached_property
    def inner(self) -> int:
        """The sums of a line."""
        return self.side.k if self.k_major else self.side.mn // 2

    @cached_property
    def line_stride(self) -> int:
        """The elements from a line of sums to the next."""
        size = DTYPE_BYTES[self.dtype]
        multiple = (LINE_BYTES if self.inner * size >= 4 * LINE_BYTES else VECTOR_BYTES) // size
        return ceil_divide(self.inner, multiple) * multiple

    @cached_property
    def sums(self) -> Operand:
        """The sums as they lie in the workspace; a broadcast batch is added once."""
        operand, strides, step = self.side.operand, [], self.lines * self.line_stride
        for extent, stride in zip(reversed(operand.batch), reversed(operand.batch_strides), strict=True):
            moves = extent > 1 and stride != 0
            strides.append(step if moves else 0)
            step *= extent if moves else 1
        row, column = (self.line_stride, 1) if self.k_major else (1, self.line_stride)
        return Operand(self.side.mn // 2, self.side.k, row, column, operand.batch, tuple(reversed(strides)))

    @cached_property
    def matrices(self) -> int:
        """The matrices of sums that are made."""
        return prod(self._extents)

    @cached_property
    def vectors(self) -> int:
        """The vectors of sums that threads make."""
        return self.matrices * self.lines * self._vectors_of_line

    @cached_property
    def size_bytes(self) -> int:
        """The memory of the sums, a multiple of 256 bytes."""
        return ceil_divide(self.matrices * self.lines * self.line_stride * DTYPE_BYTES[self.dtype], 256) * 256

    @cached_property
    def shifted(self) -> bool:
        """Whether some vector of a contiguous operand begins off 16 bytes, or is not whole."""
        operand, size = self.side.operand, DTYPE_BYTES[self.dtype]
        whole = self.inner * size % VECTOR_BYTES == 0
        return operand.major is not None and not (whole and operand.vector_bytes(size) == VECTOR_BYTES)

    def blocks(self, lines_at_once: int) -> int:
        """Return the blocks that make the sums."""
        return self.matrices * self._parts * ceil_divide(self.lines, lines_at_once * (THREADS >> self._lanes_log2))

    def arguments(self, offset_bytes: int, blocks: int) -> Arguments:
        """Return the parameters of the operand: from, to, and struct Pairs of the source."""
        name, operand = self.side.buffer, self.side.operand
        along_k = 1 if self.side.k == 1 and self.k_major else operand.column_stride
        steps = (2 * operand.row_stride, along_k) if self.k_major else (along_k, 2 * operand.row_stride)
        (_, step_1), (_, step_2) = operand.batch_steps
        numbers = (
            self.lines,
            self.inner,
            steps[0],
            operand.row_stride,
            steps[1],
            self.line_stride,
            self._extents[0],
            step_1,
            step_2,
            self._lanes_log2,
            self._parts,
            blocks,
        )
        members = {
            f"pairs_{name}.{member}": Scalar(ctype, number)
            for (member, ctype), number in zip(MEMBERS, numbers, strict=True)
        }
        source, target = Pointer(name, self.side.offset_bytes), Pointer("workspace", offset_bytes)
        return {name: source, f"sums_{name}": target, **members}

    @cached_property
    def _extents(self) -> list[int]:
        """The batch extents along which the operand's matrix changes: the inner one first."""
        (one, _), (two, _) = self.side.operand.batch_steps
        return [extent if moves else 1 for extent, moves in zip((one, two), self.side.moves, strict=True)]

    @cached_property
    def _vectors_of_line(self) -> int:
        return ceil_divide(self.inner * DTYPE_BYTES[self.dtype], VECTOR_BYTES)

    @cached_property
    def _lanes_log2(self) -> int:
        return min((self._vectors_of_line - 1).bit_length(), THREADS.bit_length() - 1)

    @cached_property
    def _parts(self) -> int:
        return ceil_divide(self._vectors_of_line, 1 << self._lanes_log2)
