"""Files of students and of the seeds: what each argument is, and right or wrong."""

from pathlib import Path

import pytest

from tilewright.lab.check.find import kernel_file
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.check.statuses import RIGHT
from tilewright.lab.source import compile_user_file

LAB = Path(__file__).parents[1]
SEEDS = sorted((LAB / "seeds").glob("*.cu"))


def the_result(path, **options):
    """The only kernel's."""
    (result,) = check_file(path, Options(**options))
    return result


@pytest.mark.slow
@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_the_seeds_kernels_are_right(path):
    """Each as a file, its launch and the meaning of its arguments found out."""
    for result in check_file(path, Options()):
        assert not result.refusal
        assert [finding for finding in result.findings if finding.severity == "error"] == []
        assert {RIGHT} == {case.status for case in result.cases}
        assert result.compared


@pytest.mark.slow
def test_a_kernel_that_passes_c_first_and_has_its_sizes_as_constants():
    """Seed 004's: other sizes are compiled in, and the number of tiles is what the file computes."""
    result = the_result(LAB / "seeds" / "004_tiledmatmultiply.cu")

    assert "--args C,A,B,nTiles -D M=rows -D N=inner -D L=cols" in result.arguments
    assert result.is_well()


@pytest.mark.slow
def test_each_text_is_compiled_once(monkeypatch):
    """As it is, and with its subscripts checked, however many sizes are tried."""
    compiled, compile_it = [], compile_user_file

    def noted(file, **options):
        compiled.append((file.text, options["instrument"]))
        return compile_it(file, **options)

    monkeypatch.setattr(kernel_file, "compile_user_file", noted)
    options = {"block": "16,16", "grid": "ceil(cols/16),ceil(rows/16)"}
    result = the_result(LAB / "planted" / "bad" / "no_guard_b_mended.cu", **options)

    assert result.is_well()
    assert len(result.cases) > 3
    assert sorted(instrument for _, instrument in compiled) == [False, True]


@pytest.mark.long
@pytest.mark.parametrize("name", ["no_first_barrier", "no_guard_b", "too_many_tiles", "wrong_stride"])
def test_a_wrong_kernel_is_wrong_although_nobody_says_what_its_arguments_are(name):
    """The roles come from the addresses where the results are worth nothing."""
    options = {"block": "16,16", "grid": "ceil(cols/16),ceil(rows/16)"}
    result = the_result(LAB / "planted" / "bad" / f"{name}.cu", **options)

    assert "--args A,B,C,rows,cols,inner" in result.arguments
    assert not result.is_well()


@pytest.mark.long
def test_what_is_near_two_products_is_asked_about():
    """With x and y swapped it is as near to the product of the transposed matrices: nobody is accused."""
    options = {"block": "16,16", "grid": "ceil(cols/16),ceil(rows/16)"}
    result = the_result(LAB / "planted" / "bad" / "swapped_xy_guarded.cu", **options)

    assert "in any order of its arguments" in result.refusal
    assert result.findings == ()


def test_a_kernel_of_another_kind_is_refused_with_a_sentence(tmp_path):
    """It names what the kernel takes."""
    path = tmp_path / "divide.cu"
    path.write_text(
        "__global__ void divide(float *x, float a, int n)\n{\n"
        "    if (threadIdx.x < n) x[threadIdx.x] = a / x[threadIdx.x];\n}\n"
    )
    result = the_result(path)

    assert "divide takes float *" in result.refusal
    assert "as in --array " in result.refusal


TIE = """__global__ void gemm(int m, int n, int k, float alpha, const float *A, const float *B, float beta, float *C)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < k; ++i)
        sum += A[row * k + i] * B[i * n + col];
    if (threadIdx.y < 8)
        C[row * n + col] = alpha * sum / 2 + beta * sum / 4;
}
"""


@pytest.mark.long
def test_a_tie_is_refused_with_both_readings(tmp_path):
    """Half or a quarter of some rows, as either factor is taken for alpha: nothing says which is meant."""
    path = tmp_path / "gemm.cu"
    path.write_text(TIE)
    result = the_result(path, block="16,16", grid="ceil(cols/16),ceil(rows/16)", operation="matmul")

    given = "--operation matmul --args rows,cols,inner,{},A,B,{},C"
    assert result.refusal == (
        f"gemm is wrong either way, and could be {given.format('1.0', '0.0')} or {given.format('0.0', '1.0')}: "
        "give the one that is meant."
    )
    settled = the_result(path, block="16,16", grid="16,16", arguments="rows,cols,inner,1.0,A,B,0.0,C", multiples_of=16)
    assert settled.cases


@pytest.mark.slow
def test_a_step_behind_the_shared_arrays_stops_no_search():
    """The roles are found all the same, and the line is named."""
    result = the_result(
        LAB / "planted" / "bad" / "one_step_too_far.cu", block="16,16", grid="ceil(cols/16),ceil(rows/16)"
    )

    assert "--args A,B,C,rows,cols,inner" in result.arguments
    assert ("out of bounds", 21) in {(finding.kind, finding.place[1]) for finding in result.findings}


@pytest.mark.slow
def test_a_kernel_that_adds_into_c_is_told_of_zero_output():
    """At its line; with the option it is right."""
    options = {"block": "16,16", "grid": "ceil(cols/16),ceil(rows/16)"}
    path = LAB / "planted" / "bad" / "adds_into_c.cu"
    read = [finding for finding in the_result(path, **options).findings if finding.kind == "uninitialised read"]

    assert [finding.place[1] for finding in read] == [13]
    assert "The kernel adds into C" in read[0].message
    assert "--zero-output" in read[0].advice
    assert the_result(path, zero_output=True, **options).is_well()


@pytest.mark.long
def test_an_element_that_nobody_writes_is_put_down_to_the_store():
    """Where C is written otherwise, also if that line is never reached."""
    options = {"block": "16,16", "arguments": "A,B,C,rows,cols,inner", "operation": "matmul"}
    path = LAB / "planted" / "bad" / "swapped_xy_guarded.cu"
    for grid in ("ceil(cols/16),ceil(rows/16)", "1"):
        wrong = [f for f in the_result(path, grid=grid, **options).findings if f.kind == "wrong result"]
        assert [finding.place[1] for finding in wrong] == [14]
        assert "nobody wrote it, and C is written in line 14" in wrong[0].message


@pytest.mark.long
def test_a_guard_a_row_too_tight_does_not_change_what_the_arguments_are(tmp_path):
    """The last row is missing; the rows taken for another size would give it, by luck, where that size is larger."""
    text = (LAB / "planted" / "bad" / "swapped_xy_guarded_mended.cu").read_text()
    path = tmp_path / "tight.cu"
    path.write_text(text.replace("row < m &&", "row < m - 1 &&"))
    result = the_result(path, block="16,16", grid="ceil(cols/16),ceil(rows/16)")

    assert "--args A,B,C,rows,cols,inner" in result.arguments
    assert {finding.place[1] for finding in result.findings if finding.kind == "wrong result"} == {12}
