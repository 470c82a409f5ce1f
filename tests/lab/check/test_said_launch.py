"""A launch in the file's comment or in a rubric: what it stands for, who comes first, what is refused."""

import json

import pytest

from tilewright.lab.check.find.kernel_file import open_file
from tilewright.lab.check.find.said_launch import with_said_launch
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.report.junit import junit_xml
from tilewright.lab.check.report.points import read_launch, read_rubric, score
from tilewright.lab.check.report.result import CheckResult
from tilewright.lab.check.statuses import NEEDS_LAUNCH

KERNEL = """__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)
{
    int r = blockIdx.y * 4 + threadIdx.y, c = blockIdx.x * 8 + threadIdx.x;
    if (r >= m || c >= n) return;
    float s = 0;
    for (int i = 0; i < k; ++i) s += A[r * k + i] * B[i * n + c];
    C[r * n + c] = s;
}
"""
SAID = "// tilewright: block 8,4 grid ceil(cols / 8), ceil(rows/4) args A,B,C,rows,cols,inner\n"


def options_of(tmp_path, text, **given):
    """What a file's first kernel is checked with."""
    path = tmp_path / "mm.cu"
    path.write_text(text)
    opened = open_file(path)
    return with_said_launch(opened, opened.kernels[0], Options(**given))


def test_a_comment_says_the_launch(tmp_path):
    """Its words are the command line's options."""
    options = options_of(tmp_path, "/* tilewright: shared 4*8 template float, 16 multiples 4 */\n" + SAID + KERNEL)

    assert (options.block, options.grid) == ("8,4", "ceil(cols / 8), ceil(rows/4)")
    assert options.arguments == "A,B,C,rows,cols,inner"
    assert (options.shared_bytes, options.template_arguments, options.multiples_of) == ("4*8", ("float", "16"), 4)


def test_the_command_line_comes_first(tmp_path):
    """A block of the user's brings its own grid."""
    options = options_of(tmp_path, SAID + KERNEL, block="16,16", grid="1", arguments="A,B,C,inner,cols,rows")

    assert (options.block, options.grid, options.arguments) == ("16,16", "1", "A,B,C,inner,cols,rows")


def test_the_rubric_comes_last(tmp_path):
    """For files that say nothing alone."""
    launch = {"block": "2,2", "grid": "cols,rows"}

    assert options_of(tmp_path, KERNEL, launch=launch).block == "2,2"
    assert options_of(tmp_path, SAID + KERNEL, launch=launch).block == "8,4"
    own = KERNEL + "void run(float *a, float *b, float *c, int n) { mm<<<1, 1>>>(a, b, c, n, n, n); }\n"
    assert options_of(tmp_path, own, launch=launch).block == ""


def test_a_comment_is_of_the_next_kernel(tmp_path):
    """The second one's says nothing of the first."""
    assert options_of(tmp_path, KERNEL + SAID + KERNEL.replace("mm", "other")).block == ""


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("blok 32", "mm.cu:1 says `tilewright: blok 32`, and a launch is said by block, grid, args"),
        ("block", "mm.cu:1 gives block no value"),
        ("block 8 block 9 grid 1", "mm.cu:1 gives block twice"),
        ("block 8,4", "a block without a grid"),
        ("block 8,4 grid ceil(", "for grid: 'ceil(' is no formula"),
        ("block 1,2,3,4 grid 1", "gives 4 sizes for block, and one to three are accepted"),
        ("operation median", "names the operation 'median', and matmul, reduced_matmul, dot are known"),
        ("multiples many", "'many' for multiples"),
        ("multiples \u00b2", "'\u00b2' for multiples"),
    ],
)
def test_a_malformed_comment_is_a_sentence(tmp_path, said, sentence):
    """It names the line, what stands there and what is accepted."""
    with pytest.raises(CheckError) as refused:
        options_of(tmp_path, f"// tilewright: {said}\n{KERNEL}")

    assert sentence in str(refused.value)


@pytest.mark.long
def test_a_launch_that_is_said_is_judged(tmp_path):
    """It is no guess: with a grid that is too small the kernel is wrong."""
    path = tmp_path / "mm.cu"
    path.write_text(SAID.replace("ceil(rows/4)", "1") + KERNEL)
    (result,) = check_file(path, Options())

    assert "wrong result" in {finding.kind for finding in result.findings}


def test_a_rubric_says_a_launch(tmp_path):
    """Beside its points, and what is no launch is refused."""
    path = tmp_path / "rubric.toml"
    path.write_text('[points]\nright = 1\n[launch]\nblock = "8,4"\ngrid = "1"\n')

    assert read_rubric(path) == {"right": 1.0}
    assert read_launch(path) == {"block": "8,4", "grid": "1"}
    path.write_text("[points]\nright = 1\n[launch]\nspeed = 5\n")
    with pytest.raises(CheckError, match="has 'speed', and a launch is said by block"):
        read_launch(path)


def test_a_question_is_no_zero():
    """A status of its own: no points, neither lost nor earned, and no failed test."""
    question = CheckResult("a.cu", "mm", refusal="mm computes nothing.", pending=NEEDS_LAUNCH)
    asked = score([question], {"right": 40.0})

    assert asked.pending == NEEDS_LAUNCH
    assert json.loads(json.dumps(asked.record()))["total"] is None
    xml = junit_xml([[question]], scores=[asked]).decode()
    assert 'failures="0" errors="0" skipped="2"' in xml
    assert score([CheckResult("b.cu", "mm", refusal="no.")], {"right": 40.0}).total == 0
