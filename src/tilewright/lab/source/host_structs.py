"""The host's struct variables around a launch, as one variable for each field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from tilewright.lab.source.changes import Edit
from tilewright.lab.source.declarations import declared_name, passed_nodes
from tilewright.lab.source.launches import LaunchSite
from tilewright.lab.source.made_structs import Given, MadeStructs, Values
from tilewright.lab.source.structs import Field, Structs
from tilewright.lab.source.syntax import Node, Syntax, children, descend, function_around

_LISTS = ("initializer_list", "argument_list")


def without_comma(node: Node) -> list[Edit]:
    """Return the edit that removes the comma beside a removed parameter or argument."""
    beside = (node.prev_sibling, node.next_sibling)
    return [Edit(each.start_byte, each.end_byte, "") for each in beside if each is not None and each.type == ","][:1]


class HostStructs:
    """What of a file's host code is rewritten. between: what stands between a variable's name and a field's."""

    def __init__(self, syntax: Syntax, structs: Structs, between: str) -> None:
        self._syntax, self._structs, self._between = syntax, structs, between
        self._functions: dict[int, dict[str, tuple[Field, ...]]] = {}
        self._made = MadeStructs(syntax, structs)

    def edits_at(self, site: LaunchSite, fields: Mapping[int, tuple[Field, ...]]) -> list[Edit]:
        """Return the edits of a launch and of the function around it; those of the function alone where it is not
        known what an argument's fields are.
        """
        function = function_around(site.node)
        edits: list[Edit] = []
        variables: dict[str, tuple[Field, ...]] = {}
        if function is not None:
            if function.start_byte not in self._functions:
                self._functions[function.start_byte] = self._variables(function)
                edits += self._of_function(function, self._functions[function.start_byte])
            variables = self._functions[function.start_byte]
        return edits + self._of_arguments(site, fields, variables)

    def _of_arguments(
        self, site: LaunchSite, fields: Mapping[int, tuple[Field, ...]], variables: Mapping[str, tuple[Field, ...]]
    ) -> list[Edit]:
        nodes = passed_nodes(site.node)
        edits = []
        for place, of_struct in fields.items():
            if place >= len(nodes):
                return []
            node = nodes[place]
            values = self._values(node, of_struct, variables) if of_struct else []
            if values is None or "" in values:
                return []
            edits.append(Edit(node.start_byte, node.end_byte, ", ".join(values)))
            if not of_struct:
                edits += without_comma(node)
        return edits

    def _variables(self, function: Node) -> dict[str, tuple[Field, ...]]:
        """Return the fields of the struct variables that a function has, by name."""
        found = {}
        for node in descend(function, "parameter_declaration", "declaration"):
            of_struct = self._structs.fields(self._syntax.source(node.child_by_field_name("type")))
            for field, declarator in children(node):
                if of_struct and field == "declarator" and not descend(declarator, "array_declarator"):
                    if declarator.type == "pointer_declarator":
                        continue
                    name = self._syntax.source(declared_name(declarator))
                    if name:
                        found[name] = of_struct
        for node in descend(function, "init_declarator"):  # `auto A = make(m, k);`
            outer, value = node.parent, node.child_by_field_name("value")
            is_auto = outer is not None and self._syntax.source(outer.child_by_field_name("type")) == "auto"
            of_struct = self._made.fields_of(value) if is_auto and value is not None else ()
            if of_struct:
                found[self._syntax.source(declared_name(node))] = of_struct
        return found

    def _of_function(self, function: Node, variables: Mapping[str, tuple[Field, ...]]) -> Iterator[Edit]:
        for node in descend(function, "parameter_declaration", "declaration"):
            base = self._syntax.source(node.child_by_field_name("type"))
            if base == "auto" or self._structs.fields(base):
                texts = [t for f, d in children(node) if f == "declarator" for t in self._declared(d, variables)]
                between, end = (", ", "") if node.type == "parameter_declaration" else ("; ", ";")
                if texts:
                    yield self._edit(node, between.join(texts) + end)
        for node in descend(function, "assignment_expression"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            target = self._syntax.source(left)
            if target in variables and right is not None:
                values = self._values(right, variables[target], variables)
                fields = variables[target]
                if values is not None:
                    pairs = zip(fields, values, strict=True)
                    yield self._edit(node, "; ".join(f"{target}{self._between}{f.name} = {v}" for f, v in pairs if v))
        yield from self._filled(function, variables)
        for node in descend(function, "field_expression"):
            text = self._syntax.source(node)
            if (plain := self._plain(text, variables)) != text:
                yield self._edit(node, plain)

    def _edit(self, node: Node, text: str) -> Edit:
        missing = self._syntax.text[node.start_byte : node.end_byte].count("\n") - text.count("\n")
        return Edit(node.start_byte, node.end_byte, text + "\n" * missing)

    def _declared(self, declarator: Node, variables: Mapping[str, tuple[Field, ...]]) -> list[str]:
        name = self._syntax.source(declared_name(declarator))
        fields = variables.get(name, ())
        value = declarator.child_by_field_name("value")
        values = self._values(value, fields, variables) if value is not None else None
        if values is None:
            return [f"{each.type_text} {name}{self._between}{each.name}" for each in fields]
        pairs = zip(fields, values, strict=True)
        declared = ((f"{each.type_text} {name}{self._between}{each.name}", text) for each, text in pairs)
        return [f"{variable} = {text}" if text else variable for variable, text in declared]

    def _filled(self, function: Node, variables: Mapping[str, tuple[Field, ...]]) -> Iterator[Edit]:
        """Yield what a call such as `init(&A, m, k);` sets, in the call's place."""
        for node in descend(function, "expression_statement"):
            call = node.named_children[0] if node.named_children else node
            plain, given = self._in_words(variables)
            found = self._made.filled(call, plain, given) if call.type == "call_expression" else {}
            set_to = [
                f"{name}{self._between}{each} = {text};"
                for name, values in found.items()
                for each, text in values.items()
                if name in variables and text and text != f"{name}{self._between}{each}"
            ]
            if set_to:
                yield self._edit(node, " ".join(set_to))

    def _in_words(self, variables: Mapping[str, tuple[Field, ...]]) -> tuple[Callable[[str], str], Given]:
        """Return how a function that this one calls says its arguments: texts, and structs."""

        def given(node: Node, fields: tuple[Field, ...]) -> Values | None:
            named = re.fullmatch(r"&?\s*(\w+)", self._syntax.source(node))
            if named is not None and _names(variables.get(named[1], ())) == _names(fields):
                return {each.name: f"{named[1]}{self._between}{each.name}" for each in fields}
            values = self._values(node, fields, variables)
            return dict(zip(_names(fields), (each or None for each in values), strict=True)) if values else None

        return lambda text: self._plain(text, variables), given

    def _of_call(
        self, call: Node, fields: tuple[Field, ...], variables: Mapping[str, tuple[Field, ...]]
    ) -> list[str] | None:
        """Return the values of what a function of the file returns, "" for pointers; None if one is not known."""
        if _names(self._made.fields_of(call)) != _names(fields):
            return None
        values = self._made.returned(call, *self._in_words(variables)) or {}
        texts = [values.get(each.name) or "" for each in fields]
        is_known = all(text or each.type_text.endswith("*") for each, text in zip(fields, texts, strict=True))
        return (
            ["" if each.type_text.endswith("*") else text for each, text in zip(fields, texts, strict=True)]
            if is_known
            else None
        )

    def _values(
        self, node: Node, fields: tuple[Field, ...], variables: Mapping[str, tuple[Field, ...]]
    ) -> list[str] | None:
        """Return the texts of the fields' values in what makes a struct: a variable, or a list; None if unknown."""
        text = self._syntax.source(node)
        if _names(variables.get(text, ())) == _names(fields):
            return [f"{text}{self._between}{each.name}" for each in fields]
        inner = node
        if node.type in ("compound_literal_expression", "call_expression"):
            made = self._syntax.source(node.child_by_field_name("type") or node.child_by_field_name("function"))
            value = node.child_by_field_name("value") or node.child_by_field_name("arguments")
            if _names(self._structs.fields(made) or ()) != _names(fields) or value is None:
                return self._of_call(node, fields, variables)
            inner = value
        listed = [child for child in inner.named_children if child.type != "comment"]
        if inner.type not in _LISTS or not listed or len(listed) > len(fields):
            return None
        if len(listed) == 1 and len(fields) > 1:
            return self._values(listed[0], fields, variables)
        values = {each.name: "0" for each in fields}
        for each, child in zip(fields, listed, strict=False):
            name, value_text = each.name, self._syntax.source(child)
            if child.type == "initializer_pair":
                name = self._syntax.source(child.child_by_field_name("designator")).strip(". ")
                value_text = self._syntax.source(child.child_by_field_name("value"))
            if name not in values:
                return None
            values[name] = self._plain(value_text, variables)
        return list(values.values())

    def _plain(self, text: str, variables: Mapping[str, tuple[Field, ...]]) -> str:
        """Return code in which the fields of variables are variables."""

        def one(match: re.Match[str]) -> str:
            is_field = any(each.name == match[2] for each in variables.get(match[1], ()))
            return f"{match[1]}{self._between}{match[2]}" if is_field else match[0]

        return re.sub(r"(?<![\w.>])(\w+)\s*\.\s*(\w+)", one, text)


def _names(fields: tuple[Field, ...]) -> list[str]:
    return [each.name for each in fields]
