"""A GPU with a double in the place of the driver: its programs and its facts, and why there is none."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
from cuda.bindings import driver as bindings

from tests.launch import fake_driver
from tilewright.choose import tuned_file
from tilewright.compile.kept_code import Code
from tilewright.kernels.tuned import Tuned
from tilewright.launch import DeviceUnavailableError, DriverReport, MachineError
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda.device import cuda_device as open_device
from tilewright.launch.cuda.planned import PlannedRun

from .launched_plan import alone


def test_shared_memory_and_large_clusters_are_asked_for(fake):
    """The most that any plan wants of a kernel; a second plan with less does not lower it."""
    device = open_device(0)
    PlannedRun(alone(), device)
    PlannedRun(alone(shared_bytes=100), device)
    PlannedRun(alone(shared_bytes=210_000, cluster=(16, 1, 1)), device)

    assert fake.function_attributes == [
        ("matmul_tiled", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", 200_000),
        ("matmul_tiled", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", 210_000),
        ("matmul_tiled", "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1),
    ]
    assert fake.steps.count("cuLibraryLoadData") == 1


def test_a_program_that_is_forgotten_is_loaded_anew(fake):
    """With its variables as they were at first; other programs stay loaded."""
    device, codes = open_device(0), [Code(fake_driver.CUBIN + name) for name in (b"one", b"other")]
    for code in codes:
        device.function(code, "matmul_tiled", shared_bytes=50_000)
    device.forget(codes[0])
    for code in codes:
        device.function(code, "matmul_tiled", shared_bytes=50_000)

    assert fake.steps.count("cuLibraryLoadData") == 3
    assert len(fake.function_attributes) == 3
    device.forget(Code(b"never loaded"))


def test_where_a_variable_lies(fake):
    """Its address and its bytes; a name that the program lacks is the driver's to refuse."""
    device, code = open_device(0), Code(fake_driver.CUBIN)
    assert device.variable(code, "limit") == (0x7000, 5)
    fake.fail["cuLibraryGetGlobal"] = bindings.CUresult.CUDA_ERROR_NOT_FOUND
    with pytest.raises(MachineError, match=r"^Looking for lost on GPU 0 failed: CUDA_ERROR_NOT_FOUND\.$"):
        device.variable(code, "lost")


@pytest.mark.parametrize(("blocks", "is_asked"), [(8, False), (9, True)])
def test_clusters_larger_than_any_chip_takes_are_asked_for(fake, blocks, is_asked):
    """From nine blocks on."""
    open_device(0).function(Code(fake_driver.CUBIN), "matmul_tiled", cluster_blocks=blocks)

    assert bool(fake.function_attributes) == is_asked


@pytest.mark.usefixtures("fake")
def test_a_forked_child_waits_for_no_lock_of_its_parent():
    """Which a thread that is not in the child may have held for ever."""
    device = open_device(0)
    fake_driver.fork()
    with device._lock, pytest.raises(DeviceUnavailableError, match="spawn"):
        device.function(Code(b"cubin"), "matmul_tiled")


@pytest.mark.usefixtures("fake")
def test_the_facts_are_the_drivers():
    """Limits as reported, with what the table of chips knows of every chip of this architecture."""
    facts = open_device(0).facts

    assert (facts.name, facts.compute_capability, facts.sm_count) == ("NVIDIA H200", (9, 0), 132)
    assert facts.shared_bytes_per_block_optin == 227 * 1024
    assert facts.register_unit is not None
    assert facts.driver == "13.0"


@pytest.mark.usefixtures("fake")
def test_the_facts_hold_what_was_tuned_on_such_a_card(tmp_path, monkeypatch):
    """Of the chip, the driver's CUDA and this version; on another one there is a warning, and nothing."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.delenv("TILEWRIGHT_TUNED")
    tuned_file._read_once.cache_clear()
    known = open_device(0).facts
    assert known.tuned is None
    tuned = Tuned(factors={"wgmma": 1.5})
    path = tuned_file.file_of(known.name, known.sm_count)
    assert path is not None
    for driver, expected in (("13.0", tuned), ("12.8", None)):
        tuned_file.write_tuned(path, replace(known, driver=driver), tuned)
        tuned_file._read_once.cache_clear()
        open_device.cache_clear()
        with (
            nullcontext() if expected else pytest.warns(RuntimeWarning, match=r"CUDA 12\.8 .*, and this is .* CUDA 13")
        ):
            assert open_device(0).facts.tuned == expected
    tuned_file._read_once.cache_clear()


def test_without_a_gpu_the_reason_is_given(monkeypatch):
    """As for the GPU machine."""
    monkeypatch.setattr(cuda_device, "driver_report", lambda: DriverReport(problem="no NVIDIA driver was found"))

    with pytest.raises(DeviceUnavailableError, match=r"no NVIDIA driver was found.*tilewright\[cuda13\]"):
        cuda_device.CudaDevice(0)
