"""A point in the work of a stream, which other streams wait for until it has been passed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .device import CudaDevice
from .gpu import said_by_cuda


class Mark:
    """The end of what is queued on a stream when this is made.

    Later work on any stream waits for it by `precede`, without blocking the host, and also where a CUDA graph is
    captured: an event from outside of a capture cannot be waited for within it, so there the host waits.
    """

    def __init__(self, device: CudaDevice, stream: int) -> None:
        self._device, self.is_passed = device, False
        driver = device.driver
        with device.entered(), said_by_cuda("marking what is queued"):
            self._event = device.checked(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING))
            device.checked(driver.cuEventRecord(self._event, stream))

    def precede(self, stream: int) -> None:
        """Make later work on a stream wait for the mark. `is_passed` says that nothing is left to do, for any stream.

        Raises:
            MachineError: the driver refuses.
        """
        if self.is_passed:
            return
        device, driver = self._device, self._device.driver
        with device.entered(), said_by_cuda(f"making stream {stream:#x} wait"), _capturing_goes_on(driver):
            (status,) = driver.cuEventQuery(self._event)
            if status == driver.CUresult.CUDA_ERROR_NOT_READY and is_capturing(device, stream):
                (status,) = driver.cuEventSynchronize(self._event)
            if status == driver.CUresult.CUDA_ERROR_NOT_READY:
                device.checked(driver.cuStreamWaitEvent(stream, self._event, 0))
                return
            device.checked((status,))
            self.is_passed = True

    def __del__(self) -> None:
        """Give the event back, if the device can still be used."""
        event = self.__dict__.get("_event")
        if event is not None and not self._device.inherited:
            with suppress(Exception):  # the driver may be gone when Python ends
                self._device.driver.cuEventDestroy(event)


def is_capturing(device: CudaDevice, stream: int) -> bool:
    """Whether what is queued on a stream becomes part of a CUDA graph."""
    driver = device.driver
    status, found = driver.cuStreamIsCapturing(stream)
    return not status and found != driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE


@contextmanager
def _capturing_goes_on(driver: Any) -> Iterator[None]:
    """A context in which asking about an event ends no capture, of this thread's or another's streams."""
    relaxed = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    _, before = driver.cuThreadExchangeStreamCaptureMode(relaxed)
    try:
        yield
    finally:
        driver.cuThreadExchangeStreamCaptureMode(before)
