"""The emulator counts what an H100 counts of products on tensor cores: TMA, `wgmma` and its reads, launch by launch."""

from __future__ import annotations

from dataclasses import fields

import numpy
import pytest

from benchmarks import record
from benchmarks.measure.gpu_tensor_counters import METRICS, RESULT
from benchmarks.measure.tensor_launches import TensorLaunch, tensor_launches
from tests.kernels.plan_on_emulator import held_by, run_on_emulator
from tests.repeats import sampled
from tilewright.emulate import Emulator
from tilewright.emulate.observers import PipelineObserver

ARCHITECTURE = "compute_90a"
OVERHEAD_BYTES = 20_000
"""Read from DRAM besides the operands: code, parameters and tensor maps."""
QUICK = 18
"""Every so many is a quick test; each kernel is compiled."""


def chosen():
    """Two quick tests, and of the others half in CI."""
    listed = list(tensor_launches())
    quick = listed[::QUICK]
    others = sampled(each for each in listed if each not in quick)
    return [
        *(pytest.param(each, id=str(each)) for each in quick),
        *(pytest.param(each, id=str(each), marks=pytest.mark.slow) for each in others),
    ]


@pytest.fixture(scope="module")
def hardware():
    """The committed counters, by launch."""
    names = [field.name for field in fields(TensorLaunch)]
    return {TensorLaunch(**{name: row[name] for name in names}): row["counters"] for row in record.read(RESULT)["rows"]}


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all launches."""
    return Emulator()


def test_hardware_result_holds_every_launch(hardware):
    """The committed counters cover the whole list and nothing else."""
    assert list(hardware) == list(tensor_launches())


@pytest.mark.parametrize("launch", chosen())
def test_counts_equal_the_hardware(emulator, hardware, launch):
    """The result is right; instructions, operations, bytes, wavefronts and conflicts are equal, DRAM nearly."""
    planned, (a, b, expected) = launch.launches(), launch.arrays()
    observer, counters = PipelineObserver(), hardware[launch]
    arrays = {"A": a, "B": b, "C": numpy.full(expected.shape, 0x7E00, numpy.uint16)}
    with held_by(emulator, arrays, planned.workspace_bytes) as held:
        at = {name: buffer.address for name, buffer in held.items()}
        counts = run_on_emulator(emulator, planned, at, ARCHITECTURE, [observer]).counts

        assert launch.is_right(held["C"].read(numpy.uint16, expected.shape), expected)
    assert counts.matrix_instructions == counters["tensor_instructions"]
    assert counts.matrix_flops == counters[f"ops_{launch.dtype}"]
    named = {metric: name for name, metric in METRICS.items()}
    assert observer.totals == {metric: counters[named[metric]] for metric in observer.totals}
    assert observer.first_loaded_bytes == a.nbytes + b.nbytes
    assert 0 <= counters["dram_bytes_read"] - observer.first_loaded_bytes <= OVERHEAD_BYTES
