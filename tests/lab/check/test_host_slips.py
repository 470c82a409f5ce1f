"""Mistakes of the host that its text shows: a copy too short, partial sums left out, a result that is not cleared."""

import pytest

from tilewright.lab.check.judge.host_slips import short_copies
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

PARTIAL = """
__global__ void dot(const float *x, const float *y, float *sums, int n) {
    __shared__ float part[256];
    int at = blockIdx.x * 256 + threadIdx.x;
    part[threadIdx.x] = at < n ? x[at] * y[at] : 0;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
float run(const float *x, const float *y, int n, float *own) {
    int blocks = (n + 255) / 256;
    float *dx, *dy, *dsums, total = 0;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dsums, blocks * sizeof(float));
    cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof(float), cudaMemcpyHostToDevice);
    dot<<<blocks, 256>>>(dx, dy, dsums, n);
    cudaMemcpy(own, dsums, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < blocks; ++i) total += own[i];
    return total;
}
"""
TURNS = """
__global__ void dot(const float *x, const float *y, float *sum, int n) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) atomicAdd(sum, x[i] * y[i]);
}
void run(const float *dx, const float *dy, float *dsum, int n, int turns) {
    float sum, ms = 0;
    cudaMemset(dsum, 0, sizeof(float));
    for (int turn = 0; turn < turns; ++turn) {
        dot<<<8, 256>>>(dx, dy, dsum, n);
    }
    cudaMemcpy(&sum, dsum, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f in %f", sum, ms / turns);
}
"""
TWICE = """
__global__ void dot(const float *x, const float *y, float *sum, int n) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) atomicAdd(sum, x[i] * y[i]);
}
void run(const float *dx, const float *dy, float *dsum, float *sum, int n) {
    cudaMemset(dsum, 0, sizeof(float));
    dot<<<8, 256>>>(dx, dy, dsum, n);
    cudaMemset(dsum, 0, sizeof(float));
    dot<<<8, 256>>>(dx, dy, dsum, n);
    cudaMemcpy(sum, dsum, sizeof(float), cudaMemcpyDeviceToHost);
}
"""


STAGES = (
    PARTIAL.partition("float run")[0]
    + """
__global__ void total(const float *sums, float *sum, int count) {
    float all = 0;
    for (int i = 0; i < count; ++i) all += sums[i];
    *sum = all;
}
void run(const float *dx, const float *dy, float *dsums, float *dsum, int n) {
    int blocks = (n + 255) / 256;
    dot<<<blocks, 256>>>(dx, dy, dsums, n);
    total<<<1, 1>>>(dsums, dsum, blocks);
}
"""
)
TURNED = """
__global__ void product(const float *x, const float *y, float *z, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += x[row * n + i] * y[i * n + col];
    z[row * n + col] = sum;
}
void run(const float *x, const float *y, float *z, int n) {
    dim3 threads(16, 16), blocks((n + 15) / 16, (n + 15) / 16);
    product<<<blocks, threads>>>(x, y, z, n);
}
"""


def the_errors(tmp_path, text):
    """The kernels' errors, as pairs of kind and line."""
    path = tmp_path / "dot.cu"
    path.write_text(text)
    results = check_file(path, Options())
    assert not any(result.refusal for result in results)
    findings = [each for result in results for each in result.findings]
    return [(each.kind, each.place[1]) for each in findings if each.severity == "error"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "was", "now", "line"),
    [
        (PARTIAL, "dx, x, n * sizeof(float)", "dx, x, n", 18),
        (TURNED, "<<<blocks, threads>>>", "<<<threads, blocks>>>", 11),
        (STAGES, "dsum, blocks)", "dsum, n / 256)", 21),
        (STAGES, "dsum, blocks)", "dsum, blocks)", 0),
        (PARTIAL, "i < blocks;", "i < n / 256;", 22),
        (PARTIAL, "for (int i = 0; i < blocks; ++i) total += own[i];", "total = own[0];", 22),
        (
            TWICE,
            "    cudaMemset(dsum, 0, sizeof(float));\n    dot<<<8, 256>>>(dx, dy, dsum, n);\n    cuda",
            "    cuda",
            0,
        ),
        (TWICE, "n);\n    cudaMemset(dsum, 0, sizeof(float));\n", "n);\n\n", 9),
        (PARTIAL, "total += own[i]", "total += own[i]", 0),
        (PARTIAL, "cudaMalloc(&dsums, blocks *", "cudaMalloc(&dsums, n / 256 *", 17),
        (PARTIAL, "own, dsums, blocks * sizeof(float)", "own, dsums, (blocks - 1) * sizeof(float)", 21),
        (PARTIAL, "int i = 0; i < blocks", "int i = 1; i < blocks", 22),
        (PARTIAL, "for (int i = 0; i < blocks", "total = own[0]; for (int i = 0; i < blocks", 22),
        (PARTIAL, "for (int i = 0; i < blocks", "total = own[0]; for (int i = 1; i < blocks", 0),
        (PARTIAL, "i < blocks;", "i < 256;", 22),
        (TURNS, "++turn) {", "++turn) {", 9),
        (TURNS, "++turn) {", "++turn) { cudaMemset(dsum, 0, 4);", 0),
        (TURNS, "sum, ms / turns", "sum / turns, ms", 0),
        (TURNS, "(dx, dy, dsum", "(dx + turn, dy, dsum", 0),
        (TURNS, "turn < turns", "turn < 1", 0),
        (TURNS, "    cudaMemcpy", "    cudaMemset(dsum, 0, 4); dot<<<8, 256>>>(dx, dy, dsum, n);\n    cudaMemcpy", 0),
    ],
)
def test_a_slip_of_the_host_is_an_error_at_its_line(tmp_path, text, was, now, line):
    """The kernel is right in all of them; without a slip (line 0) there is no error."""
    assert was in text
    assert the_errors(tmp_path, text.replace(was, now)) == ([("host code", line)] if line else [])


@pytest.mark.parametrize(
    ("declared", "allocated", "copied", "is_short"),
    [
        ("double *d, sum;", "sizeof(double)", "sizeof(sum)", False),
        ("unsigned long long *d, sum;", "sizeof(unsigned long long)", "sizeof(sum)", False),
        ("Result *d, sum;", "sizeof(double)", "sizeof(sum)", False),
        ("double *d; float sum;", "sizeof(double)", "sizeof(sum)", True),
        ("double *d, *sum;", "n * sizeof(double)", "n * sizeof(*sum)", False),
        ("double *d, *sum;", "n * sizeof(double)", "n", True),
    ],
)
def test_the_size_of_a_variable(declared, allocated, copied, is_short):
    """It is its type's, as far as that is known."""
    code = f"{declared} cudaMalloc(&d, {allocated}); cudaMemcpy(&sum, d, {copied}, cudaMemcpyDeviceToHost);"
    assert bool(list(short_copies(code))) == is_short
