"""One launch of a kernel whose roles are known: its inputs, what C holds before, and what it should hold behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy

from tilewright.lab.check.element_types import unset
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.layers import activation_of, bias_array, c_operand_of
from tilewright.lab.check.find.products import Array, Comparison, c_elements, compare, operands, result_of, starting
from tilewright.lab.check.find.roles import PLAIN_BETA, SCRATCH, Roles
from tilewright.lab.check.find.spare_arrays import spare_arrays
from tilewright.lab.check.find.zeroed import adds_atomically, says_added, zeroing_line
from tilewright.lab.check.kind import Kind
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.run.execution import Argument, Geometry, Pointer
from tilewright.lab.check.sizes import Sizes

from .wide_operands import wide_operands


@dataclass(frozen=True)
class Case:
    """One launch with fresh inputs. c: what the array of C holds before it."""

    roles: Roles
    sizes: Sizes
    geometry: Geometry
    a: Array
    b: Array
    c: Array
    arguments: list[Argument]
    bias: Mapping[str, Pointer] = field(default_factory=dict)

    def compare(self, buffer: Array) -> Comparison:
        """Compare what the array of C holds after the launch with the reference."""
        operation, (alpha, beta) = self.roles.operation, self.roles.factors
        result = result_of(operation, self.sizes, self.roles.without_padding(buffer, self.sizes).ravel())
        if not self.roles.is_scaled:
            c_operand, activation = c_operand_of(self.roles, self.sizes, self.bias), activation_of(self.roles)
            return compare(operation, self.a, self.b, result, c_operand=c_operand, activation=activation)
        before = beta * self.c.reshape(result.shape) if beta else numpy.zeros(result.shape)
        return compare(operation, self.a, self.b, result, alpha=alpha, c_operand=before)

    def wrong_total(self, arrays: Mapping[str, Array]) -> str:
        """Return what is wrong in the sums of blocks that are written beside their prefix sums; "" if nothing is."""
        kind = KINDS.get(self.roles.operation)
        if kind is None or not kind.is_by_blocks or SCRATCH not in arrays:
            return ""
        totals = kind.totals(self.a, self.b)
        wrong = numpy.flatnonzero(arrays[SCRATCH][: totals.size] != totals)
        if not wrong.size:
            return ""
        block = int(wrong[0])
        return f"the sum of block {block} is {arrays[SCRATCH][block]:g} and should be {totals[block]:g}"


Drawn = Callable[[Array, Array, numpy.random.Generator], tuple[Array, Array]]
"""What gives A and B of a product in place of the random ones, in their shapes and types, for readers: then those of
other kinds are whole numbers, too."""


def case_of(found: Found, sizes: Sizes, seed: int, *, zero: bool, drawn: Drawn | None = None) -> Case:
    """Return a launch's inputs: random A and B, and C unset (or 0, or even numbers for a beta); raise LaunchError."""
    roles = found.roles
    geometry = found.rule.at(roles, sizes)
    values = roles.values(sizes, lambda text: found.rule.number(text, roles, sizes))
    dtypes = found.dtypes
    slices = roles.slices_in(geometry.grid)
    count = c_elements(roles.operation, sizes, int(numpy.prod(geometry.grid)), slices)
    generator = numpy.random.default_rng(seed)
    a, b = operands(roles.operation, sizes, dtypes, generator)
    kind = KINDS.get(roles.operation)
    if kind is None:
        a, b = drawn(a, b, generator) if drawn else wide_operands(a, b, dtypes, generator, takes_all=found.takes_all)
    a = kind.shifted(a, generator) if kind else a
    if kind and dtypes["C"].kind == "f" and not found.rounds and drawn is None:
        a, b = kind.quarters(a, b, dtypes.values())
    c = starting(roles.operation, a, b, _before(kind, count, dtypes["C"], zero=zero))
    is_unset = not zero and not (kind and (kind.starts or kind.holds))
    if roles.factors[1]:
        c = 2 * generator.integers(-4, 5, count).astype(dtypes["C"])
    shape = (slices, *sizes.c_shape(roles.operation)) if slices > 1 else sizes.c_shape(roles.operation) or (count,)
    matrices = {name: Pointer(name, roles.in_memory(name, matrix)) for name, matrix in (("A", a), ("B", b))}
    in_memory = roles.in_memory("C", c.reshape(shape)) if roles.padding or roles.row_multiple > 1 else c.reshape(shape)
    matrices["C"] = Pointer("C", in_memory, is_unset=is_unset)
    bias = bias_array(roles, sizes, dtypes)
    matrices |= spare_arrays(roles, dtypes) | bias
    arguments: list[Argument] = [matrices[v] if isinstance(v, str) else v for v in values]
    return Case(roles, sizes, geometry, a, b, c, arguments, bias)


def _before(kind: Kind | None, count: int, dtype: numpy.dtype[Any], *, zero: bool) -> Array:
    """Return what C holds: nothing, 0, or for a maximum with atomics the least number."""
    if not zero or kind is None or not kind.sign:
        return numpy.zeros(count, dtype) if zero else unset(count, dtype)
    ends = numpy.iinfo(dtype) if dtype.kind in "iu" else numpy.finfo(dtype)
    return numpy.full(count, ends.min if kind.sign > 0 else ends.max, dtype)


def starts_at_zero(kernel: KernelFile, found: Found) -> bool:
    """Return whether C starts as 0: by the user's option, by the file's host code, or because of a factor beta."""
    if kernel.options.zero_output or PLAIN_BETA in found.roles.arguments:
        return True
    is_filled = zeroing_line(kernel, found) is not None or adds_atomically(kernel, found)
    return is_filled or says_added(kernel.opened.file.text)
