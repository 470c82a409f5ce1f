"""Sizes in `__constant__` and `__device__` variables, which the host sets before the launch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from tilewright.lab.check.element_types import dtype_of, is_integer
from tilewright.lab.check.expressions import FormulaError, whole
from tilewright.lab.source.macros import code_only

_OF_STRUCT = re.compile(
    r"\b(?:__constant__|__device__)\s+(?:const\s+|struct\s+)*(?P<type>[A-Za-z_]\w*)\s+(?P<name>[A-Za-z_]\w*)\s*(?:=[^;]*)?;"
)
_FIELDS = re.compile(
    r"(?P<type>(?:(?:const|unsigned|long|short|int|size_t|u?int(?:32|64)_t)\s+)+)(?P<names>[^;(){}]+);"
)
_DECLARED = re.compile(
    r"\b(?:__constant__|__device__|__managed__)\s+(?P<type>(?:(?:static|const|volatile|__constant__|__device__|unsigned"
    r"|signed|long|short|int|size_t|u?int(?:32|64)_t)\s+)+)(?P<names>[A-Za-z_][^;(){}]*(?:=\s*\{[^{};]*\})?)\s*;"
)
_NAME = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?:\[(?P<count>[^\]]*)\])?\s*(?:=.*)?", re.DOTALL)
_COPIED = re.compile(
    r"\bcudaMemcpyToSymbol(?:Async)?\s*\(\s*(?P<variable>[A-Za-z_]\w*)\s*,\s*&?\s*(?P<source>[A-Za-z_]\w*)"
)
_WORDS = ("static", "const", "volatile", "__constant__", "__device__")
MOST_ELEMENTS = 4


@dataclass(frozen=True)
class SizeVariable:
    """A device variable that is a whole number, or an element or field of one.

    source: the name of the host's value that is copied into it, if known.
    """

    variable: str
    index: int
    count: int
    dtype: numpy.dtype[Any]
    source: str = ""


def size_variables(text: str, known: dict[str, int], used: str) -> dict[str, SizeVariable]:
    """Return the variables that a kernel reads and never writes, by name: `d_M`, `dims[0]`.

    text: the file. known: its constants. used: the text of its device code that counts as the kernel's.
    """
    code = code_only(text)
    sources = {match["variable"]: match["source"] for match in _COPIED.finditer(code)}
    found: dict[str, SizeVariable] = {}
    for match in _DECLARED.finditer(code):
        words = " ".join(word for word in match["type"].split() if word not in _WORDS)
        dtype = dtype_of(words) if words else None
        if dtype is None or not is_integer(dtype):
            continue
        for name, count in _names(match["names"], known):
            if not re.search(rf"\b{name}\b", used) or _is_written(name, used):
                continue
            source = sources.get(name, "")
            if count == 0:
                found[name] = SizeVariable(name, 0, 1, dtype, source)
            else:
                listed = _initial(code, source)
                for index in range(count):
                    own = listed[index] if index < len(listed) else ""
                    found[f"{name}[{index}]"] = SizeVariable(name, index, count, dtype, own)
    return found | _of_structs(code, used)


def _of_structs(code: str, used: str) -> dict[str, SizeVariable]:
    """Return the fields of variables that are structs of whole numbers of one type, by name: `d_sizes.m`."""
    found: dict[str, SizeVariable] = {}
    for match in _OF_STRUCT.finditer(code):
        kind, name = match["type"], match["name"]
        body = re.search(rf"\bstruct\s+{kind}\s*\{{([^{{}}]*)\}}|\bstruct\s*\w*\s*\{{([^{{}}]*)\}}\s*{kind}\s*;", code)
        if body is None or not re.search(rf"\b{name}\s*\.", used):
            continue
        text = body[1] or body[2] or ""
        fields = [
            (field["type"].strip(), each) for field in _FIELDS.finditer(text) for each in field["names"].split(",")
        ]
        dtypes = {dtype_of(words.replace("const", "").strip()) for words, _ in fields}
        dtype = next(iter(dtypes), None)
        if len(dtypes) != 1 or dtype is None or not is_integer(dtype) or len(fields) != len(re.findall(r"[;,]", text)):
            continue
        for index, (_, field) in enumerate(fields):
            if re.search(rf"\b{name}\s*\.\s*{re.escape(field.strip())}\b", used):
                found[f"{name}.{field.strip()}"] = SizeVariable(name, index, len(fields), dtype)
    return found


def _names(text: str, known: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the declared names with the elements of an array, 0 for a plain number."""
    for part in re.sub(r"\{[^}]*\}", "", text).split(","):
        match = _NAME.fullmatch(part)
        if match is None:
            continue
        if match["count"] is None:
            yield match["name"], 0
            continue
        try:
            count = whole(match["count"], known)
        except FormulaError:
            continue
        if 0 < count <= MOST_ELEMENTS:
            yield match["name"], count


def _is_written(name: str, used: str) -> bool:
    return re.search(rf"\b{name}\b\s*(?:\[[^\]]*\]\s*)?(?:=(?!=)|\+\+|--|[-+*/]=)|&\s*{name}\b", used) is not None


def _initial(code: str, name: str) -> list[str]:
    """Return the names in `int name[] = {M, K, N}`."""
    match = re.search(rf"\b{name}\s*\[[^\]]*\]\s*=?\s*\{{([^{{}}]*)\}}", code) if name else None
    return [part.strip() for part in match[1].split(",")] if match else []
