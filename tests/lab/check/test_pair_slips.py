"""Slips of a reduced product, each small: the text shows what is meant, and the first finding names the line."""

import pytest

from tilewright.lab.check.find.pair_slips import crossed_slips, pair_slips, turned_stores
from tilewright.lab.check.find.plain_slips import plain_slips
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

RMM = """
__global__ void rmm(const float *A, const float *B, float *C, int M, int N, int K)
{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= M / 2 || j >= N / 2) return;
    float sum = 0;
    for (int k = 0; k < K; ++k) {
        float rows = A[2 * i * K + k] + A[(2 * i + 1) * K + k];
        float cols = B[k * N + 2 * j] + B[k * N + 2 * j + 1];
        sum += rows * cols;
    }
    C[i * (N / 2) + j] = sum;
}
"""
SLIPS = {
    "C as wide as B": ("C[i * (N / 2) + j]", "C[i * N + j]"),
    "the row after the half": ("A[(2 * i + 1) * K + k]", "A[(i + 1) * K + k]"),
    "the same row twice": ("A[(2 * i + 1) * K + k]", "A[2 * i * K + k]"),
    "rows half a matrix apart": (
        "A[2 * i * K + k] + A[(2 * i + 1) * K + k]",
        "A[i * K + k] + A[(i + half) * K + k]",
    ),
    "rows half of m apart": (
        "A[2 * i * K + k] + A[(2 * i + 1) * K + k]",
        "A[i * K + k] + A[(i + M / 2) * K + k]",
    ),
    "columns half of n apart": ("B[k * N + 2 * j] + B[k * N + 2 * j + 1]", "B[k * N + j] + B[k * N + j + N / 2]"),
    "neighbours of every column": ("B[k * N + 2 * j] + B[k * N + 2 * j + 1]", "B[k * N + j] + B[k * N + j + 1]"),
    "the column of the half": ("B[k * N + 2 * j + 1]", "B[k * N + j + 1]"),
}


def mended(text):
    """What is tried in place of a text."""
    return [text[: each.start] + each.now + text[each.end :] for each in pair_slips(text)]


@pytest.mark.parametrize(("right", "wrong"), SLIPS.values(), ids=SLIPS)
def test_a_slip_is_mended(right, wrong):
    """One of the texts that are tried is the right one, brackets aside."""
    assert RMM in mended(RMM.replace(right, wrong))


@pytest.mark.parametrize("second", ["A[2 * i * K + k + 1]", "A[(i + 1) * K + k]", "A[(2 * i + half) * K + k]"])
@pytest.mark.parametrize("between", [" + ", ", below = ", "; float below = ", "; const auto below = ", "; top += "])
def test_two_that_are_read_one_behind_the_other(second, between):
    """They are a pair as well, and so they are with a name for the first row, or with a cast."""
    text, right = f"float top = A[2 * i * K + k]{between}{second};", "A[(2 * i + 1) * K + k]"
    assert text.replace(second, right) in mended(text)
    named = "int r = 2 * i; " + text.replace("2 * i", "r")
    assert named.replace(second.replace("2 * i", "r"), right) in mended(named) or "(i + 1)" in second
    assert right in mended(text.replace("A[2", "A[(size_t)2"))[0]
    assert not list(pair_slips(text.replace(second, right)))


@pytest.mark.parametrize("row", ["B + (q + k) * n", "&B[k * n]", "b + (size_t)k * n + 0"])
@pytest.mark.parametrize("half", ["n / 2", "(n / 2)", "nr"])
@pytest.mark.parametrize("between", [" + ", "; const float second = "])
def test_columns_half_a_row_apart(row, half, between):
    """The row has a pointer of its own, and half its length may have a name; another length is none of its halves."""
    right = f"int nr = n / 2; const float *r = {row}; float first = r[2 * j]{between}r[2 * j + 1];"
    wrong = right.replace("2 * j + 1", f"j + {half}").replace("2 * j", "j")
    assert right in mended(wrong)
    assert not mended(right)
    assert not mended(wrong.replace("int nr = n / 2", "int nr = n / 4").replace(half, "nr"))
    assert not mended(wrong.replace("* n", "* k"))


@pytest.mark.parametrize("step", ["mr * k", "(m / 2) * k", "m / 2 * k"])
@pytest.mark.parametrize("between", [", *low = ", "; const float *low = "])
def test_rows_half_a_matrix_apart(step, between):
    """Each has a pointer; the second is the first one and half of the rows."""
    right = f"int mr = m / 2; const float *top = A + 2 * i * k{between}top + k; s += top[q] + low[q];"
    wrong = right.replace("top + k", f"top + {step}").replace("2 * i * k", "i * k")
    assert right in mended(wrong)
    assert not mended(right)
    assert not mended(wrong.replace("int mr = m / 2", "int mr = m / 4").replace(step, "mr * k"))


@pytest.mark.parametrize("wrong", ["t[k][j] + t[k][j + HALF]", "t[j][k] + t[j + 8][k]"])
def test_neighbours_in_a_tile(wrong):
    """Columns, or rows, that lie half a tile apart."""
    right = "t[k][2 * j] + t[k][2 * j + 1]" if "HALF" in wrong else "t[2 * j][k] + t[2 * j + 1][k]"
    assert mended(f"s += {wrong};") == [f"s += {right};"]
    assert not mended(f"s += {right}; u = t[k][j] + t[j][k];")


@pytest.mark.parametrize(
    "wrong",
    ["c0 = j, c1 = j + N / 2;", "c0 = j, c1 = j + 1;", "c0 = 2 * j, c1 = 2 * j + 2;", "c0 = 2 * j, c1 = c0 + N;"],
)
def test_two_columns_with_names(wrong):
    """They are declared one behind the other, and used as a pair."""
    right = "int c0 = 2 * j, c1 = 2 * j + 1; float both = B[k * N + c0] + B[k * N + c1];"
    assert right in mended(right.replace("c0 = 2 * j, c1 = 2 * j + 1;", wrong))
    assert mended(right) == []
    assert mended(right.replace("= 2 * j + 1", "= c0 + 1")) == []


def test_a_width_that_is_compared_with_the_second_column():
    """C is half as wide, though no half is written down."""
    text = "if (2 * j + 1 < n) C[i * n + j] = s;"
    assert mended(text) == [text.replace("i * n", "i * (n / 2)")]
    assert not mended("if (2 * j + 1 < n) C[i * m + j] = s;")


def test_what_is_right_has_no_slip():
    """Neither a reduced product nor a sum of neighbours that is none of its own pairs."""
    assert not list(pair_slips(RMM))
    assert not list(pair_slips("c[i] = a[i] + b[i];"))
    assert not list(pair_slips("c[i] = a[i * n + k] + a[(i + half) * n + k];"))
    assert not list(pair_slips("s += (a + b) * (c + d); s += x * y + z;"))
    assert not list(pair_slips("s += a * c; s += a * d; s += b * c; s += b * d;"))


def test_a_product_of_sums_without_brackets():
    """Either sum may lack them."""
    assert mended("s += (a[i] + b) * c[k] + d;") == ["s += (a[i] + b) * (c[k] + d);"]
    assert mended("s += a + b * (c + d[k][j]);") == ["s += (a + b) * (c + d[k][j]);"]
    assert mended("s += a[0] * (c + d);") == []


def test_the_fourth_of_four_products():
    """It is missing, or another one is there twice."""
    assert mended("s += a * c; s += a * d; s += b * d;") == ["s += a * c; s += a * d; s += b * d; s += b * c;"]
    assert "s += a * c; s += a * d; s += b * c; s += b * d;" in mended(
        "s += a * c; s += a * d; s += a * d; s += b * d;"
    )
    assert mended("s += a * c + a * d + b * d;") == ["s += a * c + a * d + b * d; s += b * c;"]


@pytest.mark.parametrize("names", [("s[0][0]", "s[0][1]", "s[1][0]", "s[1][1]"), ("s00", "s01", "s10", "s11")])
def test_four_sums_of_four_products(names):
    """Two of the sums have the same product, of which the later one is meant to be the fourth."""
    products = ("a0 * b0", "a0 * b1", "a1 * b0", "a1 * b1")
    right, wrong = (
        " ".join(f"{name} += {product};" for name, product in zip(names, given, strict=True))
        for given in (products, (*products[:3], "a0 * b1"))
    )
    assert mended(wrong)[0] == right
    assert not mended(right)
    assert not mended(wrong.replace(names[3], names[0]))
    assert not mended(wrong.replace("; ", "; ++n; "))


@pytest.mark.parametrize("added", ["s += a0 * b.x + a1 * b.y;", "s += a0 * b.x; s += a1 * b.y;"])
def test_two_of_four_products(added):
    """A product of sums has the crossed ones, too: if the file says that sums are multiplied."""
    (slip,) = crossed_slips(added)
    assert slip.now == " + a0 * b.y + a1 * b.x"
    assert slip.says == "with `(a0 + a1) * (b.x + b.y)` in place of two of its four products"
    assert not list(plain_slips(f"// half of the products\n{added}"))
    assert len(list(plain_slips(f"// RMM\n{added}"))) == 1
    assert len(list(plain_slips(f"// (A[2 * i] + A[2 * i + 1]) * (B[2 * j] + B[2 * j + 1])\n{added}"))) == 1


def test_the_later_of_two_equal_products_is_tried_first():
    """If all but one are in their order, that one is the slip."""
    assert mended("s += a * c; s += a * d; s += b * c; s += b * c;")[0] == (
        "s += a * c; s += a * d; s += b * c; s += b * d;"
    )


def test_a_result_that_is_stored_by_columns():
    """The guard says how far both indices go; where the file speaks of another order, it may be meant."""
    wrong = RMM.replace("C[i * (N / 2) + j]", "C[j * (M / 2) + i]")
    (slip,) = turned_stores(wrong)

    assert wrong[: slip.start] + slip.now + wrong[slip.end :] == RMM
    assert RMM in [each.text for each in plain_slips(wrong)]
    assert not any("i * (N / 2)" in each.text for each in plain_slips(f"// C is column-major\n{wrong}"))


def test_a_tile_of_both_columns():
    """Where the elements 2 x + 1 of a tile are used, it has twice as many columns as threads."""
    text = "__shared__ float tile[16][16]; tile[y][2 * x] = 0; tile[y][2 * x + 1] = 0;"
    (slip,) = pair_slips(text)

    assert (slip.now, text[slip.start : slip.end], slip.start) == ("2 * (16)", "16", text.index("][16]") + 2)


@pytest.mark.long
def test_the_line_of_the_cause(tmp_path):
    """The kernel is judged as what it is without the slip."""
    path = tmp_path / "rmm.cu"
    path.write_text(RMM.replace(*SLIPS["the row after the half"]), encoding="utf-8")
    (result,) = check_file(path, Options())

    assert (result.findings[0].kind, result.findings[0].place[1]) == ("cause", 8)


def test_columns_a_strip_apart():
    """Those of a block's strip are neighbours, too, and so is the second of `2 * j`."""
    wrong = "int c = 2 * D * blockIdx.x + x; s = B[k * N + c] + B[k * N + c + D];"
    assert "int c = 2 * (D * blockIdx.x + x); s = B[k * N + c] + B[k * N + c + 1];" in mended(wrong)
    assert not mended("int c = 2 * D * blockIdx.x + x; s = B[k * N + c];")
    assert mended("s = row[2 * j] + row[j + s.n];") == ["s = row[2 * j] + row[2 * j + 1];"]
    assert not mended("s = row[2 * j] + row[2 * j + 1];")


@pytest.mark.parametrize(
    "first", ["blockIdx.y * 2 * T + y", "(2 * T) * blockIdx.y + y", "y + T * blockIdx.y * 2", "2 * blockIdx.y * T + y"]
)
def test_rows_a_strip_apart(first):
    """However the product is written."""
    text = f"int r = {first}, s = r + T; v = A[r * k + i] + A[s * k + i];"
    (slip,) = (each for each in pair_slips(text) if each.now.startswith("2 * ("))
    now = text[: slip.start] + slip.now + text[slip.end :]
    assert now.split(";")[0].endswith(", s = r + 1")
    assert now.split(",")[0] in (f"int r = 2 * ({one} + y)" for one in ("blockIdx.y * T", "T * blockIdx.y"))


@pytest.mark.parametrize("first", ["2 * blockIdx.y + y", "blockIdx.y * T + y", "2 * T * blockIdx.y + y + z"])
def test_what_is_no_strip(first):
    """A product of three factors and one thread make one."""
    text = f"int r = {first}, s = r + T; v = A[r * k + i] + A[s * k + i];"
    assert not [each for each in pair_slips(text) if each.now.startswith("2 * (")]
