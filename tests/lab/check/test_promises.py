"""For which sizes a kernel promises to be right, as its text, its comments and its launch say."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.promises import promise_of, promise_of_vectors, promise_of_words, vectors_of_rows
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.check.sizes import Sizes

KERNEL = """#define SIDE 24
{before}
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)
{{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, tiles = k / 16;
    float sum = 0;
    {inside}
    for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * n + col];
    C[row * n + col] = sum;
}}
"""
GUARD = "if (row >= m || col >= n) return;"
WHOLE_TILES = "multiples of 16: the kernel has no guard, and its launch does not round up"
ROLES = Roles("matmul", ("A", "B", "C", "rows", "cols", "inner"))


def promised(folder, *, before="", inside="", grid="cols/16,rows/16", roles=ROLES, options=None):
    """What the kernel promises: the multiple, or None for any sizes, and what is said of it."""
    path = folder / "kernel.cu"
    path.write_text(KERNEL.format(before=before, inside=inside), encoding="utf-8")
    opened = open_file(path)
    kernel = KernelFile(opened, opened.kernels[0], options or Options())
    promise = promise_of(kernel, Found(roles, FormulaLaunch("16,16", grid), 16, {}, fits=True, how=""))
    assert promise.is_note == (promise.said != "any sizes" and "as --multiples-of" not in promise.said)
    return promise.multiples, promise.said


@pytest.mark.parametrize(
    ("inside", "grid", "expected"),
    [
        ("", "cols/16,rows/16", (16, WHOLE_TILES)),
        ("", "ceil(cols/16),ceil(rows/16)", (None, "any sizes")),
        ("", "(cols+15)/16,(rows+15)/16", (None, "any sizes")),
        (GUARD, "cols/16,rows/16", (None, "any sizes")),
        ("if (col < n)", "cols/16,rows/16", (None, "any sizes")),
        ("sum = col < n ? 0 : sum;", "cols/16,rows/16", (None, "any sizes")),
        ("int last = min(k, 16);", "cols/16,rows/16", (None, "any sizes")),
        ("int more = (k + 15 - 1) / 15; more = ceil(1.0f);", "cols/16,rows/16", (None, "any sizes")),
        ("if (tiles > 3) sum = 0;", "cols/16,rows/16", (None, "any sizes")),
        ("if (threadIdx.x > 3) sum = 0;", "cols/16,rows/16", (16, WHOLE_TILES)),
        ("for (int t = 0; t < tiles; ++t) sum = 0;", "cols/16,rows/16", (16, WHOLE_TILES)),
        ("for (int t = threadIdx.x; t < n; t += 16) sum = 0;", "cols/16,rows/16", (None, "any sizes")),
    ],
)
def test_what_the_code_promises(tmp_path, inside, grid, expected):
    """Any sizes, where something is compared with one or the grid is rounded up; else whole tiles."""
    assert promised(tmp_path, inside=inside, grid=grid) == expected


@pytest.mark.parametrize(
    ("before", "inside", "expected"),
    [
        ("// m, n and k are multiples of 32", "", (32, "multiples of 32, as line 2 says")),
        ("// m, n and k are multiples of 24", "", (48, "multiples of 48, as line 2 says")),
        ("// m, n and k are multiples of 24", GUARD, (24, "multiples of 24, as line 2 says")),
        ("// n is divisible by SIDE", GUARD, (24, "multiples of 24, as line 2 says")),
        ("// n ist ein Vielfaches von 8", GUARD, (8, "multiples of 8, as line 2 says")),
        ("// n は 8 の倍数", GUARD, (8, "multiples of 8, as line 2 says")),
        ("// n mora biti djeljiv s 8", GUARD, (8, "multiples of 8, as line 2 says")),
        ("// n 8'e bölünebilir", GUARD, (8, "multiples of 8, as line 2 says")),
        ("// n chia hết cho 8", GUARD, (8, "multiples of 8, as line 2 says")),
        ("// n is a multiple of the tile", GUARD, (16, "multiples of 16, as line 2 says")),
        ("// n is a multiple of 1", "", (16, "multiples of 16, as line 2 says")),
        ("// n is a multiple of 256", GUARD, (256, "multiples of 256, as line 2 says")),
        ("// n is a multiple of 257", GUARD, (16, "multiples of 16, as line 2 says")),
        ("// n need not be a multiple of 8", GUARD, (None, "any sizes")),
        ("int multiples_of_8;", GUARD, (None, "any sizes")),
        ("", "if (n % 8 != 0) return;", (8, "multiples of 8, as line 7 says")),
        ("", "if (tiles % 4 == 0) sum = 0;", (4, "multiples of 4, as line 7 says")),
        ("", "if (row % 8 == 0) sum = 0;", (16, WHOLE_TILES)),
        ("", GUARD + " if (k % 16 != 0) tiles++;", (None, "any sizes")),
        ("", GUARD + " tiles = k / 16 + (k % 16 != 0);", (None, "any sizes")),
        ("", GUARD + " tiles += (k % 16 == 0 ? 0 : 1);", (None, "any sizes")),
        ("// n % 8 == 0", GUARD, (8, "multiples of 8, as line 2 says")),
        ("// not only n % 8 == 0", GUARD, (None, "any sizes")),
        ("// n even", GUARD, (2, "multiples of 2, as line 2 says")),
        ("// nは偶数、A は 4 バイト境界", GUARD, (2, "multiples of 2, as line 2 says")),
        ("// n 是偶数。", GUARD, (2, "multiples of 2, as line 2 says")),
        ("// n even", "", (16, "multiples of 16, as line 2 says")),
        ("int n_even;", GUARD, (None, "any sizes")),
    ],
)
def test_what_a_line_says(tmp_path, before, inside, expected):
    """A multiple in a comment or a remainder in the code, with its line; of whole tiles, where there is no guard."""
    assert promised(tmp_path, before=before, inside=inside) == expected


def test_what_the_user_says_comes_first(tmp_path):
    """Then sizes that stand in the file."""
    options = Options(multiples_of=4)
    assert promised(tmp_path, before="// n is a multiple of 8", options=options) == (
        *(4, "multiples of 4, as --multiples-of says"),
    )
    fixed = Roles(ROLES.operation, ROLES.arguments, fixed=(Sizes(32, 32, 32),))
    multiples, said = promised(tmp_path, before="// n is a multiple of 8", roles=fixed)
    assert (multiples, said.partition(":")[0]) == (None, "sizes that stand in the file")


@pytest.mark.parametrize(
    ("types", "before", "multiples"),
    [
        ("const float4 *", "", 4),
        ("const float2 *", "", 2),
        ("const double2 *", "// of many elements", 2),
        ("const float4 *", "// for any n", None),
        ("const float *", "", None),
    ],
)
def test_vectors(tmp_path, types, before, multiples):
    """An array of vectors promises whole ones, unless a comment speaks of any sizes."""
    path = tmp_path / "kernel.cu"
    path.write_text(f"{before}\n__global__ void add({types}a, float *c, int n) {{ c[threadIdx.x] = n; }}\n")
    opened = open_file(path)
    promise = promise_of_vectors(KernelFile(opened, opened.kernels[0], Options()))
    assert (promise and promise.multiples) == multiples


def test_a_constant_that_is_a_size_is_compared_as_one(tmp_path):
    """As a parameter is; a constant that is none promises nothing."""
    told = Roles(ROLES.operation, ROLES.arguments, constants=(("WIDE", "cols"),))
    given = {"before": "const int WIDE = 64;", "inside": "if (col < WIDE)"}

    assert promised(tmp_path, roles=told, **given) == (None, "any sizes")
    assert promised(tmp_path, **given) == (16, WHOLE_TILES)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("// for sizes that are not\n// multiples of 24", None),
        ("// for any rows, but k are\n// multiples of 24", 24),
        ("// n a multiple of 24", None),
        ("// n and k a multiple of 24", 24),
        ("// blockDim.x must be a multiple of 24", None),
        ("// n >= 1; blocks with a number of threads that is a\n// multiple of 24", None),
        ("// SIDE is a multiple of 8, for warps", None),
        ("const int WIDE = 48;  // a multiple of 24", None),
        ("// threads: any. The sizes are multiples of 24", 24),
        ("// 256 threads take 4 elements each, N a multiple of 24", 24),
        ("// any SIDE; k is a multiple of 24", 24),
        ("// n (a multiple of 24, n >= k)", None),
        ("// k rows, n has to be a multiple of 24", None),
        ("// k, n have to be multiples of 24", 24),
        ("// SIDE must be a multiple of 24", None),
        ("// the block size is a multiple of 24", None),
        ("// 块是任意 24 的倍数", None),
    ],
)
def test_of_what_a_comment_says_it(tmp_path, before, expected):
    """It may be denied at the end of the line above, or be said of the length of a row alone, here n."""
    roles = Roles("matmul", ("A", "B", "C", "rows", "cols", "inner"), leading=(("B", 4),))
    assert promised(tmp_path, before=before, inside=GUARD, roles=roles)[0] == expected


@pytest.mark.parametrize(
    ("vectors", "element", "width"), [("__half2", "float16", 2), ("uint4", "float16", 8), ("float4", "float32", 4)]
)
def test_the_elements_of_a_rows_vectors(tmp_path, vectors, element, width):
    """As many as their bytes hold."""
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL.format(before="", inside=f"auto v = reinterpret_cast<const {vectors} *>(A);"))
    opened = open_file(path)
    kernel = KernelFile(opened, opened.kernels[0], Options())
    roles = Roles("matmul", ("A", "B", "C", "rows", "cols", "inner"), leading=(("A", 5),))
    dtypes = dict.fromkeys("ABC", numpy.dtype(element))
    found = Found(roles, FormulaLaunch("16,16", "1"), 16, dtypes, fits=True, how="")
    assert vectors_of_rows(kernel, found) == width


def test_the_rest_of_a_threads_number_is_no_promise(tmp_path):
    """Though a size is called x, too."""
    assert promised(tmp_path, inside="if (threadIdx.m % 24 == 0) return;" + GUARD) == (None, "any sizes")


BYTES = """// C = A * B
__global__ void mm(const signed char *A, const signed char *B, int *C, int n, int k)
{
    const int *row = (const int *)(A + blockIdx.x * k);
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        const int *col = (const int *)(B + j * k);
        int sum = 0;
        for (int w = 0; w < k / 4; ++w) sum = __dp4a(row[w], col[w], sum);
        C[blockIdx.x * n + j] = sum;
    }
}
void run(const signed char *A, const signed char *B, int *C, int m, int n, int k) { mm<<<m, 128>>>(A, B, C, n, k); }
"""


@pytest.mark.parametrize(("said", "multiples"), [("", 4), ("k may be any number", None)])
def test_words_of_four_bytes(tmp_path, said, multiples):
    """Whoever takes words from rows of bytes needs rows of whole words, unless the file speaks of any."""
    path = tmp_path / "bytes.cu"
    path.write_text(f"// {said}\n{BYTES}", encoding="utf-8")
    opened = open_file(path)
    kernel = KernelFile(opened, opened.kernels[0], Options())
    dtypes: dict[str, numpy.dtype[Any]] = {name: numpy.dtype("int8") for name in "AB"} | {"C": numpy.dtype("int32")}
    found = Found(ROLES, FormulaLaunch("128", "rows"), 16, dtypes, fits=True, how="")
    promise = promise_of_words(kernel, found)
    assert (promise and promise.multiples) == multiples
    (result,) = check_file(path, Options())
    assert result.is_well() == (multiples is not None)


@pytest.mark.parametrize("said", ["k muss durch 4 teilbar sein", "k \u0645\u0636\u0631\u0628 4 \u0627\u0633\u062a"])
def test_a_multiple_in_other_orders_and_scripts(tmp_path, said):
    """In German, the number stands between the preposition and the word; in Persian, behind it."""
    assert promised(tmp_path, before=f"// {said}", inside=GUARD)[0] == 4
