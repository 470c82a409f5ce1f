"""The first GPU as a machine for host arrays: memory, its own stream, and events around every step.

Arrays that are on a GPU already need none of this: `PlannedRun` runs on their library's stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tilewright.launch.machine import Array, MachineError, Progress, Record, check_copy

from .gpu import architecture_for, said_by_cuda
from .staging import staged_copies

if TYPE_CHECKING:
    from tilewright.choose import DeviceFacts, Plan

    from .planned import PlannedRun

FIRST_GPU = 0
SCRATCH_BYTES = 256 * 2**20
"""Bytes, more than any L2 cache; clearing them takes at least 0.1 ms, even on the fastest GPUs."""


class CudaBuffer:
    """Memory of the GPU for one matrix."""

    def __init__(self, address: int, nbytes: int, name: str) -> None:
        self.address, self.nbytes, self.name = address, nbytes, name


class CudaMachine:
    """The first GPU that the driver lists (CUDA_VISIBLE_DEVICES chooses another)."""

    name = "gpu"

    def __init__(self) -> None:
        self._copies = staged_copies(FIRST_GPU)
        device = self.device = self._copies.device
        timing = device.driver.CUevent_flags.CU_EVENT_DEFAULT
        with device.entered(), said_by_cuda("opening the GPU"):
            self._start, self._end = (device.checked(device.driver.cuEventCreate(timing)) for _ in range(2))
        self._scratch: int | None = None

    @cached_property
    def architecture(self) -> str:
        """`sm_XY` of this GPU, or the newest PTX that NVRTC writes when it does not know the GPU yet."""
        return architecture_for(self.device.facts.name, self.device.capability)

    def facts(self) -> DeviceFacts:
        """What the driver reports."""
        return self.device.facts

    def load(self, plan: Plan) -> PlannedRun:
        """The plan, compiled for this chip and loaded."""
        from .planned import PlannedRun

        self.device.check_process()
        _ = self.architecture  # an NVRTC newer than the driver is refused before anything is compiled by it
        return PlannedRun(plan, self.device)

    def timed(self, run: Any, addresses: Sequence[int], progress: Progress | None = None) -> Record:  # noqa: ARG002
        """Run once with a cold L2 cache; return the seconds between two events."""

        def occupied() -> None:
            self._occupy()
            self._record(self._start)
            run.run(addresses, self._copies.stream)

        return Record(self._timed(f"running {run.entries}", occupied))

    def room_bytes(self) -> None:
        """Return None: other processes use the device, too, so only an allocation tells."""

    def allocate(self, nbytes: int, name: str) -> CudaBuffer:
        """Allocate memory of the GPU, and wait for it, so that a slow allocation does not count as copy time."""
        self.device.check_process()
        with self._copies.lock, self.device.entered():
            address = self._copies.allocate(nbytes)
            self._copies.wait()
        return CudaBuffer(address, nbytes, name)

    def copy_in(self, buffer: CudaBuffer, array: Array) -> float:
        """Copy to the GPU; seconds between two events."""
        check_copy(buffer, array, into_array=False)
        what = f"copying {buffer.name} to the device"
        return self._timed(what, lambda: self._copies.to_gpu(array, buffer.address), first=True)

    def copy_out(self, buffer: CudaBuffer, array: Array) -> float:
        """Copy from the GPU; seconds between two events."""
        check_copy(buffer, array, into_array=True)
        what = f"copying {buffer.name} from the device"
        return self._timed(what, lambda: self._copies.to_host(buffer.address, array), first=True)

    def free(self, buffer: CudaBuffer) -> None:
        """Free the memory in stream order, after all work queued so far."""
        self.device.check_process()
        with self._copies.lock, self.device.entered():
            self._copies.free(buffer.address)

    def _timed(self, what: str, work: Callable[[], None], *, first: bool = False) -> float:
        """Seconds from the first event to one behind the work. first: the event is recorded here, and not by it."""
        device, driver = self.device, self.device.driver
        device.check_process()  # before the lock, which another thread may have held when this process was forked
        with self._copies.lock, device.entered(), said_by_cuda(what):
            if first:
                self._record(self._start)
            work()
            self._record(self._end)
            self._copies.wait()
            return float(device.checked(driver.cuEventElapsedTime(self._start, self._end))) * 1e-3

    def _record(self, event: Any) -> None:
        self.device.checked(self.device.driver.cuEventRecord(event, self._copies.stream))

    def _occupy(self) -> None:
        """Keep the GPU busy until the launch between its two events is queued, and flush its L2 cache.

        Without it a short kernel's time would be that of the Python between the two events. A device too full for the
        scratch memory still runs the kernel.
        """
        try:
            if self._scratch is None:
                self._scratch = self._copies.allocate(SCRATCH_BYTES)
            driver = self.device.driver
            self.device.checked(driver.cuMemsetD8Async(self._scratch, 0, SCRATCH_BYTES, self._copies.stream))
        except MachineError:
            self._scratch = None
