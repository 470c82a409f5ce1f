"""Guesses of a kernel's roles: which come first does not depend on where the sizes stand."""

from __future__ import annotations

import numpy
import pytest

from tilewright.lab.check.find.hypotheses import (
    families_of,
    hypotheses,
    leading_behind,
    of_transposed_structs,
    slots_of,
    with_strides,
)
from tilewright.lab.check.sizes import FAMILIES, Sizes
from tilewright.lab.source.signatures import Parameter

SIZES = [Parameter(name, "int", is_pointer=False, is_const=False, element_type="int") for name in ("m", "k", "n")]
POINTERS = [Parameter(name, "float*", is_pointer=True, is_const=False, element_type="float") for name in "xyz"]


@pytest.mark.parametrize("before", range(4))
def test_the_result_is_taken_for_the_last_pointer_first(before):
    """Then for the one in the middle, and last for the first, which is usually read."""
    parameters = [*SIZES[:before], *POINTERS, *SIZES[before:]]
    guesses = hypotheses("matmul", "", slots_of(parameters, "kernel"))
    results = [parameters[guess.arguments.index("C")].name for guess in guesses]
    assert list(dict.fromkeys(results)) == ["z", "y", "x"]


def of_matrices(per_matrix):
    """Three sizes, then each matrix with so many sizes behind it."""
    return [*SIZES, *(each for pointer in POINTERS for each in (pointer, *SIZES[:per_matrix]))]


@pytest.mark.parametrize(
    ("per_matrix", "widths", "steps"),
    [(1, ["inner", "cols", "cols"], []), (2, ["inner", "cols", "cols"], ["rows*inner", "inner*cols", "rows*cols"])],
)
def test_leading_dimensions_and_steps_stand_behind_their_matrices(per_matrix, widths, steps):
    """They repeat a width or the elements, and all other sizes differ."""
    roles = next(iter(with_strides("matmul", "", slots_of(of_matrices(per_matrix), "kernel"))))

    assert roles.arguments[:3] == ("rows", "inner", "cols")
    assert [roles.arguments[int(place)] for _, place in roles.leading] == widths
    assert [roles.arguments[int(place)] for _, place in roles.steps] == steps
    assert roles.is_bijective


def test_longer_rows_and_operands_in_common():
    """Each matrix has rows longer by another number, and C is found among them; what is in common has the step 0."""
    roles = next(iter(with_strides("matmul", "", slots_of(of_matrices(2), "kernel"))))
    padded, c = roles.with_padding(8), numpy.arange(12.0).reshape(4, 3)

    assert padded.arguments[4:6] == ("(inner+8)", "rows*(inner+8)")
    assert padded.arguments[10:] == ("(cols+24)", "rows*(cols+24)")
    assert padded.in_memory("B", c).shape == (4, 3 + 16)
    assert (padded.without_padding(padded.in_memory("C", c), Sizes(4, 5, 3)) == c).all()
    assert roles.without_padding(c, Sizes(4, 5, 3)) is c
    assert roles.with_operands("A").arguments[8] == "0"
    assert roles.with_operands("A").arguments[5] == "rows*inner"


def test_the_sides_of_a_reduced_product_may_be_those_of_c():
    """Beside leading dimensions, which are the widths of the matrices as they lie."""
    guesses = with_strides("reduced_matmul", "", slots_of(of_matrices(1), "kernel"))
    halved = ("rows/2", "inner", "cols/2", "A", "inner", "B", "cols", "C", "cols/2")
    assert halved in {each.arguments for each in guesses}


@pytest.mark.parametrize(
    ("operation", "sizes", "families"),
    [
        ("dot", 1, [""]),
        ("matmul", 3, [""]),
        ("matmul", 1, ["rows=inner=cols"]),
        ("reduced_matmul", 1, ["rows=inner=cols"]),
        ("matmul", 2, list(FAMILIES)),
        ("reduced_matmul", 2, [family for family in FAMILIES if "=1" not in family]),
    ],
)
def test_which_sizes_are_equal(operation, sizes, families):
    """Of a product that takes less than three sizes some are equal, or 1; two vectors have one length anyway."""
    assert families_of(operation, slots_of([*SIZES[:sizes], *POINTERS], "kernel")) == families


def test_rows_of_whole_vectors():
    """Their lengths are rounded up, and the elements lie as the lengths say."""
    roles = next(iter(with_strides("matmul", "", slots_of(of_matrices(1), "kernel")))).with_padding(0, 4)
    assert roles.arguments[4] == "(4*ceil(inner/4))"
    assert roles.in_memory("A", numpy.zeros((2, 5))).shape == (2, 8)
    assert roles.with_padding(8).in_memory("B", numpy.zeros((2, 4))).shape == (2, 20)
    assert roles.with_padding(8).arguments[6] == "(4*ceil((cols+16)/4))"


def test_strides_and_steps_behind_all_sizes():
    """As in a struct: three sizes, the leading dimensions, the steps, then the matrices."""
    roles = next(iter(with_strides("matmul", "", slots_of([*SIZES, *SIZES, *SIZES, *POINTERS], "kernel"))))
    widths, steps = ("inner", "cols", "cols"), ("rows*inner", "inner*cols", "rows*cols")
    assert roles.arguments == ("rows", "inner", "cols", *widths, *steps, "A", "B", "C")


def test_the_length_of_rows_behind_a_matrix():
    """It is there twice; a width that is there once is no length of its own."""
    slots = slots_of([POINTERS[0], SIZES[0], POINTERS[1], POINTERS[2], *SIZES[1:]], "kernel")
    shapes = {0: ("rows", "inner"), 2: ("inner",), 3: ("rows",)}
    assert list(leading_behind(slots, shapes, ("inner", "rows", "inner"))) == [(0, 1)]
    assert not list(leading_behind(slots, shapes, ("inner", "rows", "cols")))


def test_structs_of_which_one_lies_transposed():
    """Its height is then what its rows are as it lies."""
    fields = [(owner, field) for owner in "abc" for field in ("height", "width", "data")]
    parameters = [
        Parameter(f"{owner}.{field}", "float*", is_pointer=field == "data", is_const=False, element_type="float")
        if field == "data"
        else Parameter(f"{owner}.{field}", "int", is_pointer=False, is_const=False, element_type="int")
        for owner, field in fields
    ]
    found = [roles.arguments for roles in of_transposed_structs(slots_of(parameters, "kernel"), "A")]
    assert ("inner", "rows", "A", "inner", "cols", "B", "rows", "cols", "C") in found
