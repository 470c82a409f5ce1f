"""What is to be computed: an operation, its sizes and the element type."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.kernels import Operation, find_operation


@dataclass(frozen=True)
class Problem:
    """One multiplication. The dot product of two vectors of k elements has ``m = n = 1``.

    ``dtype`` is NumPy's name of the element type, as in ``"float32"``.
    """

    operation: str
    m: int
    n: int
    k: int
    dtype: str

    @property
    def about(self) -> Operation:
        """The operation's own description. Raises UnknownOperationError for a name that is none."""
        return find_operation(self.operation)

    @property
    def a_shape(self) -> tuple[int, ...]:
        """The shape of A: ``(m, k)``, or ``(k,)`` for the dot product."""
        return self.about.a_shape(self.m, self.k)

    @property
    def b_shape(self) -> tuple[int, ...]:
        """The shape of B: ``(k, n)``, or ``(k,)`` for the dot product."""
        return self.about.b_shape(self.k, self.n)

    @property
    def c_shape(self) -> tuple[int, ...]:
        """The shape of C: ``(m, n)``, ``(m/2, n/2)`` when reduced, ``()`` for the dot product."""
        return self.about.c_shape(self.m, self.n)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """``(m, n, k)``."""
        return (self.m, self.n, self.k)

    @property
    def flops(self) -> int:
        """The floating-point operations that the result needs."""
        return self.about.flops(*self.sizes)

    def __str__(self) -> str:
        """Return one line, as in ``matmul of A (64, 62) and B (62, 64), float64``."""
        return f"{self.operation} of A {self.a_shape} and B {self.b_shape}, {self.dtype}"
