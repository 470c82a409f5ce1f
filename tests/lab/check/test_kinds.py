"""Kernels of other kinds than products: right ones are judged as what they compute, wrong ones by a cause, or asked."""

from pathlib import Path

import numpy
import pytest

from tests.repeats import cause_seconds, sampled
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.kinds import KINDS, families
from tilewright.lab.check.options import Options

HERE = Path(__file__).parent / "kinds"
RIGHT = {
    "col_sums": "column_sum",
    "column_pairs": "column_pairs",
    "filter_in_constant_memory": "correlate_line",
    "gram": "gram",
    "hist_bins_arg": "histogram",
    "hist_global": "histogram",
    "layer_norm": "layer_norm_scaled_and_shifted_with_epsilon",
    "matrix_add": "matrix_add",
    "matrix_add_square": "matrix_add",
    "matvec": "matmul",
    "matvec_square": "matvec",
    "max_atomic_int": "max",
    "max_cas": "max",
    "min_partial": "min",
    "norm_one_block": "norm",
    "row_dots": "row_dots",
    "row_pairs": "row_pairs",
    "row_dots_launched": "row_dots",
    "row_sums": "row_sum",
    "saxpy": "vector_axpy_in_place",
    "scan_of_blocks": "block_prefix_sums",
    "scale_in_place": "vector_scale_in_place",
    "smooth": "mean_of_three_edges_copied",
    "softmax_of_rows": "row_softmax",
    "square_sums": "square_sums",
    "sum_shuffle_atomic": "sum",
    "transpose_naive": "transpose",
}
WRONG = {
    "add_guard": {3},
    "early_return": {3, 5},
    "filter_halo_mirrored": {8},
    "hist_first_bins": {5},
    "hist_no_atomic": {4},
    "max_from_zero": {4},
    "norm_whole_quotient": {6},
    "row_sum_short": {4},
    "saxpy_floor": {4},
    "scan_of_blocks_total": {7},
    "shuffle8": {4},
    "stride": {3},
    "sum_no_atomic": {7},
    "sum_no_barrier": {4},
    "sum_tree_low": {5},
    "swapped_guard": {3},
    "transpose_stride": {4},
    "two_per_thread": {5},
}
"""The lines of the planted mistake."""
QUESTIONS = sorted(path.stem for path in (HERE / "questions").glob("*.cu"))
QUICK = {"sum_shuffle_atomic", "hist_global", "row_sums"}


def the_result(path, **options):
    """The only kernel's."""
    (result,) = check_file(path, Options(**options))
    return result


def slow_but(quick, names):
    """Parameters, slow but for some."""
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in names]


@pytest.mark.parametrize("name", slow_but(QUICK, RIGHT))
def test_a_right_kernel_is_judged_as_what_it_computes(name):
    """The results decide, on any launch that is known or found, and the report says what they are."""
    result = the_result(HERE / "right" / f"{name}.cu")
    kind = KINDS.get(RIGHT[name])

    assert result.is_well(), [result.refusal, *((f.kind, f.message) for f in result.findings)]
    assert f"--operation {RIGHT[name]} " in result.arguments
    assert result.operation == (kind.said if kind else RIGHT[name])
    assert kind is None or any(note.endswith(f"was judged as {kind.said}.") for note in result.notes)


@pytest.mark.parametrize(
    "name", slow_but({"saxpy_floor"}, ["saxpy_floor", *sampled([name for name in WRONG if name != "saxpy_floor"])])
)
def test_a_mistake_is_found_at_its_line(name):
    """The first error stands at the line of the planted mistake."""
    result = the_result(HERE / "wrong" / f"{name}.cu")
    first = next(finding for finding in result.findings if finding.severity == "error")

    assert not result.is_well()
    assert {place[1] for place in (first.place, first.other) if place} & WRONG[name]


@pytest.mark.parametrize("name", slow_but({"scan"}, ["scan", *sampled([name for name in QUESTIONS if name != "scan"])]))
def test_what_is_of_no_known_kind_is_a_question(name):
    """A weighted sum is no wrong sum, and a rotation no wrong transpose, though one number more or less would do."""
    result = the_result(HERE / "questions" / f"{name}.cu", cause_seconds=cause_seconds())

    assert result.refusal
    assert not result.findings


def test_a_right_kernel_of_another_name_is_a_question(tmp_path):
    """A sum of two vectors that forgets one is a copy, and no right one."""
    path = tmp_path / "add.cu"
    path.write_text(
        "// adds two vectors\n__global__ void add(const float *a, float *c, int n)\n{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) c[i] = a[i];\n}\n"
    )
    result = the_result(path)

    assert "computes a copy of a vector" in result.refusal
    assert "--operation vector_copy" in result.refusal


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_a_family_differ(name):
    """One launch tells the kinds of a family apart: their results differ on the same inputs."""
    (family,) = (kinds for kinds in families() if KINDS[name] in kinds)
    known = {"rows": 6, "inner": 7, "cols": 5} if not name.endswith("transpose_in_place") else {"rows": 5, "cols": 5}
    known |= {f"2*{side}": 2 * count for side, count in known.items()}
    shapes = {each: tuple(known[side] for side in KINDS[name].shape_of(each)) for each in "ABC"}
    dtypes = dict.fromkeys("ABC", numpy.dtype("float32"))
    a, b = KINDS[name].operands(shapes, dtypes, numpy.random.default_rng(1))
    own = KINDS[name].result(a, b)

    assert own.shape == shapes["C"]
    for other in family:
        assert other.name == name or not numpy.array_equal(other.result(a, b), own)


SUM_OF_ROWS = """
__global__ void sumOfRows(const float *table, float *sums, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    TYPE sum = 0;
    for (int i = 0; i < cols; ++i) sum += TERM;
    sums[row] = sum;
}
void run(const float *table, float *sums, int rows, int cols)
{
    sumOfRows<<<(rows + 63) / 64, 64>>>(table, sums, rows, cols);
}
"""


@pytest.mark.parametrize(
    ("element", "term", "lines"),
    [
        ("float", "table[row * cols + i]", []),
        ("int", "table[row * cols + i]", [6]),  # it holds no fractions
        ("float", "roundf(table[row * cols + i])", []),  # meant to lose them
    ],
)
def test_fractions_are_not_lost(tmp_path, element, term, lines):
    """Whole numbers alone would not show that a sum of floats is kept in an int."""
    path = tmp_path / "sums.cu"
    path.write_text(SUM_OF_ROWS.replace("TYPE", element).replace("TERM", term))
    errors = [finding for finding in the_result(path).findings if finding.severity == "error"]

    assert [finding.place[1] for finding in errors if not finding.follows] == lines
