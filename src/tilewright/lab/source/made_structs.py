"""What the fields of a struct are that a function of the host returns or fills: `Matrix A = make(m, k);`.

The function's statements are read in their order, and what they set is said in the caller's words. Fields that depend
on a branch, a loop or another call are not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tilewright.lab.source.declarations import declared_name, function_declarator, listed_parameters, passed_nodes
from tilewright.lab.source.macros import words
from tilewright.lab.source.structs import Field, Structs
from tilewright.lab.source.syntax import Node, Syntax, children, descend

DEEPEST = 4
"""So many functions that call each other are followed."""
_FIELD = re.compile(r"(?<![\w.>])(?:\(\s*\*\s*(?P<behind>\w+)\s*\)\s*\.|(?P<name>\w+)\s*(?:\.|->))\s*(?P<field>\w+)")

Values = dict[str, str | None]
"""The text of each field's value, None where it is not known."""
Given = Callable[[Node, tuple[Field, ...]], Values | None]
"""What the caller knows of a struct that it passes."""


@dataclass
class _Known:
    """What a function has set until a place. structs: by variable; types: their fields; names: plain variables."""

    structs: dict[str, Values] = field(default_factory=dict)
    types: dict[str, tuple[Field, ...]] = field(default_factory=dict)
    names: dict[str, str | None] = field(default_factory=dict)
    result: Values | None = None


class MadeStructs:
    """The functions of a file that return structs, or fill those that they are given."""

    def __init__(self, syntax: Syntax, structs: Structs) -> None:
        self._syntax, self._structs = syntax, structs
        self._functions: dict[str, list[Node]] = {}
        for node in descend(syntax.root, "function_definition"):
            name = syntax.source(declared_name(node.child_by_field_name("declarator")))
            self._functions.setdefault(name, []).append(node)

    def fields_of(self, call: Node) -> tuple[Field, ...]:
        """Return the fields of the struct that a call returns, none if it returns no struct of a known function."""
        function = self._function(call)
        is_pointer = function is not None and _is_of_pointer(function.child_by_field_name("declarator"))
        if function is None or is_pointer:
            return ()
        return self._structs.fields(self._syntax.source(function.child_by_field_name("type"))) or ()

    def returned(self, call: Node, plain: Callable[[str], str], given: Given, depth: int = DEEPEST) -> Values | None:
        """Return the values of the fields of what a call returns, in the caller's words; None if they are not known.

        plain: makes a text of the caller one without fields. given: of structs that the caller passes.
        """
        function = self._function(call)
        if function is None or not depth or not self.fields_of(call):
            return None
        return self._read(function, call, plain, given, depth).result

    def filled(self, call: Node, plain: Callable[[str], str], given: Given) -> dict[str, Values]:
        """Return the fields that a call sets of variables which it is given by `&name` or a reference."""
        function = self._function(call)
        if function is None:
            return {}
        known, found = self._read(function, call, plain, given, DEEPEST), {}
        for parameter, node in zip(listed_parameters(function), passed_nodes(call), strict=False):
            declarator = parameter.child_by_field_name("declarator")
            name = self._syntax.source(declared_name(declarator))
            passed = re.fullmatch(r"&?\s*(\w+)", self._syntax.source(node))
            if declarator is not None and declarator.type != "identifier" and name in known.structs and passed:
                found[passed[1]] = known.structs[name]
        return found

    def _function(self, call: Node) -> Node | None:
        called = call.child_by_field_name("function") if call.type == "call_expression" else None
        found = self._functions.get(self._syntax.source(called), []) if called is not None else []
        return found[0] if len(found) == 1 else None

    def _read(self, function: Node, call: Node, plain: Callable[[str], str], given: Given, depth: int) -> _Known:
        known = _Known()
        for parameter, node in zip(listed_parameters(function), passed_nodes(call), strict=False):
            name = self._syntax.source(declared_name(parameter.child_by_field_name("declarator")))
            fields = self._structs.fields(self._syntax.source(parameter.child_by_field_name("type")))
            if fields:
                known.types[name] = fields
                known.structs[name] = given(node, fields) or {each.name: None for each in fields}
            else:
                known.names[name] = f"({plain(self._syntax.source(node))})"
        body = function.child_by_field_name("body")
        for statement in body.named_children if body is not None else ():
            self._statement(statement, known, depth)
            if known.result is not None:
                break
        if body is not None and len(descend(body, "return_statement")) > 1:
            known.result = None
        return known

    def _statement(self, node: Node, known: _Known, depth: int) -> None:
        if node.type == "declaration":
            for name, value in _declared(self._syntax, node):
                self._declare(node, name, value, known, depth)
            return
        if node.type == "return_statement" and node.named_children:
            known.result = self._values(node.named_children[0], None, known, depth)
            return
        inner = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
        for assigned in descend(node, "assignment_expression"):
            value = assigned.child_by_field_name("right") if assigned == inner else None
            self._assign(self._syntax.source(assigned.child_by_field_name("left")), value, known, depth)
        for name in known.structs if inner is None or inner.type != "assignment_expression" else ():
            if re.search(rf"(?<!&)&\s*{name}\b(?!\s*(?:\.|->))", self._syntax.source(node)):
                known.structs[name] = dict.fromkeys(known.structs[name])  # another function may set it

    def _declare(self, node: Node, name: str, value: Node | None, known: _Known, depth: int) -> None:
        fields = self._structs.fields(self._syntax.source(node.child_by_field_name("type")))
        if fields:
            values = self._values(value, fields, known, depth) if value is not None else None
            known.types[name] = fields
            known.structs[name] = values or {each.name: None for each in fields}
        else:
            known.names[name] = self._said(value, known) if value is not None else None

    def _assign(self, target: str, value: Node | None, known: _Known, depth: int) -> None:
        match = _FIELD.fullmatch(target)
        owner = (match["behind"] or match["name"]) if match else target.strip("* ()")
        if match and owner in known.structs:
            known.structs[owner][match["field"]] = self._said(value, known) if value is not None else None
        elif owner in known.structs:
            values = self._values(value, known.types[owner], known, depth) if value is not None else None
            known.structs[owner] = values or dict.fromkeys(known.structs[owner])
        elif owner in known.names:
            known.names[owner] = self._said(value, known) if value is not None else None

    def _values(self, node: Node, fields: tuple[Field, ...] | None, known: _Known, depth: int) -> Values | None:
        """Return the values of what makes a struct in a function: a variable, a list or a call."""
        text = self._syntax.source(node).strip("* ()")
        if text in known.structs:
            return dict(known.structs[text])
        if node.type == "call_expression":
            of_call = self._structs.fields(self._syntax.source(node.child_by_field_name("function")))
            if not of_call:
                return self.returned(
                    node,
                    lambda said: self._in_words(said, known) or "?",
                    lambda each, _: dict(known.structs.get(self._syntax.source(each).strip("&* ()"), {})) or None,
                    depth - 1,
                )
            fields, node = of_call, node.child_by_field_name("arguments") or node
        if node.type == "compound_literal_expression":
            fields = self._structs.fields(self._syntax.source(node.child_by_field_name("type")))
            node = node.child_by_field_name("value") or node
        if node.type not in ("initializer_list", "argument_list") or not fields:
            return None
        listed = [child for child in node.named_children if child.type != "comment"]
        if len(listed) == 1 and len(fields) > 1 and self._syntax.source(listed[0]) in known.structs:
            return dict(known.structs[self._syntax.source(listed[0])])
        values: Values = {each.name: "0" for each in fields}
        for each, child in zip(fields, listed, strict=False):
            name, value = each.name, child
            if child.type == "initializer_pair":
                name = self._syntax.source(child.child_by_field_name("designator")).strip(". ")
                value = child.child_by_field_name("value") or child
            values[name] = self._said(value, known)
        return values

    def _said(self, node: Node, known: _Known) -> str | None:
        return self._in_words(self._syntax.source(node), known)

    def _in_words(self, text: str, known: _Known) -> str | None:
        """Return a text of the function in its caller's words; None where it depends on what is not known."""
        is_known = True

        def of_field(match: re.Match[str]) -> str:
            nonlocal is_known
            values = known.structs.get(match["behind"] or match["name"])
            if values is None:
                return match[0]
            value = values.get(match["field"])
            is_known = is_known and value is not None
            return f"\x00{value}\x00"

        parts = _FIELD.sub(of_field, text).split("\x00")
        for place in range(0, len(parts), 2):
            used = words(parts[place])
            if used & known.structs.keys() or any(known.names.get(name, "") is None for name in used):
                return None
            for name in used & known.names.keys():
                parts[place] = re.sub(rf"\b{name}\b", lambda _, to=known.names[name]: str(to), parts[place])  # type: ignore[misc]
        return "".join(parts) if is_known else None


def _is_of_pointer(declarator: Node | None) -> bool:
    """Return whether a function's declarator says that it returns a pointer."""
    return declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator")


def _declared(syntax: Syntax, node: Node) -> list[tuple[str, Node | None]]:
    found = []
    for kind, declarator in children(node):
        if kind == "declarator":
            of_function = function_declarator(declarator)
            value = declarator.child_by_field_name("value")
            if of_function is not None and value is None:
                value = of_function.child_by_field_name("parameters")
            found.append((syntax.source(declared_name(declarator)), value))
    return found
