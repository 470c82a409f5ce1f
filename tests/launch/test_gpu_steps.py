"""The GPU machine's own logic, with a double in the place of cuda.core: order of steps, arguments, errors.

Whether kernels run on a real GPU is tested in tests/gpu.
"""

import ctypes
import os
import sys
import threading
from types import SimpleNamespace

import numpy
import pytest

from tilewright import launch
from tilewright.choose import Problem, choose_plan
from tilewright.compile import Program
from tilewright.launch import DeviceUnavailableError, MachineError, OutOfMemoryError, driver, gpu
from tilewright.launch.machine import LaunchRecord


class Event:
    """An event whose time is the number of steps that came before it, in milliseconds."""

    def __init__(self):
        self.time = None

    def __sub__(self, other):
        return self.time - other.time


class FakeCuda:
    """The parts of cuda.core and cuda.bindings that the machine uses; device memory is a ctypes buffer."""

    def __init__(self):
        self.steps = []
        self.fail = {}
        self.EventOptions = SimpleNamespace
        self.LaunchConfig = SimpleNamespace
        self.Device = self.device
        self.cuMemcpyHtoDAsync = self.cuMemcpyDtoHAsync = self.copy
        self.ObjectCode = SimpleNamespace(from_cubin=self.load, from_ptx=self.load)

    def step(self, name):
        """Note the step, or fail as the test asked for."""
        if name in self.fail:
            raise self.fail[name]
        self.steps.append(name)

    def device(self, _):
        """The device with everything that hangs on it."""
        stream = SimpleNamespace(handle=0, sync=lambda: self.step("sync"), record=self.record)
        properties = dict.fromkeys(
            ("multiprocessor_count", "max_threads_per_block", "max_threads_per_multiprocessor", "warp_size"), 1024
        )
        names = ("max_blocks_per_multiprocessor", "max_shared_memory_per_block", "max_registers_per_multiprocessor")
        properties |= dict.fromkeys((*names, "max_shared_memory_per_multiprocessor"), 49152)
        return SimpleNamespace(
            name="NVIDIA H200",
            compute_capability=(9, 0),
            properties=SimpleNamespace(**properties),
            set_current=lambda: None,
            create_stream=lambda: stream,
            create_event=lambda _: Event(),
            allocate=self.allocate,
        )

    def record(self, event):
        """Give the event its time."""
        self.step("record")
        event.time = len(self.steps)

    def allocate(self, nbytes, *, stream):
        """Memory with an address; the large scratch memory is refused, as on a full device."""
        assert stream is not None
        self.step("allocate")
        if nbytes == gpu.SCRATCH_BYTES:
            raise RuntimeError("CUDA_ERROR_OUT_OF_MEMORY")
        memory = ctypes.create_string_buffer(nbytes)
        closed = lambda _: self.step("close")  # noqa: E731
        return SimpleNamespace(handle=ctypes.addressof(memory), keep=memory, close=closed)

    def load(self, code):
        """A program whose kernel can be asked for its registers."""
        self.step(f"load {type(code).__name__}")
        return SimpleNamespace(
            get_kernel=lambda name: SimpleNamespace(name=name, attributes=SimpleNamespace(num_regs=8))
        )

    def launch(self, _, config, kernel, *arguments):
        """Note what was launched with what."""
        self.step("launch")
        self.launched = (config, kernel.name, arguments)

    def copy(self, target, source, nbytes, _):
        """A copy between two addresses."""
        self.step("copy")
        ctypes.memmove(target, source, nbytes)
        return (0,)


@pytest.fixture
def cuda(monkeypatch):
    """A machine that believes in an H200 with a CUDA 13 driver."""
    fake = FakeCuda()
    report = driver.DriverReport("580.0", (13, 0), (driver.Gpu("NVIDIA H200", (9, 0), 2**37),), None)
    monkeypatch.setattr(gpu, "driver_report", lambda: report)
    monkeypatch.setattr(gpu, "_import_core", lambda: fake)
    monkeypatch.setattr(gpu, "import_driver", lambda: fake)
    return fake


def program(**code):
    """A program as compile/ makes it."""
    content = {"ptx": None, "cubin": b"cubin"} | code
    return Program(entry="matmul_tiled", source_path="", architecture="sm_90", from_package=False, **content)


def plan_for(machine):
    """A plan of 3 x 5 x 4 on the machine."""
    return choose_plan(Problem.of("matmul", 3, 5, 4, "float32"), machine.facts(), "tiled", 16)


def test_bytes_go_to_the_device_and_back(cuda):
    """What was copied in comes out, and each copy is timed by itself."""
    machine = gpu.GpuMachine()
    array = numpy.arange(12, dtype="f4")
    buffer = machine.allocate(array.nbytes, "A")
    back = numpy.empty_like(array)

    assert machine.copy_in(buffer, array) == pytest.approx(2e-3)
    assert machine.copy_out(buffer, back) == pytest.approx(2e-3)
    numpy.testing.assert_array_equal(back, array)
    machine.free(buffer)
    assert cuda.steps[-1] == "close"


def test_a_launch_passes_pointers_and_32_bit_integers(cuda):
    """The kernels' parameters are three pointers and ints; a Python int would travel as 64 bits."""
    machine = gpu.GpuMachine()
    buffers = [machine.allocate(4, name) for name in "ABC"]

    record = machine.launch(program(), plan_for(machine), [*buffers, 3, 5, 4])

    config, name, arguments = cuda.launched
    assert isinstance(record, LaunchRecord)
    assert name == "matmul_tiled"
    assert (config.grid, config.block) == ((1, 1, 1), (16, 16, 1))
    assert list(arguments[:3]) == [buffer.memory for buffer in buffers]
    assert [type(value) for value in arguments[3:]] == [numpy.int32] * 3
    assert [int(value) for value in arguments[3:]] == [3, 5, 4]


def test_threads_do_not_record_each_others_events(cuda):
    """A thread that comes while another waits for its copy begins after that one has read its time."""
    machine = gpu.GpuMachine()
    array = numpy.zeros(16, "u1")
    buffers = [machine.allocate(16, name) for name in "AB"]
    others: list[threading.Thread] = []

    def sync():
        cuda.step("sync")
        if not others:
            others.append(threading.Thread(target=machine.copy_in, args=(buffers[1], array)))
            others[0].start()
            others[0].join(timeout=0.1)

    machine._stream.sync = sync
    del cuda.steps[:]
    seconds = machine.copy_in(buffers[0], array)
    others[0].join()

    assert seconds == pytest.approx(2e-3)
    assert cuda.steps == ["record", "copy", "record", "sync"] * 2


def test_loading_is_not_timed_with_the_first_launch(cuda):
    """The program is loaded before the first event, and only once."""
    machine = gpu.GpuMachine()
    compiled = program()
    for _ in range(2):
        machine.launch(compiled, plan_for(machine), [])

    assert cuda.steps.count("load bytes") == 1
    assert cuda.steps.index("load bytes") < cuda.steps.index("record")
    assert cuda.steps[-4:] == ["record", "launch", "record", "sync"]


def test_ptx_is_loaded_where_there_is_no_cubin(cuda):
    """Without NVRTC the driver compiles the package's PTX."""
    machine = gpu.GpuMachine()
    machine.launch(program(cubin=None, ptx="// PTX"), plan_for(machine), [])

    assert "load bytes" in cuda.steps


def test_a_full_device_is_said_in_a_sentence(cuda):
    """The step, what CUDA said, and what it means."""
    machine = gpu.GpuMachine()
    cuda.fail["allocate"] = RuntimeError("CUDA_ERROR_OUT_OF_MEMORY:\nThe API call failed")

    with pytest.raises(
        OutOfMemoryError, match=r"Allocating 4 bytes of device memory for A failed.*not enough free memory"
    ):
        machine.allocate(4, "A")


def test_a_fault_in_a_kernel_names_the_kernel(cuda):
    """CUDA reports a kernel's fault when the stream is waited for."""
    machine = gpu.GpuMachine()
    cuda.fail["sync"] = RuntimeError("CUDA_ERROR_ILLEGAL_ADDRESS")

    with pytest.raises(MachineError, match="Running matmul_tiled failed: CUDA_ERROR_ILLEGAL_ADDRESS"):
        machine.launch(program(), plan_for(machine), [])


def test_a_status_of_the_driver_is_an_error(cuda):
    """The driver's calls return a status in place of raising."""
    machine = gpu.GpuMachine()
    buffer = machine.allocate(4, "A")
    cuda.cuMemcpyHtoDAsync = lambda *_: (700,)

    with pytest.raises(MachineError, match="Copying A to the device failed: 700"):
        machine.copy_in(buffer, numpy.zeros(1, "f4"))


def test_an_nvrtc_newer_than_the_driver_is_told(cuda, monkeypatch):
    """Code of NVRTC 13 does not load on a driver of CUDA 12: the sentence says what would do."""
    report = driver.DriverReport("550.1", (12, 4), (driver.Gpu("NVIDIA H200", (9, 0), 2**37),), None)
    monkeypatch.setattr(gpu, "driver_report", lambda: report)
    monkeypatch.setattr(gpu, "_nvrtc", lambda: ((13, 5), (75, 90)))

    with pytest.raises(DeviceUnavailableError, match=r"CUDA 12\.4.*NVRTC 13\.5.*cuda12.*580"):
        _ = gpu.GpuMachine().architecture
    assert cuda.steps == []


@pytest.mark.parametrize(
    ("capability", "nvrtc", "architecture"),
    [
        ((9, 0), ((13, 0), (75, 80, 90)), "sm_90"),
        ((9, 1), ((13, 0), (75, 80, 90)), "compute_90"),
        ((9, 0), None, "compute_90"),
        ((8, 6), None, "sm_86"),
    ],
)
def test_the_architecture_is_one_that_nvrtc_knows(monkeypatch, cuda, capability, nvrtc, architecture):
    """A cubin for a known GPU; PTX, which the driver compiles, for one that is newer than NVRTC."""
    assert cuda.steps == []
    monkeypatch.setattr(gpu, "_nvrtc", lambda: nvrtc)

    assert gpu._architecture("a GPU", capability) == architecture


def test_a_gpu_that_nvrtc_has_dropped_is_told(monkeypatch, cuda):
    """The thesis's GTX 1050 needs the NVRTC of CUDA 12."""
    assert cuda.steps == []
    monkeypatch.setattr(gpu, "_nvrtc", lambda: ((13, 5), (75, 80, 90)))

    with pytest.raises(DeviceUnavailableError, match=r"GTX 1050 \(compute capability 6\.1\).*cuda12"):
        gpu._architecture("GTX 1050", (6, 1))


def test_a_forked_child_is_told_to_spawn(cuda, monkeypatch):
    """CUDA does not survive a fork; the child learns it in words, not by a crash."""
    machine = gpu.GpuMachine()
    assert cuda.steps == []
    monkeypatch.setattr(os, "getpid", lambda: -1)

    with pytest.raises(DeviceUnavailableError, match="spawn"):
        machine.allocate(4, "A")


def test_without_a_gpu_the_reason_and_a_remedy_are_given(monkeypatch):
    """What is missing, and what to install."""
    report = driver.DriverReport(problem="no NVIDIA driver was found")
    monkeypatch.setattr(gpu, "driver_report", lambda: report)

    with pytest.raises(DeviceUnavailableError, match=r"no NVIDIA driver was found.*tilewright\[cuda13\]"):
        gpu.GpuMachine()


def test_an_old_cuda_core_is_told(monkeypatch):
    """Before 1.0 the names lived in cuda.core.experimental."""
    monkeypatch.setitem(sys.modules, "cuda", SimpleNamespace(core=SimpleNamespace(__version__="0.1")))

    with pytest.raises(DeviceUnavailableError, match=r"0\.1 is too old"):
        gpu._import_core()


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
