"""The line that is named where several changes would do, or where the change is to more than a name."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

TAKES = "const float *A, const float *B, float *C, int m, int n, int k"
SEVERAL_TILES = f"""
__global__ void mm({TAKES})
{{
    int across = (n + 15) / 16, count = across * ((m + 15) / 16);
    float sums[2] = {{0, 0}};
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {{
        int row = tile / across * 16 + threadIdx.y, col = tile % across * 16 + threadIdx.x;
        for (int l = 0; l < k; ++l)
            for (int i = 0; i < 2; ++i)
                if (row + 8 * i < m && col < n) sums[i] += A[(row + 8 * i) * k + l] * B[l * n + col];
        for (int i = 0; i < 2; ++i)
            if (row + 8 * i < m && col < n) C[(row + 8 * i) * n + col] = sums[i];
    }}
}}
void run({TAKES})
{{
    mm<<<24, dim3(16, 8)>>>(A, B, C, m, n, k);
}}
"""
WARPS = """
__global__ void dot(const float *x, const float *y, float *sum, int n)
{
    float v = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
        v += x[i] * y[i];
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x == 0)
        atomicAdd(sum, v);
}
void run(const float *x, const float *y, float *sum, int n)
{
    cudaMemset(sum, 0, sizeof(float));
    dot<<<90, 128>>>(x, y, sum, n);
}
"""
TURNED = """
__global__ void turn(const float *from, float *to, int wide, int high)
{
    __shared__ float piece[8][9];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < wide && y < high) piece[threadIdx.y][threadIdx.x] = from[y * wide + x];
    __syncthreads();
    x = blockIdx.y * 8 + threadIdx.x;
    y = blockIdx.x * 8 + threadIdx.y;
    if (x < high && y < wide)
        to[y * high + x] = piece[threadIdx.y][threadIdx.x];  // the transpose
}
void run(const float *from, float *to, int wide, int high)
{
    turn<<<dim3((wide + 7) / 8, (high + 7) / 8), dim3(8, 8)>>>(from, to, wide, high);
}
"""
FOUR = """
__global__ void reduced(const float *A, const float *B, float *C, int m, int k, int n)
{
    int r = blockIdx.y * 8 + threadIdx.y, c = blockIdx.x * 8 + threadIdx.x;
    if (r >= m / 2 || c >= n / 2) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) {
        float a = A[2 * r * k + i], b = A[(2 * r + 1) * k + i], d = B[i * n + 2 * c], e = B[i * n + 2 * c + 1];
        sum += a * d;
        sum += a * e;
        sum += b * d;
        sum += b * d;
    }
    C[r * (n / 2) + c] = sum;
}
void go(const float *A, const float *B, float *C, int m, int k, int n)
{
    reduced<<<dim3((n / 2 + 7) / 8, (m / 2 + 7) / 8), dim3(8, 8)>>>(A, B, C, m, k, n);
}
"""
ROUNDED_DOWN = f"""
const int HIGH = 2, WIDE = 4, SIDE = 16, DEEP = 16;
// launch with dim3 block(16, 16), grid(ceil(n / 64), ceil(m / 32))
__global__ void mm({TAKES})
{{
    __shared__ float a[SIDE * HIGH][DEEP], b[DEEP][SIDE * WIDE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * SIDE * HIGH + y, col = blockIdx.x * SIDE * WIDE + x;
    float sums[HIGH][WIDE];
    for (auto &line : sums)
        for (auto &each : line) each = 0;
    int count = k / DEEP;
    for (int t = 0; t < count; ++t) {{
        int first = t * DEEP;
        for (int i = 0; i < HIGH; ++i) {{
            int r = row + i * SIDE;
            a[y + i * SIDE][x] = r < m && first + x < k ? A[r * k + first + x] : 0;
        }}
        for (int j = 0; j < WIDE; ++j) {{
            int c = col + j * SIDE;
            b[y][x + j * SIDE] = first + y < k && c < n ? B[(first + y) * n + c] : 0;
        }}
        __syncthreads();
        for (int l = 0; l < DEEP; ++l)
            for (int i = 0; i < HIGH; ++i)
                for (int j = 0; j < WIDE; ++j) sums[i][j] += a[y + i * SIDE][l] * b[l][x + j * SIDE];
        __syncthreads();
    }}
    for (int i = 0; i < HIGH; ++i)
        for (int j = 0; j < WIDE; ++j)
            if (row + i * SIDE < m && col + j * SIDE < n) C[(row + i * SIDE) * n + col + j * SIDE] = sums[i][j];
}}
"""
LARGEST = """
__global__ void largest(const float *table, float *found, int width)
{
    __shared__ float best[64];
    const float *line = table + blockIdx.x * width;
    float own = -1e30f;
    for (int i = threadIdx.x; i < width; i += 64) own = fmaxf(own, line[i]);
    best[threadIdx.x] = own;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) found[blockIdx.x] = best[0];  // the maximum of a row
}
int main()
{
    int lines = 40, width = 70;
    float *table, *found;
    cudaMalloc(&table, lines * width * sizeof(float));
    cudaMalloc(&found, lines * sizeof(float));
    largest<<<lines, 64>>>(table, found, width);
}
"""


def checked(tmp_path, text):
    """The result of the file's kernel."""
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    return result


@pytest.mark.parametrize(
    ("text", "line", "change"),
    [
        pytest.param(SEVERAL_TILES, 5, "at the start of each trip", id="sums of a thread over several tiles"),
        pytest.param(WARPS, 9, "% 32 == 0", id="one warp's sum of several"),
        pytest.param(TURNED, 11, "piece[threadIdx.x][threadIdx.y]", id="a tile that is read as it was stored"),
        pytest.param(FOUR, 12, "b * e", id="the later of two equal products"),
        pytest.param(ROUNDED_DOWN, 11, "k + DEEP - 1", id="tiles rounded down, sums in memory"),
    ],
)
def test_the_line(tmp_path, text, line, change):
    """It is the one where the mistake was made, and the change is what was meant."""
    cause = next(finding for finding in checked(tmp_path, text).findings if finding.severity == "error")

    assert (cause.kind, cause.place[1]) == ("cause", line), cause
    assert change in cause.message


def test_rows_that_the_host_alone_knows_differ_from_the_columns(tmp_path):
    """As the maximum of a vector the kernel would read far beyond it; nobody is accused for that."""
    result = checked(tmp_path, LARGEST)

    assert result.is_well(), [(each.kind, each.message) for each in result.findings]
    assert "--operation row_max " in result.arguments
