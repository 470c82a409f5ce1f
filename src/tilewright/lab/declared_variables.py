"""The variables that a kernel's source declares: parameters, shared ones, and those that CUDA places by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tilewright.lab.source.declarations import Item, declared_name, items
from tilewright.lab.source.signatures import KernelSignature, kernels
from tilewright.lab.source.syntax import Node, Syntax, children, descend

_WORD = re.compile(r"[A-Za-z_]\w*")
_VALUE = re.compile(r"\s*(=.*|;\s*)$", re.DOTALL)


@dataclass(frozen=True)
class DeclaredVariable:
    """A variable of a source. ``text`` is its declaration without a value, ``line`` that of its name."""

    name: str
    text: str
    line: int
    is_pointer: bool = False
    is_array: bool = False


@dataclass(frozen=True)
class DeclaredVariables:
    """What a kernel declares; ``automatic`` are the variables of its body without a qualifier.

    ``outside`` are `__device__`, `__constant__` and `__shared__` variables outside of functions.
    """

    parameters: tuple[DeclaredVariable, ...] = ()
    shared: tuple[DeclaredVariable, ...] = ()
    automatic: tuple[DeclaredVariable, ...] = ()
    outside: tuple[DeclaredVariable, ...] = ()

    def with_macros(self, macros: Mapping[str, str]) -> DeclaredVariables:
        """Return the same with macros replaced in the declarations: `float tile_A[16][16]`."""

        def replaced(each: DeclaredVariable) -> DeclaredVariable:
            return replace(each, text=_WORD.sub(lambda word: macros.get(word[0], word[0]), each.text))

        return DeclaredVariables(
            *(tuple(map(replaced, part)) for part in (self.parameters, self.shared, self.automatic, self.outside))
        )


NOTHING = DeclaredVariables()
"""For a kernel whose source is not at hand."""


def declared_in(syntaxes: Sequence[Syntax], signature: KernelSignature) -> DeclaredVariables:
    """Return what a kernel of some texts declares, and what they declare outside of functions."""
    found = [(syntax, item) for syntax in syntaxes for item in items(syntax)]
    outside = tuple(each for syntax, item in found for each in _outside(syntax, item))
    for syntax, item in found:
        if item.node is not None and signature in kernels(syntax, [item]):
            return replace(_declared(syntax, item.node, signature), outside=outside)
    return DeclaredVariables(outside=outside)


def declared_by_name(text: str, name: str) -> DeclaredVariables:
    """Return what the kernel ``name`` of a source text declares; nothing if there is none."""
    syntax = Syntax(text)
    found = [signature for signature in kernels(syntax, items(syntax)) if signature.name == name]
    return declared_in([syntax], found[0]) if found else NOTHING


def _declared(syntax: Syntax, node: Node, signature: KernelSignature) -> DeclaredVariables:
    parameters = tuple(
        DeclaredVariable(each.name, f"{each.type_text} {each.name}", signature.line, each.is_pointer)
        for each in signature.parameters
    )
    body = node.child_by_field_name("body")
    inside = () if body is None else tuple(_declared_inside(syntax, body))
    qualifiers = {
        each.name: "extern __shared__" if each.is_dynamic else "__shared__" for each in signature.shared_arrays
    }
    shared = tuple(
        replace(each, text=f"{qualifiers[each.name]} {each.text}") for each in inside if each.name in qualifiers
    )
    automatic = tuple(each for each in inside if each.name not in qualifiers)
    return DeclaredVariables(parameters, shared, automatic)


def _declared_inside(syntax: Syntax, body: Node) -> Iterator[DeclaredVariable]:
    """Each name once, though loops may declare an `i` again and again."""
    seen: set[str] = set()
    for node in descend(body, "declaration"):
        type_text = syntax.source(node.child_by_field_name("type"))
        for field, declarator in children(node):
            name = declared_name(declarator) if field == "declarator" else None
            if name is None or syntax.source(name) in seen:
                continue
            seen.add(syntax.source(name))
            shown = declarator
            while shown.type == "init_declarator" and (inner := shown.child_by_field_name("declarator")) is not None:
                shown = inner
            yield DeclaredVariable(
                syntax.source(name),
                f"{type_text} {syntax.source(shown)}",
                syntax.line(name),
                is_pointer=shown.type == "pointer_declarator",
                is_array=shown.type == "array_declarator",
            )


def _outside(syntax: Syntax, item: Item) -> Iterator[DeclaredVariable]:
    if item.kind != "variable" or not item.is_device or item.node is None:
        return
    text = _VALUE.sub("", " ".join(syntax.code[item.start : item.end].split()))
    for name in item.names:
        yield DeclaredVariable(name, text, syntax.line(item.node), is_array="[" in text)
