"""Which placements a product over a mesh takes, and what they cost."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy
import pytest

from tilewright.choose.many import OTHER, PARTIAL, REPLICATED, Asked, choose_sharding, contraction
from tilewright.choose.many.layout import boundaries
from tilewright.choose.many.sharded import Pieces

PLACEMENTS = (0, 1, REPLICATED, PARTIAL)


def way(a, b, m=64, k=32, n=48, mesh=(2,), operation="matmul", **more):
    """The way of a product of float32 matrices."""
    return choose_sharding(Asked(contraction(operation, (m, k), (k, n)), mesh, a, b, **more))


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        ((0,), (REPLICATED,), (0,)),
        ((REPLICATED,), (1,), (1,)),
        ((1,), (0,), (PARTIAL,)),
        ((REPLICATED,), (REPLICATED,), (REPLICATED,)),
        ((PARTIAL,), (REPLICATED,), (PARTIAL,)),
    ],
)
def test_what_fits_does_not_move(a, b, c):
    """Operands whose local products are parts of C stay as they are, as with torch's own product."""
    found = way(a, b, m=64, k=4096, n=64)
    assert (found.bytes, found.moves, found.c) == (0, (), c)
    assert "Nothing moves" in found.reasons[0]


def test_the_smaller_operand_is_gathered():
    """A by rows and B by columns: either may be gathered, and the bytes are those of the smaller one."""
    found = way((0,), (1,), m=8, k=32, n=1000)
    assert (found.a, found.b, found.c) == ((REPLICATED,), (1,), (1,))
    assert [(move.array, move.collective, move.bytes) for move in found.moves] == [("A", "all-gather", 8 * 32 * 4 // 2)]
    assert found.all_bytes == 2 * found.bytes
    assert found.pieces is not None
    assert (found.pieces.array, found.pieces.label, found.pieces.sent) == ("A", "m", "m")
    assert found.reasons[-1] == "A is brought by pieces, each while another is multiplied."
    assert way((0,), (1,), m=1000, k=32, n=8).pieces.array == "B"


def test_a_weight_sharded_along_the_sum_is_gathered_by_columns():
    """Each piece has whole columns, so that no element of C is a sum of rounded parts."""
    found = way((0,), (0,), m=10_000, k=32, n=512)
    assert (found.a, found.b, found.c) == ((0,), (REPLICATED,), (0,))
    assert (found.pieces.array, found.pieces.label, found.pieces.sent) == ("B", "n", "k")


def test_an_all_to_all_is_brought_by_pieces_of_its_own_rows():
    """A sharded along the sum beside a whole B: each device takes its rows of A from all others."""
    found = way((1,), (REPLICATED,), m=1000, k=500, n=4000)

    assert found.moves[0].collective == "all-to-all"
    assert found.pieces == Pieces("A", 0, "m", "k", is_all_to_all=True)


def test_a_pending_sum_counts():
    """With a short k, summands of C would be the larger burden: the operands move instead."""
    found = way((1,), (0,), m=1000, k=8, n=1000)
    assert PARTIAL not in found.c
    assert found.bytes < 1000 * 1000 * 4 // 2


def test_an_epilogue_needs_the_whole_sum():
    """Summands are added, by pieces of rows, before an activation sees them."""
    found = way((1,), (0,), m=64, k=4096, n=64, is_linear=False)
    assert (found.summed, found.c) == ((PARTIAL,), (0,))
    assert [(move.array, move.collective, move.bytes) for move in found.moves] == [
        ("C", "reduce-scatter", 64 * 64 * 4 // 2)
    ]
    assert (found.pieces.array, found.pieces.label) == ("C", "m")
    assert found.reasons[-1] == "Summands of C are added by pieces, each while another is multiplied."


def test_pairs_stay_together():
    """Rows of which a shard has an odd number cannot stay where they are in a reduced product."""
    assert way((0,), (REPLICATED,), m=8, operation="reduced_matmul").moves == ()
    found = way((0,), (REPLICATED,), m=10, operation="reduced_matmul")
    assert found.a != (0,)
    assert "A's shards end within pairs" in found.reasons[0]


def test_two_dimensions_of_a_mesh():
    """Rows over one and columns over the other need nothing; gathering is counted within each."""
    assert way((0, REPLICATED), (REPLICATED, 1), mesh=(2, 4)).moves == ()
    found = way((0, 1), (0, 1), m=64, k=64, n=64, mesh=(2, 4))
    assert found.c == (0, 1)
    assert {move.array: move.bytes for move in found.moves} == {
        "A": 64 * 64 * 4 // 2 * 3 // 4,
        "B": 64 * 64 * 4 // 4 // 2,
    }


def test_what_cannot_be_read_is_made_whole():
    """A pending maximum, or shards in another order."""
    found = way((OTHER,), (REPLICATED,))
    assert OTHER not in found.a
    assert found.moves[0].collective == "all-reduce"


@pytest.mark.parametrize(("mesh", "operation"), [((2,), "matmul"), ((3,), "reduced_matmul"), ((2, 2), "matmul")])
def test_no_other_way_has_fewer_bytes(mesh, operation):
    """Every pair: the moves bring A and B to the placements named, and C's follow from those."""
    for given in product(PLACEMENTS, repeat=2 * len(mesh)):
        found = way(given[: len(mesh)], given[len(mesh) :], m=12, k=10, n=8, mesh=mesh, operation=operation)
        assert numpy.all([placement != OTHER for placement in (*found.a, *found.b)])
        for a, b, c in zip(found.a, found.b, found.c, strict=True):
            expected = {
                (0, REPLICATED): 0,
                (REPLICATED, 1): 1,
                (1, 0): PARTIAL,
                (REPLICATED, REPLICATED): REPLICATED,
                (PARTIAL, REPLICATED): PARTIAL,
                (REPLICATED, PARTIAL): PARTIAL,
            }
            assert expected[a, b] == c
        if found.pieces is not None:
            assert found.pieces.array in {move.array for move in found.moves}


@pytest.mark.parametrize(
    ("operation", "a", "b", "a_labels", "b_labels", "c_shape"),
    [
        ("matmul", (5, 1, 3, 4), (7, 4, 6), ("batch 0", None, "m", "k"), ("batch 1", "k", "n"), (5, 7, 3, 6)),
        ("matmul", (4,), (4,), ("k",), ("k",), ()),
        ("matmul", (4,), (2, 4, 3), ("k",), ("batch 0", "k", "n"), (2, 3)),
        ("reduced_matmul", (6, 4), (4, 8), ("m", "k"), ("k", "n"), (3, 4)),
        ("dot", (2, 3), (5, 3, 4), ("row 0", "k"), ("column 0", "k", "column 1"), (2, 5, 4)),
        ("dot", (), (5, 3), (), ("column 0", "column 1"), (5, 3)),
    ],
)
def test_labels(operation, a, b, a_labels, b_labels, c_shape):
    """Of every operation; C's shape is NumPy's."""
    found = contraction(operation, a, b)
    assert (found.a, found.b, found.c_shape) == (a_labels, b_labels, c_shape)
    if operation != "reduced_matmul":
        assert getattr(numpy, operation)(numpy.ones(a), numpy.ones(b)).shape == c_shape
    inner = a[-1] if a and b else 1
    assert found.flops == 2 * prod(c_shape) * inner


@pytest.mark.parametrize(("extent", "parts"), [(7, (2,)), (3, (4,)), (10, (2, 3)), (0, (2,)), (16, (4,))])
def test_boundaries_are_those_of_even_shards(extent, parts):
    """As many as there are devices; together they are the extent, and no two shards but the last ones differ."""
    ends = boundaries(extent, parts)
    sizes = numpy.diff(ends)
    assert len(sizes) == prod(parts)
    assert sizes.sum() == extent
    assert (sizes >= 0).all()
    if len(parts) == 1:
        assert sizes[0] == -(-extent // parts[0])
