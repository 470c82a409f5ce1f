"""Kernels that a slip makes wrong everywhere: what is right without it shows what they compute, and names the line."""

import pytest

from tests.repeats import sampled
from tilewright.lab.check.find.plain_slips import plain_slips
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

BARE = """
#define AT(row, column, width) (row * width + column)
__global__ void multiply(const float *x, const float *y, float *z, int m, int k, int n)
{
    int column = blockIdx.x * 32 + threadIdx.x, first = (blockIdx.y * 4 + threadIdx.y) * 3;
    for (int r = 0; r < 3 && first + r < m && column < n; ++r) {
        float sum = 0;
        for (int i = 0; i < k; ++i) sum += x[AT(first + r, i, k)] * y[AT(i, column, n)];
        z[AT(first + r, column, n)] = sum;
    }
}
void run(const float *x, const float *y, float *z, int m, int k, int n)
{
    multiply<<<dim3((n + 31) / 32, (m + 11) / 12), dim3(32, 4)>>>(x, y, z, m, k, n);
}
"""
COUNTDOWN = """
__global__ void multiply(const float *x, const float *y, float *z, unsigned m, unsigned k, unsigned n)
{
    unsigned row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (unsigned i = k - 1; i >= 0; --i)
        sum += x[row * k + i] * y[i * n + column];
    z[row * n + column] = sum;
}
void run(const float *x, const float *y, float *z, unsigned m, unsigned k, unsigned n)
{
    multiply<<<dim3((n + 15) / 16, (m + 7) / 8), dim3(16, 8)>>>(x, y, z, m, k, n);
}
"""
PAIRS = """
// n is a multiple of 2
__global__ void multiply(const float *x, const float *y, float *z, int m, int k, int n)
{
    const float2 *pairs = (const float2 *)y;
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || column >= n / 2) return;
    float2 sum = {0, 0};
    for (int i = 0; i < k; ++i) {
        float2 pair = pairs[i * n + column];
        sum.x += x[row * k + i] * pair.x;
        sum.y += x[row * k + i] * pair.y;
    }
    z[row * n + 2 * column] = sum.x;
    z[row * n + 2 * column + 1] = sum.y;
}
void run(const float *x, const float *y, float *z, int m, int k, int n)
{
    multiply<<<dim3((n / 2 + 15) / 16, (m + 7) / 8), dim3(16, 8)>>>(x, y, z, m, k, n);
}
"""
TRANSPOSE = """
__global__ void transpose(const float *in, float *out, int height, int width)
{
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (y < height && x < width) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    int across = blockIdx.x * 16 + threadIdx.x, down = blockIdx.y * 16 + threadIdx.y;
    if (down < width && across < height) out[down * height + across] = tile[threadIdx.x][threadIdx.y];
}
void run(const float *in, float *out, int height, int width)
{
    transpose<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(in, out, height, width);
}
"""
COARSE = """
#define SIDE 16
#define EACH 2
__global__ void multiply(const float *x, const float *y, float *z, int m, int k, int n)
{
    int row = blockIdx.y * SIDE + threadIdx.y, first = blockIdx.x * SIDE + threadIdx.x;
    for (int e = 0; e < EACH; ++e) {
        int column = first + e * SIDE;
        float sum = 0;
        for (int i = 0; i < k && row < m && column < n; ++i) sum += x[row * k + i] * y[i * n + column];
        if (row < m && column < n) z[row * n + column] = sum;
    }
}
void run(const float *x, const float *y, float *z, int m, int k, int n)
{
    const int wide = SIDE * EACH;
    dim3 blocks((n + wide - 1) / wide, (m + SIDE - 1) / SIDE);
    multiply<<<blocks, dim3(SIDE, SIDE)>>>(x, y, z, m, k, n);
}
"""
TURNED_TWICE = """
// z = x * y^T
__global__ void linear(const float *x, const float *y, float *z, int m, int n, int k)
{
    __shared__ float xs[8][8], ys[8][8];
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    int other = blockIdx.x * 8 + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < k; i += 8) {
        xs[threadIdx.y][threadIdx.x] = row < m && i + threadIdx.x < k ? x[row * k + i + threadIdx.x] : 0;
        ys[threadIdx.x][threadIdx.y] = other < n && i + threadIdx.x < k ? y[other * k + i + threadIdx.x] : 0;
        __syncthreads();
        for (int e = 0; e < 8; ++e) sum += xs[threadIdx.y][e] * ys[threadIdx.x][e];
        __syncthreads();
    }
    if (row < m && column < n) z[row * n + column] = sum;
}
void run(const float *x, const float *y, float *z, int m, int n, int k)
{
    linear<<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(x, y, z, m, n, k);
}
"""
ONE_ROW_OF_FOUR = """
__global__ void multiply(const float *x, const float *y, float *z, int m, int k, int n)
{
    __shared__ float xs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < k; i += 16) {
        int at = threadIdx.y / 4 * 4;
        xs[at][threadIdx.x] = blockIdx.y * 16 + at < m && i + threadIdx.x < k
            ? x[(blockIdx.y * 16 + at) * k + i + threadIdx.x] : 0;
        __syncthreads();
        for (int e = 0; e < 16 && i + e < k && column < n; ++e) sum += xs[threadIdx.y][e] * y[(i + e) * n + column];
        __syncthreads();
    }
    if (row < m && column < n) z[row * n + column] = sum;
}
void run(const float *x, const float *y, float *z, int m, int k, int n)
{
    multiply<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(x, y, z, m, k, n);
}
"""
NO_SECOND_BARRIER = """
template <typename T, int SIDE>
__global__ void multiply(const T *x, const T *y, T *z, int m, int k, int n)
{
    __shared__ T xs[SIDE][SIDE], ys[SIDE][SIDE];
    int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
    T sum = 0;
    for (int t = 0; t < (k + SIDE - 1) / SIDE; ++t) {
        int right = t * SIDE + threadIdx.x;
        int down = t * SIDE + threadIdx.y;
        xs[threadIdx.y][threadIdx.x] = row < m && right < k ? x[row * k + right] : 0;
        ys[threadIdx.y][threadIdx.x] = down < k && column < n ? y[down * n + column] : 0;
        __syncthreads();
        for (int e = 0; e < SIDE; ++e)
            sum += xs[threadIdx.y][e] * ys[e][threadIdx.x];
    }
    if (row < m && column < n) z[row * n + column] = sum;
}
void run(const float *x, const float *y, float *z, int m, int k, int n)
{
    multiply<float, 16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(x, y, z, m, k, n);
}
"""
NARROW = """
typedef unsigned char byte;
__global__ void multiply(const float *x, const float *y, float *z, int m, int k, int n)
{
    __shared__ float xs[48 * 8], ys[8 * 16];
    int first = blockIdx.y * 48, column = blockIdx.x * 16 + threadIdx.x;
    float sums[6] = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < k; i += 8) {
        for (int step = 0; step < 3; ++step) {
            byte at = threadIdx.y * 16 + threadIdx.x + step * 128;
            xs[at] = first + at / 8 < m && i + at % 8 < k ? x[(first + at / 8) * k + i + at % 8] : 0;
        }
        ys[threadIdx.y * 16 + threadIdx.x] = i + threadIdx.y < k && column < n ? y[(i + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int r = 0; r < 6; ++r)
            for (int e = 0; e < 8; ++e) sums[r] += xs[(threadIdx.y * 6 + r) * 8 + e] * ys[e * 16 + threadIdx.x];
        __syncthreads();
    }
    for (int r = 0; r < 6; ++r) {
        int row = first + threadIdx.y * 6 + r;
        if (row < m && column < n) z[row * n + column] = sums[r];
    }
}
void run(const float *x, const float *y, float *z, int m, int k, int n)
{
    multiply<<<dim3((n + 15) / 16, (m + 47) / 48), dim3(16, 8)>>>(x, y, z, m, k, n);
}
"""
EXCHANGED = """
__global__ void multiply(const float *x, const float *y, float *z, int m, int k, int n)
{
    int row = blockIdx.y * 4 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += x[row * k + i] * y[i * n + column];
    z[row * n + column] = sum;
}
void run(const float *x, const float *y, float *z, int m, int k, int n)
{
    dim3 grid((m + 31) / 32, (n + 3) / 4);
    multiply<<<grid, dim3(32, 4)>>>(x, y, z, m, k, n);
}
"""
TURNED_READ = """
__global__ void multiply(const float *x, const float *y, float *z, int m, int k, int n)
{
    __shared__ float xs[8][9], ys[8][9];
    int u = threadIdx.x, v = threadIdx.y, row = blockIdx.y * 8 + v, column = blockIdx.x * 8 + u;
    float sum = 0;
    for (int i = 0; i < k; i += 8) {
        xs[v][u] = row < m && i + u < k ? x[row * k + i + u] : 0;
        ys[v][u] = i + v < k && column < n ? y[(i + v) * n + column] : 0;
        __syncthreads();
        for (int e = 0; e < 8; ++e)
            sum += xs[v][e] * ys[u][e];
        __syncthreads();
    }
    if (row < m && column < n) z[row * n + column] = sum;
}
void run(const float *x, const float *y, float *z, int m, int k, int n)
{
    multiply<<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(x, y, z, m, k, n);
}
"""
GUARD_OF_ANOTHER = """
struct Grid { int tall, wide; float *at; };
__global__ void multiply(Grid x, Grid y, Grid z)
{
    int row = blockIdx.x * 16 + threadIdx.x, column = blockIdx.y * 16 + threadIdx.y;
    if (row >= x.tall)
        return;
    if (column >= x.wide)
        return;
    float sum = 0;
    for (int i = 0; i < x.wide; ++i) sum += x.at[row * x.wide + i] * y.at[i * y.wide + column];
    z.at[row * z.wide + column] = sum;
}
"""
STRIDE_OF_A_BLOCK = """
__global__ void dot(const float *x, const float *y, float *sum, int n)
{
    float own = 0;
    int i = blockIdx.x * 128 + threadIdx.x;
    for (; i < n;
         i += 128)
        own += x[i] * y[i];
    atomicAdd(sum, own);
}
int main()
{
    const int n = 5000;
    float *x, *y, *sum;
    cudaMallocManaged(&sum, 4);
    *sum = 0;
    dot<<<12, 128>>>(x, y, sum, n);
}
"""
REST = """
__global__ void dot(const float *x, const float *y, float *sum, int n)
{
    const float2 *pairs = (const float2 *)x, *others = (const float2 *)y;
    int most = n / 2;
    float own = 0;
    for (int i = blockIdx.x * 64 + threadIdx.x; i < most; i += 64 * gridDim.x)
        own += pairs[i].x * others[i].x + pairs[i].y * others[i].y;
    atomicAdd(sum, own);
}
int main()
{
    int n = 5001;
    float *x, *y, *sum;
    cudaMallocManaged(&sum, 4);
    *sum = 0;
    dot<<<5, 64>>>(x, y, sum, n);
}
"""
BEHIND_A_BRANCH = """
__global__ void multiply(const float *a, const float *x, float *y, int rows, int cols)
{
    __shared__ float part[64];
    int row = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < cols; first += 64) {
        part[threadIdx.x] = first + threadIdx.x < cols ? x[first + threadIdx.x] : 0;
        __syncthreads();
        if (row < rows) {
            for (int i = 0; i < 64 && first + i < cols; ++i) sum += a[row * cols + first + i] * part[i];
        }
    }
    if (row < rows) y[row] = sum;
}
void run(const float *a, const float *x, float *y, int rows, int cols)
{
    multiply<<<(rows + 63) / 64, 64>>>(a, x, y, rows, cols);
}
"""


@pytest.mark.parametrize(
    ("text", "line", "now"),
    [
        (NARROW, 10, "int at ="),
        (BARE, 2, "((row) * (width) + (column))"),
        (COUNTDOWN, 7, "for (int i = k - 1; i >= 0; --i)"),
        (PAIRS, 10, "pairs[i * (n / 2) + column]"),
        (TRANSPOSE, 8, "int across = blockIdx.y * 16 + threadIdx.x, down = blockIdx.x * 16 + threadIdx.y;"),
    ],
)
def test_each_slip_is_mended_alone(text, line, now):
    """One slip, its line, and the text without it; an index of vectors may be in elements as a whole, too."""
    slip, *others = (each for each in plain_slips(text) if "four products" not in each.says)

    assert len(others) == (text == PAIRS)
    assert slip.line == line
    assert now in slip.text
    left = [each for each in plain_slips(slip.text) if "four products" not in each.says]
    assert left in ([], [slip]) or "transpose" in text


def test_what_is_no_slip_is_left():
    """Parameters in parentheses, a countdown of `int`, vectors counted as vectors."""
    assert not list(
        plain_slips(
            "#define AT(i, n) ((i) * (n))\n#define SAY(x) #x\nint f(float *p, int n) { float4 *v = (float4 *)p;\n"
            "for (int i = n; i >= 0; --i) v[AT(i, n / 4)]; for (unsigned k = n; k > 0; --k) v[k + 1];\n"
            "unsigned char letter = threadIdx.x; char *p = threadIdx.x + q; }\n"
        )
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "line", "kind"),
    sampled(
        [
            pytest.param(BARE, 2, "cause", id="bare"),
            pytest.param(COUNTDOWN, 7, "cause", id="countdown"),
            pytest.param(PAIRS, 10, "cause", id="pairs"),
            pytest.param(TRANSPOSE, 8, "cause", id="transpose"),
            pytest.param(COARSE, 6, "cause", id="coarse"),
            pytest.param(TURNED_TWICE, 11, "cause", id="turned_twice"),
            pytest.param(NARROW, 10, "cause", id="narrow"),
            pytest.param(TURNED_READ, 12, "cause", id="turned_read"),
            pytest.param(GUARD_OF_ANOTHER, 8, "cause", id="guard_of_another"),
            pytest.param(STRIDE_OF_A_BLOCK, 7, "cause", id="stride_of_a_block"),
            pytest.param(REST, 5, "cause", id="rest"),
            pytest.param(BEHIND_A_BRANCH, 12, "cause", id="behind_a_branch"),
            pytest.param(EXCHANGED, 12, "cause", id="exchanged"),
            pytest.param(NO_SECOND_BARRIER, 15, "cause", id="no_second_barrier"),
            pytest.param(ONE_ROW_OF_FOUR, 12, "uninitialised read", id="one_row_of_four"),
        ]
    ),
)
def test_the_line_is_named(tmp_path, text, line, kind):
    """Nothing of the product is left to see, or little: it is still no question, and the first error is the cause."""
    (tmp_path / "k.cu").write_text(text)
    (result,) = check_file(tmp_path / "k.cu", Options())

    assert not result.refusal
    first = next(each for each in result.findings if each.severity == "error" and not each.follows)
    assert (first.kind, first.place[1]) == (kind, line), first.message


@pytest.mark.long
def test_a_missing_barrier_stands_between_two_lines(tmp_path):
    """Behind a branch at the end of a loop, it is the loop's last line that it stands before."""
    (tmp_path / "k.cu").write_text(BEHIND_A_BRANCH)
    (result,) = check_file(tmp_path / "k.cu", Options())
    first = result.findings[0]

    assert [place[1] for place in (first.place, first.other) if place is not None] == [12, 13]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("is_last = (atomicAdd(&done, 1u) == gridDim.x);", 1),
        ("unsigned t = atomicInc(done, gridDim.x); is_last = t >= gridDim.x;", 1),
        ("int blocks = gridDim.x; is_last = atomicAdd(done, 1) == blocks;", 1),
        ("if (atomicAdd(done, 1) == gridDim.x * gridDim.y) *sum = 0;", 1),
        ("is_last = atomicAdd(&done, 1u) == gridDim.x - 1;", 0),
        ("is_last = atomicAdd(&done, 1u) + 1 == gridDim.x;", 0),
        ("unsigned t = atomicAdd(done, 1) + 1; is_last = t == gridDim.x;", 0),
        ("is_last = atomicAdd(&done, 1u) == blocks;", 0),
    ],
)
def test_tickets_that_no_block_draws(text, count):
    """They begin at 0, so that the last one is one less than there are blocks."""
    found = list(plain_slips(f"__global__ void k(unsigned *done) {{ {text} }}"))

    assert len(found) == count
    assert all(" - 1" in each.text.split("==")[-1].split(">=")[-1] for each in found)
