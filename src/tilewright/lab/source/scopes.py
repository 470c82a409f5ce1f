"""Which declaration a name means at a place in a function: an array, a pointer, or something else."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.lab.source.declarations import Item, declared_name
from tilewright.lab.source.macros import words
from tilewright.lab.source.signatures import dimensions_of
from tilewright.lab.source.syntax import Node, Syntax, children, descend

_SCOPES = (
    "compound_statement",
    "for_statement",
    "function_definition",
    "lambda_expression",
    "for_range_loop",
    "if_statement",
)


@dataclass(frozen=True)
class Declared:
    """A variable: `dimensions` of an array as written; of a pointer those of what it points to, with "" in front.

    kind: `array`, `pointer`, `dynamic` (a shared array without extent), or `other`: an unknown type.
    source: for a pointer, the text that it starts with.
    """

    name: str
    kind: str
    dimensions: tuple[str, ...]
    start: int
    scope: tuple[int, int]
    source: str = ""
    is_constexpr: bool = False


class Scopes:
    """The variables that a function's body may name."""

    def __init__(
        self, syntax: Syntax, function: Node, of_file: dict[str, Declared], fields: dict[str, Declared]
    ) -> None:
        self._syntax = syntax
        self._of_file = of_file
        self._fields = fields
        self._local: dict[str, list[Declared]] = {}
        for node in descend(function, "declaration", "parameter_declaration", "optional_parameter_declaration"):
            for found in declared(syntax, node):
                self._local.setdefault(found.name, []).append(found)

        for node in descend(function, "assignment_expression"):
            misread = misread_declaration(syntax, node)
            if misread is not None:
                self._local.setdefault(misread.name, []).append(misread)

    def meaning(self, base: Node) -> Declared | None:
        """Return what the base of a subscript is: the variable or field at the root of `s.tile[i]`, or None."""
        node: Node | None = base
        while node is not None and node.type in ("subscript_expression", "parenthesized_expression"):
            node = node.child_by_field_name("argument") or next(iter(node.named_children), None)
        if node is None:
            return None
        if node.type == "field_expression":
            field = node.child_by_field_name("field")
            return self._fields.get(self._syntax.source(field)) if field is not None else None
        if node.type not in ("identifier", "qualified_identifier"):
            return None
        return self.named(self._syntax.source(node).split("::")[-1].strip(), node.start_byte)

    def named(self, name: str, place: int) -> Declared | None:
        """Return the innermost variable of a name at a place."""
        visible = [
            found
            for found in self._local.get(name, [])
            if found.start <= place and found.scope[0] <= place < found.scope[1]
        ]
        return max(visible, key=lambda found: found.start, default=None) or self._of_file.get(name)


def of_file(syntax: Syntax, found: list[Item]) -> dict[str, Declared]:
    """Return the variables that a text declares outside of functions."""
    return {
        each.name: each
        for item in found
        if item.kind == "variable" and item.node is not None
        for each in declared(syntax, item.node)
    }


def fields_of(syntax: Syntax) -> dict[str, Declared]:
    """Return the fields of all classes in a text; of one name in several classes, only where they are alike."""
    found: dict[str, Declared] = {}
    unlike = set()
    for node in descend(syntax.root, "field_declaration"):
        for each in declared(syntax, node):
            known = found.setdefault(each.name, each)
            if (known.kind, len(known.dimensions)) != (each.kind, len(each.dimensions)):
                unlike.add(each.name)
    return {name: each for name, each in found.items() if name not in unlike}


def declared(syntax: Syntax, node: Node) -> list[Declared]:
    """Return the variables of a declaration, a parameter or a field."""
    scope = _scope(node)
    results = []
    head = words(syntax.code[node.start_byte : node.end_byte].partition("=")[0])
    annotations = syntax.annotations(syntax.start_with_annotations(node.start_byte), node.end_byte)
    is_parameter = "parameter" in node.type
    for field, declarator in children(node):
        name = declared_name(declarator) if field == "declarator" else None
        if name is None:
            continue
        bare = declarator
        value = declarator.child_by_field_name("value")
        while bare.type == "init_declarator" and (inner := bare.child_by_field_name("declarator")) is not None:
            bare = inner
        kind, dimensions = _shape(syntax, bare, is_parameter=is_parameter)
        if kind == "array" and dimensions[0] == "" and "extern" in head and "__shared__" in annotations:
            kind = "dynamic"
        results.append(
            Declared(
                syntax.source(name),
                kind,
                dimensions,
                name.start_byte,
                scope,
                syntax.source(value),
                bool(head & {"constexpr"}),
            )
        )
    return results


def misread_declaration(syntax: Syntax, node: Node) -> Declared | None:
    """Return what `float (*row)[8] = tile;` declares, which the grammar takes for an assignment to a call's element."""
    left = node.child_by_field_name("left")
    dimensions: list[str] = []
    while left is not None and left.type == "subscript_expression":
        indices = left.child_by_field_name("indices")
        dimensions.insert(0, syntax.source(indices).strip("[] "))
        left = left.child_by_field_name("argument")
    arguments = left.child_by_field_name("arguments") if left is not None and dimensions else None
    inside = [child for child in arguments.named_children if child.type != "comment"] if arguments is not None else []
    if len(inside) != 1 or inside[0].type != "pointer_expression":
        return None
    name = syntax.source(inside[0].child_by_field_name("argument"))
    source = syntax.source(node.child_by_field_name("right"))
    if syntax.code[inside[0].start_byte] == "&":
        return Declared(name, "array", tuple(dimensions), inside[0].start_byte, _scope(node), source)
    return Declared(name, "pointer", ("", *dimensions), inside[0].start_byte, _scope(node), source)


def _shape(syntax: Syntax, declarator: Node, *, is_parameter: bool) -> tuple[str, tuple[str, ...]]:
    node = declarator
    if node.type == "array_declarator":
        innermost = node
        while (
            innermost.type == "array_declarator" and (inner := innermost.child_by_field_name("declarator")) is not None
        ):
            innermost = inner
        dimensions = tuple(dimensions_of(syntax, node))
        if innermost.type == "parenthesized_declarator":  # (*A)[N] or (&A)[N]
            text = syntax.source(innermost)
            return ("array", dimensions) if "&" in text else ("pointer", ("", *dimensions))
        return ("pointer", ("", *dimensions[1:])) if is_parameter else ("array", dimensions)
    if node.type == "pointer_declarator":
        return "pointer", ("",)
    return "other", ()


def _scope(node: Node) -> tuple[int, int]:
    outer = node.parent
    while outer is not None and outer.type not in _SCOPES:
        outer = outer.parent
    return (outer.start_byte, outer.end_byte) if outer is not None else (0, 1 << 62)
