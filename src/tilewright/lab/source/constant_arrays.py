"""Rewrites kernels that read arrays in `__constant__` memory to take them as arguments, behind the others.

`__constant__ float mask[9];` stays, and `kernel(float *out)`, which reads it, becomes `kernel(float *out, const float
*mask)`: so what the host copies there is an array like any other. Lines stay where they are.
"""

from __future__ import annotations

import re

from tilewright.lab.source.changes import Edit, edited
from tilewright.lab.source.conditionals import parsed
from tilewright.lab.source.declarations import Item, function_declarator, items
from tilewright.lab.source.launches import launches
from tilewright.lab.source.macros import Macros, code_only
from tilewright.lab.source.syntax import Syntax

_ARRAY = re.compile(
    r"(?:\bstatic\s+)?\b__constant__\s+(?:static\s+)?(?P<type>float|double|half|__half|int)\s+(?P<name>[A-Za-z_]\w*)"
    r"\s*\[(?P<first>[^\]]*)\](?P<others>(?:\s*\[[^\]]*\])*)\s*;"
)
FEWEST = 5
"""Elements: whole numbers of which there are fewer are sizes."""


def with_arrays_passed(text: str, name: str = "the file") -> str:
    """Return a file's text whose kernels take the arrays in constant memory that they read; else the text as it is.

    Arrays with initial values, and those that functions of the device read, stay where they are.

    Raises:
        SourceError: the text can't be parsed within its limits.
    """
    arrays = list(_ARRAY.finditer(code_only(text))) if "__constant__" in text else []
    if not arrays:
        return text
    syntax = parsed(text, Macros([text]), name, {})
    functions = [each for each in items(syntax) if each.kind == "function"]
    device = [each for each in functions if "__device__" in each.annotations]
    kernels = [each for each in functions if "__global__" in each.annotations]
    edits: list[Edit] = []
    for array in arrays:
        is_size = array["type"] == "int" and array["first"].strip().isdigit() and int(array["first"]) < FEWEST
        if is_size or any(_names(syntax, each, array["name"]) for each in device) or _is_in_macro(text, array["name"]):
            continue
        for kernel in kernels:
            if _names(syntax, kernel, array["name"]):
                edits += _passed(syntax, kernel, array)
    return edited(text, _together(edits)) if edits else text


def _names(syntax: Syntax, item: Item, name: str) -> bool:
    return re.search(rf"\b{name}\b", syntax.code[item.start : item.end]) is not None


def _is_in_macro(text: str, name: str) -> bool:
    return re.search(rf"^[ \t]*#[ \t]*define\b(?:\\\n|.)*\b{name}\b", text, re.MULTILINE) is not None


def _passed(syntax: Syntax, kernel: Item, array: re.Match[str]) -> list[Edit]:
    """Return the edits of a kernel that reads an array, and of its launches."""
    declarator = function_declarator(kernel.node.child_by_field_name("declarator")) if kernel.node else None
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    body = kernel.node.child_by_field_name("body") if kernel.node else None
    if parameters is None or body is None or not parameters.named_children:
        return []
    name, kind, others = array["name"], array["type"], array["others"].strip()
    passed = f"{name}_values" if others else name
    edits = [Edit(parameters.end_byte - 1, parameters.end_byte - 1, f", const {kind} *{passed}")]
    if others:
        opening = f" const {kind} (*{name}){others} = reinterpret_cast<const {kind} (*){others}>({passed});"
        edits.append(Edit(body.start_byte + 1, body.start_byte + 1, opening))
    for site in launches(syntax):
        arguments = site.node.child_by_field_name("arguments")
        if site.kernel == kernel.names[0] and arguments is not None:
            edits.append(Edit(arguments.end_byte - 1, arguments.end_byte - 1, f", {name}"))
    return edits


def _together(edits: list[Edit]) -> list[Edit]:
    """Return one edit for each place, as `edited` takes them."""
    by_place: dict[int, str] = {}
    for edit in edits:
        by_place[edit.start] = by_place.get(edit.start, "") + edit.text
    return [Edit(place, place, text) for place, text in by_place.items()]
