"""Instrumented kernels on the emulator: a subscript outside of its own dimension is found, and no other."""

from __future__ import annotations

import contextlib
from math import prod

import numpy
import pytest

from tests.lab.planted.manifest import PlantedCase, correct, mended, planted
from tilewright.emulate import EmulationError, Emulator
from tilewright.lab.source import (
    SUBSCRIPT_LOG,
    compile_user_file,
    findings_of_instrumented_run,
    read_cuda_file,
)

NAMED = [
    pytest.param(case, marks=[] if "inner dimension" in case.finding else [pytest.mark.slow], id=case.name)
    for case in planted()
    if "inner dimension" in (*case.finding, *case.also)
]
SILENT = [*mended(), *correct()]


def findings(case: PlantedCase):
    """What an instrumented run of a case's file finds."""
    compiled = compile_user_file(read_cuda_file(case.path), instrument=True)
    assert compiled.subscripts is not None
    emulator = Emulator(workers=1)
    module = emulator.load(compiled.ptx)
    given = case.operation.inputs(case.sizes, case.dtype, numpy.random.default_rng(0))
    buffers = {}
    for name, shape in case.operation.arrays(case.sizes).items():
        if name in case.operation.variables:
            emulator.set_variable(module, name, given[name])
            continue
        buffers[name] = emulator.allocate(prod(shape) * case.operation.dtype(name, case.dtype).itemsize, name)
        if name in given:
            buffers[name].write(given[name])
    with contextlib.suppress(EmulationError):  # after a fault the log is as it was then
        emulator.launch(
            module,
            case.symbol,
            grid=case.grid,
            block=case.block,
            arguments=[buffers.get(name, case.sizes.get(name)) for name in case.arguments],
            dynamic_shared_bytes=case.shared_bytes,
            instruction_budget=600_000,
        )
    log = emulator.get_variable(module, SUBSCRIPT_LOG, numpy.int64, compiled.subscripts.log_shape)
    return findings_of_instrumented_run(compiled.subscripts, log)


@pytest.mark.parametrize("case", NAMED)
def test_planted_subscript_is_named(case):
    """The planted line is named, with array, index and extent."""
    found = findings(case)

    lines = {finding.place[1] for finding in found}
    assert lines == set().union(*(case.marked("planted", kind) for kind in case.finding))
    assert {finding.place[0] for finding in found} == {case.path.name}


@pytest.mark.slow
@pytest.mark.parametrize("case", SILENT, ids=lambda case: case.name)
def test_correct_kernels_are_silent(case):
    """No subscript of a correct kernel is named."""
    assert findings(case) == []
