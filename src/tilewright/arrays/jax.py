"""JAX's arrays on a GPU: read where they lie, results in JAX's own memory. JAX is imported where one of its arrays is.

JAX shows no stream of its own, so that products of its arrays run on a stream of ours. DLPack orders the two: sharing
an input makes our stream wait for what computes it, and what JAX does with the result waits for our stream. The host
waits for neither.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import dlpack
from .cuda_array import CudaArray, Shape

if TYPE_CHECKING:
    from tilewright.launch.cuda_device import CudaDevice

DLPACK_GPU = 2


def is_traced_by_jax(*given: object) -> bool:
    """Whether JAX traces one of these: it has no values yet, or its derivatives are wanted."""
    jax = sys.modules.get("jax")
    return jax is not None and any(isinstance(array, jax.core.Tracer) for array in given)


class JaxMemory:
    """Memory of JAX's allocator, in the order of a stream of ours for each device."""

    def __init__(self) -> None:
        self._streams: dict[int, int] = {}
        self._under_way: deque[tuple[CudaDevice, Any, Any]] = deque()
        self._lock = threading.Lock()
        self._made = threading.local()

    def empty(self, shape: Shape, dtype: str, device: int) -> CudaArray:
        """An array for a result, or for working memory.

        Raises:
            tilewright.launch.OutOfMemoryError: the device has no room for it.
        """
        import jax
        from jax.errors import JaxRuntimeError

        try:
            array: Any = jax.numpy.empty(shape, dtype, device=_jax_device(device))
            capsule = array.__dlpack__(stream=self.stream(device))
        except JaxRuntimeError as error:
            from tilewright.launch import OutOfMemoryError

            said = " ".join(str(error).split())
            raise OutOfMemoryError(f"Allocating {shape} {dtype} on GPU {device} failed: {said}") from error
        self._made_here().append((array, capsule))
        return dlpack.describe(capsule, "the result", owner=(array, capsule))

    def stream(self, device: int) -> int:
        """The handle of our stream for products of JAX's arrays."""
        with self._lock:
            if device not in self._streams:
                from tilewright.launch.cuda_device import cuda_device
                from tilewright.launch.gpu import said_by_cuda

                gpu = cuda_device(device)
                with gpu.entered(), said_by_cuda("making a stream"):
                    flags = gpu.driver.CUstream_flags.CU_STREAM_NON_BLOCKING
                    self._streams[device] = int(gpu.checked(gpu.driver.cuStreamCreate(flags)))
            return self._streams[device]

    def describe(self, given: Any, name: str) -> CudaArray:
        """One of JAX's arrays as it lies there. Raises DtypeError for a type that is not multiplied on a GPU."""
        stream = self.stream(given.device.local_hardware_id)
        return replace(dlpack.from_dlpack(given, name, stream), writable=False)

    def copy(self, source: CudaArray, target: CudaArray) -> None:
        """No array of JAX can be written, which is said where `out` is looked at."""
        raise NotImplementedError((source, target))

    def packed(self, array: CudaArray) -> CudaArray:
        """The same elements, row-major without gaps."""
        import jax

        given, _capsule = array.owner
        return dlpack.from_dlpack(jax.numpy.array(given, copy=True), "a copy", self.stream(array.device))

    def result(self, target: CudaArray, inputs: tuple[CudaArray, ...]) -> Any:
        """JAX's array of the result, ready for JAX once our stream is; until then the inputs are kept."""
        import jax

        from tilewright.launch.cuda_device import cuda_device
        from tilewright.launch.gpu import said_by_cuda

        array, _capsule = target.owner
        if target.size == 0:
            return array
        device, stream = cuda_device(target.device), self.stream(target.device)
        driver = device.driver
        with device.entered(), said_by_cuda("noting what is under way"):
            event = device.checked(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING))
            device.checked(driver.cuEventRecord(event, stream))
        with self._lock:
            self._under_way.append((device, event, ([*self._made_here()], [array.owner for array in inputs])))
            self._let_go()
        self._made_here().clear()
        return jax.dlpack.from_dlpack(_Written(array, device, stream))

    def _let_go(self) -> None:
        """Let go of the inputs of products that are done, oldest first."""
        while self._under_way:
            device, event, _kept = self._under_way[0]
            with device.entered():
                (status,) = device.driver.cuEventQuery(event)
                if status:
                    return
                device.driver.cuEventDestroy(event)
            self._under_way.popleft()

    def _made_here(self) -> list[Any]:
        """The memory that this thread's call has taken: working memory must live until the stream has used it."""
        if not hasattr(self._made, "arrays"):
            self._made.arrays = []
        made: list[Any] = self._made.arrays
        return made


class _Written:
    """An array of JAX that a stream of ours writes: whoever takes it waits for that stream."""

    def __init__(self, array: Any, device: CudaDevice, stream: int) -> None:
        self._array, self._device, self._stream = array, device, stream

    def __dlpack_device__(self) -> tuple[int, int]:
        return DLPACK_GPU, self._device.ordinal

    def __dlpack__(self, *, stream: int | None = None, **_options: Any) -> Any:
        self._device.wait_for(stream or 0, self._stream)
        return self._array.__dlpack__(stream=stream)


def _jax_device(ordinal: int) -> Any:
    import jax

    return next(device for device in jax.local_devices(backend="gpu") if device.local_hardware_id == ordinal)
