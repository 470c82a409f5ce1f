"""Counts of a launch: whole ones are the emulator's, scaled ones come to the same."""

import numpy
import pytest

from tilewright.choose import EMULATOR_FACTS, PlanError, Problem, choose_plan
from tilewright.emulate.execute import events as ev
from tilewright.lab.sweep import counting
from tilewright.lab.sweep.counting import count_launch, lines_per_request


def plan(kernel, tile, m, n, k, dtype="float32"):
    """A plan for the emulator."""
    return choose_plan(Problem.of(kernel.partition("/")[0], m, n, k, dtype), EMULATOR_FACTS, kernel, tile)


@pytest.mark.parametrize(
    ("kernel", "tile", "size"),
    [
        ("matmul/tiled", 16, (128, 128, 128)),
        ("matmul/naive", 8, (64, 128, 32)),
        ("reduced_matmul/tiled", 8, (128, 64, 48)),
        ("reduced_matmul/naive_p", None, (128, 128, 16)),
        ("dot/tiled", 128, (1, 1, 4096)),
    ],
)
def test_scaled_counts_are_those_of_the_whole_launch(kernel, tile, size, monkeypatch):
    """Where the tile divides the sizes all blocks do the same, so some of them tell of all."""
    whole = count_launch(plan(kernel, tile, *size))
    monkeypatch.setattr(counting, "WHOLE_STEPS", 0)
    monkeypatch.setattr(counting, "SAMPLE_STEPS", 1)
    scaled = count_launch(plan(kernel, tile, *size))

    assert whole.whole
    assert scaled.blocks_run <= whole.blocks_run
    assert scaled.values == whole.values
    assert scaled.global_loads == whole.global_loads
    assert scaled.global_lines == whole.global_lines


def test_lines_of_a_tiled_kernel():
    """A warp of tile 16 reads two rows, so two lines; of tile 32 one; of tile 8 four."""
    found = {tile: count_launch(plan("matmul/tiled", tile, 128, 128, 128)).lines_per_request for tile in (8, 16, 32)}

    assert found == {8: 4.0, 16: 2.0, 32: 1.0}


def test_float64_takes_two_wavefronts_where_float32_takes_one():
    """A row of 32 doubles is 256 bytes, twice what all banks give at once; that is no conflict."""
    single = count_launch(plan("matmul/tiled", 32, 64, 64, 64))
    double = count_launch(plan("matmul/tiled", 32, 64, 64, 64, "float64"))

    assert double.shared_wavefronts > single.shared_wavefronts
    assert (single.bank_conflicts, double.bank_conflicts) == (0, 0)


def test_lines_are_counted_among_active_lanes():
    """Two lanes in one line and a third 4 KiB away; the idle ones name none."""
    rows = numpy.zeros((1, ev.EVENT_WORDS), numpy.int64)
    rows[0, ev.LANES] = 0b1011
    rows[0, ev.ADDRESSES : ev.ADDRESSES + 4] = 1024, 1028, 77777, 5120

    assert lines_per_request(rows) == 2
    assert lines_per_request(rows[:0]) == 0


def test_matrices_too_large_to_lay_out_are_refused():
    """Before anything is allocated."""
    with pytest.raises(PlanError, match="at most 67,108,864 elements"):
        count_launch(plan("matmul/tiled", 16, 20_000, 20_000, 20_000))
