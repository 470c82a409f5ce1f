"""JAX's arrays on a GPU: read in place, with results in JAX's own memory. JAX is imported only for its own arrays.

JAX does not expose its streams, so products of its arrays run on a stream of ours. DLPack orders the two: exporting an
input makes our stream wait for its computation, and JAX's use of the result waits for our stream. The host does not
wait.
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
    from tilewright.launch.cuda.device import CudaDevice

DLPACK_GPU = 2


def is_traced_by_jax(*given: object) -> bool:
    """Whether JAX traces one of these arrays, for compilation or for derivatives."""
    jax = sys.modules.get("jax")
    return jax is not None and any(isinstance(array, jax.core.Tracer) for array in given)


def is_spread(*given: object) -> bool:
    """Whether one of these is a JAX array with values on several devices."""
    jax = sys.modules.get("jax")
    if jax is None:
        return False
    return any(
        isinstance(array, jax.Array) and not isinstance(array, jax.core.Tracer) and len(array.devices()) > 1
        for array in given
    )


def jax_array(values: Any, inputs: list[Any]) -> Any:
    """NumPy's values as a JAX array where JAX's own function of these inputs would leave its result.

    That is the device that an input is committed to. If none is, the result is committed to none either, and may meet
    arrays of any device later.
    """
    import jax

    committed = [array for array in inputs if array.committed]
    if committed:
        return jax.device_put(values, committed[0].device)
    with jax.default_device(inputs[0].device):
        return jax.numpy.asarray(values)


class JaxMemory:
    """Memory of JAX's allocator, ordered by a stream of ours for each device."""

    def __init__(self) -> None:
        self._streams: dict[int, int] = {}
        self._under_way: deque[tuple[CudaDevice, Any, Any]] = deque()
        self._lock = threading.Lock()
        self._made = threading.local()

    def empty(self, shape: Shape, dtype: str, device: int) -> CudaArray:
        """An uninitialized array for a result or a workspace.

        Raises:
            tilewright.launch.OutOfMemoryError: the device's memory does not suffice.
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
                from tilewright.launch.cuda.device import cuda_device
                from tilewright.launch.cuda.gpu import said_by_cuda

                gpu = cuda_device(device)
                with gpu.entered(), said_by_cuda("making a stream"):
                    flags = gpu.driver.CUstream_flags.CU_STREAM_NON_BLOCKING
                    self._streams[device] = int(gpu.checked(gpu.driver.cuStreamCreate(flags)))
            return self._streams[device]

    def describe(self, given: Any, name: str) -> CudaArray:
        """Describe a JAX array. Raises DtypeError for a type that is not multiplied on a GPU."""
        stream = self.stream(given.device.local_hardware_id)
        return replace(dlpack.from_dlpack(given, name, stream), writable=False)

    def copy(self, source: CudaArray, target: CudaArray) -> None:
        """Do nothing: JAX's arrays cannot be written, and an `out` has already been refused."""
        raise NotImplementedError((source, target))

    def packed(self, array: CudaArray) -> CudaArray:
        """The same elements, row-major without gaps."""
        import jax

        given, _capsule = array.owner
        return dlpack.from_dlpack(jax.numpy.array(given, copy=True), "a copy", self.stream(array.device))

    def result(self, target: CudaArray, inputs: tuple[CudaArray, ...]) -> Any:
        """The result as a JAX array that waits for our stream; the inputs are kept alive until then."""
        import jax

        from tilewright.launch.cuda.device import cuda_device
        from tilewright.launch.cuda.gpu import said_by_cuda

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
        """Release the inputs of finished products, oldest first."""
        while self._under_way:
            device, event, _kept = self._under_way[0]
            with device.entered():
                (status,) = device.driver.cuEventQuery(event)
                if status:
                    return
                device.driver.cuEventDestroy(event)
            self._under_way.popleft()

    def _made_here(self) -> list[Any]:
        """The memory allocated by this thread's call: a workspace must stay alive until the stream has used it."""
        if not hasattr(self._made, "arrays"):
            self._made.arrays = []
        made: list[Any] = self._made.arrays
        return made


class _Written:
    """A JAX array that a stream of ours writes: a consumer waits for that stream."""

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
