"""The types of C++ that a host program uses: numbers, pointers, arrays, vectors, records, and opaque ones."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from tree_sitter import Node


class UnreadError(Exception):
    """Something in the host's code that is not read: nothing is said of such a program."""


@dataclass(frozen=True)
class Number:
    """A type of numbers. code: its letter in `struct`. size: in bytes."""

    name: str
    code: str
    size: int

    @property
    def is_real(self) -> bool:
        """Whether it has fractions."""
        return self.code in "efd"

    @property
    def is_signed(self) -> bool:
        """Whether it has negative numbers."""
        return self.code in "bhiqefd"


@dataclass(frozen=True)
class PointerTo:
    """A pointer. of: what it points to."""

    of: Any


@dataclass(frozen=True)
class ArrayOf:
    """An array with a length that is known where it is declared, or -1."""

    of: Any
    count: int


@dataclass(frozen=True)
class VectorOf:
    """A std::vector or a std::array. count: of the latter."""

    of: Any
    count: int = 0


@dataclass(frozen=True)
class Opaque:
    """A type that is not looked into: a stream, a time, a text."""

    name: str


@dataclass(frozen=True)
class Drawn:
    """A generator of random numbers, or a distribution. number: what it gives; None for bits."""

    number: Number | None


@dataclass(frozen=True)
class Field:
    """A member of a record. default: its initial value, as a node."""

    name: str
    type: Any
    default: Node | None = None


@dataclass(eq=False)
class RecordType:
    """A struct or a class. methods, constructors: as nodes. names: what its template's parameters stand for.

    fixed: static members. is_owner: whether it has a destructor.
    """

    name: str
    fields: list[Field] = field(default_factory=list)
    methods: dict[str, list[Node]] = field(default_factory=dict)
    constructors: list[Node] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)
    fixed: dict[str, Node] = field(default_factory=dict)
    is_owner: bool = False


_TABLE = (
    ("bool", "?", 1),
    ("char", "b", 1),
    ("signed char", "b", 1),
    ("unsigned char", "B", 1),
    ("short", "h", 2),
    ("unsigned short", "H", 2),
    ("int", "i", 4),
    ("unsigned int", "I", 4),
    ("long", "q", 8),
    ("unsigned long", "Q", 8),
    ("float", "f", 4),
    ("double", "d", 8),
    ("__half", "e", 2),
)
NUMBERS = {name: Number(name, code, size) for name, code, size in _TABLE}
BOOL, CHAR, INT, UNSIGNED = (NUMBERS[name] for name in ("bool", "char", "int", "unsigned int"))
LONG, SIZE, FLOAT, DOUBLE = (NUMBERS[name] for name in ("long", "unsigned long", "float", "double"))
_ALIASES = {
    "unsigned": UNSIGNED,
    "uint": UNSIGNED,
    "size_t": SIZE,
    "ssize_t": LONG,
    "ptrdiff_t": LONG,
    "half": NUMBERS["__half"],
    "int8_t": NUMBERS["signed char"],
    "uint8_t": NUMBERS["unsigned char"],
    "uchar": NUMBERS["unsigned char"],
    "int16_t": NUMBERS["short"],
    "uint16_t": NUMBERS["unsigned short"],
    "int32_t": INT,
    "uint32_t": UNSIGNED,
    "int64_t": LONG,
    "uint64_t": SIZE,
}
VOID, TEXT, BLANK, NOTHING = Opaque("void"), Opaque("text"), Opaque("blank"), Opaque("nothing")
BYTE = NUMBERS["unsigned char"]
DIM3 = RecordType("dim3", [Field(name, UNSIGNED) for name in "xyz"])
GPU_NUMBERS = {
    "multiProcessorCount": 2,
    "maxThreadsPerBlock": 1024,
    "maxThreadsPerMultiProcessor": 2048,
    "warpSize": 32,
    "major": 9,
    "minor": 0,
    "cooperativeLaunch": 1,
    "sharedMemPerBlock": 49152,
    "totalConstMem": 65536,
    "clockRate": 1_000_000,
}
"""Of a small GPU, as a program asks for them."""
GPU = RecordType("cudaDeviceProp", [Field(name, INT) for name in GPU_NUMBERS])


def number_named(text: str) -> Number | None:
    """Return the type of numbers that some words name, such as `unsigned long long int`."""
    words = [word for word in text.split() if word not in ("const", "constexpr", "volatile", "static")]
    if " ".join(words) in _ALIASES:
        return _ALIASES[" ".join(words)]
    if not words or not set(words) <= {"bool", "char", "signed", "unsigned", "short", "int", "long", "float", "double"}:
        return NUMBERS.get(" ".join(words))
    kind = next((word for word in ("bool", "char", "short", "long", "float", "double") if word in words), "int")
    kind = "double" if "double" in words else kind
    sign = "unsigned " if "unsigned" in words else "signed " if kind == "char" and "signed" in words else ""
    return NUMBERS.get(sign + kind)


def common(one: Number, other: Number) -> Number:
    """Return the type in which C++ computes with two numbers."""
    if one.is_real or other.is_real:
        return DOUBLE if DOUBLE in (one, other) else FLOAT
    one, other = promoted(one), promoted(other)
    if one.size != other.size:
        return one if one.size > other.size else other
    return other if one.is_signed else one


def promoted(number: Number) -> Number:
    """Return the type that a small number is computed in."""
    return INT if number.size < INT.size and not number.is_real else number


class CopiedReal(float):
    """A real number that was copied back from the device, and computed with no further."""


class CopiedWhole(int):
    """A whole number that was copied back from the device, and computed with no further."""


COPIED = (CopiedReal, CopiedWhole)


def _to_whole(number: Number) -> Callable[[Any], Any]:
    full = 1 << (8 * number.size)
    low = -(full >> 1) if number.is_signed else 0
    high = low + full

    def convert(value: Any) -> Any:
        if isinstance(value, float):
            value = int(value) if math.isfinite(value) else 0
        return value if low <= value < high else (value - low) % full + low

    return convert


def _to_float(value: Any) -> Any:
    return value if type(value) is CopiedReal else ctypes.c_float(value).value


def _to_double(value: Any) -> Any:
    return value if isinstance(value, float) else float(value)


def _to_half(value: Any) -> Any:
    return value if type(value) is CopiedReal else float(numpy.float16(value))


def converter(number: Number) -> Callable[[Any], Any]:
    """Return what makes any number one of a type."""
    if number.code == "?":
        return bool
    return {"f": _to_float, "d": _to_double, "e": _to_half}.get(number.code) or _to_whole(number)


CONVERTERS = {number: converter(number) for number in NUMBERS.values()}


def size_of(kind: Any) -> int:
    """Return the bytes of a type; raise UnreadError for one whose size is not known."""
    if isinstance(kind, Number):
        return kind.size
    if isinstance(kind, PointerTo):
        return 8
    if isinstance(kind, ArrayOf) or (isinstance(kind, VectorOf) and kind.count):
        return int(kind.count) * size_of(kind.of)
    if isinstance(kind, RecordType):
        end = max((place + size_of(each.type) for each, place in placed(kind)), default=0)
        return max(1, -(-end // aligned(kind)) * aligned(kind))
    if kind == VOID:
        return 1
    raise UnreadError(f"the size of {kind}")


def placed(kind: RecordType) -> Iterator[tuple[Any, int]]:
    """Yield a struct's members, and the bytes from its beginning to each."""
    end = 0
    for each in kind.fields:
        place = -(-end // aligned(each.type)) * aligned(each.type)
        yield each, place
        end = place + size_of(each.type)


def aligned(kind: Any) -> int:
    """Return what the address of a type is a multiple of."""
    if isinstance(kind, ArrayOf | VectorOf):
        return aligned(kind.of)
    if isinstance(kind, RecordType):
        return max([aligned(each.type) for each in kind.fields], default=1)
    return size_of(kind)
