"""The line that a teacher would point at, where the first error's own line is a symptom."""

import pytest

from tilewright.lab.check.find.kernel_file import open_file
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.source.changes import Bounds
from tilewright.lab.source.variants import ChangeableKernel

TAKES = "const float *A, const float *B, float *C, int m, int n, int k"
HELPERS = f"""
__device__ void load(float (*a)[8], float (*b)[8], {TAKES}, int row, int col, int at)
{{
    int x = threadIdx.x, y = threadIdx.y;
    a[y][x] = row < m && at + x < k ? A[row * k + at + x] : 0;
    b[y][x] = at + y < k && col < n ? B[(at + y) * n + col] : 0;
    __syncthreads();
}}
__device__ float times(float (*a)[8], float (*b)[8])
{{
    float part = 0;
    for (int l = 0; l < 8; ++l) part += a[threadIdx.y][l] * b[l][threadIdx.x];
    return part;
}}
__global__ void product({TAKES})
{{
    __shared__ float a[8][8], b[8][8];
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < k; at += 8) {{
        load(a, b, A, B, C, m, n, k, row, col, at);
        sum += times(a, b);  // the barrier
    }}
    if (row < m && col < n) C[row * n + col] = sum;
}}
void run({TAKES})
{{
    product<<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(A, B, C, m, n, k);
}}
"""
TURNED = """
__global__ void transpose(const float *from, float *to, int wide, int high)
{
    __shared__ float tile[8][9];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < wide && y < high) tile[threadIdx.y][threadIdx.x] = from[y * wide + x];
    __syncthreads();
    int across = blockIdx.y * 8 + threadIdx.x, down = blockIdx.x * 8 + threadIdx.y;
    if (x < wide && y < high)  // of the tile that was read
        to[down * high + across] = tile[threadIdx.x][threadIdx.y];
}
void run(const float *from, float *to, int wide, int high)
{
    transpose<<<dim3((wide + 7) / 8, (high + 7) / 8), dim3(8, 8)>>>(from, to, wide, high);
}
"""
WARPS = """
__device__ float of_warp(float v)
{
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    return v;
}
__global__ void dot(const float *x, const float *y, float *sum, int n)
{
    __shared__ float sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i] * y[i];
    v = of_warp(v);
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = of_warp(sums[lane]);  // of 4 warps
        if (lane == 0) atomicAdd(sum, v);
    }
}
void run(const float *x, const float *y, float *sum, int n)
{
    cudaMemset(sum, 0, sizeof(float));
    dot<<<(n + 127) / 128, 128>>>(x, y, sum, n);
}
"""
PANELS = f"""
__global__ void product({TAKES})
{{
    int col = blockIdx.x * 16 + threadIdx.x, panels = (m + 31) / 32;
    float sums[2];  // of a panel
    for (int i = 0; i < 2; ++i) sums[i] = 0;
    for (int panel = blockIdx.y; panel < panels; panel += gridDim.y) {{
        int row = panel * 32 + threadIdx.y;
        for (int l = 0; l < k; ++l)
            for (int i = 0; i < 2; ++i)
                if (row + 16 * i < m && col < n) sums[i] += A[(row + 16 * i) * k + l] * B[l * n + col];
        for (int i = 0; i < 2; ++i)
            if (row + 16 * i < m && col < n) C[(row + 16 * i) * n + col] = sums[i];
    }}
}}
void run({TAKES})
{{
    int panels = (m + 31) / 32;
    if (panels > 24) panels = 24;
    product<<<dim3((n + 15) / 16, panels), dim3(16, 16)>>>(A, B, C, m, n, k);
}}
"""
NARROW = """
__global__ void product(const int *A, const int *B, long long *C, int m, int n, int k)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    int sum = 0;  // in 32 bits
    if (row >= m || col >= n) return;
    for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * n + col];
    C[row * n + col] = sum;
}
void run(const int *A, const int *B, long long *C, int m, int n, int k)
{
    product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, k);
}
"""
SECOND = f"""
__global__ void reduced({TAKES})
{{
    int r = blockIdx.y * 8 + threadIdx.y, c = blockIdx.x * 8 + threadIdx.x, half = n / 2;
    if (r >= m / 2 || c >= half) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) {{
        const float *left = B + l * n + 2 * c;
        const float *right = left + half;
        sum += (A[2 * r * k + l] + A[(2 * r + 1) * k + l]) * (*left + *right);
    }}
    C[r * half + c] = sum;
}}
void run({TAKES})
{{
    reduced<<<dim3((n / 2 + 7) / 8, (m / 2 + 7) / 8), dim3(8, 8)>>>(A, B, C, m, n, k);
}}
"""
STAGED = """
#define HIGH 32
#define DEEP 8
__global__ void times(const float *A, const float *x, float *y, int rows, int cols)
{
    __shared__ float tile[HIGH][DEEP + 1];
    int row = blockIdx.x * HIGH + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < cols; first += DEEP) {
        for (int e = threadIdx.x; e < HIGH * DEEP; e += HIGH) {
            int r = e / HIGH, c = e % HIGH;
            if (blockIdx.x * HIGH + r < cols && first + c < rows)
                tile[r][c] = A[(blockIdx.x * HIGH + r) * cols + first + c];
        }
        __syncthreads();
        for (int l = 0; l < DEEP; ++l) sum += tile[threadIdx.x][l] * x[first + l];
        __syncthreads();
    }
    if (row < rows) y[row] = sum;
}
"""
TURNS = f"""
__global__ void product({TAKES})
{{
    __shared__ float a[2][8][8], b[2][8][8];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
    auto load = [&](int to, int at) {{
        a[to][y][x] = row < m && at + x < k ? A[row * k + at + x] : 0;
        b[to][y][x] = at + y < k && col < n ? B[(at + y) * n + col] : 0;
    }};
    float sum = 0;
    load(0, 0);
    __syncthreads();
    for (int t = 0; t * 8 < k; ++t) {{
        int now = t % 2;
        int next = t % 2;  // the other one
        if ((t + 1) * 8 < k) load(next, (t + 1) * 8);
        for (int l = 0; l < 8; ++l) sum += a[now][y][l] * b[now][l][x];
        __syncthreads();
    }}
    if (row < m && col < n) C[row * n + col] = sum;
}}
void run({TAKES})
{{
    product<<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(A, B, C, m, n, k);
}}
"""
TREE = """
// Launched with COUNT threads in each of any number of blocks.
#define COUNT 96
__global__ void dot(const int *x, const int *y, int *sum, int n)
{
    __shared__ int sums[COUNT];
    int t = threadIdx.x, own = 0;
    for (int i = blockIdx.x * COUNT + t; i < n; i += gridDim.x * COUNT) own += x[i] * y[i];
    sums[t] = own;
    __syncthreads();
    for (int half = COUNT / 2; half > 0; half /= 2) {  // of 96
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sum, sums[0]);
}
"""
BY_ARGUMENT = (
    WARPS[: WARPS.index("void run")]
    + """
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5000, threads = argc > 2 ? atoi(argv[2]) : 128;
    float *x, *y, *sum;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&sum, sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = y[i] = i % 7;
    cudaMemset(sum, 0, sizeof(float));
    dot<<<(n + threads - 1) / threads, threads>>>(x, y, sum, n);
    cudaDeviceSynchronize();
    printf("%f", *sum);
}
"""
)
ROWS = """// The length of a row, lda, is a multiple of 4; rows and columns are any.
__global__ void gemv(const float *A, int lda, const float *x, float *y, int rows, int cols)
{
    const float4 *a4 = reinterpret_cast<const float4 *>(A + blockIdx.x * lda);
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    int quads = cols / 4;
    float sum = 0;
    for (int i = threadIdx.x; i < quads; i += 32) {
        float4 a = a4[i], b = x4[i];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int i = 4 * (quads + 1) + threadIdx.x; i < cols; i += 32)  // of the rest
        sum += A[blockIdx.x * lda + i] * x[i];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
void run(const float *A, int lda, const float *x, float *y, int rows, int cols)
{
    gemv<<<rows, 32>>>(A, lda, x, y, rows, cols);
}
"""
FILES = {
    "the rest of rows of vectors": (ROWS, "// of the rest"),
    "the other buffer": (TURNS, "// the other one"),
    "a tree of 96": (TREE, "// of 96"),
    "warps by the command line's default": (BY_ARGUMENT, "// of 4 warps"),
    "a barrier between calls": (HELPERS, "// the barrier"),
    "the guard, and not the store": (TURNED, "// of the tile that was read"),
    "sums of warps that are absent": (WARPS, "// of 4 warps"),
    "sums that go on": (PANELS, "// of a panel"),
    "a sum and its products": (NARROW, "// in 32 bits"),
    "the second of a pair": (SECOND, "left + half"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_the_line(tmp_path, name):
    """It is the first error's."""
    text, mark = FILES[name]
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    (line,) = (number for number, each in enumerate(text.split("\n"), 1) if mark in each)
    assert (result.findings[0].kind, result.findings[0].place[1]) == ("cause", line)


CHANGES = {
    "a template's argument": (
        NARROW.replace("int sum = 0;", "Pair<short, int> both; int sum = 0;"),
        "with `int` in place of `short` in `Pair<short, int> both;`",
    ),
    "warps": (WARPS, "with 0 in place of `sums[lane]` for the warps that a block has not"),
    "panels": (PANELS, "with the sums of `sums` set to 0 at the start of each trip of the loop of line 7"),
    "the rest of a tile": (STAGED, "with `first + l < cols` as well in `l < DEEP`"),
    "a tile's row and column": (STAGED, "with `DEEP` in place of each `HIGH` in `int r = e / HIGH, c = e % HIGH;`"),
    "sizes exchanged": (
        STAGED,
        "with `rows` and `cols` exchanged in `blockIdx.x * HIGH + r < cols && first + c < rows`",
    ),
    "64 bits": (NARROW, "with `int sum = 0;` and the products that are added in 64 bits"),
    "a pair": (SECOND, "with `left + 1` in place of `left + half`"),
    "a guard": (TURNED, "with `if ((down) < wide && (across) < high)` in place of `if (x < wide && y < high)`"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_change_is_tried(tmp_path, name):
    """Where it can mend something."""
    text, says = CHANGES[name]
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    opened = open_file(path)
    bounds = Bounds({"to": ("wide", "high")}, ("wide", "high"))
    own = ChangeableKernel(opened.file, opened.kernels[0], bounds, ["DEEP", "HIGH"], ())
    assert says in [change.says for change in own.changes()]


def test_barriers_between_calls_come_first(tmp_path):
    """Those at a helper's end are doubted more."""
    path = tmp_path / "kernel.cu"
    path.write_text(HELPERS)
    opened = open_file(path)
    own = ChangeableKernel(opened.file, opened.kernels[0], Bounds(), [], ())
    doubts = {change.line: change.doubt for change in own.changes() if change.mends == "barrier" and change.now}
    lines = HELPERS.split("\n")
    between, at_end = (next(n for n, line in enumerate(lines, 1) if mark in line) for mark in ("// the", "part +="))
    assert doubts[between] < doubts[at_end]


def test_a_block_may_be_empty(tmp_path):
    """No barrier is behind nothing."""
    path = tmp_path / "kernel.cu"
    path.write_text(NARROW.replace("C[row * n", "if (sum) {} else {;}\n    C[row * n"))
    opened = open_file(path)
    says = [each.says for each in ChangeableKernel(opened.file, opened.kernels[0], Bounds(), [], ()).changes()]
    assert any("`__syncthreads();` behind" in each for each in says)


def test_a_guard_of_halves(tmp_path):
    """A variable that holds half of a size is the length of a row."""
    path = tmp_path / "kernel.cu"
    path.write_text(TURNED.replace("down * high", "down * half").replace("int across", "int half = high / 2, across"))
    opened = open_file(path)
    bounds = Bounds({"to": ("(wide / 2)", "(high / 2)")}, ("wide", "high"))
    says = [each.says for each in ChangeableKernel(opened.file, opened.kernels[0], bounds, [], ()).changes()]
    assert "with `if ((down) < (wide / 2) && (across) < (high / 2))` in place of `if (x < wide && y < high)`" in says
