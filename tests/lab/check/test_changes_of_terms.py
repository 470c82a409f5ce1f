"""Changes of a term of an index, each the opposite of a slip: which of them a text has."""

import re

import pytest

from tilewright.lab.check.find.kernel_file import open_file
from tilewright.lab.check.find.plain_slips import plain_slips
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.source.changes import Bounds
from tilewright.lab.source.variants import ChangeableKernel

TEXT = """
#define TILE 16
__device__ const float *part(const float *of, int width, int y, int x)
{
    return &of[width * TILE * y + x];
}
__device__ void load(float (*into)[TILE], const float *from, int at) { into[0][threadIdx.x] = from[at]; }
__global__ void product(const float *A, const float *B, float *C, int n, int m)
{
    __shared__ float a[2][TILE][TILE], b[2][TILE][TILE];
    const float4 *B4 = reinterpret_cast<const float4 *>(A);
    int j = blockIdx.x * TILE + threadIdx.x, i = 2 * blockIdx.y;
    int deep = blockIdx.z * TILE + threadIdx.z;
    for (int t = 0; t < n; ++t) {
        const int now = t & 1;
        load(a[now], A, t), load(b[now], A, t * m + j);
    }
    for (int d = 0; d < 2; ++d) {
        int col = j + d;
        for (int e = 0; e < 3; ++e) C[i + j + e * TILE] = 0;
        if (j + TILE <= m) for (int e = 0; e < TILE; ++e) C[j + e] = 1.0f * (1 / n);
        A += TILE, B += j * m;
        A += m;
        if (threadIdx.x < m) C[threadIdx.x] = A[blockIdx.x - 1 - j];
        C[i * m + col] = a[0][0][0] + *part(A, n, 0, col) + B4[i * m + j].x + A[i * n + col];
    }
}
"""
CHANGES = {
    "a factor of two": "with `2 * j` in place of `j` in `j + d`",
    "a factor that the other term has": "with `TILE * x` in place of `x` in `width * TILE * y + x`",
    "one more": "with `d + 1` in place of `d` in `j + d`",
    "the other buffer of both": "with `1 - now` in place of `now` in `load(a[now], A, t), load(b[now], A, t * m + j);`",
    "an operand that is never read": "with `B` in place of `A` in `A[i * n + col]`",
    "what is left over": "with `j < m` in place of `j + TILE <= m`",
    "those of a group that there are": "with `if (j + e < m)` in the loop in place of `(j + TILE <= m)`",
    "a fraction": "with `(1.0f * 1 / n)` in place of `1 / n`",
    "a loop for too few threads": "with a loop in steps of `blockDim.x` in place of `if (threadIdx.x < m)`",
    "a mirrored index": "with `(blockIdx.x - TILE + j)` in place of `blockIdx.x - 1 - j`",
    "a pointer moved by rows": "with `A += TILE * n` in place of `A += TILE`",
    "a pointer moved by elements": "with `B += j` in place of `B += j * m`",
    "a pointer moved by two rows": "with `A += 2 * m` in place of `A += m`",
    "elements side by side": "with `(i + e + j * 3)` in place of `i + j + e * TILE`",
    "a return of those behind the last": "with `if (deep >= m) return;` behind it",
    "vectors, not elements": "with `(i * m + j) / 4` in place of `i * m + j`",
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_slip_has_its_opposite(tmp_path, name):
    """All of them are tried, in the kernel and in the functions that it calls."""
    path = tmp_path / "kernel.cu"
    path.write_text(TEXT)
    opened = open_file(path)
    own = ChangeableKernel(opened.file, opened.kernels[0], Bounds(), ["TILE"], ())
    assert CHANGES[name] in [change.says for change in own.changes()]


OTHER = """
struct Sides { int m, n; };
__global__ void slices(const float *A, const float4 *V, float *C, unsigned *count, Sides s, int K)
{
    const int length = K / gridDim.z, first = blockIdx.z * length, end = first + length;
    const int wide = s.n / 4;
    const float4 *row = V + s.n;
    fragment<accumulator> sums;
    fill_fragment(sums, 0.0f);
    for (int tile = blockIdx.x; tile < 9; tile += gridDim.x) {
        for (int k = first; k < end; ++k) mma_sync(sums, A, C, sums);
    }
    int mixed = threadIdx.y ^ K;
    C[mixed + 8] = row[wide].x + atomicInc(count, gridDim.x);
}
"""
OTHER_CHANGES = {
    "the rest of the last slice": "with `K` in place of `first + length` for the last block",
    "a last slice that is shorter": "with `K` in place of `first + length` where that is less",
    "vectors, not elements, of a struct's side": "with `wide` in place of `s.n` in `V + s.n`",
    "sums of another tile": "with `fill_fragment(sums, 0.0f);` at the start of each trip of the loop of line 10",
    "a part of a swizzled index": "with `((threadIdx.y + 8) ^ K)` in place of `mixed + 8`",
    "a counter that wraps too late": "with `gridDim.x - 1` in place of `gridDim.x`",
}


@pytest.mark.parametrize("name", OTHER_CHANGES)
def test_the_opposite_of_other_slips(tmp_path, name):
    """Also of what the kernel has of a struct, which is taken apart."""
    path = tmp_path / "kernel.cu"
    path.write_text(OTHER)
    opened = open_file(path)
    own = ChangeableKernel(opened.file, opened.kernels[0], Bounds(), [], ())
    assert OTHER_CHANGES[name] in [change.says for change in own.changes()]


SUMS = """
typedef signed char i8;
__global__ void walk(const i8 *A, const float *B, float *C, int n)
{
    __shared__ i8 rows[16], part[2][16];
    __shared__ i8 plain[16];
    float upper = 0, lower = 0, once = 0;
    for (int tile = blockIdx.x; tile < n; tile += gridDim.x) {
        rows[threadIdx.x] = A[tile] + A[tile + 1];
        plain[threadIdx.x] = A[tile + 1];
        for (int k = 0; k < 16; ++k) upper += rows[k] * B[k], lower += plain[k] * B[k + 16];
        C[tile] = upper + lower + once;
    }
}
"""
PAIRS = """
__device__ float both(const float *B, int n, int q, int j) { return B[q * n + 2 * j] + B[q * n + 2 * j + 1]; }
__global__ void pairs(const float *A, const float *B, float *C, int n, int k)
{
    int j = threadIdx.x, i = threadIdx.y;
    for (int q = 0; q < k; ++q) {
        int p = q * n + 2 * j;
        const float *row = B + (q + 1) * k, *lower = row + 2 * k;
        C[i * n + j] += both(B, n, q, j) + A[p] + row[2 * j] + lower[2 * j + 1];
    }
    for (int e = 0; e < 3; ++e) C[i + threadIdx.x * 3 + e] = A[threadIdx.x + e * 8];
    for (int e = 0; e < 3; ++e) C[blockIdx.x * blockDim.x * 3 + i + e] = 0;
    C[j] = A[2 * j] + A[j] + __shfl_xor_sync(~0u, A[i], 16);
}
"""


def test_rows_of_pairs(tmp_path):
    """In one subscript, in both of two, in a function that the kernel calls, and where a pointer is moved to a row."""
    path = tmp_path / "kernel.cu"
    path.write_text(PAIRS)
    opened = open_file(path)
    said = [each.says for each in ChangeableKernel(opened.file, opened.kernels[0], Bounds(), [], ()).changes()]
    assert "with rows of `2 * n` in place of `n`" in said
    assert said.count("with `2 * n` in place of `n`") == 3
    assert "with `(i + threadIdx.x + e * 8)` in place of `i + threadIdx.x * 3 + e`" in said
    assert "with `2 * j` in place of `j`" in said
    assert "with rows of `2 * k` in place of `k` in `B + (q + 1) * k`" in said
    assert "with `k` in place of `2 * k`" in said
    assert "with `blockDim.x * e` in place of `e` in `blockIdx.x * blockDim.x * 3 + i + e`" in said
    assert not any("`blockDim.x * i`" in each for each in said)
    for lanes in (1, 2, 4, 8):
        assert f"with `{lanes}` in place of `16` in `__shfl_xor_sync(~0u, A[i], 16)`" in said


def test_sums_of_a_thread_and_tiles_of_sums(tmp_path):
    """Several sums are set to 0 together; of tiles those in which sums are stored are of int."""
    path = tmp_path / "kernel.cu"
    path.write_text(SUMS)
    opened = open_file(path)
    found = {each.says: each for each in ChangeableKernel(opened.file, opened.kernels[0], Bounds(), [], ()).changes()}
    assert "with `upper = 0; lower = 0;` at the start of each trip of the loop of line 8" in found
    assert found["with `int` in place of `i8` for the tiles that sums of two are stored in"].line == 5


TILED = """
__global__ void product(const float *A, float *C, int n)
{
    __shared__ float a[16];
    for (int t = 0; t < n; ++t) {
        a[threadIdx.x] = A[t];
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            C[i] += a[i];
        }
    }
}
"""


def test_a_barrier_belongs_where_the_others_are(tmp_path):
    """In a loop without any, within one that has some, it is doubted more."""
    path = tmp_path / "kernel.cu"
    path.write_text(TILED)
    opened = open_file(path)
    own = ChangeableKernel(opened.file, opened.kernels[0], Bounds(), [], ())
    doubts = {change.line: change.doubt for change in own.changes() if "behind line" in change.says}
    inner, outer = (TILED[: TILED.index(text)].count("\n") + 1 for text in ("C[i]", "a[threadIdx.x] ="))
    assert doubts[inner] > doubts[outer]


def test_an_index_in_elements_of_an_array_of_vectors():
    """The whole index is divided, beside the stride alone."""
    texts = [slip.text for slip in plain_slips(TEXT)]
    assert any("B4[(i * m + j) / 4]" in text for text in texts)


WRONG_OPERAND = """// C = A * B
__global__ void matmul(const float *A, const float *B, float *C, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += A[row * n + k] * A[k * n + col];
    C[row * n + col] = sum;
}
void run(const float *A, const float *B, float *C, int n)
{
    matmul<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(A, B, C, n);
}
"""


@pytest.mark.slow
def test_the_operand_that_is_read_twice_is_named(tmp_path):
    """The other one, which is passed and never read, makes it a product."""
    path = tmp_path / "kernel.cu"
    path.write_text(WRONG_OPERAND)
    (result,) = check_file(path, Options())
    assert result.findings[0].kind == "cause"
    assert result.findings[0].place[1] == 8


STAGES = """
__global__ void dot(const float *x, const float *y, float *sum, int n)
{
    float v = threadIdx.x < n ? x[threadIdx.x] * y[threadIdx.x] : 0;
    if (n > 3) v += 1;
    STEPS
    if (threadIdx.x == 0) *sum = v;
}
"""


@pytest.mark.parametrize(
    ("steps", "lacking"),
    [
        ((8, 4, 2, 1), [(16, "in front of", 8)]),
        ((16, 8, 2, 1), [(4, "in front of", 2)]),
        ((16, 8, 4, 2), [(1, "behind", 2)]),
        ((16, 8, 4, 2, 1), []),
        ((1, 2, 4), [(8, "behind", 4)]),
        ((2,), []),
    ],
)
def test_the_step_that_a_sum_over_a_warp_lacks(tmp_path, steps, lacking):
    """Of those that are written one below the other: in front, in between, and at the end."""
    step = "v += __shfl_down_sync(0xffffffff, v, {});"
    path = tmp_path / "dot.cu"
    path.write_text(STAGES.replace("STEPS", " ".join(map(step.format, steps))))
    opened = open_file(path)

    said = [each.says for each in ChangeableKernel(opened.file, opened.kernels[0], Bounds(), [], []).changes()]

    expected = [f"with `{step.format(now)}` {where} `{step.format(at)}`" for now, where, at in lacking]
    assert [each for each in said if re.search("` (?:in front of|behind) `v", each)] == expected
