"""The host: NumPy's BLAS for real work, and the sequential twins for reference."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy

from .machine import Array, DeviceUnavailableError, LaunchRecord, MachineError, Progress, check_copy

if TYPE_CHECKING:
    from tilewright.choose import DeviceFacts, Plan
    from tilewright.compile import Program

Operation = Callable[[Array, Array, Array], None]


def matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """C = A B by NumPy, with all of NumPy's rules for shapes, types and `out`."""
    c = numpy.matmul(a, b, out=out)
    if not isinstance(c, numpy.ndarray) and numpy.dtype(object) in (a.dtype, b.dtype):
        return numpy.asarray(c, object)  # a whole number of Python's stays one, whatever its size
    return numpy.asanyarray(c)


def reduced_matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """Reduced C by NumPy: a (..., m, k), b (..., k, n), m and n even; C (..., m/2, n/2).

    Pairs of rows of A and pairs of columns of B are added first, which needs p multiplications per element where the
    definition has 4p (seed 003, 4.3.2). float32 stays float32.
    """
    rows = a[..., 0::2, :] + a[..., 1::2, :]
    columns = b[..., 0::2] + b[..., 1::2]
    return numpy.asarray(numpy.matmul(rows, columns, out=out))


def dot(a: Array, b: Array) -> Any:
    """The sum of a[p] b[p] by NumPy: a (k,), b (k,); a scalar of the arrays' type."""
    return numpy.dot(a, b)


class HostBuffer:
    """The host's memory is the array's own: copying in adopts the array, and nothing moves."""

    def __init__(self, nbytes: int, name: str) -> None:
        self.nbytes = nbytes
        self.name = name
        self.array: Array | None = None


class HostMachine:
    """Runs NumPy and the sequential twins behind the machine protocol. Its copies take no time."""

    name = "host"
    architecture = None

    def __init__(self) -> None:
        self.progress: Progress | None = None

    def facts(self) -> DeviceFacts:
        """The host as planning sees it."""
        from tilewright.choose import HOST_FACTS

        return HOST_FACTS

    def room_bytes(self) -> None:
        """Buffers adopt arrays, so that they take no room."""

    def allocate(self, nbytes: int, name: str) -> HostBuffer:
        """A buffer that will adopt an array."""
        return HostBuffer(nbytes, name)

    def copy_in(self, buffer: HostBuffer, array: Array) -> float:
        """Adopt the array; 0 seconds."""
        check_copy(buffer, array, into_array=False)
        buffer.array = array
        return 0.0

    def launch(self, program: Program | None, plan: Plan, arguments: Sequence[Any]) -> LaunchRecord:  # noqa: ARG002
        """Run NumPy, or the sequential twin where the plan names it, on A, B and C."""
        a, b, c = arguments[:3]
        if a.array is None or b.array is None:
            raise MachineError("The host was asked to run before A and B were copied in.")
        problem = plan.problem
        c_shape = problem.c_shape or (1,)
        c.array = numpy.empty(c_shape, dtype=a.array.dtype) if c.array is None else c.array.reshape(c_shape)
        if plan.kernel.idea == "sequential":
            twin = _sequential(problem.operation, a.array.dtype)
            return LaunchRecord(_interruptibly(twin, a.array, b.array, c.array))
        return LaunchRecord(_seconds(_numpy(problem.operation), a.array, b.array, c.array))

    def copy_out(self, buffer: HostBuffer, array: Array) -> float:
        """Put the result where the caller wants it; 0 seconds, because no device is involved."""
        check_copy(buffer, array, into_array=True)
        if buffer.array is None:
            raise MachineError(f"{buffer.name} was read before anything wrote it.")
        if buffer.array is not array:
            array[...] = buffer.array.reshape(array.shape)
        return 0.0

    def free(self, buffer: HostBuffer) -> None:
        """Let the array go."""
        buffer.array = None


def _numpy(operation: str) -> Operation:
    if operation == "matmul":
        return lambda a, b, c: _discard(matmul(a, b, out=c))
    if operation == "reduced_matmul":
        return lambda a, b, c: _discard(reduced_matmul(a, b, out=c))
    return lambda a, b, c: c.__setitem__(0, dot(a, b))


def _seconds(run: Operation, a: Array, b: Array, c: Array) -> float:
    started = time.perf_counter()
    run(a, b, c)
    return time.perf_counter() - started


def _interruptibly(run: Operation, a: Array, b: Array, c: Array) -> float:
    """Run in another thread: compiled code does not look for Ctrl-C, and a large size takes a minute."""
    ended: Future[float] = Future()

    def run_it() -> None:
        try:
            ended.set_result(_seconds(run, a, b, c))
        except BaseException as error:  # noqa: BLE001  (raised where the result is asked for)
            ended.set_exception(error)

    Thread(target=run_it, daemon=True).start()
    while not ended.done():
        wait([ended], timeout=0.05)
    return ended.result()


def _discard(_: Array) -> None:
    return None


def load_twins() -> Any:
    """The module of the sequential twins. Raises DeviceUnavailableError where Numba cannot be imported."""
    try:
        from . import sequential
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError)
        why = "is not installed" if missing else f"cannot be imported ({' '.join(str(error).split())})"
        raise DeviceUnavailableError(
            f'The sequential kernels run through Numba, which {why}: pip install "tilewright[emulator]".'
        ) from error
    return sequential


@cache
def _sequential(operation: str, dtype: numpy.dtype[Any]) -> Operation:
    """The twin, compiled for the type: otherwise its first run would be timed with Numba's compilation."""
    twin: Operation = getattr(load_twins(), operation)
    shapes = [(2,), (2,), (1,)] if operation == "dot" else [(2, 1), (1, 2), (2, 2)]
    twin(*(numpy.zeros(shape, dtype) for shape in shapes))
    return twin
