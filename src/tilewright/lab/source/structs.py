"""The structs of a file that are no more than their fields: numbers and pointers to numbers, behind one name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tilewright.lab.source.declarations import declared_name, function_declarator
from tilewright.lab.source.expressions import UnknownValueError, size_of
from tilewright.lab.source.macros import split_arguments, words
from tilewright.lab.source.signatures import aliases, plain_type
from tilewright.lab.source.syntax import Node, Syntax, children, descend

OF_PARAMETER = "__field__"
"""Stands between a kernel's parameter and its field, for its name may be a variable's of the host."""

_TYPE = re.compile(r"(?:\w+\s*::\s*)*(?P<name>\w+)\s*(?:<(?P<arguments>.*)>)?")
_NO_FIELDS = {"comment", "{", "}", ";", ":", "alias_declaration", "static_assert_declaration"}


@dataclass(frozen=True)
class Field:
    """A field: its name, and its type as it is declared, `const float*`."""

    name: str
    type_text: str


@dataclass(frozen=True)
class Struct:
    """A struct that braces with a value for each field make. template_parameters: names, of types and numbers."""

    template_parameters: tuple[str, ...]
    fields: tuple[Field, ...]


class Structs:
    """A file's structs that are no more than their fields, by name."""

    def __init__(self, syntax: Syntax) -> None:
        self._aliases = aliases(syntax)
        self._known: dict[str, Struct | None] = {}
        for node in descend(syntax.root, "struct_specifier"):
            body = node.child_by_field_name("body")
            if body is None:
                continue
            struct = _struct(syntax, node, body, self._aliases)
            for name in _names(syntax, node):
                self._known[name] = struct if name not in self._known else None

    def __bool__(self) -> bool:
        """Whether there are any."""
        return any(struct is not None for struct in self._known.values())

    def fields(self, type_text: str) -> tuple[Field, ...] | None:
        """Return the fields of a type as written, `View<const float>`; None if it is no such struct."""
        plain = plain_type(type_text, {} if type_text in self._known else self._aliases)
        match = _TYPE.fullmatch(re.sub(r"\b__grid_constant__\b", "", plain).strip())
        # `View<const T>` has a qualifier inside, which is the field's.
        whole = _TYPE.fullmatch(_outside(type_text)) if "<" in type_text else match
        if match is None or whole is None:
            return None
        struct = self._known.get(whole["name"])
        given = split_arguments(whole["arguments"] or "")
        if struct is None or len(given) != len(struct.template_parameters):
            return None
        values = dict(zip(struct.template_parameters, given, strict=True))
        return tuple(replace(field, type_text=_with(values, field.type_text)) for field in struct.fields)


def _outside(type_text: str) -> str:
    """Return a type of a template without the qualifiers around it."""
    head, opening, rest = type_text.partition("<")
    head = re.sub(r"\b(?:const|volatile|struct|typename|__grid_constant__)\b", " ", head)
    return f"{head.strip()}{opening}{rest[: rest.rfind('>') + 1]}"


def _with(values: Mapping[str, str], text: str) -> str:
    for name, value in values.items():
        text = re.sub(rf"\b{re.escape(name)}\b", lambda _, value=value: value, text)  # type: ignore[misc]
    return re.sub(r"\bconst\s+const\b", "const", text)


def _names(syntax: Syntax, node: Node) -> set[str]:
    parent = node.parent
    of_alias = children(parent) if parent is not None and parent.type == "type_definition" else ()
    names = {syntax.source(child) for field, child in of_alias if field == "declarator" and "identifier" in child.type}
    return (names | {syntax.source(node.child_by_field_name("name"))}) - {""}


def _struct(syntax: Syntax, node: Node, body: Node, known: Mapping[str, str]) -> Struct | None:
    template = node.parent.child_by_field_name("parameters") if node.parent is not None else None
    is_template = node.parent is not None and node.parent.type == "template_declaration"
    parameters: list[str] = []
    for parameter in template.named_children if is_template and template is not None else ():
        text = syntax.source(parameter)
        if parameter.type not in ("type_parameter_declaration", "parameter_declaration") or "..." in text or not text:
            return None
        parameters.append(text.split()[-1])
    if any(child.type == "base_class_clause" for child in node.children):
        return None
    own = syntax.source(node.child_by_field_name("name"))
    fields: list[Field] = []
    for child in body.children:
        found = _fields_of(syntax, child, own, known, parameters)
        if found is None:
            return None
        fields += found
    is_twice = len({field.name for field in fields}) < len(fields)  # which no compiler takes
    return None if is_twice else Struct(tuple(parameters), tuple(fields))


def _fields_of(
    syntax: Syntax, node: Node, struct: str, known: Mapping[str, str], parameters: list[str]
) -> list[Field] | None:
    """Return the fields that a line of a struct declares, none for a function; None for what braces can't make."""
    if node.type in _NO_FIELDS or (node.type == "access_specifier" and syntax.source(node) == "public"):
        return []
    inner = node.named_children[-1] if node.type == "template_declaration" else node
    declarators = [child for field, child in children(inner) if field == "declarator"]
    code = words(syntax.code[inner.start_byte : declarators[0].start_byte]) if declarators else {"virtual"}
    if "virtual" in code:
        return None
    if any(function_declarator(each) is not None for each in declarators):
        name = syntax.source(declared_name(declarators[0]))
        is_made = name == struct or name.startswith("~")  # by a constructor
        return None if is_made else []
    if "static" in code:
        return []
    if node.type != "field_declaration" or any(child.type == "bitfield_clause" for child in node.children):
        return None
    return _declared(syntax, node, declarators, known, parameters)


def _declared(
    syntax: Syntax, node: Node, declarators: list[Node], known: Mapping[str, str], parameters: list[str]
) -> list[Field] | None:
    """Return the fields of a declaration, None where one is no number and no pointer to numbers."""
    base = " ".join(syntax.code[node.start_byte : declarators[0].start_byte].split())
    element = plain_type(base, dict(known))
    if element not in parameters and not _is_number(element):
        return None
    fields = []
    for each in declarators:
        name = declared_name(each)
        levels = len(descend(each, "pointer_declarator"))
        others = descend(each, "array_declarator", "function_declarator", "reference_declarator")
        if each.type not in ("field_identifier", "pointer_declarator") or levels > 1 or others or name is None:
            return None
        fields.append(Field(syntax.source(name), f"{base}*" if levels else base))
    return fields


def _is_number(element: str) -> bool:
    try:
        return not element.endswith("*") and size_of(element) > 0
    except UnknownValueError:
        return False
