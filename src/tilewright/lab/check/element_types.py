"""CUDA's names of numbers as NumPy's types, and inputs of each type that no earlier launch has seen."""

from __future__ import annotations

import re
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]

_TYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "__half": "float16",
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
    """Return the NumPy type of `unsigned int`, `const float`, `float4` (its float), `int32_t`; None for others."""
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
    """Say whether the type counts, so that results must be equal and not merely near."""
    return dtype.kind in "iub"


def fresh(
    generator: numpy.random.Generator, shape: tuple[int, ...], dtype: numpy.dtype[Any], *, positive: bool
) -> Array:
    """Return random numbers: normal ones, or between 0.5 and 1.5 where `positive`; small ones for integers."""
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if is_integer(dtype):
        low = 1 if positive or dtype.kind == "u" else -7
        return generator.integers(low, 8, shape).astype(dtype)
    if positive:
        return (generator.random(shape) + 0.5).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def unset(count: int, dtype: numpy.dtype[Any]) -> Array:
    """Return what stands in memory that nobody has written: NaN, or integers that no product of ours gives."""
    if dtype.kind == "f":
        return numpy.full(count, numpy.nan, dtype)
    return numpy.frombuffer(b"\xbd" * (count * dtype.itemsize), dtype).copy()
