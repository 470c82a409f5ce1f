"""A matrix product as it lies in the memory of a GPU: operands with strides, the output, the epilogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd, prod

from tilewright.choose.plan import PlanError

INPUT_DTYPES = ("float16", "bfloat16")
"""The 16-bit types, whose products are summed in float32 and stored in either."""
DTYPE_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
ACTIVATIONS = ("relu", "gelu", "silu")
LARGEST_EXTENT = 2**31 - 1024
"""Coordinates are 32-bit integers, and a tile reaches past an edge; counts of elements and offsets are 64-bit."""

COPY_ENGINE_BYTES = 16
COPY_ENGINE_STRIDE_LIMIT_BYTES = 2**40


@dataclass(frozen=True)
class Operand:
    """A matrix, or a batch of them, as it lies in memory.

    Strides count elements and may be 0 (broadcast) or negative; the buffer's address is that of element [0, 0] of the
    first matrix, and ``alignment_bytes`` is the largest power of two up to 16 that divides it. ``batch_strides`` has
    an entry for each extent of ``batch``, 0 where that dimension is broadcast.
    """

    rows: int
    columns: int
    row_stride: int
    column_stride: int
    batch: tuple[int, ...] = ()
    batch_strides: tuple[int, ...] = ()
    alignment_bytes: int = 16

    def __post_init__(self) -> None:
        """Raise PlanError unless every extent is 0 or more and has its stride."""
        if min(self.rows, self.columns, *self.batch, 0) < 0:
            raise PlanError(f"Extents are 0 or more, not {(*self.batch, self.rows, self.columns)}.")
        if len(self.batch) != len(self.batch_strides):
            raise PlanError(f"Each of the {len(self.batch)} batch extents has a stride, not {self.batch_strides}.")
        if self.alignment_bytes not in {1, 2, 4, 8, 16}:
            raise PlanError(f"alignment_bytes is 1, 2, 4, 8 or 16, not {self.alignment_bytes}.")

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch's extents, then rows and columns."""
        return (*self.batch, self.rows, self.columns)

    @property
    def transposed(self) -> Operand:
        """The same memory read with rows and columns swapped."""
        return replace(
            self,
            rows=self.columns,
            columns=self.rows,
            row_stride=self.column_stride,
            column_stride=self.row_stride,
        )

    @property
    def major(self) -> str | None:
        """The direction in which elements are neighbours: "row", "column", or None where it is neither.

        The stride along an extent of 1 is never walked: such a matrix counts as "row" where it can be either.
        """
        if self.columns <= 1 and self.row_stride == 1 and self.rows > 1:
            return "column"
        if self.column_stride == 1 or self.columns <= 1:
            return "row"
        return "column" if self.row_stride == 1 or self.rows <= 1 else None

    @property
    def leading_stride(self) -> int | None:
        """The elements between two rows ("row" major) or two columns, or None where neither is contiguous.

        Along an extent of 1 it is what it would be were the matrix packed, rounded up to what the copy engine takes.
        """
        if self.major is None:
            return None
        along, across, stride = (
            (self.columns, self.rows, self.row_stride)
            if self.major == "row"
            else (self.rows, self.columns, self.column_stride)
        )
        return stride if across > 1 else max(8, -(-along // 8) * 8)

    def copy_engine_refusal(self, element_bytes: int) -> str | None:
        """Return why the copy engine (TMA) cannot address it, as half a sentence, or None where it can.

        It takes a 16-byte aligned base, one unit stride, and other strides that are positive multiples of 16 bytes;
        a broadcast batch dimension is left out of its map.
        """
        leading = self.leading_stride
        if self.alignment_bytes < COPY_ENGINE_BYTES:
            return f"its address is aligned to {self.alignment_bytes} bytes and not to {COPY_ENGINE_BYTES}"
        if leading is None:
            return f"neither its rows nor its columns are contiguous (strides {self.row_stride}, {self.column_stride})"
        strides = [leading, *(s for s, e in zip(self.batch_strides, self.batch, strict=True) if e > 1 and s != 0)]
        for stride in strides:
            if stride <= 0 or stride * element_bytes % COPY_ENGINE_BYTES:
                return f"its stride of {stride:,} elements is no positive multiple of {COPY_ENGINE_BYTES} bytes"
            if stride * element_bytes >= COPY_ENGINE_STRIDE_LIMIT_BYTES:
                return f"its stride of {stride:,} elements is 2^40 bytes or more"
        return None

    @property
    def distinct_elements(self) -> int:
        """The elements that are not a broadcast of another: what a copy of it has to hold."""
        extents = zip(self.shape, (*self.batch_strides, self.row_stride, self.column_stride), strict=True)
        return prod(extent if stride else min(extent, 1) for extent, stride in extents)

    def moved(self, elements: int, element_bytes: int) -> Operand:
        """Return it as seen from ``elements`` further on: the same strides, the alignment of the new address."""
        return replace(self, alignment_bytes=gcd(self.alignment_bytes, elements * element_bytes))

    def vector_bytes(self, element_bytes: int) -> int:
        """Return the widest power of two, at most 16, in which every row ("row" major) or column may be read."""
        leading = self.leading_stride
        if leading is None:
            return element_bytes
        strides = (leading, *self.batch_strides)
        return max(gcd(self.alignment_bytes, *(stride * element_bytes for stride in strides)), element_bytes)


@dataclass(frozen=True)
class Epilogue:
    """What happens to a sum before it is stored: ``activation(alpha * sum + beta * addend + bias)``, in float32.

    ``beta = 0`` leaves the addend unread. ``bias`` is a contiguous vector with an element for each column of C, in the
    type of C, as the addend is. ``gelu`` is the exact one, with the error function.
    """

    alpha: float = 1
    beta: float = 0
    bias: bool = False
    activation: str | None = None

    def __post_init__(self) -> None:
        """Raise PlanError for an activation that is none of ours."""
        if self.activation is not None and self.activation not in ACTIVATIONS:
            raise PlanError(f"activation is None, {', '.join(map(repr, ACTIVATIONS))}, not {self.activation!r}.")

    @property
    def is_plain(self) -> bool:
        """Whether the sum is stored as it is."""
        return self == Epilogue()

    def __str__(self) -> str:
        """Return the formula, as in ``relu(0.5 AB + bias)``."""
        terms = ["AB" if self.alpha == 1 else f"{self.alpha:g} AB"]
        terms += [f"{self.beta:g} c"] if self.beta else []
        terms += ["bias"] if self.bias else []
        formula = " + ".join(terms)
        return f"{self.activation}({formula})" if self.activation else formula


@dataclass(frozen=True)
class Multiplication:
    """C = epilogue(A B) for A (m, k), B (k, n) and C (m, n), each a matrix or a batch of them.

    ``dtype`` is the type of A and B, ``out_dtype`` that of C, the addend and the bias. Sums are float32, or float64
    for float64. A and B have C's batch extents, with stride 0 where they are broadcast.
    """

    a: Operand
    b: Operand
    c: Operand
    dtype: str
    out_dtype: str
    epilogue: Epilogue = Epilogue()
    addend: Operand | None = None

    def __post_init__(self) -> None:
        """Raise PlanError unless types and shapes fit together."""
        if self.dtype not in DTYPE_BYTES:
            raise PlanError(f"A and B are {', '.join(DTYPE_BYTES)}, not {self.dtype}.")
        accepted = (self.dtype, "float32") if self.dtype in INPUT_DTYPES else (self.dtype,)
        if self.out_dtype not in accepted:
            raise PlanError(f"C is {' or '.join(accepted)} for inputs in {self.dtype}, not {self.out_dtype}.")
        m, n, k = self.c.rows, self.c.columns, self.a.columns
        expected = {"A": (self.a, (m, k)), "B": (self.b, (k, n)), "the addend": (self.addend, (m, n))}
        for name, (operand, shape) in expected.items():
            if operand is not None and operand.shape != (*self.c.batch, *shape):
                raise PlanError(f"For C {self.c.shape}, {name} is {(*self.c.batch, *shape)}, not {operand.shape}.")
        if (self.epilogue.beta != 0) != (self.addend is not None):
            raise PlanError(f"An addend and beta other than 0 go together, not beta = {self.epilogue.beta:g} alone.")
        largest = max(m, n, k)
        if largest > LARGEST_EXTENT:
            raise PlanError(f"m, n and k are at most {LARGEST_EXTENT:,}, not {largest:,}: coordinates are 32-bit.")

    @property
    def m(self) -> int:
        """The rows of A and C."""
        return self.c.rows

    @property
    def n(self) -> int:
        """The columns of B and C."""
        return self.c.columns

    @property
    def k(self) -> int:
        """The columns of A and rows of B."""
        return self.a.columns

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch extents of C."""
        return self.c.batch

    @property
    def batch_count(self) -> int:
        """How many products there are: 1 without a batch."""
        return prod(self.batch)

    @property
    def element_bytes(self) -> int:
        """The bytes of an element of A or B."""
        return DTYPE_BYTES[self.dtype]

    @property
    def out_bytes(self) -> int:
        """The bytes of an element of C, the addend or the bias."""
        return DTYPE_BYTES[self.out_dtype]

    @property
    def flops(self) -> int:
        """The floating-point operations: one multiplication and one addition for each product."""
        return 2 * self.batch_count * self.m * self.n * self.k

    @property
    def least_bytes(self) -> int:
        """The bytes that must move at least: A, B and the addend once, C once."""
        inputs = (self.a.distinct_elements + self.b.distinct_elements) * self.element_bytes
        read = 0 if self.addend is None else self.addend.distinct_elements
        return inputs + (read + self.c.distinct_elements) * self.out_bytes

    def alignment_refusal(self) -> str | None:
        """Return why a GPU cannot read or write an operand where it lies, as a sentence, or None where it can."""
        read, stored = self.element_bytes, self.out_bytes
        operands = (
            ("A", self.a, read),
            ("B", self.b, read),
            ("C", self.c, stored),
            ("The addend", self.addend, stored),
        )
        refusals = (
            element_refusal(name, operand.alignment_bytes, size)
            for name, operand, size in operands
            if operand is not None
        )
        return next((refusal for refusal in refusals if refusal is not None), None)

    def __str__(self) -> str:
        """Return one line, as in ``64 x (128x64x128), bfloat16``: rows x inner x columns."""
        sizes = f"{self.m}x{self.k}x{self.n}"
        batch = " x ".join(map(str, self.batch))
        types = self.dtype if self.out_dtype == self.dtype else f"{self.dtype} to {self.out_dtype}"
        return f"{batch} x ({sizes}), {types}" if batch else f"{sizes}, {types}"


def element_refusal(name: str, alignment_bytes: int, element_bytes: int) -> str | None:
    """Return why a GPU cannot read elements of this size from an address of this alignment, or None where it can."""
    if alignment_bytes >= element_bytes:
        return None
    return (
        f"{name}'s address is a multiple of {alignment_bytes} bytes, and a GPU reads elements of {element_bytes} bytes "
        f"at multiples of {element_bytes}: copy it to an aligned address."
    )


def packed(shape: Sequence[int], alignment_bytes: int = 16) -> Operand:
    """Return the operand of a row-major array without gaps."""
    *batch, rows, columns = shape
    strides = [rows * columns * prod(batch[index + 1 :]) for index in range(len(batch))]
    return Operand(rows, columns, columns, 1, tuple(batch), tuple(strides), alignment_bytes)
