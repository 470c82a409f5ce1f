"""Files of students and of the seeds: what each argument is, and right or wrong."""

from pathlib import Path

import pytest

from tilewright.lab.check.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.check.result import RIGHT

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
@pytest.mark.parametrize(
    "name", ["no_first_barrier", "no_guard_b", "too_many_tiles", "wrong_stride", "swapped_xy_guarded"]
)
def test_a_wrong_kernel_is_wrong_although_nobody_says_what_its_arguments_are(name):
    """The roles come from the addresses where the results are worth nothing."""
    options = {"block": "16,16", "grid": "ceil(cols/16),ceil(rows/16)"}
    result = the_result(LAB / "planted" / "bad" / f"{name}.cu", **options)

    # With x and y swapped it is as near to the product of the transposed matrices.
    transposed = ["--args B,A,C,cols,rows,inner"] if name == "swapped_xy_guarded" else []
    assert any(text in result.arguments for text in ["--args A,B,C,rows,cols,inner", *transposed])
    assert not result.is_well()


def test_a_kernel_of_another_kind_is_refused_with_a_sentence(tmp_path):
    """It names what the kernel takes."""
    path = tmp_path / "scale.cu"
    path.write_text("__global__ void scale(float *x, float a, int n) { if (threadIdx.x < n) x[threadIdx.x] *= a; }\n")
    result = the_result(path)

    assert "scale takes float *" in result.refusal
    assert "--array A=a.npy" in result.refusal
