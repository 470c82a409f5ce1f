"""Blocks that a comment states while the grid is left to the reader: no other block is guessed."""

import pytest

from tilewright.lab.check.find.candidates import candidate_of, product_of
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.stated_block import stated_shapes
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

LEAST = """
#define WIDE 16
#define HIGH 4
__global__ void leastOfColumns(const int *table, int *least, int lines, int width)
{
    __shared__ int found[HIGH][WIDE];
    int column = blockIdx.x * WIDE + threadIdx.x, so_far = 2147483647;
    if (column < width)
        for (int line = threadIdx.y; line < lines; line += HIGH) so_far = min(so_far, table[line * width + column]);
    found[threadIdx.y][threadIdx.x] = so_far;
    __syncthreads();
    for (int half = HIGH / 2; half > 0; half /= 2) {
        if (threadIdx.y < half)
            found[threadIdx.y][threadIdx.x] =
                min(found[threadIdx.y][threadIdx.x], found[threadIdx.y + half][threadIdx.x]);
        __syncthreads();
    }
    if (threadIdx.y == 0 && column < width) least[column] = found[0][threadIdx.x];
}
"""
LINE = """
__global__ void twice(const float *x, float *y, int n)
{
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
"""
STATED = {
    "a block of two sides": (LEAST, "start it with dim3 block(16, 4), one block for every 16 columns", "16,4"),
    "a launch whose grid is in words": (LEAST, "leastOfColumns<<<enough, dim3(WIDE, HIGH)>>>(...)", "16,4"),
    "two sides in words": (LEAST, "block  : 16 x 4 threads", "16,4"),
    "two sides of each block": (LEAST, "16 x 4 threads per block", "16,4"),
    "a number of threads in a plane": (LEAST, "it needs 64 threads in each block", "16,4"),
    "a number of threads in a line": (LINE, "meant for 96 threads per block", "96"),
    "a name for them": (LINE, "threads_per_block = 96, and as many blocks as needed", "96"),
}


UP_TO = {
    "blockDim.x any multiple of 32 up to 1,024": ["1024"],
    "any block size, at most 512 threads": ["512"],
    "a grid of up to 64 blocks": [],
}


def blocks(tmp_path, text):
    """The blocks that are guessed for a file."""
    path = tmp_path / "kernel.cu"
    path.write_text(text)
    opened = open_file(path)
    kernel = KernelFile(opened, opened.kernels[0], Options())
    operation = "column_min" if "least" in text else "vector_scale"
    rules = candidate_of(kernel, is_other=True).rules(operation)
    return [rule.block for rule in rules if isinstance(rule, FormulaLaunch)]


@pytest.mark.parametrize("name", STATED)
def test_only_the_stated_block_is_guessed(tmp_path, name):
    """Whatever the words, no other number of threads is tried."""
    text, comment, block = STATED[name]
    found = blocks(tmp_path, f"// {comment}\n{text}")
    assert found[0] == block
    assert {product_of(each) for each in found} == {product_of(block)}


@pytest.mark.parametrize("comment", ["outputs per thread: 4", "threadIdx.x = 8", "warps = 3"])
def test_other_numbers_state_no_block(tmp_path, comment):
    """What is no block leaves the guesses as they are."""
    assert len(set(blocks(tmp_path, f"// {comment}\n{LINE}"))) > 1


def test_a_kernel_that_needs_the_stated_block_is_right(tmp_path):
    """A square block would fit at most sizes, and the kernel would be accused."""
    path = tmp_path / "kernel.cu"
    path.write_text(f"// start it with dim3 block(16, 4), and with as many blocks as width / 16 rounded up\n{LEAST}")
    (result,) = check_file(path, Options())
    assert result.launch.startswith("--block 16,4 ")
    assert result.is_well()


def test_two_stated_blocks_are_both_guessed(tmp_path):
    """Neither is more likely to be meant, and no third one is."""
    assert set(blocks(tmp_path, f"// block = 64, or block = 128\n{LINE}")) == {"64", "128"}
    text = f"// 64 threads per block, as in dim3 block(16, 4)\n{LEAST}"
    assert set(blocks(tmp_path, text)) == {"16,4"}


def test_a_block_of_another_instance(tmp_path):
    """A block is stated for one side of a template's tile, and the instance that is guessed may have another."""
    text = LINE.replace("__global__", "template <int SIDE>\n__global__").replace("96", "SIDE")
    path = tmp_path / "kernel.cu"
    path.write_text(f"// twice<96><<<enough, 96>>>(...)\n{text}")
    opened = open_file(path)
    kernel = KernelFile(opened, opened.kernels[0], Options(template_arguments=("64",)))
    assert stated_shapes(kernel, [(64, 1, 1)]) == [(64, 1, 1)]


SAID_LOOSELY = ["κάθε μπλοκ 16x4", "jeder Block (16, 4)", "блок 16 \u00d7 4", "16 * 4 hilos", "16x4 のブロック"]
PLANE = """
#define WIDE 16
#define HIGH 4
__global__ void twice(const float *x, float *y, int rows, int cols)
{
    int i = blockIdx.y * HIGH + threadIdx.y, j = blockIdx.x * WIDE + threadIdx.x;
    if (i < rows && j < cols) y[i * cols + j] = 2 * x[i * cols + j];
}
"""


@pytest.mark.parametrize("comment", SAID_LOOSELY)
def test_sides_beside_a_word_for_a_block_are_guessed_first(tmp_path, comment):
    """Whatever the language; other blocks stay guesses, since a tile may be meant."""
    found = blocks(tmp_path, f"// {comment}\n{PLANE}")
    assert found[0] == "16,4"
    assert len(set(found)) > 1


def test_a_shared_array_of_the_threads_indices_shows_the_block(tmp_path):
    """`found[threadIdx.y][threadIdx.x]` has a column for each thread along x, whatever the indices are called."""
    named = LEAST.replace("int column", "int tx = threadIdx.x, ty = threadIdx.y, column")
    named = named.replace("[threadIdx.y][threadIdx.x]", "[ty][tx]")
    assert blocks(tmp_path, LEAST)[0] == blocks(tmp_path, named)[0] == "16,4"


@pytest.mark.slow
def test_a_guess_that_fits_some_sizes_is_no_accusation(tmp_path):
    """With blocks of 4 x 4 some sizes come out right, and with another block all do."""
    path = tmp_path / "kernel.cu"
    path.write_text(LEAST.replace("[threadIdx.y][threadIdx.x]", "[threadIdx.y + 0][threadIdx.x]"))
    (result,) = check_file(path, Options())
    assert not [finding for finding in result.findings if finding.severity == "error"]


@pytest.mark.parametrize("said", UP_TO)
def test_the_largest_block_that_is_said(tmp_path, said):
    """Is tried first, where the kernel takes any."""
    found = blocks(tmp_path, f"// {said}\n{LINE.replace('96', 'blockDim.x')}")
    assert found[: len(UP_TO[said])] == UP_TO[said]
    assert found[0] in (UP_TO[said] or ["256"])
