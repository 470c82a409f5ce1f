"""What a launch leaves to the next one: a counter, and more partial sums than a second kernel adds up."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.judge.second_stage import is_set_by_caller
from tilewright.lab.check.options import Options

COUNTED = """
__device__ unsigned finished = 0;
__global__ void dot(const float *x, const float *y, volatile float *parts, float *sum, int n)
{
    __shared__ float own[128];
    __shared__ bool is_last;
    float v = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) v += x[i] * y[i];
    own[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < 128; ++t) v += own[t];
        parts[blockIdx.x] = v;
        __threadfence();
        is_last = atomicAdd(&finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float all = 0;
        for (int b = 0; b < gridDim.x; ++b) all += parts[b];
        *sum = all;  // RESET
    }
}
void run(const float *x, const float *y, float *parts, float *sum, int n)
{
    // HOST
    dot<<<8, 128>>>(x, y, parts, sum, n);
}
"""
MAIN = """
int main()
{
    int n = 5000;
    float *x, *y, *parts, *sum;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&parts, 8 * sizeof(float));
    cudaMallocManaged(&sum, sizeof(float));
    dot<<<8, 128>>>(x, y, parts, sum, n);
}
"""
FINISHED = """
__global__ void dot(const float *x, const float *y, volatile float *parts, unsigned *done, float *sum, int n)
{
    __shared__ bool is_last;
    float v = 0;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) v += x[i] * y[i];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = v;
        __threadfence();
        is_last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncwarp();
    if (!is_last) return;
    v = 0;
    if (threadIdx.x < gridDim.x) v = parts[threadIdx.x];  // the first ones
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) {
        *sum = v;
        *done = 0;
    }
}
void run(const float *x, const float *y, float *parts, unsigned *done, float *sum, int n)
{
    int blocks = min((n + 31) / 32, 100);
    dot<<<blocks, 32>>>(x, y, parts, done, sum, n);
}
"""
ADDED = """
const int THREADS = 64;
__global__ void dot(const float *x, const float *y, float *parts, int n)
{
    __shared__ float own[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    own[threadIdx.x] = i < n ? x[i] * y[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int t = 0; t < THREADS; ++t) sum += own[t];
        parts[blockIdx.x] = sum;
    }
}
__global__ void total(const float *parts, int count, float *sum)
{
    __shared__ float own[THREADS];
    int t = threadIdx.x;
    float v = 0;
    if (t < count) v = parts[t];  // the first THREADS
    own[t] = v;
    __syncthreads();
    if (t == 0) {
        float all = 0;
        for (int i = 0; i < THREADS; ++i) all += own[i];
        *sum = all;
    }
}
void run(const float *x, const float *y, float *parts, float *sum, int n)
{
    int blocks = (n + THREADS - 1) / THREADS;
    dot<<<blocks, THREADS>>>(x, y, parts, n);
    total<<<1, THREADS>>>(parts, blocks, sum);
}
"""
HALVED = """
const int THREADS = 256;
__device__ void halve(double *own, int t)
{
    __syncthreads();
    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        if (t < h) own[t] += own[t + h];
        __syncthreads();
    }
}
__global__ void dot(const float *x, const float *y, double *parts, int n)
{
    extern __shared__ double own[];
    double v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += (double)x[i] * y[i];
    own[threadIdx.x] = v;
    halve(own, threadIdx.x);
    if (threadIdx.x == 0) parts[blockIdx.x] = own[0];
}
__global__ void sum(const double *parts, int count, double *all)
{
    extern __shared__ double own[];
    int t = threadIdx.x;
    own[t] = t < count ? parts[t] : 0;
    halve(own, t);
    if (t == 0) *all = own[0];
}
void run(const float *x, const float *y, double *parts, double *all, int n)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 256) blocks = 256;
    dot<<<blocks, THREADS, THREADS * sizeof(double)>>>(x, y, parts, n);
    sum<<<1, THREADS, THREADS * sizeof(double)>>>(parts, blocks, all);
}
"""
LENGTH = "    own[threadIdx.x] = i < n ? x[i] * y[i] : 0;"
IN_STRIDES = """
    float v = 0;
    for (; i < n; i += THREADS * gridDim.x) v += x[i] * y[i];
    own[threadIdx.x] = v;
"""


def first_errors(tmp_path, text):
    """The first error of each kernel that has one: kind and line."""
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    listed = [[each for each in result.findings if each.severity == "error"] for result in check_file(path, Options())]
    return [(errors[0].kind, errors[0].place[1]) for errors in listed if errors]


def line_of(text, mark):
    """The only line with a mark."""
    (line,) = (number for number, each in enumerate(text.split("\n"), 1) if mark in each)
    return line


@pytest.mark.slow
def test_a_counter_that_goes_on(tmp_path):
    """It is named where it counts."""
    assert first_errors(tmp_path, COUNTED) == [("host code", line_of(COUNTED, "atomicAdd"))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "now"),
    [
        ("// RESET", "finished = 0;"),
        ("// HOST", "unsigned none = 0; cudaMemcpyToSymbol(finished, &none, sizeof(none));"),
        (
            "void run(const float *x, const float *y, float *parts, float *sum, int n)\n{",
            "int main()\n{\n" + 4 * "    \n",
        ),
    ],
)
def test_a_counter_that_is_set_back_or_used_once(tmp_path, part, now):
    """By the kernel, by the host, or by the program's end."""
    text = COUNTED.replace(part, now)
    if "main" in now:
        text = text.replace("    // HOST", "    float *x, *y, *parts, *sum; int n = 5000;\n    cudaMalloc(&x, n * 4);")
    assert text != COUNTED
    assert first_errors(tmp_path, text) == []


@pytest.mark.slow
@pytest.mark.parametrize("blocks", ["blocks", "64", "MOST", "std::min<int>((n + 31) / 32, MOST)"])
def test_sums_that_the_last_block_leaves(tmp_path, blocks):
    """It takes as many as it has threads, and there are more, for long vectors or always."""
    text = "const int MOST = 100;" + FINISHED.replace("<<<blocks", f"<<<{blocks}")
    assert first_errors(tmp_path, text) == [("host code", line_of(FINISHED, "// the first ones"))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "now"),
    [
        (
            "if (threadIdx.x < gridDim.x) v = parts[threadIdx.x];",
            "for (int b = threadIdx.x; b < gridDim.x; b += 32) v += parts[b];",
        ),
        ("(n + 31) / 32, 100", "(n + 31) / 32, 32"),
        ("    int blocks", "    if (n > 1024) return;\n    int blocks"),
    ],
)
def test_sums_that_the_last_block_takes(tmp_path, part, now):
    """All of them in turns, or there are no more than threads."""
    assert part in FINISHED
    assert first_errors(tmp_path, FINISHED.replace(part, now)) == []


@pytest.mark.slow
def test_partial_sums_that_are_left(tmp_path):
    """A block takes as many as it has threads, and there may be more."""
    assert first_errors(tmp_path, ADDED) == [("host code", line_of(ADDED, "// the first"))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "now"),
    [
        ("if (t < count) v = parts[t];", "if (t < count - 1) v = parts[t];"),
        ("if (t < count) v = parts[t];", "for (int i = t + 1; i < count; i += THREADS) v += parts[i];"),
        ("if (t < count) v = parts[t];", "if (t == 0) v = parts[t];"),
    ],
)
def test_a_second_kernel_that_leaves_some_of_few_sums(tmp_path, part, now):
    """Powers of 2 show which."""
    text = ADDED.replace(part, now)
    assert first_errors(tmp_path, text)[0] == ("host code", line_of(text, "// the first"))


@pytest.mark.slow
def test_a_second_kernel_that_is_told_of_too_many_sums(tmp_path):
    """There is no room for so many."""
    made = "    cudaMalloc(&parts, blocks * sizeof(float));\n    dot<<<"
    text = ADDED.replace("    dot<<<", made).replace("(parts, blocks, sum)", "(parts, n, sum)")
    assert first_errors(tmp_path, text)[0] == ("host code", line_of(text, "total<<<"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "cap",
    [
        "if (blocks > 1024) blocks = 1024;",
        "if (blocks >= MOST) { blocks = MOST; }",
        "blocks = blocks < MOST ? blocks : MOST;",
        "blocks = (int)std::min<std::size_t>(blocks, MOST);",
    ],
)
def test_more_sums_than_are_taken_with_an_end(tmp_path, cap):
    """The number of blocks has an end that is more than the second block has threads."""
    strides = ADDED.replace(LENGTH, IN_STRIDES)
    text = strides.replace("    dot<<<", f"    {cap}\n    dot<<<").replace(
        "const int THREADS", "#define MOST 1024\nconst int THREADS"
    )
    assert first_errors(tmp_path, text) == [("host code", line_of(text, "// the first"))]


@pytest.mark.long
@pytest.mark.parametrize(("length", "is_left"), [(5_000_000, True), (60_000, True), (4_000, False)])
def test_a_length_that_the_file_knows(tmp_path, length, is_left):
    """As many partial sums as that makes, of which a block of 64 takes 64."""
    known = f")\n{{\n    const int n = {length};\n    int blocks"
    text = ADDED.replace(LENGTH, IN_STRIDES).replace(", int n)\n{\n    int blocks", known)
    text = text.replace("    dot<<<", "    if (blocks > MOST) blocks = MOST;\n    dot<<<")
    text = text.replace("const int THREADS", "#define MOST 1024\nconst int THREADS")
    assert "const int n =" in text
    assert first_errors(tmp_path, text) == ([("host code", line_of(text, "// the first"))] if is_left else [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "now"),
    [
        ("if (t < count) v = parts[t];", "for (int i = t; i < count; i += THREADS) v += parts[i];"),
        ("    int blocks", "    if (n > 4096) return;\n    int blocks"),
        ("    int blocks", "    // n is at most 4096\n    int blocks"),
        ("    dot<<<", "    if (blocks > THREADS) blocks = THREADS;\n    dot<<<"),
        ("    int blocks", "    if (n > (1 << 12)) return;\n    int blocks"),
        ("void run(", "bool fits(int n)\n{\n    return !(n > MOST);\n}\nvoid run("),
        ("int blocks = (n", "n = 4000;\n    int blocks = (n"),
    ],
)
def test_hosts_that_are_left_alone(tmp_path, part, now):
    """A loop, a length that is compared, said or known, and as many blocks as are added up."""
    strides = ADDED.replace(LENGTH, IN_STRIDES)  # so that blocks that are fewer take all elements
    text = strides.replace(part, now)
    assert text != strides
    assert not [kind for kind, _ in first_errors(tmp_path, text) if kind == "host code"]


@pytest.mark.slow
def test_a_second_kernel_that_is_told_the_length(tmp_path):
    """It knows how many sums that makes."""
    loop = "int sums = (count + THREADS - 1) / THREADS; for (int i = t; i < sums; i += THREADS) v += parts[i];"
    made = "    cudaMalloc(&parts, blocks * sizeof(float));\n    dot<<<"
    text = ADDED.replace("if (t < count) v = parts[t];", loop).replace("(parts, blocks, sum)", "(parts, n, sum)")
    assert first_errors(tmp_path, text.replace("    dot<<<", made)) == []


@pytest.mark.slow
def test_as_many_sums_as_the_host_ever_passes(tmp_path):
    """A block of more threads would take more, but there are never more: the launch is no mistake."""
    assert first_errors(tmp_path, HALVED) == []


@pytest.mark.slow
def test_as_many_threads_as_sums_where_they_are_halved(tmp_path):
    """Its launch is named, though the first kernel's is right; the next power of two of threads is right, too."""
    given = "    sum<<<1, THREADS, THREADS"
    text = HALVED.replace(given, "    sum<<<1, blocks, blocks")
    assert first_errors(tmp_path, text)[0] == ("host code", line_of(text, "sum<<<"))
    power = "    int power = 1;\n    while (power < blocks) power *= 2;\n    sum<<<1, power, power"
    assert first_errors(tmp_path, HALVED.replace(given, power)) == []


TURNS = """
__global__ void squares(const float *from, float *to, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) to[i] = from[i] * from[i];
}
void run(float *first, float *second, float *host, int n, int steps)
{
    float *from = first, *to = second;
    for (int step = 0; step < steps; ++step) {
        squares<<<(n + 127) / 128, 128>>>(from, to, n);
        float *other = from;
        from = to;
        to = other;
    }
    cudaMemcpy(host, first, n * sizeof(float), cudaMemcpyDeviceToHost);
}
"""


@pytest.mark.slow
def test_the_copy_of_one_of_two_arrays(tmp_path):
    """After an odd number of steps the other one is newer; a known number, or an even one, is as it is meant."""
    assert first_errors(tmp_path, TURNS) == [("host code", line_of(TURNS, "cudaMemcpy"))]
    for part, now in (
        ("(host, first", "(host, from"),
        ("step < steps", "step < 10"),
        ("step < steps", "step < 2 * steps"),
    ):
        assert first_errors(tmp_path, TURNS.replace(part, now)) == []


@pytest.mark.parametrize(
    ("made", "is_said"),
    [("int n = atoi(argv[1]); Sums s(2, n);", True), ("int n = 4000; Sums s(2, n);", False), ("", False)],
)
def test_ends_that_the_command_line_says(made, is_said):
    """A class that takes the most elements is made for as many as there are."""
    code = f"struct Sums {{ Sums(int k, int most) : k_(k), most_(most) {{}} int k_, most_; }}; int main() {{ {made} }}"

    assert is_set_by_caller(code, "most_") == is_said
    assert not is_set_by_caller(code, "k_")
