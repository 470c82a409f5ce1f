"""The types that nodes of the tree name, and what declarators make of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tilewright.lab.source.syntax import children

from .compiler import Compiler
from .host_types import (
    BLANK,
    DIM3,
    DOUBLE,
    GPU,
    INT,
    TEXT,
    VOID,
    ArrayOf,
    Drawn,
    Field,
    Number,
    PointerTo,
    RecordType,
    UnreadError,
    VectorOf,
    number_named,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_BLANKS = re.compile(
    r"cuda(?:Error_t|Event_t|Stream_t|Error|MemcpyKind)|(?:std::)?(?:ostream|stringstream|ostringstream|ifstream|ofstream)"
    r"|(?:std::)?chrono::.*|time_t|clock_t|FILE|(?:std::)?random_device|curand\w+"
)
_STATIC = re.compile(r"\bstatic\b")


def type_of(c: Compiler, node: Node | None, auto: Any = None) -> Any:
    """Return the type that a node names; `auto` is what the initial value has."""
    if node is None:
        raise UnreadError("a type that is not there")
    if node.type == "type_descriptor":
        kind = type_of(c, node.child_by_field_name("type"), auto)
        declarator = node.child_by_field_name("declarator")
        return declared(c, declarator, kind)[1] if declarator is not None else kind
    if node.type in ("struct_specifier", "class_specifier"):
        name = node.child_by_field_name("name")
        if node.child_by_field_name("body") is not None:
            return record_of(c, node, {})
        return named_type(c, c.text(name), node)
    if node.type == "placeholder_type_specifier":
        if auto is None:
            raise UnreadError("auto")
        return auto
    if node.type in ("qualified_identifier", "dependent_type") and "<" in c.text(node):
        return _qualified(c, node)
    if node.type == "template_type":
        return _template_type(c, node)
    return named_type(c, c.text(node), node)


def _qualified(c: Compiler, node: Node) -> Any:
    inner = node
    while inner.type != "template_type":
        last = inner.child_by_field_name("name") or (inner.named_children[-1] if inner.named_children else None)
        if last is None or last is inner or last.type in ("type_identifier", "identifier"):
            return named_type(c, c.text(node), node)
        inner = last
    return type_of(c, inner)


def named_type(c: Compiler, text: str, node: Node) -> Any:
    """Return the type of a name."""
    name = re.sub(r"^(?:typename\s+|const\s+|struct\s+)+|^std::(?!chrono)", "", text).strip()
    last = name.split("::")[-1].strip()
    found = c.look_up(last)
    if found is not None and not hasattr(found, "slot"):
        return found
    number = number_named(re.sub(r"\bstd::", "", name))
    if number is not None:
        return number
    if name == "void":
        return VOID
    if last in ("dim3", "cudaDeviceProp"):
        return DIM3 if last == "dim3" else GPU
    if last in ("mt19937", "mt19937_64", "default_random_engine", "minstd_rand"):
        return Drawn(None)
    if last == "string" or name == "char*":
        return TEXT
    if _BLANKS.fullmatch(name) or "chrono" in text:
        return BLANK
    if last in c.records:
        return record_of(c, c.records[last], {})
    raise UnreadError(f"the type {text}" + ("" if node is None else f" in line {c.line(node)}"))


def _template_type(c: Compiler, node: Node) -> Any:
    name = c.text(node.child_by_field_name("name"))
    arguments = node.child_by_field_name("arguments")
    given = list(arguments.named_children) if arguments is not None else []
    if name == "vector":
        return VectorOf(type_of(c, given[0]))
    if name == "array":
        count = _constant_of(c, given[1])
        if isinstance(count, int):
            return VectorOf(type_of(c, given[0]), count)
    if name.startswith("uniform_") or name == "normal_distribution":
        return Drawn(type_of(c, given[0]) if given else INT if "int" in name else DOUBLE)
    if name in c.records:
        owner = c.records[name].parent
        if owner is not None and owner.type == "template_declaration":
            return record_of(c, c.records[name], template_names(c, owner, given))
    if name in ("duration", "time_point"):
        return BLANK
    raise UnreadError(f"the type {c.text(node)}")


def template_names(c: Compiler, template: Node, given: list[Node]) -> dict[str, Any]:
    """Return what the parameters of a template stand for."""
    names: dict[str, Any] = {}
    parameters = template.child_by_field_name("parameters")
    for number, each in enumerate(parameters.named_children if parameters is not None else []):
        default = each.child_by_field_name("default_value") or each.child_by_field_name("default_type")
        value = given[number] if number < len(given) else default
        if each.type in ("type_parameter_declaration", "optional_type_parameter_declaration"):
            name = next((n for n in each.named_children if n.type == "type_identifier"), None)
            if value is not None and name is not None:
                names[c.text(name)] = type_of(c, value)
        elif value is not None:
            name = each.child_by_field_name("declarator")
            constant = _constant_of(c, value)
            if constant is None:
                raise UnreadError(f"the template argument {c.text(value)}")
            names[c.text(name)] = constant
    return names


def _constant_of(c: Compiler, node: Node) -> Any:
    """Return the value of a template's argument, which the grammar may take for a type."""
    if node.type == "type_descriptor":
        found = c.look_up(c.text(node))
        return getattr(found, "constant", found)
    return c.expression(node).constant


def record_of(c: Compiler, node: Node, names: dict[str, Any]) -> RecordType:
    """Return the type of a struct or a class; one of a template for what its parameters stand for."""
    key = f"record {node.start_byte} {sorted((name, str(each)) for name, each in names.items())}"
    found = c.scopes[0].names.get(key)
    if isinstance(found, RecordType):
        return found
    if any(child.type == "base_class_clause" for child in node.children):
        raise UnreadError("a class with a base")
    kind = RecordType(c.text(node.child_by_field_name("name")), names=names)
    c.scopes[0].names[key] = kind
    with c.scope() as scope:
        scope.names |= names
        scope.names[kind.name] = kind
        body = node.child_by_field_name("body")
        for member in body.named_children if body is not None else []:
            _add_member(c, kind, member.named_children[-1] if member.type == "template_declaration" else member)
    return kind


def _add_member(c: Compiler, kind: RecordType, member: Node) -> None:
    kind.is_owner |= re.match(r"(?:virtual )?~", c.text(member)) is not None
    if member.type in ("function_definition", "inline_method_definition"):
        name = function_name(c, member)
        if name == kind.name:
            if member.child_by_field_name("body") is not None:  # neither deleted nor left to the compiler
                kind.constructors.append(member)
        else:
            kind.methods.setdefault(name, []).append(member)
    elif member.type == "field_declaration":
        of_type = member.child_by_field_name("type")
        default = member.child_by_field_name("default_value")
        places = [each for field, each in children(member) if field == "declarator"]
        for place in places:
            if b"(" in (place.text or b"").split(b"{")[0]:
                continue  # a method that is declared alone
            name, found = declared(c, place, type_of(c, of_type))
            if _STATIC.search(c.text(member)) and default is not None:
                kind.fixed[name] = default
            else:
                kind.fields.append(Field(name, found, default))
    elif member.type in ("alias_declaration", "type_definition"):
        add_alias(c, member)


def add_alias(c: Compiler, node: Node) -> None:
    """Note what a `using` or a `typedef` names."""
    name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    found = type_of(c, node.child_by_field_name("type"))
    if name is not None and name.type in ("type_identifier", "primitive_type"):
        c.scopes[-1].names[c.text(name)] = found
    elif name is not None:
        inner, of = declared(c, name, found)
        c.scopes[-1].names[inner] = of


def declared(c: Compiler, node: Node | None, kind: Any) -> tuple[str, Any]:
    """Return the name that a declarator gives, and the type; a reference counts as what it refers to."""
    if node is None:
        return "", kind
    inner = node.child_by_field_name("declarator")
    if node.type in ("pointer_declarator", "abstract_pointer_declarator"):
        return declared(c, inner, TEXT if _is_text(kind) else PointerTo(kind))
    if node.type in ("array_declarator", "abstract_array_declarator"):
        size = node.child_by_field_name("size")
        count = c.expression(size).constant if size is not None else -1
        if not isinstance(count, int):
            raise UnreadError(f"the length of {c.text(node)}")
        return declared(c, inner, ArrayOf(kind, count))
    if node.type in ("reference_declarator", "abstract_reference_declarator"):
        named = [each for each in node.named_children if each.type != "type_qualifier"]
        return declared(c, named[0] if named else None, kind)
    if node.type in ("identifier", "field_identifier", "type_identifier"):
        return c.text(node), kind
    if node.type == "function_declarator":
        return declared(c, inner, kind)
    if node.type == "parenthesized_declarator":
        return declared(c, node.named_children[0], kind)
    raise UnreadError(f"{node.type}: {c.text(node)}")


def _is_text(kind: Any) -> bool:
    return isinstance(kind, Number) and kind.name == "char"


def is_reference(node: Node | None) -> bool:
    """Return whether a declarator makes a reference."""
    return node is not None and node.type in ("reference_declarator", "abstract_reference_declarator")


def function_name(c: Compiler, node: Node) -> str:
    """Return the last part of a function's name."""
    place = function_declarator(node)
    name = place.child_by_field_name("declarator") if place is not None else None
    while name is not None and name.type == "qualified_identifier":
        name = name.child_by_field_name("name")
    return c.text(name)


def function_declarator(node: Node) -> Node | None:
    """Return the part of a function's definition that has its name and its parameters."""
    place = node.child_by_field_name("declarator")
    while place is not None and place.type != "function_declarator":
        inner = place.child_by_field_name("declarator")
        place = inner or next((each for each in place.named_children if each.type == "function_declarator"), None)
    return place
