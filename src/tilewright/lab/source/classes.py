"""The classes of a text, and those that a function written outside of them belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from tilewright.lab.source.declarations import declared_name
from tilewright.lab.source.syntax import Syntax, descend

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES = ("class_specifier", "struct_specifier")


def classes_around(syntax: Syntax, node: Node) -> Iterator[Node]:
    """Yield the members of a class, or of the classes that a function written outside of them belongs to."""
    if node.type in _CLASSES:
        body = node.child_by_field_name("body")
        if body is not None:
            yield body
    elif node.type == "function_definition":
        *classes, _ = syntax.source(declared_name(node.child_by_field_name("declarator"))).split("::")
        for name in classes:
            if members := _member_lists(syntax).get(name.partition("<")[0].strip()):
                yield members


@lru_cache(maxsize=4)
def _member_lists(syntax: Syntax) -> dict[str, Node]:
    """Return what stands in the braces of each class of a text, by the class's name."""
    found = {}
    for node in descend(syntax.root, *_CLASSES):
        body = node.child_by_field_name("body")
        if body is not None:
            found[syntax.source(node.child_by_field_name("name"))] = body
    return found
