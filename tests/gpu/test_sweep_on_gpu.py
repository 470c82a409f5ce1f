"""A sweep that times each tile on the GPU."""

import pytest

import tilewright


@pytest.mark.usefixtures("gpu")
def test_rows_are_timed_and_the_clock_decides():
    """Each tile has its launches' times, checked results behind them, and the first sentence says so."""
    found = tilewright.sweep("matmul/tiled", size=(512, 512, 512), tiles=(4, 16), device="gpu", chip="h200")

    assert all(row.timed_us and min(row.timed_us) > 0 for row in found.rows)
    assert found.winner.tile == 16
    assert found.timed_on is not None
    assert found.timed_on in found.sentences[0]
    assert found.columns[-1] == "timed us"
    assert found.as_dict()["rows"][0]["median_timed_us"] == found.rows[0].median_timed_us
