"""The three operations that the kernels compute: their shapes, work, and valid sizes.

Matrices are ``A (m, k)``, ``B (k, n)`` and ``C (m, n)``, row-major. The dot product is the case ``m = n = 1``.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.kernels.refusals import UnknownOperationError

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operation:
    """One operation, independent of the kernel that computes it.

    ``row_group`` rows of A and as many columns of B meet in one element of C: 1, or 2 for the reduced product.
    """

    name: str
    title: str
    formula: str
    seeds: tuple[str, ...]
    row_group: int = 1
    vectors: bool = False

    def a_shape(self, m: int, k: int) -> Shape:
        """Return the shape of A: ``(m, k)``, or ``(k,)`` for the dot product."""
        return (k,) if self.vectors else (m, k)

    def b_shape(self, k: int, n: int) -> Shape:
        """Return the shape of B: ``(k, n)``, or ``(k,)`` for the dot product."""
        return (k,) if self.vectors else (k, n)

    def c_shape(self, m: int, n: int) -> Shape:
        """Return the shape of C: ``(m, n)``, ``(m/2, n/2)`` when reduced, ``()`` for the dot product."""
        return () if self.vectors else (m // self.row_group, n // self.row_group)

    def flops(self, m: int, n: int, k: int) -> int:
        """Return the floating-point operations that the result needs, whichever kernel computes it.

        One multiplication and one addition per product; the reduced product also adds pairs of A and of B once.
        It is the same for all kernels of an operation, so that their rates can be compared.
        """
        rows, columns = m // self.row_group, n // self.row_group
        pair_sums = (self.row_group - 1) * k * (rows + columns)
        return 2 * rows * columns * k + pair_sums

    def refusal(self, m: int, n: int, k: int) -> str | None:
        """Return why the sizes are invalid, as a sentence, or None."""
        if m < 0 or n < 0 or k < 0:  # no minimum: JAX may have symbols for extents
            return f"{self.name} takes sizes of 0 or more, not m = {m}, n = {n}, k = {k}."
        if self.vectors and (m, n) != (1, 1):
            return f"{self.name} takes two vectors of k elements (m = n = 1), not m = {m}, n = {n}."
        if m % self.row_group or n % self.row_group:
            return (
                f"{self.name} adds rows of A and columns of B in pairs, so m and n must be even, not m = {m}, n = {n}."
            )
        return None


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        name="matmul",
        title="matrix multiplication",
        formula="C[i, j] = sum_p A[i, p] * B[p, j]",
        seeds=("000", "001", "002", "004"),
    ),
    Operation(
        name="reduced_matmul",
        title="reduced matrix multiplication",
        formula="C[i, j] = sum_p (A[2i, p] + A[2i+1, p]) * (B[p, 2j] + B[p, 2j+1])",
        seeds=("003",),
        row_group=2,
    ),
    Operation(
        name="dot",
        title="dot product",
        formula="C = sum_p A[p] * B[p]",
        seeds=("004",),
        vectors=True,
    ),
)


_BY_NAME = {operation.name: operation for operation in OPERATIONS}


def find_operation(name: str) -> Operation:
    """Return the operation called ``name``.

    Raises:
        UnknownOperationError: there is no such operation; the message lists the names.
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise UnknownOperationError(f"There is no operation {name!r}; there are {', '.join(_BY_NAME)}.") from None
