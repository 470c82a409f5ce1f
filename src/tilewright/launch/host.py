"""The host: NumPy's BLAS for real work, and the sequential twins for reference."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy
from numpy.lib.stride_tricks import as_strided

from tilewright.kernels.operand import Operand

from .machine import Array, DeviceUnavailableError, MachineError, Progress, Record, check_copy

if TYPE_CHECKING:
    from tilewright.choose import DeviceFacts, Plan

Operation = Callable[[Array, Array, Array], None]


def matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """C = A B by NumPy, with all of NumPy's rules for shapes, types and `out`."""
    c = numpy.matmul(a, b, out=out)
    if not isinstance(c, numpy.ndarray) and numpy.dtype(object) in (a.dtype, b.dtype):
        return numpy.asarray(c, object)  # a whole number of Python's stays one, whatever its size
    return numpy.asanyarray(c)


def reduced_matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """Reduced C by NumPy: a (..., m, k), b (..., k, n), m and n even; C (..., m/2, n/2).

    Pairs of rows of A and pairs of columns of B are added first, which takes p multiplications per element instead of
    the definition's 4p (seed 003, 4.3.2). float32 stays float32.
    """
    rows = a[..., 0::2, :] + a[..., 1::2, :]
    columns = b[..., 0::2] + b[..., 1::2]
    return numpy.asarray(numpy.matmul(rows, columns, out=out))


def dot(a: Array, b: Array) -> Any:
    """The sum of a[p] b[p] by NumPy: a (k,), b (k,); a scalar of the arrays' type."""
    return numpy.dot(a, b)


class HostBuffer:
    """A buffer of the host, which adopts an array's own memory: copying in moves nothing."""

    def __init__(self, machine: HostMachine, nbytes: int, name: str) -> None:
        self._machine, self.nbytes, self.name = machine, nbytes, name
        self.array: Array | None = None

    @property
    def address(self) -> int:
        """The address; memory is allocated now if no array was adopted."""
        if self.array is None:
            self.adopt(numpy.empty(self.nbytes, numpy.uint8))
        assert self.array is not None
        return int(self.array.ctypes.data)

    def adopt(self, array: Array | None) -> None:
        """Adopt the memory of this array; None releases it."""
        held = self._machine.held
        if self.array is not None:
            there = held[int(self.array.ctypes.data)]
            del there[next(at for at, other in enumerate(there) if other is self.array)]
        self.array = array
        if array is not None:
            held.setdefault(int(array.ctypes.data), []).append(array)


class HostRun:
    """NumPy's product, or the sequential twin where the plan names it."""

    def __init__(self, machine: HostMachine, plan: Plan) -> None:
        self._machine, self._plan = machine, plan

    def run(
        self,
        addresses: Sequence[int],
        stream: int = 0,
        *,
        observers: Sequence[Any] = (),
        budget: int | None = None,
        schedule: int | None = None,
    ) -> Record:
        """Run on A, B and C in buffers of this machine; return the wall-clock seconds."""
        if stream or observers or budget is not None or schedule is not None:
            raise MachineError("The host has no streams and nothing to observe; the emulator has.")
        problem = self._plan.problem
        types = problem.dtype, problem.dtype, problem.out_dtype
        operands = problem.a, problem.b, problem.c
        a, b, c = (
            self._machine.array_at(address, operand, dtype)
            for address, operand, dtype in zip(addresses, operands, types, strict=False)
        )
        if problem.about.vectors:
            a, b, c = a.reshape(-1), b.reshape(-1), c.reshape(-1)
        if self._plan.kernel.idea == "sequential":
            twin = _sequential(problem.operation, a.dtype)
            return Record(_interruptibly(lambda: [twin(a[at], b[at], c[at]) for at in numpy.ndindex(*problem.batch)]))
        return Record(_seconds(lambda: _numpy(problem.operation)(a, b, c)))


class HostMachine:
    """Runs NumPy and the sequential twins. Its copies take no time."""

    name = "host"

    def __init__(self) -> None:
        self.held: dict[int, list[Array]] = {}

    def facts(self) -> DeviceFacts:
        """The host's facts for planning."""
        from tilewright.choose import HOST_FACTS

        return HOST_FACTS

    def load(self, plan: Plan) -> HostRun:
        """The plan, with its sequential twin compiled, if it has one."""
        if plan.kernel.idea == "sequential":
            load_twins()
        return HostRun(self, plan)

    def timed(self, run: Any, addresses: Sequence[int], progress: Progress | None = None) -> Record:  # noqa: ARG002
        """Run once."""
        record: Record = run.run(addresses)
        return record

    def room_bytes(self) -> None:
        """Return None: buffers adopt arrays, so they take no memory."""

    def allocate(self, nbytes: int, name: str) -> HostBuffer:
        """A buffer that may adopt an array."""
        return HostBuffer(self, nbytes, name)

    def array_at(self, address: int, operand: Operand, dtype: str) -> Array:
        """The operand in a buffer of this machine; raise MachineError if there is no such buffer."""
        size = numpy.dtype(dtype).itemsize
        nbytes = operand.distinct_elements * size
        array = next((array for array in self.held.get(address, ()) if array.nbytes == nbytes), None)
        if array is None:
            raise MachineError(f"The host has no buffer of {nbytes} bytes at {address:#x}.")
        strides = [size * stride for stride in (*operand.batch_strides, operand.row_stride, operand.column_stride)]
        return as_strided(array.reshape(-1).view(dtype), operand.shape, strides)

    def copy_in(self, buffer: HostBuffer, array: Array) -> float:
        """Adopt the array; 0 seconds."""
        check_copy(buffer, array, into_array=False)
        buffer.adopt(array)
        return 0.0

    def copy_out(self, buffer: HostBuffer, array: Array) -> float:
        """Copy the result to the caller's array; 0 seconds, because no device is involved."""
        check_copy(buffer, array, into_array=True)
        if buffer.array is None:
            raise MachineError(f"{buffer.name} was read before anything wrote it.")
        if buffer.array is not array:
            array[...] = buffer.array.reshape(-1).view(array.dtype).reshape(array.shape)
        return 0.0

    def free(self, buffer: HostBuffer) -> None:
        """Release the array."""
        buffer.adopt(None)


def _numpy(operation: str) -> Operation:
    if operation == "matmul":
        return lambda a, b, c: _discard(matmul(a, b, out=c))
    if operation == "reduced_matmul":
        return lambda a, b, c: _discard(reduced_matmul(a, b, out=c))
    return lambda a, b, c: c.__setitem__(0, dot(a, b))


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _interruptibly(run: Callable[[], object]) -> float:
    """Run in another thread, since compiled code does not handle Ctrl-C, and a large size takes a minute."""
    ended: Future[float] = Future()

    def run_it() -> None:
        try:
            ended.set_result(_seconds(run))
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
    """The twin, compiled for the type, so that its first run is not timed with Numba's compilation."""
    twin: Operation = getattr(load_twins(), operation)
    shapes = [(2,), (2,), (1,)] if operation == "dot" else [(2, 1), (1, 2), (2, 2)]
    twin(*(numpy.zeros(shape, dtype) for shape in shapes))
    return twin
