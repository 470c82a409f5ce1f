"""Copies and sizes that would reach what is not theirs are refused."""

import subprocess
import sys
from types import SimpleNamespace

import numpy
import pytest

from tilewright import launch
from tilewright.choose import EMULATOR_FACTS, HOST_FACTS
from tilewright.launch import DeviceUnavailableError, DriverReport, MachineError, open_machine
from tilewright.launch.host import HostBuffer, HostMachine
from tilewright.launch.machine import check_copy


def test_a_copy_of_another_size_is_refused():
    """A byte too many would land in a neighbor."""
    with pytest.raises(MachineError, match="A holds 16 bytes, but the array has 24"):
        check_copy(HostBuffer(HostMachine(), 16, "A"), numpy.zeros(3), into_array=False)


def test_a_strided_array_is_refused():
    """A copy reads one run of memory, which a transposed view is not."""
    with pytest.raises(MachineError, match="C-contiguous"):
        check_copy(HostBuffer(HostMachine(), 48, "A"), numpy.zeros((2, 3)).T, into_array=False)


def test_a_foreign_byte_order_is_refused():
    """Kernels read the machine's own order."""
    foreign = numpy.zeros(2).astype(numpy.dtype("f8").newbyteorder())
    with pytest.raises(MachineError, match="byte order"):
        check_copy(HostBuffer(HostMachine(), 16, "A"), foreign, into_array=False)


def test_nothing_is_copied_into_a_read_only_array():
    """The caller's constant stays one."""
    array = numpy.zeros(2)
    array.flags.writeable = False
    with pytest.raises(MachineError, match="read-only"):
        check_copy(HostBuffer(HostMachine(), 16, "C"), array, into_array=True)


def test_an_unknown_machine_names_the_known_ones():
    """A misspelled machine is told what there is."""
    with pytest.raises(ValueError, match="gpu, emulator, host"):
        open_machine("tpu")


def test_kernels_run_on_a_gpu_that_can_be_used(monkeypatch):
    """Else on the emulator: without a word where there is no GPU, with the reason where one cannot be opened."""
    for problem, opened, expected in (
        (None, None, ("gpu", None)),
        ("no driver", None, ("emulator", None)),
        (None, DeviceUnavailableError("Too old."), ("emulator", "Too old.")),
    ):

        def open_one(name, opened=opened):
            assert name == "gpu"
            if opened:
                raise opened

        monkeypatch.setattr(launch, "driver_report", lambda problem=problem: DriverReport(problem=problem))
        monkeypatch.setattr(launch, "open_machine", open_one)
        launch.kernel_machine.cache_clear()
        assert launch.kernel_machine() == expected
    launch.kernel_machine.cache_clear()


def test_facts_need_no_machine_but_a_gpu(monkeypatch):
    """The host's and the emulator's are constants."""
    monkeypatch.setattr(launch, "open_machine", lambda name: SimpleNamespace(facts=lambda: f"asked of {name}"))

    assert launch.facts_of("host") is HOST_FACTS
    assert launch.facts_of("emulator") is EMULATOR_FACTS
    assert str(launch.facts_of("gpu")) == "asked of gpu"


def test_importing_launch_imports_neither_cuda_nor_numba():
    """Both are slow to import, and most calls need one of them or none."""
    code = "import sys, tilewright.launch; sys.exit(sum(name in sys.modules for name in ('cuda', 'numba')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
