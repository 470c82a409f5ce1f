"""CUDA's number types as NumPy's, and random inputs of each type."""

from __future__ import annotations

import re
from math import isqrt
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]

BFLOAT16 = numpy.dtype([("bfloat16", "<u2")])
"""The bits of bfloat16, which NumPy lacks; `numbers` reads and `as_type` writes them."""
EXACT = {numpy.dtype("float16"): 1 << 11, BFLOAT16: 1 << 8}
"""16-bit types hold every whole number up to this one."""
LARGEST_VALUE = 3

_TYPES: dict[str, Any] = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "__half": "float16",
    "half2": "float16",
    "__half2": "float16",
    "__nv_bfloat16": BFLOAT16,
    "__nv_bfloat162": BFLOAT16,
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "bool": "bool",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "signed": "int32",
    "unsigned": "uint32",
    "long": "int64",
    "unsigned long": "uint64",
    "long long": "int64",
    "unsigned long long": "uint64",
}
_ALIASES = {"size_t": "uint64", "ptrdiff_t": "int64", "ssize_t": "int64", "uint": "uint32", "ushort": "uint16"}
_WORDS_THAT_SAY_NOTHING = {
    "const",
    "volatile",
    "__restrict__",
    "__restrict",
    "restrict",
    "register",
    "__grid_constant__",
}


def dtype_of(element_type: str) -> numpy.dtype[Any] | None:
    """Return the NumPy type of a CUDA type such as `unsigned int`, `float4` (its float) or `int32_t`, or None."""
    words = [word for word in element_type.replace("std::", "").split() if word not in _WORDS_THAT_SAY_NOTHING]
    text = " ".join(words)
    sized = re.fullmatch(r"(u?int(?:8|16|32|64))_t", text)
    if sized:
        return numpy.dtype(sized[1])
    text = (
        re.sub(r"(?<=\w)[1-4]$", "", text)
        if re.fullmatch(r"(float|double|int|uint|u?short|u?char)[1-4]", text)
        else text
    )
    if text in _ALIASES:
        return numpy.dtype(_ALIASES[text])
    if "int" in words and len(words) > 1:
        text = " ".join(word for word in words if word != "int")
    name = _TYPES.get(text)
    return None if name is None else numpy.dtype(name)


def is_integer(dtype: numpy.dtype[Any]) -> bool:
    """Return whether the type is an integer, so that results must be equal and not merely close."""
    return dtype.kind in "iub"


def fresh(
    generator: numpy.random.Generator, shape: tuple[int, ...], dtype: numpy.dtype[Any], *, positive: bool
) -> Array:
    """Return random numbers: normal ones, or between 0.5 and 1.5 where `positive`; small ones for integers.

    16-bit types get whole numbers of both signs, small enough that all sums of products are exact: with normal numbers
    the error bound would be wider than the effect of a mistake.
    """
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if is_integer(dtype):
        low = 1 if positive or dtype.kind == "u" else -7
        return generator.integers(low, 8, shape).astype(dtype)
    if dtype in EXACT:
        largest = min(LARGEST_VALUE, max(1, isqrt(EXACT[dtype] // max(shape))))
        return as_type(generator.integers(-largest, largest + 1, shape), dtype)
    if positive:
        return (generator.random(shape) + 0.5).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def unset(count: int, dtype: numpy.dtype[Any]) -> Array:
    """Return the contents of unwritten memory: NaN, or integers that no product here yields."""
    if dtype == BFLOAT16 or dtype.kind == "f":
        return as_type(numpy.full(count, numpy.nan), dtype)
    return numpy.frombuffer(b"\xbd" * (count * dtype.itemsize), dtype).copy()


def numbers(array: Array) -> Array:
    """Return an array that NumPy can compute with: bfloat16 as float32, else the array itself."""
    if array.dtype != BFLOAT16:
        return array
    return (numpy.ascontiguousarray(array).view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)


def as_type(values: Array, dtype: numpy.dtype[Any]) -> Array:
    """Return values as a type; for bfloat16 they must be exactly representable."""
    if dtype != BFLOAT16:
        return values.astype(dtype)
    bits = values.astype(numpy.float32).view(numpy.uint32) >> 16
    return bits.astype(numpy.uint16).view(BFLOAT16)
