"""Sizes as fields of structs: which they are, and in which orders they are tried."""

from __future__ import annotations

import pytest

from tilewright.lab.check.find.roles import PASSED
from tilewright.lab.check.find.struct_sizes import struct_sizes
from tilewright.lab.source.signatures import Parameter
from tilewright.lab.source.unpacking import BETWEEN

WORDS = ("rows", "inner", "cols")


def parameters(*names):
    """Parameters, of which those that end in `data` are pointers."""
    return [
        Parameter(name, "float*" if is_pointer else "int", is_pointer=is_pointer, is_const=False, element_type="float")
        for name in names
        for is_pointer in (name.endswith("data"),)
    ]


STRUCTS = parameters(*(f"{owner}.{field}" for owner in "abc" for field in ("width", "height", "data")))
SIZES = [place for place, parameter in enumerate(STRUCTS) if not parameter.is_pointer]
MATRICES = {2: "A", 5: "B", 8: "C"}


@pytest.mark.parametrize(
    ("operation", "of_c"), [("matmul", ("cols", "rows")), ("reduced_matmul", ("cols/2", "rows/2"))]
)
def test_width_and_height_of_each_matrix(operation, of_c):
    """In one order for all three."""
    found = struct_sizes(STRUCTS, SIZES, (), {})

    assert found is not None
    assert (found.fields, found.loose) == (("width", "height"), ())
    assert found.places == tuple((owner, field) for owner in "abc" for field in ("width", "height"))
    assert list(found.fillings(MATRICES, WORDS, operation)) == [
        ("inner", "rows", "cols", "inner", *of_c),
        ("rows", "inner", "inner", "cols", *of_c[::-1]),
    ]


def test_a_number_beside_them():
    """Is any of the words; a name that looks like a field, and is none, too."""
    found = struct_sizes([*STRUCTS, *parameters("a.height.more", "n")], [*SIZES, 10], (), {})

    assert found is not None
    assert found.places[-1] == ("", "")
    assert [filling[-1] for filling in found.fillings(MATRICES, WORDS, "matmul")] == 2 * list(WORDS)


def test_the_hosts_structs():
    """Constants of the host's names: those whose pointer is passed are known, the others any matrix's."""
    said = {2: f"{PASSED}x{BETWEEN}data", 5: "y"}
    names = [f"{owner}{BETWEEN}{field}" for owner in "xyz" for field in ("width", "height")]
    found = struct_sizes(STRUCTS, [], [*names, f"x{BETWEEN}depth", "width"], said)

    assert found is not None
    assert (found.pointers, found.loose) == ({"x": 2}, ("y", "z"))
    assert found.places[-2:] == (("", ""), ("", ""))
    assert len(list(found.fillings(MATRICES, WORDS, "matmul"))) == 6 * 2 * 9


THREE = ("rows", "cols", "pitch")
MATRICES_OF_TWO = {3: "A", 7: "B", 8: "C"}


def test_the_third_of_three_numbers():
    """A leading dimension, or the elements from one matrix to the next."""
    structs = parameters(*(f"{owner}.{field}" for owner in "ab" for field in (*THREE, "data")), "data")
    found = struct_sizes(structs, [0, 1, 2, 4, 5, 6], (), {})
    assert found is not None
    tried = list(found.fillings(MATRICES_OF_TWO, WORDS, "matmul"))
    leading = ("rows", "inner", "inner", "inner", "cols", "cols")
    steps = ("rows", "inner", "rows*inner", "inner", "cols", "inner*cols")
    assert {leading, steps} <= set(tried)
    assert found.placed(leading, "matmul", MATRICES_OF_TWO) == ([("A", 2), ("B", 5)], [])
    assert found.placed(steps, "matmul", MATRICES_OF_TWO) == ([], [("A", 2), ("B", 5)])


def test_a_matrix_and_vectors():
    """Each type of struct has fields of its own."""
    structs = parameters(*(f"a.{field}" for field in (*THREE, "data")), "x.length", "x.data", "y.length", "y.data")
    found = struct_sizes(structs, [0, 1, 2, 4, 6], (), {}, is_other=True)
    assert found is not None
    assert found.sets == [THREE, ("length",)]
    tried = list(found.fillings({3: "A", 5: "B", 7: "C"}, ("rows", "inner"), "matvec"))
    assert (given := ("rows", "inner", "inner", "inner", "rows")) in tried
    assert found.placed(given, "matvec", {3: "A", 5: "B", 7: "C"}) == ([("A", 2)], [])


def test_what_has_no_structs():
    """Plain pointers, two structs, four fields, or more numbers beside them than are tried."""
    assert struct_sizes(parameters("data", "m", "n", "k"), [1, 2, 3], (), {}) is None
    assert struct_sizes(STRUCTS[:6], SIZES[:4], (), {}) is None
    assert struct_sizes(STRUCTS, [], (), {}) is None
    four = parameters(*(f"{owner}.{field}" for owner in "abc" for field in ("w", "h", "x", "y", "data")))
    assert struct_sizes(four, [place for place in range(15) if place % 5 != 4], (), {}) is None
    for count in (3, 4):
        others = parameters(*(f"n{number}" for number in range(count)))
        found = struct_sizes([*STRUCTS, *others], [*SIZES, *range(9, 9 + count)], (), {})
        assert (found is not None) == (count == 3)
