"""Rewrites kernels that take an array of pointers, one for each of many matrices, to take the matrices in one array.

`kernel(const float *const *A)` with `const float *a = A[z]` becomes `kernel(const float *A, long long A__step)` with
`(A + (long long)(z) * A__step)`. Whatever the pointers are, matrices one behind the other are a choice of them.
Lines stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tilewright.lab.source.changes import Edit, edited
from tilewright.lab.source.conditionals import parsed
from tilewright.lab.source.declarations import function_declarator, items, passed_nodes
from tilewright.lab.source.launches import launches
from tilewright.lab.source.macros import Macros
from tilewright.lab.source.syntax import Syntax, descend

if TYPE_CHECKING:
    from tree_sitter import Node

STEP = "__step"
ALL = "__all"
"""Behind what a launch passes: the host's array holds pointers, and what it copies into it is no matrix."""
_QUALIFIERS = r"(?:\s*(?:const|__restrict__|__restrict)\b)*"
_PARAMETER = re.compile(
    rf"(?P<element>(?:const\s+)?[A-Za-z_][\w: ]*?{_QUALIFIERS})\s*\*{_QUALIFIERS}\s*\*{_QUALIFIERS}\s*(?P<name>\w+)"
)


def with_matrices_in_one(text: str, name: str = "the file") -> str:
    """Return a file's text whose kernels take no arrays of pointers; the text as it is where none takes any.

    Raises:
        SourceError: the text can't be parsed within its limits.
    """
    if "__global__" not in text or not re.search(rf"\*{_QUALIFIERS}\s*\*", text):
        return text
    syntax = parsed(text, Macros([text]), name, {})
    places: dict[str, list[int]] = {}
    edits: list[Edit] = []
    for item in items(syntax):
        if "__global__" in item.annotations and item.kind == "function" and item.node is not None:
            found = list(_rewritten(syntax, item.node, edits))
            places |= {item.names[0]: found} if found else {}
    for site in launches(syntax):
        given = passed_nodes(site.node)
        for place in (at for at in places.get(site.kernel, ()) if at < len(given)):
            named = re.sub(r"\W+", "_", syntax.source(given[place])).strip("_")
            edits.append(Edit(given[place].start_byte, given[place].end_byte, f"{named}{ALL}, {named}{STEP}"))
    return edited(text, edits)


def _rewritten(syntax: Syntax, function: Node, edits: list[Edit]) -> Iterator[int]:
    """Yield the places of a kernel's arrays of pointers, and add the edits of its parameters and its body."""
    declarator, body = (
        function_declarator(function.child_by_field_name("declarator")),
        function.child_by_field_name("body"),
    )
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    if listed is None or body is None:
        return
    nodes = [each for each in listed.named_children if "parameter" in each.type]
    arrays = [
        (place, node, match) for place, node in enumerate(nodes) if (match := _PARAMETER.fullmatch(syntax.source(node)))
    ]
    if not any(list(_matrices(syntax, body, match["name"])) for _, _, match in arrays):
        return
    for place, node, match in arrays:
        name, element = match["name"], match["element"].strip()
        chosen = list(_matrices(syntax, body, name, has_rows=True))  # as the others are arrays of matrices
        if not chosen:
            continue
        edits.append(Edit(node.start_byte, node.end_byte, f"{element} *{name}, long long {name}{STEP}"))
        for at, index in chosen:
            edits.append(Edit(at.start_byte, at.end_byte, f"({name} + (long long)({index}) * {name}{STEP})"))
        yield place


def _matrices(syntax: Syntax, body: Node, name: str, *, has_rows: bool = False) -> Iterator[tuple[Node, str]]:
    """Yield each `A[z]` with its index; none where the array is used otherwise.

    has_rows: whether `A[i][j]` is an element of a matrix, too. It may be one of a row, and A an array of rows.
    """
    chosen = []
    for node in descend(body, "subscript_expression"):
        argument, indices = node.child_by_field_name("argument"), node.child_by_field_name("indices")
        if argument is None or indices is None or syntax.source(argument) != name:
            continue
        outer = node.parent
        if outer is None or (outer.type == "subscript_expression" and not has_rows):
            return
        if outer.type == "assignment_expression" and outer.child_by_field_name("left") == node:
            return
        chosen.append((node, syntax.source(indices)[1:-1]))
    if len(chosen) == len(re.findall(rf"\b{name}\b", syntax.code[body.start_byte : body.end_byte])):
        yield from chosen
