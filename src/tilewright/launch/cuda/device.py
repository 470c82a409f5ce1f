"""A GPU in its primary context, which the CUDA runtime, torch and CuPy use as well.

`GpuMachine` brings memory and a stream of its own; this is for arrays that are on the GPU already. Nothing here waits
for the GPU. Importing this module imports no CUDA.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from tilewright.launch.machine import DeviceUnavailableError, MachineError

from .driver import driver_report
from .gpu import advice, import_driver, said_by_cuda

if TYPE_CHECKING:
    from tilewright.choose import DeviceFacts
    from tilewright.compile.kept_code import Code

_opened: WeakSet[CudaDevice] = WeakSet()
"""Every device of this process, to be marked in a forked child."""

LARGEST_PORTABLE_CLUSTER = 8
"""The largest cluster that every chip with clusters supports; larger ones need an opt-in."""

OVERLAPPING_CAPABILITY = (9, 0)
OVERLAPPING_DRIVER = 12_030
"""CUDA 12.3. Source: CUDA driver API, graph edge data (programmatic edges), which came with it."""

TRANSFERS_PER_CLOCK = 2
"""Of each bit of a memory bus, by its clock as drivers report it."""

FACT_ATTRIBUTES = {
    "sm_count": "MULTIPROCESSOR_COUNT",
    "max_threads_per_block": "MAX_THREADS_PER_BLOCK",
    "max_threads_per_sm": "MAX_THREADS_PER_MULTIPROCESSOR",
    "max_blocks_per_sm": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "shared_bytes_per_block": "MAX_SHARED_MEMORY_PER_BLOCK",
    "shared_bytes_per_block_optin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "shared_bytes_per_sm": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "reserved_shared_bytes_per_block": "RESERVED_SHARED_MEMORY_PER_BLOCK",
    "registers_per_sm": "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "max_registers_per_block": "MAX_REGISTERS_PER_BLOCK",
    "warp_size": "WARP_SIZE",
}
"""The fields of DeviceFacts that the driver reports, each with the end of its attribute's name."""


class CudaDevice:
    """One GPU, by the number that the driver, torch and CuPy give it."""

    def __init__(self, ordinal: int) -> None:
        self.ordinal = ordinal
        self.inherited = False
        _opened.add(self)
        self._libraries: dict[Code, Any] = {}
        self._functions: dict[tuple[Code, str], Any] = {}
        self._shared_bytes: dict[tuple[Code, str], int] = {}
        self._lock = threading.Lock()
        try:
            self.driver = import_driver()
            with said_by_cuda(f"opening GPU {ordinal}"):
                self.checked(self.driver.cuInit(0))
                self._device = self.checked(self.driver.cuDeviceGet(ordinal))
                self._context = self.checked(self.driver.cuDevicePrimaryCtxRetain(self._device))
        except (DeviceUnavailableError, MachineError) as error:
            reason = driver_report().problem  # asked only now: it takes as long as all the rest of a first call
            if reason is not None:
                raise DeviceUnavailableError(f"There is no GPU to use: {reason}; {advice()}.") from error
            raise
        self.context_handle = int(self._context)

    @cached_property
    def facts(self) -> DeviceFacts:
        """What the driver reports, what all chips of its compute capability share, and what was measured on it."""
        from tilewright.choose import DeviceFacts, with_architecture
        from tilewright.choose.tuned_file import tuned_of

        with said_by_cuda(f"asking GPU {self.ordinal} for its limits"):
            name = self.checked(self.driver.cuDeviceGetName(256, self._device))
            limits: dict[str, Any] = {field: self._attribute(attribute) for field, attribute in FACT_ATTRIBUTES.items()}
            capability = tuple(self._attribute(f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR"))
            clock_khz, bus_bits = self._attribute("MEMORY_CLOCK_RATE"), self._attribute("GLOBAL_MEMORY_BUS_WIDTH")
            version: int = self.checked(self.driver.cuDriverGetVersion())
        found = with_architecture(
            DeviceFacts(
                name=name.split(b"\0")[0].decode(errors="replace"),
                source="read from the driver",
                compute_capability=(capability[0], capability[1]),
                bandwidth_gb_per_s=TRANSFERS_PER_CLOCK * 1e-6 * clock_khz * bus_bits / 8 or None,
                driver=f"{version // 1000}.{version % 1000 // 10}",
                **limits,
            )
        )
        return replace(found, tuned=tuned_of(found))

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability, as in (9, 0)."""
        known = self.facts.compute_capability
        assert known is not None
        return known

    @cached_property
    def l2_bytes(self) -> int:
        """The size of the L2 cache."""
        with said_by_cuda(f"asking GPU {self.ordinal} for its L2 cache"):
            return self._attribute("L2_CACHE_SIZE")

    @cached_property
    def overlaps_launches(self) -> bool:
        """Whether kernels that wait themselves may start before those in front of them have ended.

        Only where that was measured, and with drivers that capture such launches into a graph.
        """
        with said_by_cuda(f"asking the driver of GPU {self.ordinal} for its version"):
            version: int = self.checked(self.driver.cuDriverGetVersion())
        return self.capability == OVERLAPPING_CAPABILITY and version >= OVERLAPPING_DRIVER

    def checked(self, answer: tuple[Any, ...]) -> Any:
        """The value returned by a driver call. Raises MachineError with the status's name."""
        if answer[0]:
            raise MachineError(str(getattr(answer[0], "name", answer[0])))
        return answer[1] if len(answer) > 1 else None

    def call(self, name: str, *arguments: Any) -> Any:
        """Call the driver, within `entered`. Raises MachineError or OutOfMemoryError, which name the call."""
        with said_by_cuda(f"{name} on GPU {self.ordinal}"):
            return self.checked(getattr(self.driver, name)(*arguments))

    def check_process(self) -> None:
        """Raise DeviceUnavailableError in a child of the process that opened the GPU: CUDA does not survive a fork.

        Whoever calls often reads `inherited` first.
        """
        if self.inherited:
            raise DeviceUnavailableError(
                "CUDA cannot be used in a process that was forked after the GPU was opened; "
                'start it with multiprocessing.get_context("spawn").'
            )

    def enter(self) -> bool:
        """Make the context this thread's current one; return whether `leave` has to undo that."""
        status, context = self.driver.cuCtxGetCurrent()
        if not status and int(context) == self.context_handle:
            return False
        with said_by_cuda(f"using GPU {self.ordinal}"):
            self.checked(self.driver.cuCtxPushCurrent(self._context))
        return True

    def leave(self) -> None:
        """Restore the thread's context before `enter`."""
        self.driver.cuCtxPopCurrent()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """`enter` and `leave` around a block."""
        self.check_process()
        pushed = self.enter()
        try:
            yield
        finally:
            if pushed:
                self.leave()

    def wait_for(self, stream: int, other: int) -> None:
        """Make later work on a stream wait for all work queued so far on another, without blocking the caller."""
        if stream == other or {stream, other} == {0, 1}:  # 1 is another name of the default stream
            return
        driver = self.driver
        with self.entered(), said_by_cuda(f"waiting for stream {other:#x}"):
            event = self.checked(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING))
            try:
                self.checked(driver.cuEventRecord(event, other))
                self.checked(driver.cuStreamWaitEvent(stream, event, 0))
            finally:
                driver.cuEventDestroy(event)

    def function(self, code: Code, entry: str, *, shared_bytes: int = 0, cluster_blocks: int = 1) -> Any:
        """Load a program, once, and return its kernel, ready for that much dynamic shared memory and such clusters.

        Raises:
            MachineError: the driver does not load it, or the kernel can have no such launch.
        """
        attributes = self.driver.CUfunction_attribute
        key = code, entry
        # A fork's child is refused before the lock, which another thread may have held then.
        with self.entered(), self._lock, said_by_cuda(f"loading {entry} on GPU {self.ordinal}"):
            function = self._functions.get(key)
            if function is None:
                # A library's kernel belongs to no context; its function does, and asking for it loads the code now.
                kernel = self.checked(self.driver.cuLibraryGetKernel(self._library(code), entry.encode()))
                function = self._functions[key] = self.checked(self.driver.cuKernelGetFunction(kernel))
            if shared_bytes > self._shared_bytes.get(key, 0):
                attribute = attributes.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                self.checked(self.driver.cuFuncSetAttribute(function, attribute, shared_bytes))
                self._shared_bytes[key] = shared_bytes
            if cluster_blocks > LARGEST_PORTABLE_CLUSTER:
                attribute = attributes.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
                self.checked(self.driver.cuFuncSetAttribute(function, attribute, 1))
        return function

    def variable(self, code: Code, name: str) -> tuple[int, int]:
        """The address and the bytes of a variable of a program, which is loaded once."""
        with self.entered(), self._lock, said_by_cuda(f"looking for {name} on GPU {self.ordinal}"):
            status, address, nbytes = self.driver.cuLibraryGetGlobal(self._library(code), name.encode())
            self.checked((status,))
        return int(address), int(nbytes)

    def forget(self, code: Code) -> None:
        """Unload a program, so that its variables are reinitialized when it is next used."""
        with self._lock:
            self._libraries.pop(code, None)
            for kept in (self._functions, self._shared_bytes):
                for key in [key for key in kept if key[0] == code]:
                    del kept[key]

    def _library(self, code: Code) -> Any:
        if code not in self._libraries:
            loaded = self.checked(self.driver.cuLibraryLoadData(code.image, [], [], 0, [], [], 0))
            self._libraries[code] = loaded
        return self._libraries[code]

    def _attribute(self, name: str) -> int:
        attribute = getattr(self.driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self.checked(self.driver.cuDeviceGetAttribute(attribute, self._device)))


def _inherit() -> None:
    for device in _opened:
        device.inherited = True


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_inherit)


@lru_cache(maxsize=64)
def cuda_device(ordinal: int) -> CudaDevice:
    """The GPU of that number, opened once per process.

    Raises:
        DeviceUnavailableError: no GPU can be used here; the message says what is missing.
        MachineError: the driver has no GPU of that number.
    """
    return CudaDevice(ordinal)


def device_of(address: int) -> int:
    """The number of the GPU whose memory holds an address.

    Raises:
        DeviceUnavailableError: no GPU can be used here.
        MachineError: the driver knows no such memory.
    """
    device = cuda_device(0)
    attribute = device.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    with device.entered(), said_by_cuda(f"looking for the memory at {address:#x}"):
        return int(device.checked(device.driver.cuPointerGetAttribute(attribute, address)))
