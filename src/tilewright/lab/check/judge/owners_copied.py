"""Objects that free device memory when they end, and that the host copies: two then free the same memory.

A class whose destructor calls `cudaFree` and that says nothing of copies is copied pointer by pointer: when the copy
ends, such as the argument of a function that takes it by value, the memory of the first is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.source.callers import calls_with_arguments
from tilewright.lab.source.declarations import declared_name, listed_parameters
from tilewright.lab.source.syntax import Syntax, descend

if TYPE_CHECKING:
    from tree_sitter import Node

_OWNED = re.compile(r"\b(?:unique_ptr|mutex|atomic|thread)\b|\b\w*(?:COPY|COPIABLE|MOVE)\w*\s*\(", re.IGNORECASE)
"""What makes a class one that can't be copied, or says of itself how."""


@dataclass(frozen=True)
class _Owner:
    """A class that owns device memory. is_copied, is_assigned: whether the compiler writes these for it."""

    name: str
    is_copied: bool
    is_assigned: bool


def copied_owners(kernel: KernelFile, code: str) -> Iterator[tuple[int, str]]:
    """Yield where an object that frees device memory is copied though its class does not say how."""
    site = kernel.site
    if site is None or "~" not in code or site.syntax.text != kernel.opened.file.text:
        return
    syntax = site.syntax
    owners = {each.name: each for each in _owners(syntax, code)}
    if not owners:
        return
    objects = _objects(syntax, owners)
    for function in descend(syntax.root, "function_definition"):
        yield from _taken_by_value(syntax, function, owners, objects)
    yield from _made_of_another(syntax, owners, objects)
    for assigned in descend(syntax.root, "assignment_expression"):
        right = assigned.child_by_field_name("right")
        if right is None or right.type != "call_expression":
            continue
        owner = owners.get(_class_of(syntax.source(right.child_by_field_name("function"))))
        if owner is not None and owner.is_assigned:
            left = syntax.source(assigned.child_by_field_name("left"))
            yield assigned.start_byte, _said(owner.name, f"this copies a new one to {left}", "at the end of the line")


def _made_of_another(syntax: Syntax, owners: dict[str, _Owner], objects: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield declarations of an object that is a copy: `Buffer y = x`, `Buffer y(x)`, `auto y = x`."""
    for declared in descend(syntax.root, "declaration"):
        name = _class_of(syntax.source(declared.child_by_field_name("type")))
        for child in declared.named_children if name in owners or name == "auto" else ():
            of_function = child.type == "function_declarator"  # `Buffer y(x)` is read as one
            inner = child.child_by_field_name("declarator")
            value = syntax.source(child.child_by_field_name("parameters" if of_function else "value")).strip("(){} ")
            is_object = inner is not None and inner.type == "identifier" and value in objects
            if is_object and name in (objects[value], "auto") and owners[objects[value]].is_copied:
                yield child.start_byte, _said(objects[value], f"this copies {value}", "when one of the two ends")


def _said(name: str, done: str, when: str) -> str:
    return f"{name} frees its memory when it ends and does not say how it is copied: {done}, and {when} both are freed."


def _owners(syntax: Syntax, code: str) -> Iterator[_Owner]:
    for node in descend(syntax.root, "class_specifier", "struct_specifier"):
        body, named = node.child_by_field_name("body"), node.child_by_field_name("name")
        if body is None or named is None or any(child.type == "base_class_clause" for child in node.children):
            continue
        name, text = syntax.source(named), syntax.code_of(body)
        ended = re.search(rf"~{name}\s*\([^)]*\)[\w\s]*\{{(?P<body>[^{{}}]*(?:\{{[^{{}}]*\}}[^{{}}]*)*)\}}", code)
        if ended is None or "cudaFree" not in ended["body"] or re.search(r"own|ref|count|--", ended["body"]):
            continue
        if _OWNED.search(text):
            continue
        of_class = rf"\b{name}\s*\(\s*(?:const\s+)?{name}\s*(?:<[^<>]*>)?\s*(?:const\s*)?&"
        says_copy, says_move = re.search(of_class, text), re.search(rf"{of_class}&", text)
        says_assign = re.search(r"\boperator\s*=\s*\(", text)
        is_copied = not (says_copy or says_move or _moves(says_assign, text))
        yield _Owner(name, is_copied, is_assigned=not (says_assign or says_move))


def _moves(says_assign: re.Match[str] | None, text: str) -> bool:
    """Return whether an `operator=` moves, so that the compiler writes no copies."""
    return says_assign is not None and re.search(r"\boperator\s*=\s*\([^)]*&&", text) is not None


def _objects(syntax: Syntax, owners: dict[str, _Owner]) -> dict[str, str]:
    """Return the names of the objects that the file declares of such classes, and the class of each."""
    found = {}
    for declared in descend(syntax.root, "declaration"):
        name = _class_of(syntax.source(declared.child_by_field_name("type")))
        for child in declared.named_children if name in owners else ():
            if (inner := declared_name(child)) is not None:
                found[syntax.source(inner)] = name
    return found


def _taken_by_value(
    syntax: Syntax, function: Node, owners: dict[str, _Owner], objects: dict[str, str]
) -> Iterator[tuple[int, str]]:
    """Yield the parameter of a function that is given such an object, and takes a copy of it."""
    for place, parameter in enumerate(listed_parameters(function)):
        owner = owners.get(_class_of(syntax.source(parameter.child_by_field_name("type"))))
        inner = parameter.child_by_field_name("declarator")
        if owner is None or not owner.is_copied or inner is None or inner.type != "identifier":
            continue
        name = syntax.source(declared_name(function.child_by_field_name("declarator"))).split("::")[-1]
        for _, given in calls_with_arguments(syntax, name):
            if place < len(given) and objects.get(syntax.source(given[place])) == owner.name:
                taken = f"{name} takes a copy of {syntax.source(given[place])}"
                yield parameter.start_byte, _said(owner.name, taken, f"when {name} returns")
                break


def _class_of(text: str) -> str:
    """Return the name of a class without its namespace and its template's arguments."""
    return re.sub(r"\s*<.*$", "", text).split("::")[-1].removeprefix("const ").strip()
