"""Slips in kernels of products: the change that mends one names its line, and without the slip the kernel is right."""

import pytest

from tests.repeats import sampled
from tilewright.lab.check.find.kernel_file import open_file
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.source.changes import LIKELY, USUAL, Bounds
from tilewright.lab.source.variants import ChangeableKernel

TAKES = "const float *A, const float *B, float *C, int m, int n, int k"
ADDED_BY_LANES = f"""// the full product first, then its 2 x 2 squares are added within each warp, of two rows
__global__ void mm_squares({TAKES})
{{
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    if (row < 2 * m && col < 2 * n)
        for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * 2 * n + col];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 16);
    if (row < 2 * m && col < 2 * n && x % 2 == 0 && y % 2 == 0) C[row / 2 * n + col / 2] = sum;
}}
void run({TAKES})
{{
    mm_squares<<<dim3((2 * n + 15) / 16, (2 * m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}}
"""
BY_POINTERS = f"""// reduced product
__global__ void reduced({TAKES})
{{
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i >= m || j >= n) return;
    const float *upper = A + 2 * i * k, *lower = upper + k;
    float sum = 0;
    for (int l = 0; l < k; ++l) {{
        const float *line = B + l * (2 * n);
        sum += (upper[l] + lower[l]) * (line[2 * j] + line[2 * j + 1]);
    }}
    C[i * n + j] = sum;
}}
void run({TAKES})
{{
    reduced<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}}
"""
WHOLE = TAKES.replace("float", "int")
IN_TURNS = f"""
__global__ void multiply({WHOLE})
{{
    int col = blockIdx.x * 16 + threadIdx.x;
    int sum = 0;
    for (int tile = blockIdx.y; tile < (m + 15) / 16; tile += gridDim.y) {{
        sum = 0;
        int row = tile * 16 + threadIdx.y;
        if (row >= m || col >= n) continue;
        for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * n + col];
        C[row * n + col] = sum;
    }}
}}
void run({WHOLE})
{{
    multiply<<<dim3((n + 15) / 16, min((m + 15) / 16, 4)), dim3(16, 16)>>>(A, B, C, m, n, k);
}}
"""
CLEARED = f"""// C = A * B
__global__ void matmul({TAKES})
{{
    __shared__ float a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    a[y][x] = 0;
    b[y][x] = 0;
    for (int l = 0; l < k; l += 16) {{
        if (row < m && l + x < k)
            a[y][x] = A[row * k + l + x];
        else a[y][x] = 0;
        if (l + y < k && col < n)
            b[y][x] = B[(l + y) * n + col];
        else b[y][x] = 0;
        __syncthreads();
        for (int e = 0; e < 16; ++e)
            sum += a[y][e] * b[e][x];
        __syncthreads();
    }}
    if (row < m && col < n) C[row * n + col] = sum;
}}
void run({TAKES})
{{
    matmul<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}}
"""


def the_result(tmp_path, text):
    """Of the only kernel of a file."""
    path = tmp_path / "own.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "parts", "wrong", "named"),
    sampled(
        [
            (ADDED_BY_LANES, ("sum, 16)",), "sum, 2)", "sum, 2)"),
            (BY_POINTERS, ("l * (2 * n)",), "l * n", "line = B"),
            (IN_TURNS, ("        sum = 0;\n",), "", "int sum = 0;"),
            (CLEARED, ("        else a[y][x] = 0;\n", "        else b[y][x] = 0;\n"), "", "if (row < m && l + x < k)"),
        ]
    ),
)
def test_the_line_of_the_slip(tmp_path, right, parts, wrong, named):
    """The first error stands there; the right kernel is not accused."""
    text = right
    for part in parts:
        assert right.count(part) == 1
        text = text.replace(part, wrong)
    line = next(number for number, each in enumerate(text.split("\n"), 1) if named in each)

    assert the_result(tmp_path, right).is_well()
    first = the_result(tmp_path, text).findings[0]
    assert (first.kind, first.severity) == ("cause", "error")
    assert line in {first.place[1], (first.other or first.place)[1]}


def changes_of(tmp_path, text):
    """Those of the only kernel, by what they say."""
    path = tmp_path / "own.cu"
    path.write_text(text)
    opened = open_file(path)
    return {each.says: each for each in ChangeableKernel(opened.file, opened.kernels[0], Bounds(), [], ()).changes()}


def test_a_sum_of_whole_numbers_is_set_to_0_in_each_turn(tmp_path):
    """An index, to which no elements are added, is not."""
    found = changes_of(tmp_path, IN_TURNS)

    assert "with `sum = 0;` at the start of each trip of the loop of line 6" in found
    assert not any("`tile = 0;`" in says for says in found)


@pytest.mark.parametrize(("part", "doubt"), [("", USUAL), ("    a[y][x] = 0;\n", LIKELY)])
def test_zeros_behind_a_guard_where_a_tile_is_cleared_once(tmp_path, part, doubt):
    """They are tried sooner than where nothing says that zeros are meant."""
    text = CLEARED.replace("        else a[y][x] = 0;\n", "").replace(part, "")

    assert changes_of(tmp_path, text)["with `else a[y][x] = 0;` behind the guarded load"].doubt == doubt
