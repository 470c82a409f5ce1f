"""The kernels of a file: their parameters and their shared arrays, as the source has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.lab.source.declarations import Item, declared_name, function_declarator, items
from tilewright.lab.source.macros import Macros, words
from tilewright.lab.source.syntax import Mask, Node, Syntax, children, descend

_POINTERS = {"pointer_declarator", "array_declarator", "abstract_pointer_declarator", "abstract_array_declarator"}
_QUALIFIERS = re.compile(r"\b(const|volatile|__restrict__|__restrict|struct|class|enum|typename|register)\b")
_ALIASES = 16


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel.

    type_text: as written, without the name. is_pointer: a pointer, or an array, which is one. is_const: what it points
    to, or it itself, can't be written. element_type: what it points to, or its type, without qualifiers and with
    `typedef` and macros looked through: `float`. row_dimensions: those behind the first of `float A[][64]`.
    """

    name: str
    type_text: str
    is_pointer: bool
    is_const: bool
    element_type: str
    row_dimensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class SharedArray:
    """A `__shared__` variable of a kernel; `dimensions` as written, none for a scalar and for `extern` of one."""

    name: str
    element_type: str
    dimensions: list[str]
    is_dynamic: bool
    line: int


@dataclass(frozen=True)
class KernelSignature:
    """A kernel as its source declares it.

    name: without namespaces; `qualified_name` has them. template_parameters: as written, `int TILE`, `typename T`.
    line: of its name. last_line: of its closing brace. is_static: unseen by other files.
    """

    name: str
    template_parameters: tuple[str, ...]
    parameters: list[Parameter]
    line: int
    shared_arrays: list[SharedArray]
    qualified_name: str = ""
    last_line: int = 0
    is_static: bool = False

    @property
    def is_template(self) -> bool:
        """Whether it must be instantiated before it can run."""
        return bool(self.template_parameters)


def kernels(syntax: Syntax, found: list[Item]) -> list[KernelSignature]:
    """Return the kernels among a text's items, each once, in the order of the text."""
    signatures: dict[tuple[str, int, tuple[str, ...]], KernelSignature] = {}
    for item in found:
        for signature in _of_item(syntax, item):
            types = tuple(parameter.type_text for parameter in signature.parameters)
            signatures.setdefault((signature.qualified_name, len(types), types), signature)
    return list(signatures.values())


def aliases(syntax: Syntax) -> dict[str, str]:
    """Return what a text's `typedef`, `using` and macros without parentheses stand for."""
    found = {name: value for name in syntax.macros.all if (value := syntax.macros.value(name))}
    for node in descend(syntax.root, "type_definition", "alias_declaration"):
        if node.type == "alias_declaration":
            found[syntax.source(node.child_by_field_name("name"))] = syntax.source(node.child_by_field_name("type"))
            continue
        declarator = node.child_by_field_name("declarator")
        name = declared_name(declarator)
        if declarator is None or name is None or function_declarator(declarator) is not None:
            continue
        if not syntax.source(declarator):
            continue  # a mistake of which the parser made a name
        if declarator.type in ("type_identifier", "pointer_declarator"):
            qualified = syntax.source(node).removeprefix("typedef").partition(syntax.source(declarator))[0]
            found[syntax.source(name)] = qualified.strip() + ("*" if declarator.type == "pointer_declarator" else "")
    return found


def plain_type(text: str, known: dict[str, str]) -> str:
    """Return a type without qualifiers, aliases looked through."""
    bare = " ".join(_QUALIFIERS.sub(" ", text).split())
    for _ in range(_ALIASES):
        if bare not in known or known[bare] == bare:
            break
        bare = " ".join(_QUALIFIERS.sub(" ", known[bare]).split())
    return bare


def _of_item(syntax: Syntax, item: Item) -> Iterator[KernelSignature]:
    if item.kind == "macro":
        yield from _of_invocation(syntax, Mask(item.start, item.end, item.annotations))
        return
    if "__global__" not in item.annotations or item.kind != "function" or item.node is None:
        return
    signature = _of_function(syntax, item, item.node)
    if signature is not None:
        yield signature


def _of_invocation(syntax: Syntax, mask: Mask) -> Iterator[KernelSignature]:
    """Yield the kernels that a macro's invocation expands to; all of them are on its line."""
    line = syntax.lines.at(mask.start)
    text = syntax.macros.expanded(syntax.text[mask.start : mask.end])
    inner = Syntax(text, Macros([]))
    for signature in kernels(inner, items(inner)):
        shared = [
            SharedArray(s.name, s.element_type, s.dimensions, s.is_dynamic, line) for s in signature.shared_arrays
        ]
        yield KernelSignature(
            signature.name,
            signature.template_parameters,
            signature.parameters,
            line,
            shared,
            signature.qualified_name,
            line,
            signature.is_static,
        )


def _of_function(syntax: Syntax, item: Item, node: Node) -> KernelSignature | None:
    declarator = function_declarator(node.child_by_field_name("declarator"))
    name = declared_name(declarator)
    if declarator is None or name is None:
        return None
    known = aliases(syntax)
    parameters = declarator.child_by_field_name("parameters")
    body = node.child_by_field_name("body")
    text = syntax.source(name)
    return KernelSignature(
        name=text.split("::")[-1].strip(),
        template_parameters=_template_parameters(syntax, item.template),
        parameters=[
            _parameter(syntax, p, known)
            for p in (parameters.named_children if parameters else ())
            if "parameter" in p.type and syntax.source(p) != "void"
        ],
        line=syntax.line(name),
        shared_arrays=list(_shared_arrays(syntax, body, known)) if body is not None else [],
        qualified_name="::".join([*item.namespaces, text]),
        last_line=syntax.lines.at(node.end_byte - 1),
        is_static="static" in item.head,
    )


def _template_parameters(syntax: Syntax, template: Node | None) -> tuple[str, ...]:
    if template is None:
        return ()
    return tuple(syntax.source(p) for p in template.named_children if p.type != "comment")


def _parameter(syntax: Syntax, node: Node, known: dict[str, str]) -> Parameter:
    declarator = node.child_by_field_name("declarator")
    name = declared_name(declarator)
    whole = syntax.code[node.start_byte : node.end_byte]
    default = node.child_by_field_name("default_value")
    if default is not None:
        whole = syntax.code[node.start_byte : default.start_byte].rstrip(" =\n\t")
    type_text = whole
    if name is not None:
        at = name.start_byte - node.start_byte
        type_text = whole[:at] + whole[at + name.end_byte - name.start_byte :]
    levels = [found.type for found in descend(node, *_POINTERS)]
    base = syntax.source(node.child_by_field_name("type"))
    element = plain_type(base, known)
    is_pointer = bool(levels)
    if not is_pointer and element.endswith("*"):
        element, is_pointer = plain_type(element.rstrip("* "), known), True
    return Parameter(
        name=syntax.source(name),
        type_text=" ".join(type_text.replace("__restrict__", "__restrict__ ").split()),
        is_pointer=is_pointer,
        is_const="const" in words(whole.partition("*")[0]) or bool(re.search(r"\bconst\b", known.get(base, ""))),
        element_type=element,
        row_dimensions=_rows(syntax, declarator),
    )


def _rows(syntax: Syntax, declarator: Node | None) -> tuple[str, ...]:
    """Return the dimensions of what an array parameter points to: `64` of `A[][64]` and of `(*A)[64]`."""
    dimensions: list[str] = []
    decays = True
    node = declarator
    while node is not None and node.type in ("array_declarator", "parenthesized_declarator", "reference_declarator"):
        if node.type == "array_declarator":
            dimensions.insert(0, syntax.source(node.child_by_field_name("size")))
        else:
            decays = False
        node = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if "declarator" in child.type), None
        )
    return tuple(dimensions[1:] if decays else dimensions)


def _shared_arrays(syntax: Syntax, body: Node, known: dict[str, str]) -> Iterator[SharedArray]:
    for node in descend(body, "declaration"):
        declarators = [child for field, child in children(node) if field == "declarator"]
        if not declarators:
            continue
        start = syntax.start_with_annotations(node.start_byte)
        if "__shared__" not in syntax.annotations(start, declarators[0].start_byte):
            continue
        is_dynamic = "extern" in words(syntax.code[start : declarators[0].start_byte])
        element = plain_type(syntax.source(node.child_by_field_name("type")), known)
        for declarator in declarators:
            name = declared_name(declarator)
            if name is not None:
                yield SharedArray(
                    syntax.source(name), element, dimensions_of(syntax, declarator), is_dynamic, syntax.line(name)
                )


def dimensions_of(syntax: Syntax, declarator: Node) -> list[str]:
    """Return the dimensions of an array's declarator, as written; `extern float s[]` has one that is empty."""
    found: list[str] = []
    node: Node | None = declarator
    while node is not None and node.type in ("array_declarator", "init_declarator"):
        if node.type == "array_declarator":
            size = node.child_by_field_name("size")
            found.insert(0, syntax.source(size))
        node = node.child_by_field_name("declarator")
    return found
