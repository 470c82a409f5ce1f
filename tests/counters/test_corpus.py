"""Kernels of others' kinds on the emulator: NumPy's results, counts that are the H200's and no matter of workers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy
import pytest

from benchmarks import record
from tests.counters.corpus import CORPUS
from tests.counters.corpus.case import FOLDER
from tilewright.compile import CompilerMissingError
from tilewright.emulate import Emulator

HARDWARE = Path(__file__).parent / "corpus_h200.json"
EQUAL = tuple(
    f"{space}_{access}_{count}"
    for space in ("global", "local")
    for access in ("load", "store")
    for count in ("requests", "sectors")
)
ATOMIC = ("global_atom_requests", "global_red_requests", "shared_atom_instructions")
CASES = pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.label)


@cache
def ptx_of(case):
    """Each kernel is compiled once; where there is no compiler (macOS) the test is skipped."""
    try:
        return case.ptx()
    except CompilerMissingError as missing:
        pytest.skip(str(missing))


def emulated(case, workers, **options):
    """Run a case; the result, checked, is its arrays' bytes and the launch's counts."""
    emulator = Emulator(workers=workers)
    module = emulator.load(ptx_of(case))
    values = case.values()
    for name in case.variables:
        emulator.set_variable(module, name, values[name])
    arguments = {name: values[name] for name in case.arguments}
    held = {name: value for name, value in arguments.items() if isinstance(value, numpy.ndarray)}
    buffers = {name: emulator.allocate(array.nbytes, name) for name, array in held.items()}
    for name, buffer in buffers.items():
        buffer.write(held[name])
    result = emulator.launch(
        module,
        case.symbol,
        grid=case.grid,
        block=case.block,
        arguments=[buffers.get(name, value) for name, value in arguments.items()],
        dynamic_shared_bytes=case.dynamic_shared_bytes,
        **options,
    )
    got = {name: buffers[name].read(array.dtype, array.shape) for name, array in held.items()}
    case.check(values, got)
    return {name: array.tobytes() for name, array in got.items()}, result.counts


@pytest.fixture(scope="module")
def hardware():
    """The committed counters of the H200, whose results were all NumPy's."""
    return {row["case"]: row for row in record.read(HARDWARE)["rows"]}


def test_every_kernel_is_launched(hardware):
    """No file of the corpus is left out, here or on the H200."""
    assert {path.stem for path in FOLDER.glob("*.cu")} == {case.name for case in CORPUS}
    assert list(hardware) == [case.label for case in CORPUS]


@CASES
def test_counts_equal_the_hardware(hardware, case):
    """Same launch; equal requests and sectors, and requests of atomics, unless the case says which differ and why.

    An atomic is one instruction in the emulator; the hardware counts those with a result (atom), those without (red)
    and those in shared memory apart.
    """
    row = hardware[case.label]
    assert [list(case.grid), list(case.block), ""] == [row["grid"], row["block"], row["failure"]]
    measured = {name: row["counts"][name] for name in EQUAL}
    measured["atomic_requests"] = sum(row["counts"][name] for name in ATOMIC)

    counts = emulated(case, 1)[1]

    differing = {
        name: (getattr(counts, name), there)
        for name, there in measured.items()
        if name not in case.matters_of_order and getattr(counts, name) != there
    }
    assert differing == {name: (told.emulated, told.hardware) for name, told in case.differences.items()}


@CASES
def test_workers_change_nothing(case):
    """One worker and two give NumPy's result, the same bits and the same counts."""
    assert emulated(case, 1) == emulated(case, 2)


@CASES
def test_order_of_warps_changes_no_result(case):
    """Warps and blocks in a random order give NumPy's result."""
    emulated(case, 2, schedule="random", seed=3)
