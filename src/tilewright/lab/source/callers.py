"""What a file's own calls pass for a parameter of the function around a launch: `p.solve(16)` for `solve(int side)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tilewright.lab.source.declarations import declared_name, listed_parameters, passed_nodes
from tilewright.lab.source.expressions import UnknownValueError
from tilewright.lab.source.host_code import HostCode
from tilewright.lab.source.names_behind import names_behind, names_made
from tilewright.lab.source.syntax import Syntax, descend, function_around

if TYPE_CHECKING:
    from tree_sitter import Node

    from tilewright.lab.source.launches import LaunchSite

MOST_CALLS = 16
DEEPEST = 4
"""The most functions between the launch and the call that knows the number."""


def passed_number(site: LaunchSite, name: str) -> int | None:
    """Return the whole number that the first call of the function around a launch passes for a parameter, if known."""
    return _passed(site.syntax, site.node, name, DEEPEST)


def passed_type(site: LaunchSite, name: str) -> str | None:
    """Return what a type parameter of the template around a launch is, by the first call whose argument says so."""
    function = function_around(site.node)
    if function is None:
        return None
    typed = re.compile(rf"\b{re.escape(name)}\b")
    places = [at for at, each in enumerate(listed_parameters(function)) if typed.search(site.syntax.source(each))]
    for call in calls_of(site.syntax, names_made(site.syntax)[function.id])[:MOST_CALLS]:
        given = passed_nodes(call)
        for place in (at for at in places if at < len(given)):
            found = _declared_type(site.syntax, call, site.syntax.source(given[place]).lstrip("&"))
            if found is not None:
                return found
    return None


def _declared_type(syntax: Syntax, call: Node, name: str) -> str | None:
    """Return the type that a variable is declared with, without `const`, pointer and reference."""
    try:
        declared = HostCode(syntax, call, {}, names_behind(syntax, name)).declared_type(name)
    except (UnknownValueError, RecursionError):
        return None
    return " ".join(word for word in re.sub(r"[*&]", " ", declared).split() if word != "const") if declared else None


def calls_with_arguments(syntax: Syntax, name: str) -> Iterator[tuple[Node, list[Node]]]:
    """Yield the calls of a function, each with what it passes, in the order of the text."""
    for call in calls_of(syntax, [name])[:MOST_CALLS]:
        yield call, passed_nodes(call)


def parameters_of_function(syntax: Syntax, function: Node) -> tuple[str, list[str]]:
    """Return a function's name, without its class, and the names of its parameters."""
    name = syntax.source(declared_name(function.child_by_field_name("declarator"))).split("::")[-1]
    return name, list(parameters_of(syntax, function))


def _passed(syntax: Syntax, inside: Node, name: str, depth: int) -> int | None:
    function = function_around(inside)
    if function is None or not depth:
        return None
    parameters = parameters_of(syntax, function)
    if name not in parameters:
        return None
    place = list(parameters).index(name)
    for call in calls_of(syntax, names_made(syntax)[function.id])[:MOST_CALLS]:
        given = passed_nodes(call)
        passed = given[place] if place < len(given) else parameters[name]
        value = _number(syntax, call, passed, depth) if passed is not None else None
        if value is not None:
            return value
    return None


def _number(syntax: Syntax, call: Node, passed: Node, depth: int) -> int | None:
    text = syntax.code_of(passed)
    try:
        value = HostCode(syntax, call, {}, names_behind(syntax, text)).evaluate(text)
    except UnknownValueError:
        return _passed(syntax, call, text.strip(), depth - 1)
    except RecursionError:
        return None
    return int(value) if isinstance(value, int | float) else None


def parameters_of(syntax: Syntax, function: Node) -> dict[str, Node | None]:
    """Return the names of a function's parameters, with what is taken where a call leaves one out."""
    return {
        syntax.source(declared_name(each.child_by_field_name("declarator"))): each.child_by_field_name("default_value")
        for each in listed_parameters(function)
    }


def calls_of(syntax: Syntax, names: list[str]) -> list[Node]:
    """Return the calls of a function or a method by one of its names."""
    found = []
    for call in descend(syntax.root, "call_expression"):
        called = call.child_by_field_name("function")
        if called is not None and called.type == "field_expression":
            called = called.child_by_field_name("field")
        while called is not None and called.type in ("template_function", "template_method", "qualified_identifier"):
            called = called.child_by_field_name("name")
        if called is not None and syntax.source(called) in names:
            found.append(call)
    return found
