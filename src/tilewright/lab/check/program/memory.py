"""The memory of a host program: arrays of numbers as bytes, all else as cells, and pointers into both."""

from __future__ import annotations

from typing import Any

import numpy

from .host_types import ArrayOf, CopiedReal, CopiedWhole, Number, RecordType, UnreadError, VectorOf, size_of

MOST_BYTES = 1 << 26


class HostFaultError(Exception):
    """What the host's code must not do, such as reading behind an array."""


class Typed:
    """Memory seen as elements of one type. v: the elements. raw: the bytes, or None for cells."""

    __slots__ = ("raw", "v")

    def __init__(self, raw: Raw | None, v: Any) -> None:
        self.raw, self.v = raw, v


class Raw:
    """An array of bytes. allocation: of managed memory, the device's. is_copied: whether it was copied back.

    is_pinned: whether copies into it may return before they end. on_read: what is to be told of the host's next read.
    """

    def __init__(self, nbytes: int) -> None:
        if not 0 <= nbytes <= MOST_BYTES:
            raise UnreadError(f"an array of {nbytes} bytes")
        self.data = bytearray(nbytes)
        self.is_copied = self.is_pinned = False
        self.allocation: Any = None
        self.on_read: Any = None
        self._typed: dict[str, Typed] = {}

    def typed(self, kind: Any) -> Typed:
        """Return the bytes as elements of a type."""
        code = kind.code if isinstance(kind, Number) else "B"
        if code not in self._typed:
            self._typed[code] = Typed(self, self._view(code, kind))
        return self._typed[code]

    def mark_copied(self) -> None:
        """Note that a result was copied here: what is read from here is one."""
        self.is_copied = True
        for code, typed in self._typed.items():
            typed.v = self._view(code, None)

    def _view(self, code: str, kind: Any) -> Any:
        if isinstance(kind, RecordType):
            raise UnreadError(f"an array of {kind.name} as bytes")
        size = numpy.dtype(code).itemsize
        whole = memoryview(self.data)[: len(self.data) // size * size]
        letter: Any = code
        view = _Halves(whole) if code == "e" else whole.cast(letter)
        return _Results(view, code in "efd", self) if self.is_copied else view


class _Halves:
    """Numbers of 16 bits with a fraction, which memoryview does not know."""

    def __init__(self, whole: memoryview) -> None:
        self._array = numpy.frombuffer(whole, numpy.float16)

    def __getitem__(self, index: int) -> float:
        return float(self._array[index])

    def __setitem__(self, index: int, value: float) -> None:
        self._array[index] = value

    def __len__(self) -> int:
        return int(self._array.size)


class _Results:
    """Elements that were copied back from the device, but for those that the host has written since."""

    def __init__(self, view: Any, is_real: bool, raw: Raw) -> None:
        self._view, self._kind = view, CopiedReal if is_real else CopiedWhole
        self._own: set[int] = set()
        self._raw = raw

    def __getitem__(self, index: int) -> Any:
        if self._raw.on_read is not None:
            self._raw.on_read()
        value = self._view[index]
        return value if index in self._own else self._kind(value)

    def __setitem__(self, index: int, value: Any) -> None:
        self._own.add(index)
        self._view[index] = value

    def __len__(self) -> int:
        return len(self._view)


class DeviceMemory:
    """Memory of the device. line: where it was allocated. written_in: of the last copy into it, 0 for none."""

    def __init__(self, allocation: Any, nbytes: int, name: str, line: int) -> None:
        self.allocation, self.nbytes, self.name, self.line = allocation, nbytes, name, line
        self.is_free, self.written_in = False, 0

    @property
    def v(self) -> Any:
        """Raise HostFaultError: the host can't read it."""
        raise HostFaultError("the host reads memory of the device")

    @property
    def raw(self) -> None:
        """None: it is no memory of the host."""
        return


class Pointer:
    """A place: memory, the number of an element there, and the type of the elements."""

    __slots__ = ("at", "of", "s")

    def __init__(self, s: Any, at: int, of: Any) -> None:
        self.s, self.at, self.of = s, at, of

    def moved(self, by: int) -> Pointer:
        """Return the place so many elements behind it."""
        return Pointer(self.s, self.at + by, self.of)

    def cast(self, of: Any) -> Pointer:
        """Return the same place as one of another type; of cells it stays as it is."""
        if of == self.of:
            return self
        s = self.s
        if isinstance(s, DeviceMemory):
            return Pointer(s, self._elements(of), of)
        if s.raw is None:
            return self
        return Pointer(s.raw.typed(of), self._elements(of), of)

    def _elements(self, of: Any) -> int:
        offset = self.at * size_of(self.of)
        if offset % size_of(of):
            raise UnreadError("a pointer between elements")
        return offset // size_of(of)

    @property
    def offset(self) -> int:
        """The bytes in front of it."""
        return self.at * size_of(self.of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pointer) and self._memory() is other._memory() and self.offset == other.offset

    def __hash__(self) -> int:
        return hash((id(self._memory()), self.at))

    def _memory(self) -> Any:
        return self.s if isinstance(self.s, DeviceMemory) else self.s.raw or self.s.v


class Vector:
    """A std::vector: its elements as memory. of: their type."""

    __slots__ = ("count", "of", "s")

    def __init__(self, of: Any, values: list[Any] | int) -> None:
        self.of = of
        self.count = values if isinstance(values, int) else len(values)
        self.s = memory_of(of, self.count)
        if not isinstance(values, int):
            for index, value in enumerate(values):
                self.s.v[index] = value

    @classmethod
    def filled(cls, of: Number, count: int, value: Any) -> Vector:
        """Return a vector of so many equal numbers."""
        vector = cls(of, count)
        if vector.s.raw is not None and count:
            vector.s.v[0] = value
            vector.s.raw.data[:] = bytes(vector.s.raw.data[: of.size]) * count
        return vector

    def pointer(self, at: int = 0) -> Pointer:
        """Return the place of an element."""
        return Pointer(self.s, at, self.of)

    def copy(self) -> Vector:
        """Return a vector with the same elements."""
        other = Vector(self.of, 0)
        other.count, other.s = self.count, copied(self.s, self.of, self.count)
        return other

    def resize(self, count: int, fill: Any = None) -> None:
        """Change the number of elements."""
        new = memory_of(self.of, count)
        for index in range(count):
            if index < self.count:
                new.v[index] = self.s.v[index]
            elif fill is not None:
                new.v[index] = fill
        self.s, self.count = new, count


class RecordValue:
    """An object of a struct or a class. f: its members by name."""

    __slots__ = ("f", "type")

    def __init__(self, kind: RecordType, members: dict[str, Any]) -> None:
        self.type, self.f = kind, members

    def copy(self) -> RecordValue:
        """Return an object with the same members; raise UnreadError for one that its destructor would free twice."""
        if self.type.is_owner:
            raise UnreadError(f"a copy of {self.type.name}")
        return RecordValue(self.type, {name: value_of(each) for name, each in self.f.items()})


def value_of(value: Any) -> Any:
    """Return a value as it is passed on: vectors and objects are copied."""
    return value.copy() if isinstance(value, Vector | RecordValue) else value


def memory_of(kind: Any, count: int) -> Typed:
    """Return memory for so many elements: bytes for numbers, cells for all else."""
    if isinstance(kind, Number):
        return Raw(count * kind.size).typed(kind)
    if not 0 <= count <= MOST_BYTES >> 6:
        raise UnreadError(f"an array of {count} elements")
    return Typed(None, [default_of(kind) for _ in range(count)])


def copied(s: Typed, kind: Any, count: int) -> Typed:
    """Return memory with the same elements."""
    new = memory_of(kind, count)
    if s.raw is not None and new.raw is not None:
        new.raw.data[:] = s.raw.data[: len(new.raw.data)]
        if s.raw.is_copied:
            new.raw.mark_copied()
    else:
        new.v[:] = [value_of(each) for each in s.v[:count]]
    return new


def default_of(kind: Any) -> Any:
    """Return the value of what nothing initializes: zero, no place, an object of such members."""
    if isinstance(kind, Number):
        return 0.0 if kind.is_real else 0
    if isinstance(kind, ArrayOf):
        return array_of(kind)
    if isinstance(kind, VectorOf):
        return Vector(kind.of, kind.count)
    if isinstance(kind, RecordType):
        return RecordValue(kind, {each.name: default_of(each.type) for each in kind.fields})
    return None


def array_of(kind: Any) -> Pointer:
    """Return the first place of a new array; one of arrays is laid flat."""
    count, of = 1, kind
    while isinstance(of, ArrayOf):
        count, of = count * of.count, of.of
    return Pointer(memory_of(of, count), 0, of)
