"""The GPU as a machine, with a double in the place of the driver: order of steps, arguments, times, errors.

Whether kernels run on a real GPU is tested in tests/gpu.
"""

import sys
import threading
from types import SimpleNamespace

import numpy
import pytest
from cuda.bindings import driver as bindings

from tests.launch import fake_driver, memory_driver
from tilewright import launch
from tilewright.choose import Problem, choose_plan
from tilewright.emulate import Emulator
from tilewright.launch import DeviceUnavailableError, MachineError, OutOfMemoryError
from tilewright.launch.cuda import driver, gpu
from tilewright.launch.cuda import machine as cuda_machine


@pytest.fixture
def cuda(monkeypatch):
    """A driver of CUDA 13 with an H200, whose memory is an emulator's."""
    fake = memory_driver.install(monkeypatch, Emulator(workers=1))
    report = driver.DriverReport("580.0", (13, 0), (driver.Gpu("NVIDIA H200", (9, 0), 2**37),), None)
    monkeypatch.setattr(gpu, "driver_report", lambda: report)
    fake.kinds = {"matmul_tiled": ["pointer"] * 3 + ["int"] * 3}
    yield fake
    memory_driver.forget()


@pytest.fixture
def machine(cuda):
    """The machine on that driver."""
    assert cuda.launches == []
    return cuda_machine.CudaMachine()


def plan_for(machine):
    """A plan of 3 x 5 x 4 on the machine."""
    return choose_plan(Problem.of("matmul", 3, 5, 4, "float32"), machine.facts(), "tiled", 16)


def test_bytes_go_to_the_device_and_back(cuda, machine):
    """What was copied in comes out, and each copy has its own time."""
    array = numpy.arange(12, dtype="f4")
    buffer = machine.allocate(array.nbytes, "A")
    back = numpy.empty_like(array)

    assert machine.copy_in(buffer, array) > 0
    assert machine.copy_out(buffer, back) > 0
    numpy.testing.assert_array_equal(back, array)
    machine.free(buffer)
    assert cuda.steps[-2:] == ["cuMemFreeAsync", "pop"]


def test_a_launch_passes_pointers_and_32_bit_integers(cuda, machine):
    """The kernels' parameters are three pointers and ints."""
    buffers = [machine.allocate(4, name) for name in "ABC"]
    addresses = [buffer.address for buffer in buffers]

    record = machine.timed(machine.load(plan_for(machine)), [*addresses, 0, 0, 0])

    (launched,) = cuda.launches
    assert (launched.entry, launched.grid, launched.block) == ("matmul_tiled", (1, 1, 1), (16, 16, 1))
    assert launched.stream == memory_driver.STREAM
    assert launched.arguments == [*addresses, 3, 5, 4]
    assert record.kernel_seconds > 0
    assert record.counts is None


def test_threads_do_not_record_each_others_events(cuda, machine, monkeypatch):
    """A thread that comes while another waits for its copy begins after that one has read its time."""
    array = numpy.zeros(16, "u1")
    buffers = [machine.allocate(16, name) for name in "AB"]
    others: list[threading.Thread] = []
    synchronize = cuda.cuStreamSynchronize

    def sync(stream):
        if not others:
            others.append(threading.Thread(target=machine.copy_in, args=(buffers[1], array)))
            others[0].start()
            others[0].join(timeout=0.1)
        return synchronize(stream)

    monkeypatch.setattr(cuda, "cuStreamSynchronize", sync)
    del cuda.steps[:]
    machine.copy_in(buffers[0], array)
    others[0].join()

    timed = [step for step in cuda.steps if step in {"cuMemcpyHtoDAsync", "cuStreamSynchronize", "cuEventElapsedTime"}]
    assert timed == ["cuMemcpyHtoDAsync", "cuStreamSynchronize", "cuEventElapsedTime"] * 2


def test_loading_is_not_timed_with_the_launch(cuda, machine):
    """The program is loaded before, and only once; the memory that empties the cache is cleared before the event."""
    for _ in range(2):
        machine.timed(machine.load(plan_for(machine)), [0] * 6)

    assert cuda.steps.count("cuLibraryLoadData") == 1
    last = [step for step in cuda.steps if step not in {"push", "pop"}][-6:]
    assert last == [
        "cuMemsetD8Async",
        "cuEventRecord",
        "cuLaunchKernelEx",
        "cuEventRecord",
        "cuStreamSynchronize",
        "cuEventElapsedTime",
    ]


def test_a_device_too_full_to_empty_its_cache_runs_the_kernel(cuda, machine):
    """What it takes to empty the cache is no part of the product."""
    cuda.most_bytes = 2**20

    assert machine.timed(machine.load(plan_for(machine)), [0] * 6).kernel_seconds > 0
    assert len(cuda.launches) == 1


def test_a_full_device_is_said_in_a_sentence(cuda, machine):
    """The step, what CUDA said, and what it means."""
    cuda.most_bytes = 0

    with pytest.raises(OutOfMemoryError, match=r"Allocating 4 bytes on GPU 0 failed.*not enough free memory"):
        machine.allocate(4, "A")


def test_a_fault_in_a_kernel_names_the_kernel(cuda, machine):
    """CUDA reports a kernel's fault when the stream is waited for."""
    run = machine.load(plan_for(machine))
    cuda.fail["cuEventElapsedTime"] = bindings.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS

    with pytest.raises(MachineError, match="Running matmul_tiled failed: CUDA_ERROR_ILLEGAL_ADDRESS"):
        machine.timed(run, [0] * 6)


def test_observers_are_the_emulators(machine):
    """A GPU tells nobody what its threads do."""
    with pytest.raises(MachineError, match="the emulator has"):
        machine.load(plan_for(machine)).run([0] * 6, observers=[object()])


def test_an_nvrtc_newer_than_the_driver_is_told(machine, monkeypatch):
    """Code of NVRTC 13 does not load on a driver of CUDA 12: the sentence says what would do."""
    report = driver.DriverReport("550.1", (12, 4), (driver.Gpu("NVIDIA H200", (9, 0), 2**37),), None)
    monkeypatch.setattr(gpu, "driver_report", lambda: report)
    monkeypatch.setattr(gpu, "_nvrtc", lambda: ((13, 5), (75, 90)))

    with pytest.raises(DeviceUnavailableError, match=r"CUDA 12\.4.*NVRTC 13\.5.*cuda12.*580"):
        machine.load(plan_for(machine))


@pytest.mark.parametrize(
    ("capability", "nvrtc", "architecture"),
    [
        ((9, 0), ((13, 0), (75, 80, 90)), "sm_90"),
        ((9, 1), ((13, 0), (75, 80, 90)), "compute_90"),
        ((9, 0), None, "compute_90"),
        ((8, 6), None, "sm_86"),
    ],
)
def test_the_architecture_is_one_that_nvrtc_knows(monkeypatch, capability, nvrtc, architecture):
    """A cubin for a known GPU; PTX, which the driver compiles, for one that is newer than NVRTC."""
    monkeypatch.setattr(gpu, "_nvrtc", lambda: nvrtc)

    assert gpu.architecture_for("a GPU", capability) == architecture


def test_a_gpu_that_nvrtc_has_dropped_is_told(monkeypatch):
    """The thesis's GTX 1050 needs the NVRTC of CUDA 12."""
    monkeypatch.setattr(gpu, "_nvrtc", lambda: ((13, 5), (75, 80, 90)))

    with pytest.raises(DeviceUnavailableError, match=r"GTX 1050 \(compute capability 6\.1\).*cuda12"):
        gpu.architecture_for("GTX 1050", (6, 1))


def test_a_forked_child_is_told_to_spawn(machine):
    """CUDA does not survive a fork; the child learns it in words, not by a crash."""
    fake_driver.fork()

    with pytest.raises(DeviceUnavailableError, match="spawn"):
        machine.allocate(4, "A")


def test_a_gpu_without_its_packages_is_passed_over_with_a_reason(monkeypatch):
    """What runs by itself takes the emulator then, and can say what would make the GPU usable."""
    report = driver.DriverReport("580.0", (13, 0), (driver.Gpu("NVIDIA H200", (9, 0), 2**37),), None)
    monkeypatch.setattr(gpu, "driver_report", lambda: report)
    monkeypatch.setattr(launch, "driver_report", lambda: report)
    monkeypatch.setitem(sys.modules, "cuda", SimpleNamespace())
    launch.open_machine.cache_clear()
    launch.kernel_machine.cache_clear()

    machine, reason = launch.kernel_machine()

    launch.kernel_machine.cache_clear()
    assert machine == "emulator"
    assert reason
    assert "tilewright[cuda13]" in reason
