"""One kernel of the catalogue on one machine, with poisoned output, guard bands and an independent reference.

The GPU measurements, the tests on a GPU and the comparison of counts share it, so they all launch alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.choose import Problem, choose_plan
from tilewright.kernels.catalogue import find_taught
from tilewright.launch.machine import Machine, Record

Array = NDArray[Any]

GUARD_ELEMENTS = 256
"""Elements behind C that no kernel may touch."""


@dataclass(frozen=True)
class Launch:
    """What to launch: a kernel by name, its element type, tile (None: it has none) and sizes."""

    kernel: str
    dtype: str
    tile: int | None
    m: int
    n: int
    k: int

    @property
    def operation(self) -> str:
        """The first half of the kernel's name."""
        return self.kernel.partition("/")[0]

    @property
    def c_rows(self) -> int:
        """The rows of C."""
        return self.m // 2 if self.operation == "reduced_matmul" else self.m

    def __str__(self) -> str:
        """As a test is named: matmul/tiled-16-float32-17x31x33."""
        tile = "" if self.tile is None else f"-{self.tile}"
        return f"{self.kernel}{tile}-{self.dtype}-{self.m}x{self.n}x{self.k}"


class Operands:
    """A and B on the host and on a machine; launches of the same operation, shapes and type may share them.

    checked_rows: how many rows of C, drawn at random, are compared with the reference; None: all.
    """

    def __init__(
        self, machine: Machine, launch: Launch, rng: numpy.random.Generator, checked_rows: int | None = None
    ) -> None:
        self.machine, self.launch = machine, launch
        count = launch.c_rows if checked_rows is None else min(checked_rows, launch.c_rows)
        self.rows = rng.choice(launch.c_rows, count, replace=False)
        vectors = launch.operation == "dot"
        self.a = normal(rng, (launch.k,) if vectors else (launch.m, launch.k), launch.dtype)
        self.b = normal(rng, (launch.k,) if vectors else (launch.k, launch.n), launch.dtype)
        self.buffers = [machine.allocate(max(array.nbytes, 1), name) for name, array in (("A", self.a), ("B", self.b))]
        for buffer, array in zip(self.buffers, (self.a, self.b), strict=True):
            if array.nbytes:
                machine.copy_in(buffer, array)

    @cached_property
    def expected(self) -> tuple[Array, Array]:
        """The checked rows of C in float64, and how far a correct kernel may be from each element."""
        return reference(self.launch, self.a, self.b, self.rows)

    def close(self) -> None:
        """Free the machine's memory."""
        for buffer in self.buffers:
            self.machine.free(buffer)


class KernelRun:
    """A compiled kernel, its plan and its C, ready to launch as often as wanted."""

    def __init__(self, machine: Machine, launch: Launch, operands: Operands) -> None:
        self.machine, self.launch, self.operands = machine, launch, operands
        operation, _, idea = launch.kernel.partition("/")
        kernel = find_taught(operation, idea)
        problem = Problem.of(operation, launch.m, launch.n, launch.k, launch.dtype)
        self.plan = choose_plan(problem, machine.facts(), kernel=launch.kernel, tile=launch.tile)
        self.loaded = machine.load(self.plan)
        self.c_elements = kernel.c_elements(launch.m, launch.n, launch.k, self.plan.side)
        self.poison = numpy.full(self.c_elements + GUARD_ELEMENTS, numpy.nan, launch.dtype)
        self.c = machine.allocate(self.poison.nbytes, "C")
        a, b = (buffer.address for buffer in operands.buffers)
        self.addresses = (a, b, self.c.address, 0, 0, 0)

    def run(self) -> Record:
        """Launch once, over whatever C holds."""
        return self.machine.timed(self.loaded, self.addresses)

    def run_checked(self) -> Record:
        """Launch once over poisoned C and compare with the reference; AssertionError says what differs."""
        self.machine.copy_in(self.c, self.poison)
        record = self.run()
        everything = numpy.empty_like(self.poison)
        self.machine.copy_out(self.c, everything)
        assert numpy.isnan(everything[self.c_elements :]).all(), f"{self.launch} wrote behind C"
        c = everything[: self.c_elements]
        if self.launch.operation == "dot":
            c = c.sum(dtype=self.launch.dtype, keepdims=True)
        expected, bound = self.operands.expected
        got = c.reshape(self.launch.c_rows, -1)[self.operands.rows].astype(numpy.float64)
        error = numpy.abs(got - expected)
        assert (error <= bound).all(), f"{self.launch}: {(~(error <= bound)).sum()} of {error.size} elements are wrong"
        return record

    def close(self) -> None:
        """Free C."""
        self.machine.free(self.c)


def normal(rng: numpy.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Random normal numbers, drawn in the type itself."""
    return rng.standard_normal(shape, dtype=numpy.dtype(dtype).type)


def reference(launch: Launch, a: Array, b: Array, rows: Array) -> tuple[Array, Array]:
    """Rows of C in float64 and, for each element, how far a correct kernel may be from it.

    A sum of k products has an error of at most g(k) |A||B| in any order, with or without fused multiply-adds,
    g(k) = k u / (1 - k u), u the unit roundoff (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
    The reduced product first adds pairs, or adds four products at a time: four more roundings.
    Partial sums of a dot product are added in the same type, so k stays the number of terms.
    """
    a64, b64 = a.astype(numpy.float64), b.astype(numpy.float64)
    magnitude_a, magnitude_b = numpy.abs(a64), numpy.abs(b64)
    if launch.operation == "reduced_matmul":
        a64, b64 = a64[0::2] + a64[1::2], b64[:, 0::2] + b64[:, 1::2]
        magnitude_a, magnitude_b = magnitude_a[0::2] + magnitude_a[1::2], magnitude_b[:, 0::2] + magnitude_b[:, 1::2]
    if launch.operation == "dot":
        a64, b64, magnitude_a, magnitude_b = a64[None], b64[:, None], magnitude_a[None], magnitude_b[:, None]
    roundings = (launch.k + 4) * float(numpy.finfo(launch.dtype).eps) / 2
    # In float64 the reference rounds as the kernel does: twice the bound holds between them.
    factor = 2 if launch.dtype == "float64" else 1
    return a64[rows] @ b64, factor * roundings / (1 - roundings) * (magnitude_a[rows] @ magnitude_b)
