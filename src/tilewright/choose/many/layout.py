"""How a product's dimensions belong together, and how an array lies over a mesh of devices.

Dimensions bear labels, as in an einsum: A is "m k" and B "k n". A mesh dimension over which a label is split gives each
device a part of every array that has the label, and the whole of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod

Shape = tuple[int, ...]
Label = str | None
Placement = int | str
"""An array's placement over one mesh dimension: the dimension that is sharded, or one of these three."""

REPLICATED = "replicated"
PARTIAL = "partial"
"""Each device holds a summand: the array is their sum, which is still to be made."""
OTHER = "other"
"""What a product cannot read as it lies, such as a pending maximum or shards in another order."""

INNER = "k"


@dataclass(frozen=True)
class Contraction:
    """A product as labels of A's, B's and C's dimensions (None: extent 1, broadcast), and the three shapes.

    ``paired``: labels of which two neighbours of A or B become one of C, as in `reduced_matmul`.
    """

    a: tuple[Label, ...]
    b: tuple[Label, ...]
    c: tuple[Label, ...]
    a_shape: Shape
    b_shape: Shape
    paired: frozenset[str] = frozenset()

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All labels: those of C, then those that are summed over."""
        return tuple(dict.fromkeys(label for label in (*self.c, *self.a, *self.b) if label is not None))

    @cached_property
    def extents(self) -> Mapping[str, int]:
        """The extent of each label, in A and B."""
        pairs = (*zip(self.a, self.a_shape, strict=True), *zip(self.b, self.b_shape, strict=True))
        return {label: extent for label, extent in pairs if label is not None}

    @cached_property
    def c_shape(self) -> Shape:
        """The shape of C."""
        return tuple(1 if label is None else self.extents[label] // (1 + (label in self.paired)) for label in self.c)

    @cached_property
    def flops(self) -> int:
        """Two for each multiply-add."""
        halves = prod(2 for label in self.paired)
        return 2 * prod(self.extents.values()) // halves

    def dimension(self, operand: str, label: str) -> int | None:
        """The dimension of "A", "B" or "C" that has a label; None if none has."""
        labels = {"A": self.a, "B": self.b, "C": self.c}[operand]
        return labels.index(label) if label in labels else None


def contraction(operation: str, a_shape: Shape, b_shape: Shape) -> Contraction:
    """The labels of `matmul`, `reduced_matmul` or `dot` of arrays of these shapes, which are known to fit."""
    if operation == "dot":
        return _dot(a_shape, b_shape)
    batch_of_a, batch_of_b = a_shape[:-2], b_shape[:-2]
    rows: tuple[Label, ...] = ("m",) if len(a_shape) > 1 else ()
    columns: tuple[Label, ...] = ("n",) if len(b_shape) > 1 else ()
    most = max(len(batch_of_a), len(batch_of_b))
    left, right = ((1,) * (most - len(batch)) + batch for batch in (batch_of_a, batch_of_b))
    batch = tuple(f"batch {number}" for number in range(most))
    of_a, of_b = (
        tuple(
            label if own == max(one, other) else None
            for label, own, one, other in zip(batch, extents, left, right, strict=True)
        )
        for extents in (left, right)
    )
    return Contraction(
        (*of_a[most - len(batch_of_a) :], *rows, INNER),
        (*of_b[most - len(batch_of_b) :], INNER, *columns),
        (*batch, *rows, *columns),
        a_shape,
        b_shape,
        frozenset({"m", "n"}) if operation == "reduced_matmul" else frozenset(),
    )


def _dot(a_shape: Shape, b_shape: Shape) -> Contraction:
    """NumPy's dot: all dimensions but the one that is summed over are C's."""
    rows = tuple(f"row {number}" for number in range(len(a_shape)))
    columns = tuple(f"column {number}" for number in range(len(b_shape)))
    if not a_shape or not b_shape:
        return Contraction(rows, columns, (*rows, *columns), a_shape, b_shape)
    rows, columns = rows[:-1], columns[:-1]
    inner_at = max(len(b_shape) - 2, 0)
    of_b = (*columns[:inner_at], INNER, *columns[inner_at:])
    return Contraction((*rows, INNER), of_b, (*rows, *columns), a_shape, b_shape)


def boundaries(extent: int, parts: tuple[int, ...]) -> tuple[int, ...]:
    """Where the shards of an extent begin and end, split into parts[0] shards, each into parts[1], and so on.

    Shards are torch's: as many elements as fit evenly, rounded up, the last ones with fewer or none.
    """
    ends: tuple[int, ...] = (0, extent)
    for count in parts:
        ends = (0, *(end for one, other in pairwise(ends) for end in _chunks(one, other, count)))
    return ends


def _chunks(first: int, end: int, count: int) -> tuple[int, ...]:
    size = -(-(end - first) // count)
    return tuple(min(first + size * (number + 1), end) for number in range(count))
