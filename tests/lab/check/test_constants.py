"""Named whole numbers of a file: found, and given other values on the same lines."""

from tilewright.lab.check.find.constants import constants_of, with_values

TEXT = """#define TILE 16 // #define TILE 17
#define W (32)
const int M = 64, N = 62;
constexpr unsigned int L = 64u;
static const int K = TILE*2;
#define LEN (33 * 1024)
const int SIDE = 1 << 10;
const double sqr2 = 1.4142;
int x = 5;
#define MAX(a, b) ((a) > (b) ? (a) : (b))
"""


def test_constants_are_found():
    """Numbers as such, and those that follow from them."""
    found = constants_of(TEXT)

    assert {n: c.value for n, c in found.items()} == {
        "TILE": 16,
        "W": 32,
        "M": 64,
        "N": 62,
        "L": 64,
        "K": 32,
        "LEN": 33792,
        "SIDE": 1024,
    }
    assert not found["K"].is_literal
    assert found["LEN"].is_literal
    assert found["SIDE"].is_literal


def test_other_values_on_the_same_lines():
    """Only values change."""
    text = with_values(TEXT, {"N": 33, "L": 7, "TILE": 8, "unknown": 1})

    assert "const int M = 64, N = 33;" in text
    assert "constexpr unsigned int L = 7;" in text
    assert text.startswith("#define TILE 8 // #define TILE 17\n")
    assert TEXT.count("\n") == text.count("\n")
