"""A CUDA GPU behind the machine protocol, on `cuda.core`: device memory, one stream, events around every step.

The copies go through the driver's own calls, because `cuda.core` copies between its buffers only and A, B and C are
NumPy arrays. Importing this module imports no CUDA.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .driver import driver_report
from .machine import (
    Array,
    DeviceUnavailableError,
    LaunchRecord,
    MachineError,
    OutOfMemoryError,
    Progress,
    as_kernel_integer,
    check_copy,
)

if TYPE_CHECKING:
    from tilewright.choose import DeviceFacts, Plan
    from tilewright.compile import Program

FIRST_RELEASE = {12: "525.60", 13: "580.65"}
"""The oldest driver release for each major version of CUDA, as NVIDIA's release notes state it."""
SCRATCH_BYTES = 256 * 2**20
"""Clearing this takes some 0.1 ms on the fastest GPUs and more on others, and it is larger than any L2 cache."""


def advice() -> str:
    """Which extra to install for the driver at hand."""
    version = driver_report().cuda_version
    if version is None:
        return (
            "on a machine with an NVIDIA GPU install its driver and tilewright[cuda13] "
            f"(driver {FIRST_RELEASE[13]} or newer) or tilewright[cuda12] (driver {FIRST_RELEASE[12]} or newer)"
        )
    if version[0] < 12:
        return f'update the driver to {FIRST_RELEASE[12]} or newer, then: pip install "tilewright[cuda12]"'
    return f'pip install "tilewright[cuda{min(version[0], 13)}]"'


class GpuBuffer:
    """Device memory of one matrix."""

    def __init__(self, memory: Any, nbytes: int, name: str) -> None:
        self.memory, self.nbytes, self.name = memory, nbytes, name


class GpuMachine:
    """The first GPU that the driver lists (CUDA_VISIBLE_DEVICES chooses another)."""

    name = "gpu"

    def __init__(self) -> None:
        reason = driver_report().problem
        if reason is not None:
            raise DeviceUnavailableError(f"There is no GPU to use: {reason}; {advice()}.")
        self._core = _import_core()
        self._driver = import_driver()
        self._process = os.getpid()
        self._lock = threading.Lock()
        with said_by_cuda("opening the GPU"):
            self._device = self._core.Device(0)
            self._device.set_current()
            self._stream = self._device.create_stream()
            self._start = self._device.create_event(self._core.EventOptions(timing_enabled=True))
            self._end = self._device.create_event(self._core.EventOptions(timing_enabled=True))
        self._kernels: dict[int, tuple[Program, Any]] = {}
        self._scratch: Any = None
        self.progress: Progress | None = None
        self._architecture: str | None = None

    @property
    def architecture(self) -> str:
        """`sm_XY` of this GPU, or the newest PTX that NVRTC writes when it does not know the GPU yet."""
        if self._architecture is None:
            self._architecture = _architecture(self._device.name, tuple(self._device.compute_capability))
        return self._architecture

    def facts(self) -> DeviceFacts:
        """The properties that the driver reports."""
        from tilewright.choose import DeviceFacts

        properties = self._device.properties
        return DeviceFacts(
            name=self._device.name,
            compute_capability=tuple(self._device.compute_capability),
            sm_count=properties.multiprocessor_count,
            max_threads_per_block=properties.max_threads_per_block,
            max_threads_per_sm=properties.max_threads_per_multiprocessor,
            max_blocks_per_sm=properties.max_blocks_per_multiprocessor,
            shared_bytes_per_block=properties.max_shared_memory_per_block,
            shared_bytes_per_sm=properties.max_shared_memory_per_multiprocessor,
            registers_per_sm=properties.max_registers_per_multiprocessor,
            warp_size=properties.warp_size,
            source="read from the driver",
        )

    def room_bytes(self) -> None:
        """Others use the device too, so that only an allocation tells."""

    def allocate(self, nbytes: int, name: str) -> GpuBuffer:
        """Device memory in the order of this machine's stream."""
        self._enter()
        with said_by_cuda(f"allocating {nbytes} bytes of device memory for {name}"):
            memory = self._device.allocate(nbytes, stream=self._stream)
            self._stream.sync()  # so that a failed or slow allocation is not charged to the first copy
        return GpuBuffer(memory, nbytes, name)

    def copy_in(self, buffer: GpuBuffer, array: Array) -> float:
        """Copy to the device; seconds between two events."""
        check_copy(buffer, array, into_array=False)

        def copy() -> None:
            address = int(buffer.memory.handle)
            self._check(self._driver.cuMemcpyHtoDAsync(address, array.ctypes.data, array.nbytes, self._stream.handle))

        return self._timed(f"copying {buffer.name} to the device", copy)

    def launch(self, program: Program | None, plan: Plan, arguments: Sequence[Any]) -> LaunchRecord:
        """Run the program's kernel once; seconds between two events, the L2 cache holding none of the operands."""
        if program is None:
            raise MachineError("The GPU runs compiled programs, and the plan has none.")
        self._enter()
        kernel, config = self._kernel(program), self._core.LaunchConfig(grid=plan.grid, block=plan.block)
        values = [
            argument.memory if isinstance(argument, GpuBuffer) else as_kernel_integer(int(argument))
            for argument in arguments
        ]

        def run() -> None:
            self._core.launch(self._stream, config, kernel, *values)

        self._occupy()
        return LaunchRecord(kernel_seconds=self._timed(f"running {program.entry}", run))

    def copy_out(self, buffer: GpuBuffer, array: Array) -> float:
        """Copy from the device; seconds between two events."""
        check_copy(buffer, array, into_array=True)

        def copy() -> None:
            address = int(buffer.memory.handle)
            self._check(self._driver.cuMemcpyDtoHAsync(array.ctypes.data, address, array.nbytes, self._stream.handle))

        return self._timed(f"copying {buffer.name} from the device", copy)

    def free(self, buffer: GpuBuffer) -> None:
        """Give the memory back in the order of the stream, so that work still under way keeps it."""
        self._enter()
        with said_by_cuda(f"freeing {buffer.name}"):
            buffer.memory.close(self._stream)

    def _enter(self) -> None:
        if os.getpid() != self._process:
            raise DeviceUnavailableError(
                "CUDA cannot be used in a process that was forked after the GPU was opened; "
                'start it with multiprocessing.get_context("spawn").'
            )
        self._device.set_current()  # the current device belongs to the thread, and the caller may be in another one

    def _timed(self, what: str, work: Callable[[], None]) -> float:
        self._enter()
        with self._lock, said_by_cuda(what):  # another thread would record the same two events anew
            self._stream.record(self._start)
            work()
            self._stream.record(self._end)
            self._stream.sync()
            return float(self._end - self._start) * 1e-3

    def _occupy(self) -> None:
        """Give the GPU work until the launch between its two events is queued, and empty its L2 cache.

        Without it a short kernel's time would be that of the Python between the two events.
        """
        try:
            if self._scratch is None:
                self._scratch = self._device.allocate(SCRATCH_BYTES, stream=self._stream)
            self._scratch.fill(0, stream=self._stream)
        except Exception:  # noqa: BLE001  (a device too full for the scratch memory still runs the kernel)
            self._scratch = None

    def _kernel(self, program: Program) -> Any:
        loaded = self._kernels.get(id(program))
        if loaded is None:
            with said_by_cuda(f"loading {program.entry} for {program.architecture}"):
                if program.cubin is not None:
                    code = self._core.ObjectCode.from_cubin(program.cubin)
                elif program.ptx is not None:
                    code = self._core.ObjectCode.from_ptx(program.ptx.encode())
                else:
                    raise MachineError(f"{program.entry} was compiled to neither a cubin nor PTX.")
                kernel = code.get_kernel(program.entry)
                _ = kernel.attributes.num_regs  # loads the code now: otherwise the first launch would be timed with it
            loaded = self._kernels[id(program)] = (program, kernel)
        return loaded[1]

    def _check(self, result: Any) -> None:
        status = result[0]
        if int(status) != 0:
            raise MachineError(str(getattr(status, "name", status)))


@contextmanager
def said_by_cuda(what: str) -> Iterator[None]:
    """Turn whatever CUDA raises into one sentence that says what was being done."""
    try:
        yield
    except (DeviceUnavailableError, MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        hint, kind = "", MachineError
        if "OUT_OF_MEMORY" in said:
            hint, kind = "; the device has not enough free memory for these matrices", OutOfMemoryError
        elif any(name in said for name in ("INVALID_IMAGE", "NO_BINARY_FOR_GPU", "UNSUPPORTED_PTX_VERSION")):
            hint = f"; the driver cannot load what this NVRTC compiles: {advice()}"
        raise kind(f"{what[0].upper()}{what[1:]} failed: {said}{hint}.") from error


def gpu_at_hand() -> tuple[str, str]:
    """The name of the first GPU that the driver lists and what to compile for it, without opening it.

    Raises DeviceUnavailableError where there is none, or a package that it needs is missing.
    """
    report = driver_report()
    if report.problem is not None:
        raise DeviceUnavailableError(f"There is no GPU to use: {report.problem}; {advice()}.")
    _import_core()
    import_driver()
    first = report.gpus[0]
    return first.name, _architecture(first.name, first.compute_capability)


def _import_core() -> Any:
    try:
        from cuda import core
    except ImportError as error:
        raise DeviceUnavailableError(
            f"A GPU is here, but cuda.core is not installed or cannot be imported ({error}); {advice()}."
        ) from error
    if not hasattr(core, "Device"):
        version = getattr(core, "__version__", "unknown")
        raise DeviceUnavailableError(f"cuda.core {version} is too old, 1.0 or newer is needed; {advice()}.")
    return core


def import_driver() -> Any:
    """The driver's own calls. Raises DeviceUnavailableError where their package is not installed."""
    try:
        from cuda.bindings import driver
    except ImportError as error:
        raise DeviceUnavailableError(f"cuda.bindings cannot be imported ({error}); {advice()}.") from error
    return driver


def _architecture(name: str, capability: tuple[int, ...]) -> str:
    """What to ask NVRTC for; refuses a driver older than NVRTC and a GPU that this NVRTC has dropped."""
    number = capability[0] * 10 + capability[1]
    nvrtc = _nvrtc()
    if nvrtc is None:
        return "compute_90" if number >= 90 else f"sm_{number}"  # the package's PTX, which the driver compiles
    version, supported = nvrtc
    driver = driver_report().cuda_version
    if driver is not None and version[0] > driver[0]:
        raise DeviceUnavailableError(
            f"The NVIDIA driver supports CUDA {driver[0]}.{driver[1]}, but NVRTC {version[0]}.{version[1]} is "
            f"installed, whose code this driver cannot load; {advice()}, or update the driver to "
            f"{FIRST_RELEASE.get(version[0], 'a newer release')} or newer."
        )
    if number in supported or not supported:
        return f"sm_{number}"
    if number < min(supported):
        raise DeviceUnavailableError(
            f"NVRTC {version[0]}.{version[1]} makes no code for {name} (compute capability "
            f'{capability[0]}.{capability[1]}); an older NVRTC does: pip install "tilewright[cuda12]".'
        )
    return f"compute_{max(known for known in supported if known < number)}"


def _nvrtc() -> tuple[tuple[int, int], tuple[int, ...]] | None:
    """The installed NVRTC's version and the architectures that it compiles for; None when there is none."""
    from tilewright.compile import CompilerMissingError, nvrtc_version

    try:
        version = nvrtc_version()
    except CompilerMissingError:
        return None
    from cuda.bindings import nvrtc

    status, architectures = nvrtc.nvrtcGetSupportedArchs()
    return version, tuple(int(number) for number in architectures) if int(status) == 0 else ()
