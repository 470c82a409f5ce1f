"""Sides of blocks that the host's own checks let through: all of them are to be right, not the usual one alone."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

DOT = """
// NOTE
__global__ void dot(const float *x, const float *y, float *parts, int n)
{
    extern __shared__ float own[];
    int t = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += x[i] * y[i];
    own[t] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) own[t] += own[t + s];
        __syncthreads();
    }
    if (t == 0) parts[blockIdx.x] = own[0];
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10000, threads = argc > 2 ? atoi(argv[2]) : 128;
    if (CHECKED) return 1;
    float *x, *y, *parts;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&parts, 16 * sizeof(float));
    dot<<<16, threads, threads * sizeof(float)>>>(x, y, parts, n);
}
"""
ANY = "threads < 32 || threads % 32 != 0 || threads > 1024"
LOOP = """for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) own[t] += own[t + s];
        __syncthreads();"""
TURNED = """int s = blockDim.x / 2;
    while (s != 0) {
        if (t < s) own[t] = own[t] + own[t + s];
        __syncthreads();
        s /= 2;"""
FUNCTION = "int run(const float *x, const float *y, float *parts, int n, int threads)\n{\n    if (CHECKED) return 1;\n"


def of_function(text):
    """The same host, as a function that takes the number of threads."""
    head, _, host = text.partition("int main")
    return head + FUNCTION + host[host.index("    dot<<<") :]


def errors(tmp_path, text):
    """The lines of the kernel's errors."""
    path = tmp_path / "dot.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    assert not result.refusal
    return [each.place[1] for each in result.findings if each.severity == "error" and not each.follows]


@pytest.mark.long
@pytest.mark.parametrize(
    ("was", "now", "checked"),
    [
        ("", "", ANY),
        (LOOP, TURNED, ANY),
        ("int t = threadIdx.x", "const unsigned int t = threadIdx.x", "threads % 32 || threads > 512"),
    ],
)
def test_a_tree_of_any_number_of_threads(tmp_path, was, now, checked):
    """It is right with 128 threads, and wrong with 96: the loop is named."""
    text = (DOT.replace(was, now) if was else DOT).replace("CHECKED", checked)
    line = next(number for number, each in enumerate(text.split("\n"), 1) if "blockDim.x / 2" in each)

    assert errors(tmp_path, text)[0] - line in (0, 1)  # at the loop
    assert errors(tmp_path, of_function(text).replace("CHECKED", checked))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("was", "now", "checked"),
    [
        ("", "", "threads < 32 || threads > 1024"),
        ("", "", ANY + " || (threads & (threads - 1)) != 0"),
        ("NOTE", "threads is a power of two", ANY),
        ("", "", "n < threads || threads % 32 != 0"),
        ("", "", "n < 1"),
    ],
)
def test_a_tree_of_a_power_of_two(tmp_path, was, now, checked):
    """A check, or a comment, or none: then no other number is tried than the file's own, or a power of two."""
    assert errors(tmp_path, (DOT.replace(was, now) if was else DOT).replace("CHECKED", checked)) == []


@pytest.mark.long
def test_an_array_of_fewer_threads(tmp_path):
    """The most threads that the host lets through do not fit."""
    text = DOT.replace("extern __shared__ float own[]", "__shared__ float own[256]").replace("CHECKED", ANY)
    assert errors(tmp_path, text)


BARE = DOT[: DOT.index("int main")]


@pytest.mark.parametrize(
    "said",
    [
        "blockDim.x is a multiple of 32, up to 512",
        "any blockDim.x",
        "dot<<<blocks, threads>>>(...), threads is a multiple of 32, at most 1024",
        "размер блока - любое число, кратное 32, от 32 до 512",
        "taille du bloc : un multiple de 32",
        "Blockgröße: ein Vielfaches von 32",
    ],
)
def test_a_block_that_a_comment_allows(tmp_path, said):
    """Without a launch in the file, a tree by halves is run with 96 threads where a comment lets a block have them."""
    text = BARE.replace("NOTE", said)
    line = next(number for number, each in enumerate(text.split("\n"), 1) if "for (int s" in each)
    assert errors(tmp_path, text) == [line]


@pytest.mark.parametrize(
    "said", ["blockDim.x is a power of two, a multiple of 32", "blockDim.x is a multiple of 32, at most 64", "any n"]
)
def test_a_block_that_no_comment_allows(tmp_path, said):
    """Powers of two, too small a block, and sizes that are something else."""
    assert errors(tmp_path, BARE.replace("NOTE", said)) == []
