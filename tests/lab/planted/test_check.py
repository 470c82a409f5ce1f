"""`tilewright check` on the planted matrix products: on sizes of its own, and with inputs of its own."""

from __future__ import annotations

import pytest

from tests.lab.planted.manifest import mended, planted
from tests.lab.planted.operations import OPERATIONS
from tests.repeats import sampled
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

pytestmark = pytest.mark.slow

PAIRS = [
    (bad, good)
    for bad, good in zip(planted(), mended(), strict=True)
    if bad.operation is OPERATIONS["matmul"] and bad.block == (16, 16) and not bad.host_program and not bad.shared_bytes
]


def options_for(case):
    """The launch that a file without a host program needs to be told; some promise multiples of their tile only."""
    promises = {"multiples of TILE": 16, "multiples of 16": 16, "covers C exactly": 16, "a multiple of 2": 2}
    multiples = [number for words, number in promises.items() if words in case.text]
    return Options(
        block="16,16",
        grid="ceil(cols/16),ceil(rows/16)",
        arguments="A,B,C,rows,cols,inner",
        operation="matmul",
        multiples_of=multiples[0] if multiples else None,
    )


@pytest.mark.parametrize("case", sampled(bad for bad, _ in PAIRS), ids=lambda case: case.name)
def test_mistake_is_named(case):
    """Every marked line, by its kind."""
    (result,) = check_file(case.path, options_for(case))
    assert not result.is_well()
    for kind in case.finding:
        of_kind = [one for one in result.findings if one.kind == kind]
        named = {place[1] for one in of_kind for place in (one.place, one.other) if place is not None}
        assert case.marked("planted", kind) <= named, f"{kind} of {[(one.kind, one.place) for one in result.findings]}"


@pytest.mark.parametrize("case", [good for _, good in PAIRS], ids=lambda case: case.name)
def test_twin_is_well(case):
    """Right on all sizes, and no error found."""
    (result,) = check_file(case.path, options_for(case))
    assert result.is_well(), [(one.kind, one.place, one.message) for one in result.findings]
