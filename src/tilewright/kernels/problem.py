"""A problem: an operation, the layouts of its operands, the result's type, the epilogue."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

from tilewright.kernels.operand import ELEMENT_BYTES, INTEGER_BYTES, Operand, packed, unaligned
from tilewright.kernels.operations import Operation, Shape, find_operation
from tilewright.kernels.precision import precision_of
from tilewright.kernels.refusals import PlanError

INPUT_DTYPES = ("float16", "bfloat16")
"""The 16-bit types, whose products are summed in float32 and stored in either."""
WIDER_INTEGERS = {
    dtype: tuple(
        wider
        for wider, wider_bytes in INTEGER_BYTES.items()
        if wider_bytes > nbytes and (dtype[0] == "u" or wider[0] != "u")
    )
    for dtype, nbytes in INTEGER_BYTES.items()
}
"""The integers that hold every number of a type, and more."""
RESULT_DTYPES = {
    **{("", dtype): (dtype, "float32") for dtype in INPUT_DTYPES},
    **{("dot", dtype): (dtype, "float32", "float64") for dtype in INPUT_DTYPES},
    ("dot", "float32"): ("float32", "float64"),
    **{("dot", dtype): (dtype, *WIDER_INTEGERS[dtype]) for dtype in INTEGER_BYTES},
}
"""The types of results by operation ("" for any) and type of the inputs, where it may be another than theirs."""
ACTIVATIONS = ("relu", "gelu", "silu")
LARGEST_EXTENT = 2**31 - 1024
"""Coordinates are 32-bit integers, and a tile reaches past an edge; counts of elements and offsets are 64-bit."""


@dataclass(frozen=True)
class Epilogue:
    """The epilogue of a sum before it is stored: ``activation(alpha * sum + beta * c + bias)``, in float32.

    ``c`` is the C operand, which is not read if ``beta = 0``. ``bias`` is a contiguous vector with an element for
    each column of C. Both have the type of C. ``gelu`` is the exact one, with the error function.
    """

    alpha: float = 1
    beta: float = 0
    bias: bool = False
    activation: str | None = None

    def __post_init__(self) -> None:
        """Raise PlanError for an unknown activation."""
        if self.activation is not None and self.activation not in ACTIVATIONS:
            raise PlanError(f"activation is None, {', '.join(map(repr, ACTIVATIONS))}, not {self.activation!r}.")

    @property
    def is_plain(self) -> bool:
        """Whether the sum is stored unchanged."""
        return self == PLAIN

    def __str__(self) -> str:
        """Return the formula, as in ``relu(0.5 AB + bias)``."""
        terms = ["AB" if self.alpha == 1 else f"{self.alpha:g} AB"]
        terms += [f"{self.beta:g} c"] if self.beta else []
        terms += ["bias"] if self.bias else []
        formula = " + ".join(terms)
        return f"{self.activation}({formula})" if self.activation else formula


PLAIN = Epilogue()


@dataclass(frozen=True)
class Problem:
    """C = epilogue(A B) for A (m, k), B (k, n) and C (m, n), each a matrix or a batch of them, or another operation.

    The reduced product's C is (m/2, n/2); the two vectors of a dot product are a row and a column. ``dtype`` is the
    type of A and B by NumPy's name, ``out_dtype`` that of the output, the C operand and the bias. A and B have C's
    batch extents, with stride 0 where they are broadcast. ``precision`` is how float32 is multiplied
    (`kernels/precision.py`), None for other types. ``invariant``: a row of C has the same bits however many
    others there are (`kernels/invariant.py`).

    What follows from these is worked out when the problem is made: ``about``, the operation's own description; ``m``,
    the rows of A, ``n``, the columns of B, ``k``, the columns of A and rows of B, together ``sizes``; ``batch``, the
    batch extents of C, ``batch_count``, the number of products, ``is_empty``, whether C has no elements;
    ``size_refusal``, why the operation takes no such sizes, as a sentence, or None; ``element_bytes``, the size of an
    element of A or B, and ``out_bytes``, of the output, the C operand or the bias, 0 for types that no kernel reads.
    """

    a: Operand
    b: Operand
    c: Operand
    dtype: str
    out_dtype: str
    epilogue: Epilogue = PLAIN
    c_operand: Operand | None = None
    operation: str = "matmul"
    precision: str | None = None
    invariant: bool = False

    about: Operation = field(init=False, repr=False, compare=False)
    m: int = field(init=False, repr=False, compare=False)
    n: int = field(init=False, repr=False, compare=False)
    k: int = field(init=False, repr=False, compare=False)
    sizes: tuple[int, int, int] = field(init=False, repr=False, compare=False)
    batch: tuple[int, ...] = field(init=False, repr=False, compare=False)
    batch_count: int = field(init=False, repr=False, compare=False)
    is_empty: bool = field(init=False, repr=False, compare=False)
    size_refusal: str | None = field(init=False, repr=False, compare=False)
    element_bytes: int = field(init=False, repr=False, compare=False)
    out_bytes: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Work out what follows from the fields; raise PlanError unless types, precision and shapes fit together."""
        about, batch = find_operation(self.operation), self.c.batch
        m, n, k = sizes = self.a.rows, self.b.columns, self.a.columns
        rows, columns, count = self.c.rows, self.c.columns, prod(batch)
        refusal, is_empty = about.refusal(m, n, k), 0 in (count, rows, columns)
        vars(self).update(about=about, m=m, n=n, k=k, sizes=sizes, size_refusal=refusal)
        if self.precision is not None or self.dtype == "float32":
            vars(self).update(precision=precision_of(self.dtype, self.precision))
        vars(self).update(batch=batch, batch_count=count, is_empty=is_empty)
        vars(self).update(
            element_bytes=ELEMENT_BYTES.get(self.dtype, 0), out_bytes=ELEMENT_BYTES.get(self.out_dtype, 0)
        )
        accepted = RESULT_DTYPES.get((self.operation, self.dtype)) or RESULT_DTYPES.get(("", self.dtype), (self.dtype,))
        if self.out_dtype not in accepted:
            raise PlanError(f"C is {' or '.join(accepted)} for inputs in {self.dtype}, not {self.out_dtype}.")
        expected = {
            "A": (self.a, (about.row_group * rows, k)),
            "B": (self.b, (k, about.row_group * columns)),
            "the C operand": (self.c_operand, (rows, columns)),
        }
        if refusal is None:
            for name, (operand, shape) in expected.items():
                if operand is not None and (operand.batch, operand.rows, operand.columns) != (batch, *shape):
                    raise PlanError(f"For C {self.c.shape}, {name} is {(*batch, *shape)}, not {operand.shape}.")
        if (self.epilogue.beta != 0) != (self.c_operand is not None):
            raise PlanError(f"A C operand and beta other than 0 go together, not beta = {self.epilogue.beta:g} alone.")

    @classmethod
    def of(cls, operation: str, m: int, n: int, k: int, dtype: str) -> Problem:
        """Return the problem of row-major matrices without gaps; of vectors of k elements for the dot product.

        Raises:
            UnknownOperationError: there is no such operation.
        """
        group = find_operation(operation).row_group
        c = packed((m // group, n // group))
        return cls(packed((m, k)), packed((k, n)), c, dtype, dtype, operation=operation)

    def resized(self, m: int, n: int, k: int) -> Problem:
        """Return the same operation in the same type, of packed matrices of other sizes."""
        plain = Problem.of(self.operation, m, n, k, self.dtype)
        return replace(plain, precision=self.precision, invariant=self.invariant)

    @cached_property
    def a_shape(self) -> Shape:
        """The shape of A: ``(m, k)``, or ``(k,)`` for the dot product."""
        return (*self.batch, *self.about.a_shape(self.m, self.k))

    @cached_property
    def b_shape(self) -> Shape:
        """The shape of B: ``(k, n)``, or ``(k,)`` for the dot product."""
        return (*self.batch, *self.about.b_shape(self.k, self.n))

    @cached_property
    def c_shape(self) -> Shape:
        """The shape of C: ``(m, n)``, ``(m/2, n/2)`` when reduced, ``()`` for the dot product."""
        return (*self.batch, *self.about.c_shape(self.m, self.n))

    @property
    def flops(self) -> int:
        """The floating-point operations that the result needs."""
        return self.batch_count * self.about.flops(*self.sizes)

    @cached_property
    def least_bytes(self) -> int:
        """The least memory traffic in bytes: A, B and the C operand are read once, the output is written once."""
        inputs = (self.a.distinct_elements + self.b.distinct_elements) * self.element_bytes
        read = 0 if self.c_operand is None else self.c_operand.distinct_elements
        return inputs + (read + self.c.distinct_elements) * self.out_bytes

    @cached_property
    def copy_engine_refusals(self) -> tuple[str | None, str | None]:
        """Why the copy engine (TMA) cannot address A, and B with k along its columns, as half sentences, or None."""
        sides = self.a, self.b.transposed
        of_a, of_b = (side.copy_engine_refusal(self.element_bytes) for side in sides)
        return of_a, of_b

    @cached_property
    def transposed(self) -> Problem:
        """The transposed problem C^T = B^T A^T: the same sums with rows and columns exchanged."""
        return replace(
            self,
            a=self.b.transposed,
            b=self.a.transposed,
            c=self.c.transposed,
            c_operand=None if self.c_operand is None else self.c_operand.transposed,
        )

    def extent_refusal(self) -> str | None:
        """Return why the extents exceed the limits of kernels for any strides, as a sentence, or None.

        Vectors have an index of 64 bits.
        """
        largest = max(self.sizes)
        if largest <= LARGEST_EXTENT or self.about.vectors:
            return None
        return f"m, n and k are at most {LARGEST_EXTENT:,}, not {largest:,}: coordinates are 32-bit."

    def alignment_refusal(self) -> str | None:
        """Return why a GPU cannot read or write an operand in place, as a sentence, or None if it can."""
        operands = (
            ("A", self.a, self.element_bytes),
            ("B", self.b, self.element_bytes),
            ("C", self.c, self.out_bytes),
            ("The C operand", self.c_operand, self.out_bytes),
        )
        for name, operand, size in operands:
            if operand is not None and operand.alignment_bytes < size:
                return unaligned(name, operand.alignment_bytes, size)
        return None

    def __str__(self) -> str:
        """Return one line, as in ``matmul of A (64, 62) and B (62, 64), float64``."""
        types = self.dtype if self.out_dtype == self.dtype else f"{self.dtype} to {self.out_dtype}"
        return f"{self.operation} of A {self.a_shape} and B {self.b_shape}, {types}"
