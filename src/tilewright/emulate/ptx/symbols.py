"""Names in PTX and what they are called in CUDA C++ (the Itanium ABI's mangling)."""

from __future__ import annotations

import re

_NESTED = re.compile(r"E(\d+)")


def plain_name(symbol: str) -> str:
    """Return the name that a variable has in CUDA C++: `_ZZ5tiledPKfE2As` is `As`."""
    if not symbol.startswith("_Z"):
        return symbol
    for match in reversed(list(_NESTED.finditer(symbol))):
        name = symbol[match.end() : match.end() + int(match[1])]
        if len(name) == int(match[1]):
            return name
    name, at = symbol, re.match(r"_ZN?L?", symbol)
    rest = symbol[at.end() :] if at else ""
    while (length := re.match(r"\d+", rest)) is not None:  # a::b::name
        end = length.end() + int(length[0])
        name, rest = rest[length.end() : end], rest[end:].removeprefix("L")
    return name


def plain_function_name(symbol: str) -> str:
    """Return the name that a function has in CUDA C++, without namespaces: `_ZN3lab5tiledILi16EEEvPKf` is `tiled`."""
    start = re.match(r"_ZN?K?L?", symbol)
    name, rest = symbol, symbol[start.end() :] if start else ""
    while (length := re.match(r"L?(\d+)", rest)) is not None:
        end = length.end() + int(length[1])
        name, rest = rest[length.end() : end], rest[end:]
        if not symbol.startswith("_ZN"):
            break  # what follows are types of parameters
    return name
