"""Which names the value of an expression at a launch may depend on: through macros, declarations and assignments."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tilewright.lab.source.declarations import declared_name
from tilewright.lab.source.macros import words
from tilewright.lab.source.syntax import Syntax, children, descend

if TYPE_CHECKING:
    from tree_sitter import Node

_MAKERS = ("function_definition", "declaration", "field_declaration", "assignment_expression", "enumerator_list")


class _Branch(NamedTuple):
    """An `if` around something, and the next one around that."""

    node: Node
    outer: _Branch | None


_Makers = dict[str, list[tuple[Syntax, "Node", _Branch | None]]]


@lru_cache(maxsize=256)
def names_behind(syntax: Syntax, text: str) -> frozenset[str]:
    """Return the names of a text and all that their values may depend on, in time linear in the file."""
    makers, found, todo = _makers(syntax), set[str](), [words(text)]
    made, passed = set[int](), set[int]()
    while todo:
        for word in todo.pop() - found:
            found.add(word)
            for each in (syntax, *syntax.included):
                todo += [words(macro.body) for macro in each.macros.all.get(word, ())]
            for source, maker, innermost in makers.get(word, ()):
                if maker.id in made:
                    continue
                made.add(maker.id)
                todo.append(words(source.code_of(maker)))
                branch = innermost
                while branch is not None and branch.node.id not in passed:  # it decides what is assigned in it
                    passed.add(branch.node.id)
                    todo.append(words(source.source(branch.node.child_by_field_name("condition"))))
                    branch = branch.outer
    return frozenset(found)


@lru_cache(maxsize=4)
def names_made(syntax: Syntax) -> dict[int, list[str]]:
    """Return by node to which names functions, declarations, fields, assignments and enumerations give values."""
    return {node.id: _names(syntax, node) for node in descend(syntax.root, *_MAKERS)}


@lru_cache(maxsize=2)
def _makers(syntax: Syntax) -> _Makers:
    found: _Makers = defaultdict(list)
    for source in (syntax, *syntax.included):
        branch: _Branch | None = None
        for node in descend(source.root, *_MAKERS, "if_statement"):
            while branch is not None and branch.node.end_byte <= node.start_byte:
                branch = branch.outer
            for name in names_made(source).get(node.id, ()):
                found[name].append((source, node, branch))
            if node.type == "if_statement":
                branch = _Branch(node, branch)
    return found


def _names(syntax: Syntax, node: Node) -> list[str]:
    if node.type == "assignment_expression":
        return re.findall(r"^\w+", syntax.source(node.child_by_field_name("left")))
    if node.type == "enumerator_list":
        return [syntax.source(each.child_by_field_name("name")) for each in node.named_children]
    if node.type == "field_declaration" and node.child_by_field_name("default_value") is None:
        return []
    declarators = [child for field, child in children(node) if field == "declarator"]
    return [syntax.source(declared_name(each)).split("::")[-1] for each in declarators]


@lru_cache(maxsize=4)
def functions_named(syntax: Syntax) -> dict[str, Node]:
    """Return the functions of a text by name; of several the first."""
    nodes = reversed(descend(syntax.root, "function_definition"))
    return {name: node for node in nodes for name in names_made(syntax)[node.id]}
