"""Products as courses write them, each small: right ones need no option, and of wrong ones the line is named."""

import pytest

from tests.repeats import sampled
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

PLAIN = """
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * n + col];
"""
TILED = """
    __shared__ float a[16][16], b[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int l = 0; l < k; l += 16) {
        a[threadIdx.y][threadIdx.x] = row < m && l + threadIdx.x < k ? A[row * k + l + threadIdx.x] : 0;
        b[threadIdx.y][threadIdx.x] = col < n && l + threadIdx.y < k ? B[(l + threadIdx.y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = sum;
"""
TAKES = "const float *A, const float *B, float *C, int m, int n, int k"
RIGHT = {
    "an unnamed namespace": f"""
namespace {{
__global__ void mm({TAKES})
{{{PLAIN}    C[row * n + col] = sum;
}}
}}
""",
    "indices of cooperative groups": """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)
{
    auto block = cg::this_thread_block();
    int i = block.group_index().x * block.size() + block.thread_rank();
    if (i >= m * n) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += A[i / n * k + l] * B[l * n + i % n];
    C[i] = sum;
}
""",
    "a tile of a line of threads, launched by a function": """
#include <cassert>
constexpr int BM = 32, BN = 32, BK = 8;
__global__ void mm(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ float a[BK * BM], b[BK * BN];
    A += blockIdx.y * BM * K; B += blockIdx.x * BN; C += blockIdx.y * BM * N + blockIdx.x * BN;
    int r = threadIdx.x / 16 * 2, c = threadIdx.x % 16 * 2;
    float sums[2][2] = {};
    for (int k = 0; k < K; k += BK, A += BK, B += BK * N) {
        a[threadIdx.x % BK * BM + threadIdx.x / BK] = A[threadIdx.x / BK * K + threadIdx.x % BK];
        b[threadIdx.x] = B[threadIdx.x / BN * N + threadIdx.x % BN];
        __syncthreads();
        for (int l = 0; l < BK; ++l)
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) sums[i][j] += a[l * BM + r + i] * b[l * BN + c + j];
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) C[(r + i) * N + c + j] = sums[i][j];
}
void launch(const float *A, const float *B, float *C, int M, int N, int K)
{
    assert(M % BM == 0 && N % BN == 0 && K % BK == 0);
    mm<<<dim3(N / BN, M / BM), 256>>>(A, B, C, N, K);
}
int main() { const int M = 64, N = 96, K = 40; float *a, *b, *c; launch(a, b, c, M, N, K); }
""",
    "many products": f"""
__global__ void mm(const float *As, const float *Bs, float *Cs, int m, int n, int k)
{{
    const float *A = As + blockIdx.z * m * k, *B = Bs + blockIdx.z * k * n;
    float *C = Cs + blockIdx.z * m * n;{PLAIN}    C[row * n + col] = sum;
}}
void launch(const float *a, const float *b, float *c, int m, int n, int k, int batch)
{{
    mm<<<dim3((n + 15) / 16, (m + 7) / 8, batch), dim3(16, 8)>>>(a, b, c, m, n, k);
}}
""",
    "many products with one matrix": f"""
__global__ void mm(const float *As, const float *B, float *Cs, int m, int n, int k)
{{
    const float *A = As + blockIdx.z * m * k;
    float *C = Cs + blockIdx.z * m * n;{PLAIN}    C[row * n + col] = sum;
}}
int main()
{{
    int batch = 7, m = 40, n = 30, k = 20; float *a, *b, *c;
    mm<<<dim3((n + 15) / 16, (m + 7) / 8, batch), dim3(16, 8)>>>(a, b, c, m, n, k);
}}
""",
    "slices of the inner dimension": """
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k, int each)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= m || col >= n) return;
    for (int l = blockIdx.z * each; l < min(k, int(blockIdx.z + 1) * each); ++l) sum += A[row * k + l] * B[l * n + col];
    atomicAdd(&C[row * n + col], sum);
}
void launch(const float *A, const float *B, float *C, int m, int n, int k, int slices)
{
    cudaMemset(C, 0, m * n * sizeof(float));
    int each = (k + slices - 1) / slices;
    mm<<<dim3((n + 15) / 16, (m + 15) / 16, slices), dim3(16, 16)>>>(A, B, C, m, n, k, each);
}
""",
    "alpha and beta": f"""
__global__ void mm(float alpha, float beta, {TAKES})
{{{PLAIN}    C[row * n + col] = alpha * sum + beta * C[row * n + col];
}}
""",
    "an instance for a beta of 0": f"""
template <bool READS_C>
__global__ void mm(float alpha, float beta, {TAKES})
{{{PLAIN}    sum *= alpha;
    if (READS_C) sum += beta * C[row * n + col];
    C[row * n + col] = sum;
}}
void launch(float alpha, float beta, {TAKES})
{{
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
    if (beta == 0) mm<false><<<grid, block>>>(alpha, beta, A, B, C, m, n, k);
    else mm<true><<<grid, block>>>(alpha, beta, A, B, C, m, n, k);
}}
""",
    "a factor and a bias": f"""
__global__ void mm(float scale, float bias, {TAKES})
{{{PLAIN}    C[row * n + col] = scale * sum + bias;
}}
""",
}
WRONG = {
    "x and y of the grid exchanged": (
        f"""
__global__ void mm({TAKES})
{{{TILED}}}
int main()
{{
    int m = 150, k = 64, n = 100; float *a, *b, *c;
    dim3 block(16, 16);
    dim3 grid((m + 15) / 16, (n + 15) / 16);
    mm<<<grid, block>>>(a, b, c, m, n, k);
}}
""",
        ("dim3 grid",),
    ),
    "a sum that goes on in the next tile": (
        """
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)
{
    int across = (n + 15) / 16, down = (m + 15) / 16;
    float sum = 0;
    for (int t = blockIdx.x; t < across * down; t += gridDim.x) {
        int row = t / across * 16 + threadIdx.y, col = t % across * 16 + threadIdx.x;
        if (row < m && col < n) {
            for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * n + col];
            C[row * n + col] = sum;
        }
    }
}
int main()
{
    int m = 100, k = 40, n = 90; float *a, *b, *c;
    mm<<<24, dim3(16, 16)>>>(a, b, c, m, n, k);
}
""",
        ("float sum = 0",),
    ),
    "beta within the parentheses": (
        f"""
__global__ void mm(float alpha, float beta, {TAKES})
{{{PLAIN}    C[row * n + col] = alpha * (sum + beta * C[row * n + col]);
}}
""",
        ("alpha * (",),
    ),
    "shared memory for one of two tiles": (
        """
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k, int side)
{
    extern __shared__ float a[];
    float *b = a + side * side;
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * side + y, col = blockIdx.x * side + x;
    float sum = 0;
    for (int l = 0; l < k; l += side) {
        a[y * side + x] = row < m && l + x < k ? A[row * k + l + x] : 0;
        b[y * side + x] = col < n && l + y < k ? B[(l + y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < side; ++i) sum += a[y * side + i] * b[i * side + x];
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = sum;
}
int main()
{
    int m = 100, k = 64, n = 90; float *a, *b, *c;
    int side = 16;
    dim3 block(side, side), grid((n + side - 1) / side, (m + side - 1) / side);
    mm<<<grid, block, side * side * sizeof(float)>>>(a, b, c, m, n, k, side);
}
""",
        ("mm<<<",),
    ),
    "parentheses left out in a launch that a comment describes": (
        """
// Launch: dim3 block(32, 4); dim3 grid((N / 2 + 31) / 32, (M / 2 + 3) / 4);
__global__ void rmm(const float *A, const float *B, float *C, int M, int K, int N)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= M / 2 || j >= N / 2) return;
    float sum = 0;
    for (int k = 0; k < K; ++k)
        sum += (A[2 * i * K + k] +
                A[2 * i + 1 * K + k]) * (B[k * N + 2 * j] + B[k * N + 2 * j + 1]);
    C[i * (N / 2) + j] = sum;
}
""",
        ("1 * K",),
    ),
    "a shuffle that starts with half of its lanes": (
        """
// mv<<<(rows + 3) / 4, dim3(32, 4)>>>(A, x, y, rows, cols)
__global__ void mv(const float *A, const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * 4 + threadIdx.y;
    if (row >= rows) return;
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32) sum += A[row * cols + c] * x[c];
    for (int d = 8; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) y[row] = sum;
}
""",
        ("int d = 8",),
    ),
    "rows side by side where they are apart": (
        """
constexpr int TILE = 16, THREADS = 4, EACH = TILE / THREADS;
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)
{
    int col = blockIdx.x * TILE + threadIdx.x;
    float sums[EACH] = {};
    for (int l = 0; l < k; ++l)
        for (int i = 0; i < EACH; ++i) {
            int r = blockIdx.y * TILE + threadIdx.y + i * THREADS;
            if (r < m && col < n) sums[i] += A[r * k + l] * B[l * n + col];
        }
    for (int i = 0; i < EACH; ++i) {
        int row = blockIdx.y * TILE + threadIdx.y * EACH + i;
        if (row < m && col < n) C[row * n + col] = sums[i];
    }
}
int main()
{
    int m = 100, k = 40, n = 90; float *a, *b, *c;
    mm<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, THREADS)>>>(a, b, c, m, n, k);
}
""",
        ("int row =", "int r ="),
    ),
}


OFFSET_OF_ANOTHER = f"""
__global__ void mm(const float *As, const float *Bs, float *Cs, int m, int n, int k)
{{
    const float *A = As + blockIdx.z * m * k;
    const float *B = Bs + blockIdx.z * m * n;
    float *C = Cs + blockIdx.z * m * n;{PLAIN}    C[row * n + col] = sum;
}}
void launch(const float *a, const float *b, float *c, int m, int n, int k, int batch)
{{
    mm<<<dim3((n + 15) / 16, (m + 7) / 8, batch), dim3(16, 8)>>>(a, b, c, m, n, k);
}}
"""
"""Products of many matrices, of which B's begin where nobody keeps them."""


def checked(tmp_path, text):
    """The only kernel's result."""
    path = tmp_path / "product.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    return result


TWICE = """
__global__ void mm(const float *A, const float *B, float *P, int L, int K, int M)
{
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
    if (row >= L || col >= M) return;
    float s = 0;
    for (int q = 0; q < K; ++q) s += A[row * K + q] * B[q * M + col];
    P[row * M + col] = s;
}
void both(const float *A, const float *B, float *P, int m, int n, int k)
{
    mm<<<dim3((2 * n + 7) / 8, (ROWS + 7) / 8), dim3(8, 8)>>>(A, B, P, 2 * m, k, n * 2);
}
"""


@pytest.mark.long
@pytest.mark.parametrize(("rows", "is_well"), [("2 * m", True), ("m", False)])
def test_twice_a_size(tmp_path, rows, is_well):
    """What the launch calls m is half the rows, as of a product whose squares are added up afterwards."""
    result = checked(tmp_path, TWICE.replace("ROWS", rows))

    assert result.is_well() == is_well
    assert not is_well or "-D m=rows/2 -D n=cols/2" in result.arguments


@pytest.mark.slow
@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_right_without_an_option(tmp_path, text):
    """The indices, the launch and the factors are found."""
    result = checked(tmp_path, text)

    assert result.is_well(), [result.refusal, *((f.kind, f.message) for f in result.findings)]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "causes"), sampled(pytest.param(*each, id=name) for name, each in WRONG.items()))
def test_wrong_with_the_line_of_the_cause(tmp_path, text, causes):
    """The first finding names the line, or one of both that do not agree."""
    result = checked(tmp_path, text)

    assert not result.refusal
    first = result.findings[0]
    places = [place[1] for place in (first.place, first.other) if place]
    named = [text.splitlines()[line - 1] for line in places]
    assert any(cause in line for cause in causes for line in named), (first.kind, first.message, named)


@pytest.mark.long
def test_what_is_right_for_squares_alone_has_a_cause(tmp_path):
    """With one size for another every problem comes out right: that line is the cause."""
    result = checked(tmp_path, OFFSET_OF_ANOTHER)

    assert not result.refusal
    (line,) = (at for at, text in enumerate(OFFSET_OF_ANOTHER.splitlines(), 1) if "Bs + blockIdx.z" in text)
    assert (result.findings[0].kind, result.findings[0].place[1]) == ("cause", line)


def test_factors_that_nobody_names_are_not_tried(tmp_path):
    """What is right with 1 and 0 may be a bias, whose product with C nobody means."""
    (note,) = [note for note in checked(tmp_path, RIGHT["a factor and a bias"]).notes if "factors" in note]

    assert note == "mm was checked with the factors 1 and 0 alone."
