"""The emulator counts what the hardware counts: global requests and sectors, loads and stores, launch by launch."""

from __future__ import annotations

from dataclasses import fields

import numpy
import pytest

from benchmarks import record
from benchmarks.kernel_run import KernelRun, Launch, Operands
from benchmarks.measure.gpu_counters import RESULT
from benchmarks.measure.launches import launches
from tests.repeats import sampled
from tilewright.launch.emulator import EmulatorMachine

EQUAL = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors")
FAST_PRODUCTS = 256**3


def cases():
    """All launches that are quick to emulate, and some of the others: their kernels and tiles are among the quick."""
    for launch in launches():
        if launch.m * launch.n * launch.k <= FAST_PRODUCTS:
            yield pytest.param(launch, id=str(launch))
    for launch in sampled(each for each in launches() if each.m * each.n * each.k > FAST_PRODUCTS):
        yield pytest.param(launch, id=str(launch), marks=pytest.mark.slow)


@pytest.fixture(scope="module")
def hardware():
    """The committed counters, by launch."""
    names = [field.name for field in fields(Launch)]
    return {Launch(**{name: row[name] for name in names}): row for row in record.read(RESULT)["rows"]}


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all launches."""
    return EmulatorMachine()


def test_hardware_result_holds_every_launch(hardware):
    """The committed counters cover the whole list and nothing else."""
    assert list(hardware) == list(launches())


@pytest.mark.parametrize("launch", cases())
def test_counts_equal_the_hardware(emulator, hardware, launch):
    """Same grid and block, right result, equal requests and sectors."""
    operands = Operands(emulator, launch, numpy.random.default_rng(0))
    run = KernelRun(emulator, launch, operands)

    counts = run.run_checked().counts

    row = hardware[launch]
    assert [list(run.plan.grid), list(run.plan.block)] == [row["grid"], row["block"]]
    assert {name: getattr(counts, name) for name in EQUAL} == {name: row["counts"][name] for name in EQUAL}
    run.close()
    operands.close()
