"""Numbers of bytes in the host's code, with lengths of containers and sizes of types written out."""

from __future__ import annotations

import re

from tilewright.lab.source.expressions import UnknownValueError, size_of
from tilewright.lab.source.macros import split_arguments

_SIZEOF = re.compile(r"\bsizeof\s*(?:\(\s*(?P<of>[^()]*(?:\([^()]*\))?[^()]*)\s*\)|(?P<bare>\*?\s*\w+(?:\[\w+\])?))")
_NUMBER_WORDS = "unsigned|signed|long|short|int|char|float|double|size_t|bool"
POINTER_BYTES, VECTOR_BYTES = 8, 24
_LENGTH = re.compile(r"\b(?P<name>\w+)\s*\.\s*(?:size|length)\s*\(\s*\)")


def written_out(text: str, code: str, element_bytes: int) -> str:
    """Return a number of bytes without lengths of containers, and with numbers for the `sizeof` of unknown types.

    code: of the function around it, until there. element_bytes: what a type has that is not known, as `T`. An array of
    the host's is left, as in `sizeof(A)` of `float A[N]`.
    """
    lengths = {match["name"]: length_of(match["name"], code) for match in _LENGTH.finditer(text)}
    text = _LENGTH.sub(lambda match: lengths[match["name"]] or match[0], text)
    return _SIZEOF.sub(lambda match: _bytes_of(match, code, element_bytes), text)


def element_bytes(text: str, code: str) -> int | None:
    """Return the bytes of an element by the only `sizeof` in a number of bytes, 1 if there is none; None if not known.

    `sizeof(sum)` is of the type that `sum` is declared with, wherever in the code that is.
    """
    types = re.findall(r"sizeof\s*\(([^()]*)\)", text)
    if len(types) != 1:
        return None if types else 1
    of = types[0].strip()
    declared = _types_of(of, code) if of.isidentifier() else []
    try:
        sizes = {size_of(each) for each in declared or [of]}
    except UnknownValueError:
        return None
    return sizes.pop() if len(sizes) == 1 else None


def _types_of(name: str, code: str) -> list[str]:
    """Return the types of numbers that a variable is declared with; it is no pointer."""
    kind = rf"\b((?:{_NUMBER_WORDS})(?:\s+(?:{_NUMBER_WORDS}))*)\b"
    return re.findall(rf"{kind}[^;(){{}}]*?(?<!\*)(?<!\* )\b{re.escape(name)}\s*[,;=]", code)


def length_of(name: str, code: str) -> str:
    """Return how long a vector is made, as it is written: `((size_t)M * N)`; "" if it is not made by a length."""
    made = rf"\bvector\s*<(?:[^<>;]|<[^<>;]*>)*>[^;]*?\b{re.escape(name)}\s*\(|\b{re.escape(name)}\s*\.\s*resize\s*\("
    found = list(re.finditer(made, code))
    if len(found) != 1 or re.search(rf">\s*(?:const\s*)?&\s*{re.escape(name)}\b", code):
        return ""  # it may be another function's
    depth, at = 1, found[0].end()
    while depth and at < len(code):
        depth += (code[at] == "(") - (code[at] == ")")
        at += 1
    arguments = split_arguments(code[found[0].end() : at - 1])
    is_range = len(arguments) != 1 and any("begin" in each for each in arguments)
    return f"({arguments[0]})" if arguments and arguments[0].strip() and not is_range else ""


def is_pointer(name: str, code: str) -> bool:
    """Return whether a name is declared as a pointer, and as no array."""
    return re.search(rf"\w\s*\*\s*(?:const\s+|__restrict__\s+)?{re.escape(name)}\s*(?:[=;,)])", code) is not None


def is_of_handle(text: str, code: str) -> bool:
    """Return whether a number of bytes is that of a pointer or of a container, whatever it points to or holds.

    code: of the file, until there; the same name may be something else in another function.
    """
    of, own = re.fullmatch(r"sizeof\s*\(?\s*(\w+)\s*\)?", text.strip()), code.rpartition("\n}")[2]
    if of is None or re.search(rf"\b[A-Za-z_]\w*\s+(?:\w+(?:\s*\[[^\]]*\])+\s*,\s*)*{of[1]}\s*\[", own):
        return False
    return is_pointer(of[1], own) or _is_vector(of[1], own)


def _is_vector(name: str, code: str) -> bool:
    return re.search(rf"\bvector\s*<[^;]*>\s*(?:const\s*)?&?\s*(?:\w+[^;,]*,\s*)*{re.escape(name)}\b", code) is not None


def _bytes_of(match: re.Match[str], code: str, element_bytes: int) -> str:
    of = (match["of"] or match["bare"] or "").strip()
    try:
        size_of(of)
    except UnknownValueError:
        if is_pointer(of, code):
            return str(POINTER_BYTES)
        if _is_vector(of, code):
            return str(VECTOR_BYTES)
        is_type = of.isidentifier() and re.search(rf"\b(?:typename|class|typedef[^;]*|using)\s+{of}\b", code)
        is_element = of.startswith("*") or of.endswith("]")
        return str(element_bytes) if is_type or is_element else match[0]
    return match[0]
