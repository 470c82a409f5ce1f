"""What a file declares: each function, variable, type and macro invocation outside of functions, as an item."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.lab.source.macros import SPACES, words
from tilewright.lab.source.syntax import Node, Syntax, children, descend

_CONTAINERS = {
    "translation_unit",
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
    "preproc_elif",
    "preproc_elifdef",
    "declaration_list",
}
_DIRECTIVES = {"preproc_include", "preproc_def", "preproc_function_def", "preproc_call", "comment"}
_TYPES = {"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"}
_NAMES = {"identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name", "operator_cast"}


@dataclass(frozen=True)
class Item:
    """Something that a file declares.

    kind: `function`, `prototype`, `variable`, `type`, `alias`, `using`, `instantiation`, `macro` or `unknown`.
    start, end: its place, annotations and `template <...>` included. names: what it declares. annotations:
    `__global__` and the like in its head. node: the innermost declaration, without `template` and `extern "C"`.
    """

    kind: str
    start: int
    end: int
    names: tuple[str, ...]
    annotations: frozenset[str]
    head: frozenset[str]
    node: Node | None
    template: Node | None
    namespaces: tuple[str, ...]

    @property
    def is_device(self) -> bool:
        """Whether its author put it on the device."""
        return bool(self.annotations & SPACES)

    @property
    def is_constexpr(self) -> bool:
        """Whether a compiler may run it."""
        return bool(self.head & {"constexpr", "consteval"})


def items(syntax: Syntax) -> list[Item]:
    """Return the items of a text, in its order."""
    found = list(_items(syntax, syntax.root, ()))
    found += [
        Item("macro", mask.start, mask.end, (), mask.annotations, frozenset(), None, None, ())
        for mask in syntax.invocations
    ]
    return sorted(found, key=lambda item: item.start)


def declared_name(node: Node | None) -> Node | None:
    """Return the node of the name in a declarator: of `(*A)[N]`, `A`; of `S::f(int)`, `S::f`."""
    while node is not None and node.type not in _NAMES and node.type != "qualified_identifier":
        inner = node.child_by_field_name("declarator")
        if inner is None:
            if node.type == "template_function":
                inner = node.child_by_field_name("name")
            else:
                inner = next(
                    (child for child in node.named_children if "declarator" in child.type or child.type in _NAMES), None
                )
        node = inner
    return node


def function_declarator(node: Node | None) -> Node | None:
    """Return the function declarator in a declarator, or None when it declares none: `(*f)(int)` is a pointer."""
    while node is not None:
        if node.type == "function_declarator":
            name = node.child_by_field_name("declarator")
            return None if name is not None and name.type == "parenthesized_declarator" else node
        if node.type not in ("pointer_declarator", "reference_declarator", "attributed_declarator"):
            return None
        node = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if "declarator" in child.type), None
        )
    return None


def passed_nodes(call: Node) -> list[Node]:
    """Return what a call, or a launch, passes."""
    listed = call.child_by_field_name("arguments")
    return [child for child in (listed.named_children if listed is not None else ()) if child.type != "comment"]


def listed_parameters(function: Node) -> list[Node]:
    """Return the parameters of a function's definition."""
    declarator = function_declarator(function.child_by_field_name("declarator"))
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    return [each for each in (listed.named_children if listed is not None else ()) if "parameter" in each.type]


def type_text(syntax: Syntax, node: Node, declarator: Node | None) -> str:
    """Return a declared type: its name, with a `*` for each pointer or array in the declarator."""
    while declarator is not None and declarator.type == "init_declarator":
        declarator = declarator.child_by_field_name("declarator")
    levels = list(descend(declarator, "pointer_declarator", "array_declarator")) if declarator is not None else []
    base = syntax.source(node.child_by_field_name("type"))
    return f"{base} {'*' * len(levels)}".strip()


def _items(syntax: Syntax, container: Node, namespaces: tuple[str, ...]) -> Iterator[Item]:
    todo: list[tuple[Node, tuple[str, ...]]] = [(container, namespaces)]
    while todo:
        node, spaces = todo.pop()
        for field, child in children(node):
            if field in ("condition", "name") or child.type in _DIRECTIVES or not child.is_named:
                continue
            if child.type in _CONTAINERS:
                todo.append((child, spaces))
            elif child.type == "namespace_definition":
                name = child.child_by_field_name("name")
                body = child.child_by_field_name("body")
                inner = tuple(part.strip() for part in syntax.source(name).split("::")) if name is not None else ()
                if body is not None:
                    todo.append((body, spaces + inner))
            elif child.type == "linkage_specification" and _is_list(child):
                body = child.child_by_field_name("body")
                if body is not None:
                    todo.append((body, spaces))
            else:
                yield _item(syntax, child, spaces)


def _is_list(linkage: Node) -> bool:
    body = linkage.child_by_field_name("body")
    return body is not None and body.type == "declaration_list"


def _item(syntax: Syntax, outer: Node, namespaces: tuple[str, ...]) -> Item:
    node, template = innermost(outer)
    body = node.child_by_field_name("body") if node.type == "function_definition" else None
    head_end = body.start_byte if body is not None else node.end_byte
    if node.type in ("declaration", "field_declaration"):
        declarator = node.child_by_field_name("declarator")
        if declarator is not None and function_declarator(declarator) is None:
            head_end = declarator.start_byte
    start = syntax.start_with_annotations(outer.start_byte)
    annotations = syntax.annotations(start, head_end)
    head = frozenset(words(syntax.code[start:head_end]))
    kind = _kind(node)
    if kind == "unknown":
        annotations = syntax.annotations(start, outer.end_byte)
    names = tuple(_names(syntax, node))
    # The semicolon behind a class or an enumeration is a node of its own.
    semicolon = re.compile(r"\s*;").match(syntax.code, outer.end_byte) if kind == "type" else None
    end = semicolon.end() if semicolon is not None else outer.end_byte
    return Item(kind, start, end, names, annotations, head, node, template, namespaces)


def innermost(outer: Node) -> tuple[Node, Node | None]:
    """Return the declaration inside of `template <...>` and `extern "C"`, and its innermost template parameters."""
    node, template = outer, None
    while node.type in ("template_declaration", "linkage_specification"):
        if node.type == "template_declaration":
            template = node.child_by_field_name("parameters")
            inner = next((c for c in reversed(node.named_children) if c.type != "comment" and c != template), None)
        else:
            inner = node.child_by_field_name("body")
        if inner is None:
            break
        node = inner
    return node, template


def _kind(node: Node) -> str:
    if node.type == "function_definition":
        return "function"
    if node.type in ("declaration", "field_declaration"):
        if node.child_by_field_name("declarator") is None:
            return "type"
        return "prototype" if function_declarator(node.child_by_field_name("declarator")) is not None else "variable"
    if node.type in _TYPES:
        return "type"
    if node.type in ("type_definition", "alias_declaration", "namespace_alias_definition", "concept_definition"):
        return "alias"
    return {"using_declaration": "using", "template_instantiation": "instantiation"}.get(node.type, "unknown")


def _names(syntax: Syntax, node: Node) -> Iterator[str]:
    for field, child in children(node):
        if field == "declarator":
            name = declared_name(child)
            if name is not None:
                yield syntax.source(name).split("::")[-1].strip()
        elif field == "name":
            yield syntax.source(child)
        elif field == "type" and child.type in _TYPES:
            yield from _names(syntax, child)
    if node.type == "enum_specifier":
        body = node.child_by_field_name("body")
        for enumerator in body.named_children if body is not None else ():
            if enumerator.type == "enumerator":
                yield syntax.source(enumerator.child_by_field_name("name"))
