"""Constants of structs, written out: those of templates with the arguments."""

import pytest

from tilewright.lab.source.template_members import with_members

CODE = """
template <int M, int N, class T = float>
struct Tile {
    static constexpr int pitch = M + 1;
    static constexpr int size = pitch * N;
    enum { HALF = N / 2, NEXT };
    __device__ int at(int i) { return i * size; }
};
struct Plain { static constexpr int size = 3; static const int wide = 2 * size, high{4}; int count = 5; };
"""


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Tile<64, 8, double>::size * 8", "(((64) + 1) * (8)) * 8"),
        ("Tile<A + 1, B, T>::pitch", "((A + 1) + 1)"),
        ("2 * Tile<4, 6, int>::HALF", "2 * ((6) / 2)"),
        ("Tile<4, 6, int>::NEXT", "Tile<4, 6, int>::NEXT"),
        ("Tile<4>::size", "Tile<4>::size"),
        ("Plain::size", "(3)"),
        ("n / Plain::wide + Plain::high", "n / (2 * (3)) + (4)"),
        ("Plain::count", "Plain::count"),
        ("Plain::size(2)", "Plain::size(2)"),
        ("size", "size"),
    ],
)
def test_what_a_member_is(text, written):
    """Members of members, too; what is no constant, or of too few arguments, stays."""
    assert with_members(text, CODE) == written
