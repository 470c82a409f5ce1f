"""Executed kernels count exactly what the seeds' arithmetic says."""

from __future__ import annotations

import pytest

from benchmarks.tables.seed_arithmetic import FIGURES, emulate


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: f"{figure.seed}-{figure.what}-{figure.launch}")
def test_count_is_the_seeds_figure(figure):
    """The count divided as the seed divides it is its number, with no rounding."""
    assert figure.counted(emulate(figure.launch)) == figure.expected
