"""A kernel of the corpus with its launch, its inputs and what NumPy says that it computes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy
from numpy.typing import DTypeLike, NDArray

from tilewright.compile import compile_source

Array = NDArray[Any]
Make = Callable[[numpy.random.PCG64], Array]
Values = dict[str, Any]
Extent = tuple[int, int, int]
Shape = int | tuple[int, ...]

FOLDER = Path(__file__).parent
SEED = 2026
POISON = 0xFF


@dataclass(frozen=True)
class Difference:
    """A count that is not the same of the PTX and of what the GPU's compiler makes of it, with the reason."""

    emulated: int
    hardware: int
    reason: str


@dataclass(frozen=True, eq=False)
class Case:
    """One launch of one kernel.

    name: the file without its suffix. arguments: in the kernel's order; what makes an array is passed as a pointer,
    int, float, NumPy scalars and bytes (a struct) by value. variables: `__constant__` variables set before the launch.
    expected: takes a namespace of all arguments and variables as they are before the launch; gives the arrays that must
    come out. tolerance: largest error, in multiples of the largest expected magnitude (0: every bit).
    differences: by the name of the count. matters_of_order: counts that depend on which warp comes first, and why; they
    are not compared.
    """

    name: str
    grid: Extent
    block: Extent
    arguments: Mapping[str, Make | float | numpy.generic | bytes]
    expected: Callable[[SimpleNamespace], Mapping[str, Array]]
    tolerance: float = 0.0
    entry: str = ""
    dynamic_shared_bytes: int = 0
    variables: Mapping[str, Make] = field(default_factory=lambda: MappingProxyType({}))
    differences: Mapping[str, Difference] = field(default_factory=lambda: MappingProxyType({}))
    matters_of_order: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def label(self) -> str:
        """The name, and the entry where a file has several."""
        return f"{self.name}-{self.entry}" if self.entry else self.name

    @property
    def symbol(self) -> str:
        """The kernel's name in the compiled module."""
        return self.entry or self.name

    def ptx(self) -> str:
        """What the emulator runs."""
        compiled = self._compiled("compute_90")
        assert isinstance(compiled, str)
        return compiled

    def cubin(self) -> bytes:
        """What the GPU runs, compiled with the same options; headers are the toolkit's where no package brings them."""
        nvcc = shutil.which("nvcc")
        include = Path(nvcc).resolve().parents[1] / "include" if nvcc else None
        compiled = self._compiled("sm_90", *([f"-I{include}", f"-I{include / 'cccl'}"] if include else []))
        assert isinstance(compiled, bytes)
        return compiled

    def _compiled(self, architecture: str, *options: str) -> str | bytes:
        path = FOLDER / f"{self.name}.cu"
        text = path.read_text(encoding="utf-8")
        return compile_source(text, path.name, architecture=architecture, extra_options=options)

    def values(self) -> Values:
        """All arguments and variables by name, the same with every version of NumPy: its raw bits are."""
        bits = numpy.random.PCG64(SEED)
        given = {**self.arguments, **self.variables}
        return {name: value(bits) if callable(value) else by_value(value) for name, value in given.items()}

    def check(self, values: Values, got: Mapping[str, Array]) -> None:
        """Raise AssertionError when an array that came out is not what NumPy expects, or an input has changed."""
        expected = self.expected(SimpleNamespace(**{name: copied(value) for name, value in values.items()}))
        for name, array in got.items():
            right = numpy.asarray(expected.get(name, values[name]))
            if self.tolerance and name in expected:
                bound = self.tolerance * numpy.abs(right).max()
                worst = numpy.abs(array.reshape(right.shape) - right).max()
                assert worst <= bound, f"{self.label}: {name} is off by {worst}, at most {bound} is allowed"
            else:
                same = array.reshape(-1).view(numpy.uint8) == right.astype(array.dtype).reshape(-1).view(numpy.uint8)
                assert same.all(), f"{self.label}: {name} differs: {array.ravel()[:8]} for {right.ravel()[:8]}"


def by_value(value: float | numpy.generic | bytes) -> numpy.generic | bytes:
    """What a kernel's parameter gets: Python's numbers are C's int and float."""
    if isinstance(value, bytes | numpy.generic):
        return value
    return numpy.int32(value) if isinstance(value, int) else numpy.float32(value)


def copied(value: Any) -> Any:
    """An array's copy; anything else is constant."""
    return value.copy() if isinstance(value, numpy.ndarray) else value


def reals(shape: Shape, dtype: DTypeLike = numpy.float32) -> Make:
    """Numbers between -2 and 2 (complex: both parts)."""

    def uniform(bits: numpy.random.PCG64) -> Array:
        return (bits.random_raw(shape) >> numpy.uint64(11)) * 2.0**-51 - 2

    if numpy.dtype(dtype).kind == "c":
        return lambda bits: (uniform(bits) + 1j * uniform(bits)).astype(dtype)
    return lambda bits: uniform(bits).astype(dtype)


def integers(low: int, high: int, shape: Shape, dtype: DTypeLike = numpy.int32) -> Make:
    """Integers from low to high - 1."""
    return lambda bits: (low + (bits.random_raw(shape) % numpy.uint64(high - low)).astype(numpy.int64)).astype(dtype)


def zeros(shape: Shape, dtype: DTypeLike) -> Make:
    """An output that the kernel adds to."""
    return lambda _: numpy.zeros(shape, dtype)


def output(shape: Shape, dtype: DTypeLike = numpy.float32) -> Make:
    """An output that the kernel writes: every byte is 0xFF before."""

    def poisoned(_: numpy.random.PCG64) -> Array:
        array = numpy.empty(shape, dtype)
        array.reshape(-1).view(numpy.uint8)[:] = POISON
        return array

    return poisoned


def constant(array: Any, dtype: DTypeLike) -> Make:
    """Given values."""
    return lambda _: numpy.array(array, dtype)
