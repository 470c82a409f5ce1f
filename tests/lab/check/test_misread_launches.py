"""Right kernels whose launch, sizes or zeros are written in ways that are easily misread: none is accused."""

import pytest

from tests.repeats import sampled
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.promises import promise_of
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

TREE = """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? a[i] * b[i] : 0;
    __syncthreads();
    for (int step = SIDE / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
        __syncthreads();
    }
"""
DOT = f"""
__global__ void dot(const float *a, const float *b, float *partial, int n)
{{
    __shared__ float sums[SIDE];
{TREE}
    if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}}
"""
TAKES = "const float *A, const float *B, float *C, int m, int n, int k"
PLAIN = f"""
__global__ void mm({TAKES})
{{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * n + col];
    C[row * n + col] = sum;
}}
"""
FOUR_ROWS = f"""
__global__ void mm({TAKES})
{{
    int col = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * 32 + threadIdx.y * 4;
    for (int row = first; row < first + 4; ++row) {{
        if (row >= m || col >= n) continue;
        float sum = 0;
        for (int l = 0; l < k; ++l) sum += A[row * k + l] * B[l * n + col];
        C[row * n + col] = sum;
    }}
}}
"""
ADDED = """
__global__ void dot(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, a[i] * b[i]);
}
"""
SHARED_SIDES = "float *a, *b, *p; int n = 1000;"
RIGHT = {
    "a length that only a container knows": """
#include <vector>
__global__ void count(const unsigned char *bytes, size_t length, unsigned *bins)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[bytes[i]], 1u);  // a histogram of 256 bins
}
void run(std::vector<unsigned char> &text, unsigned char *bytes, unsigned *bins)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    count<<<40, 96>>>(bytes, text.size(), bins);
}
""",
    "a macro with a comment of a line": f"""
#define SIDE 128   // a power of two
{DOT}
int main() {{ {SHARED_SIDES} int blocks = (n + SIDE - 1) / SIDE; dot<<<blocks, SIDE>>>(a, b, p, n); }}
""",
    "a macro with a comment in its formula": f"""
#define WARPS 8 /* in a block */
#define SIDE (WARPS /* of 32 */ * 32) // threads
{DOT}
int main() {{ {SHARED_SIDES} dot<<<(n + SIDE - 1) / SIDE, SIDE>>>(a, b, p, n); }}
""",
    "a block that the caller gives, and the kernel knows": f"""
const int SIDE = 256;
{DOT}
void run(float *a, float *b, float *p, int n, int threads)
{{
    dot<<<(n + threads - 1) / threads, threads>>>(a, b, p, n);
}}
""",
    "a quotient that a comment rounds up": f"""
// block = (32, 8), grid = (ceil(n / 32), ceil(m / 32))
{FOUR_ROWS}
""",
    "a quotient between the brackets of a ceiling": f"""
// launched with dim3 block(32, 8), dim3 grid(⌈n / 32⌉, ⌈m/32⌉)
{FOUR_ROWS}
""",
    "sizes of a grid one by one": f"""
/* blockDim.x = 32, blockDim.y = 8
   gridDim.x = ceil(n / 32), gridDim.y = ceil(m / 32) */
{FOUR_ROWS}
""",
    "a comment that says a launch for whole tiles": f"""
// e.g. dim3 block(16, 16); dim3 grid(n / 16, m / 16);
{PLAIN}
""",
    "zeros by another kernel": f"""
__global__ void clear(float *p) {{ *p = 0.0f; }}
{ADDED}
int main()
{{
    float *a, *b, *out; int n = 1000;
    cudaMalloc(&out, sizeof(float));
    clear<<<1, 1>>>(out);
    dot<<<(n + 127) / 128, 128>>>(a, b, out, n);
}}
""",
    "zeros by a function of the host": f"""
float *zeros(int count) {{ float *p; cudaMalloc(&p, count * 4); cudaMemset(p, 0, count * 4); return p; }}
{ADDED}
int main()
{{
    float *a, *b, *out = zeros(1); int n = 1000;
    dot<<<(n + 127) / 128, 128>>>(a, b, out, n);
}}
""",
    "the least number that the host sets": """
#include <climits>
__global__ void largest(const int *a, int *most, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(most, a[i]);
}
int main()
{
    int *a, *found, n = 1000;
    cudaMallocManaged(&a, n * sizeof(int));
    cudaMallocManaged(&found, sizeof(int));
    *found = INT_MIN;
    largest<<<(n + 127) / 128, 128>>>(a, found, n);
}
""",
    "a length that a comment calls even": """
// n must be even; run dot2<<<8, 64>>>(a, b, sum, n) after clearing the sum
__global__ void dot2(const float *a, const float *b, float *sum, int n)
{
    const float2 *a2 = (const float2 *)a, *b2 = (const float2 *)b;
    float mine = 0;
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n / 2; i += gridDim.x * 64)
        mine += a2[i].x * b2[i].x + a2[i].y * b2[i].y;
    atomicAdd(sum, mine);
}
""",
    "zeros that a comment asks for": f"""
// clear<<<1, 1>>>(sum) comes first, then dot<<<(n + 127) / 128, 128>>>(a, b, sum, n)
__global__ void clear(float *p) {{ *p = 0.0f; }}
{ADDED}
""",
    "sizes that follow from others": """
#define ROWS 60     /* of A */
#define INNER 45
#define COLS 52
#define HALF_ROWS (ROWS / 2)
#define HALF_COLS (COLS / 2)
__global__ void rmm(const float *A, const float *B, float *C)
{
    int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 8 + threadIdx.x;
    if (i >= HALF_ROWS || j >= HALF_COLS) return;
    float sum = 0;
    for (int k = 0; k < INNER; ++k)
        sum += (A[2 * i * INNER + k] + A[(2 * i + 1) * INNER + k]) * (B[k * COLS + 2 * j] + B[k * COLS + 2 * j + 1]);
    C[i * HALF_COLS + j] = sum;
}
int main()
{
    float *a, *b, *c;
    dim3 block(8, 8), grid((HALF_COLS + 7) / 8, (HALF_ROWS + 7) / 8);
    rmm<<<grid, block>>>(a, b, c);
}
""",
    "sizes in macros with parameters and in functions": """
#define TALL 44
#define DEEP 21
#define WIDE 36
#define LOW (TALL / 2)
#define SLIM (WIDE / 2)
#define A(r, k) a[(r) * DEEP + (k)]
#define C(r, i) c[(r) * SLIM + (i)]
__device__ double both(const double *b, int k, int c) { return b[k * WIDE + c] + b[k * WIDE + c + 1]; }
__global__ void rmm(const double *a, const double *b, double *c)
{
    int row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row >= LOW || col >= SLIM) return;
    double sum = 0;
    for (int k = 0; k < DEEP; ++k) sum += (A(2 * row, k) + A(2 * row + 1, k)) * both(b, k, 2 * col);
    C(row, col) = sum;
}
int main()
{
    double *a, *b, *c;
    rmm<<<dim3((SLIM + 31) / 32, (LOW + 3) / 4), dim3(32, 4)>>>(a, b, c);
}
""",
    "a reduced product of structs": """
struct Matrix { int width, height; float *data; };
__global__ void rmm(Matrix a, Matrix b, Matrix c)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= c.height || j >= c.width) return;
    float sum = 0;
    for (int k = 0; k < a.width; ++k)
        sum += (a.data[2 * i * a.width + k] + a.data[(2 * i + 1) * a.width + k]) *
               (b.data[k * b.width + 2 * j] + b.data[k * b.width + 2 * j + 1]);
    c.data[i * c.width + j] = sum;
}
""",
}


def checked(tmp_path, text):
    """The result of the first kernel that can be judged."""
    path = tmp_path / "kernel.cu"
    path.write_text(text, encoding="utf-8")
    return check_file(path, Options())[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(RIGHT))
def test_right(tmp_path, name):
    """Neither an error nor a question."""
    result = checked(tmp_path, RIGHT[name])

    assert result.is_well(), [result.refusal, *((f.kind, f.message) for f in result.findings)]


@pytest.mark.slow
def test_zeros_that_nobody_wrote(tmp_path):
    """Where the host shows that it leaves the sum as cudaMalloc gave it, that is an error, in the line that adds."""
    main = "int main() { float *a, *b, *out; int n = 1000; cudaMalloc(&out, 4); dot<<<8, 128>>>(a, b, out, n); }"
    result = checked(tmp_path, ADDED + main.replace("8, 128", "(n + 127) / 128, 128"))

    assert result.findings[0].place[1] == 5


EVEN = {
    "// n must be even.": True,
    "// m and n even; any k": True,
    "/* n ist gerade */": True,
    "// M et n pairs, k quelconque": True,
    "// n need not be even.": False,
    "// n may be odd or even.": False,
    "// even n are faster": False,
    "// un hilo por fila, n por bloque": False,
    "// x is even.": False,
}


@pytest.mark.parametrize("comment", EVEN)
def test_sizes_that_a_comment_calls_even(tmp_path, comment):
    """A clause that ends so and names a size is a promise of multiples of 2, and nothing else is."""
    path = tmp_path / "kernel.cu"
    path.write_text(f"{comment}\n{PLAIN}", encoding="utf-8")
    opened = open_file(path)
    kernel = KernelFile(opened, opened.kernels[0], Options())
    roles = Roles("matmul", ("A", "B", "C", "rows", "cols", "inner"))
    rule = FormulaLaunch("16,16", "ceil(cols/16),ceil(rows/16)", is_guess=True)

    assert promise_of(kernel, Found(roles, rule, 16, {}, fits=True, how="")).multiples == (2 if EVEN[comment] else None)


@pytest.mark.slow
def test_a_sum_that_begins_at_one(tmp_path):
    """A sum that the host sets to a number other than 0 is wrong by that number."""
    main = "int main() { float *a, *b, *out; int n = 1000; cudaMallocManaged(&out, 4); *out = 1.0f; RUN }"
    result = checked(tmp_path, ADDED + main.replace("RUN", "dot<<<(n + 127) / 128, 128>>>(a, b, out, n);"))

    assert not result.is_well()


@pytest.mark.slow
def test_a_block_that_only_the_program_knows_accuses_nobody(tmp_path):
    """The kernel wants blocks of 64 threads and is wrong with others: what was taken for the block shows nothing."""
    text = """
__global__ void odd(const float *a, const float *b, float *partial, int n)
{
    __shared__ float sums[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    sums[threadIdx.x] = i < n ? a[i] * b[i] + 1 : 0;
    __syncthreads();
    if (threadIdx.x == 0) { float all = 0; for (int l = 0; l < 64; ++l) all += sums[l]; partial[blockIdx.x] = all; }
}
void run(float *a, float *b, float *p, int n, int threads)
{
    odd<<<(n + threads - 1) / threads, threads>>>(a, b, p, n);
}
"""
    result = checked(tmp_path, text)

    assert result.refusal
    assert not result.findings


POOL = """
extern __shared__ float pool[];
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)
{
    int side = blockDim.x, x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * side + y, col = blockIdx.x * side + x;
    float *a = pool, *b = pool + side * side, sum = 0;
    for (int first = 0; first < k; first += side) {
        a[y * side + x] = row < m && first + x < k ? A[row * k + first + x] : 0;
        b[y * side + x] = col < n && first + y < k ? B[(first + y) * n + col] : 0;
        __syncthreads();
        for (int l = 0; l < side; ++l) sum += a[y * side + l] * b[l * side + x];
        __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = sum;
}
struct Product {
    float *A, *B, *C;
    int m, n, k;
    void run(int side)
    {
        int bytes = BYTES * sizeof(float);
        mm<<<dim3((n + side - 1) / side, (m + side - 1) / side), dim3(side, side), bytes>>>(A, B, C, m, n, k);
    }
};
"""
CALL = "int main() { Product p; p.run(8); }"


@pytest.mark.long
def test_a_side_that_the_caller_passes(tmp_path):
    """What the file's own call passes is known: the launch is what it is, the line of its bytes the cause."""
    right = checked(tmp_path, POOL.replace("BYTES", "2 * side * side") + CALL)
    wrong = checked(tmp_path, POOL.replace("BYTES", "side * side") + CALL)

    assert right.is_well()
    assert right.cases[0].block == (8, 8, 1)
    assert (wrong.findings[0].kind, wrong.findings[0].place[1]) == ("cause", 21)
    assert wrong.findings[0].other == ("kernel.cu", 22)


@pytest.mark.long
def test_too_little_shared_memory_of_an_unknown_side_is_an_error(tmp_path):
    """Without a call, the launch cannot be right where half of its shared memory is missing, whatever is guessed."""
    result = checked(tmp_path, POOL.replace("BYTES", "side * side"))

    first = result.findings[0]
    assert (first.kind, first.severity) == ("cause", "error")
    assert "* 2`" in first.message
    assert checked(tmp_path, POOL.replace("BYTES", "2 * side * side")).is_well()


ROW = """
__global__ void times(const double *A, const double *x, double *y, int cols)
{
    extern __shared__ double sums[];
    double own = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) own += A[(size_t)blockIdx.x * cols + c] * x[c];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = sums[0];
}
void run(const double *A, const double *x, double *y, int rows, int cols, int threads)
{
    times<<<rows, threads, threads * sizeof(TYPE)>>>(A, x, y, cols);
}
"""


@pytest.mark.long
@pytest.mark.parametrize(("of", "line"), [("float", 17), ("double", 0)])
def test_bytes_that_follow_from_an_unknown_block(tmp_path, of, line):
    """As many as that block needs, or too few: another block of a guess with more bytes excuses nothing."""
    result = checked(tmp_path, ROW.replace("TYPE", of))

    assert result.is_well() == (not line)
    assert not line or result.findings[0].place[1] == line
