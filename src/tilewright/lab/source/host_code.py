"""Evaluates the host code before a launch for the launch's size, without running it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from tilewright.lab.source.classes import classes_around
from tilewright.lab.source.declarations import declared_name, function_declarator, type_text
from tilewright.lab.source.expressions import (
    Evaluation,
    UnknownValueError,
    Value,
    apply,
    convert,
    dim3,
    expression,
)
from tilewright.lab.source.names_behind import functions_named, names_made
from tilewright.lab.source.signatures import aliases, plain_type
from tilewright.lab.source.syntax import Syntax, children, descend
from tilewright.lab.source.template_members import with_members

if TYPE_CHECKING:
    from tree_sitter import Node

_CALL_DEPTH = 8
_ADDRESS = re.compile(r"&\s*(\w+)")
_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop", "switch_statement", "try_statement")
_BLOCKS = ("compound_statement", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "else_clause")


@lru_cache(maxsize=4)
def _type_names(syntax: Syntax) -> dict[str, str]:
    """Return what the names of types stand for, in a text and what it includes."""
    known: dict[str, str] = {}
    for each in (*syntax.included, syntax):
        known |= aliases(each)
    return known


@lru_cache(maxsize=4)
def _enumerator_lists(syntax: Syntax) -> list[Node]:
    return descend(syntax.root, "enumerator_list")


@lru_cache(maxsize=4)
def _global_declarations(syntax: Syntax) -> list[Node]:
    """Return the declarations outside of functions and types, in the text's order."""
    found, todo = [], list(reversed(syntax.root.children))
    while todo:
        node = todo.pop()
        if node.type == "declaration":
            found.append(node)
        elif node.type not in ("function_definition", "template_declaration") and not node.type.endswith("specifier"):
            todo += reversed(node.children)
    return found


class HostCode:
    """What the host knows at a launch: the values of its names.

    wanted: the names whose values matter; None for all. types: what types of a template are taken for.
    """

    def __init__(
        self,
        syntax: Syntax,
        launch: Node,
        sizes: Mapping[str, int],
        wanted: Collection[str] | None = None,
        types: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._types_taken = types
        self._syntax = syntax
        self._wanted = wanted
        self._sizes = dict(sizes)
        self._macros = syntax.macros.without(sizes.keys())  # a size comes before what the file says
        self._known: dict[str, Value | str] = {}
        self._types: dict[str, str] = {}
        self._functions = dict(functions_named(syntax))
        self._depth = 0
        for header in syntax.included:
            self._known |= HostCode(header, header.root, sizes, wanted)._known  # noqa: SLF001  (of its own kind)
        self._enumerators()
        path = [syntax.root]
        while path[-1] != launch and (inner := path[-1].child_with_descendant(launch)) is not None:
            path.append(inner)  # from above: each `parent` begins at the root
        self._globals(launch.start_byte if launch.parent is not None else syntax.root.end_byte)
        for outer in path:
            for members in classes_around(self._syntax, outer):
                self._members(members)
            if outer.type == "function_definition":
                self._parameters(outer)
        body = next((node for node in path if node.type == "function_definition"), None)
        if body is not None:
            self._until(body.child_by_field_name("body"), launch.start_byte)

    def evaluate(self, text: str) -> Value:
        """Return the value of an expression at the launch.

        Raises:
            UnknownValueError: it depends on what is not known.
        """
        syntax, node = expression(with_members(text, self._syntax.code), self._macros)
        try:
            return Evaluation(syntax, self._lookup, self._call, self._named_type).value(node)
        except RecursionError as error:
            raise UnknownValueError("an expression is nested too deep") from error

    def _named_type(self, name: str) -> str:
        return plain_type(name, {**_type_names(self._syntax), **self._types_taken})

    def declared_type(self, name: str) -> str | None:
        """Return the type that a name was declared with, or None."""
        return self._types.get(name)

    def _value(self, node: Node) -> Value:
        return self.evaluate(self._syntax.code_of(node))

    def _lookup(self, name: str) -> Value:
        if name in self._sizes:
            return self._sizes[name]
        value = self._known.get(name)
        if isinstance(value, str):
            raise UnknownValueError(value)
        if value is None:
            raise UnknownValueError(f"{name} is not known")
        return value

    def _call(self, name: str, values: list[Value]) -> Value:
        """Return the value of a function that consists of one `return`; KeyError without such a function."""
        node = self._functions[name]
        body = node.child_by_field_name("body")
        declarator = node.child_by_field_name("declarator")
        if node.type == "function_definition":
            declarator = function_declarator(declarator)
        parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
        statements = [s for s in (body.named_children if body is not None else ()) if s.type != "comment"]
        if parameters is None or len(statements) != 1 or statements[0].type != "return_statement":
            raise UnknownValueError(f"what {name} returns is known only when the program runs")
        if self._depth >= _CALL_DEPTH:
            raise UnknownValueError(f"{name} calls itself")
        listed = [p for p in parameters.named_children if "parameter" in p.type]
        names = [self._syntax.source(declared_name(p.child_by_field_name("declarator"))) for p in listed]
        kept_known, kept_sizes = self._known, self._sizes
        self._known = {
            **self._known,
            **{
                each: convert(self._syntax.source(p.child_by_field_name("type")), value)
                for each, p, value in zip(names, listed, values, strict=False)
            },
        }
        self._sizes = {each: value for each, value in self._sizes.items() if each not in names}
        self._depth += 1
        try:
            result = self._value(statements[0].named_children[0])
            result_type = node.child_by_field_name("type")
            return convert(self._syntax.source(result_type), result) if result_type is not None else result
        finally:
            self._known, self._sizes = kept_known, kept_sizes
            self._depth -= 1

    def _enumerators(self) -> None:
        for body in _enumerator_lists(self._syntax):
            following = 0
            if not self._is_wanted(body):
                continue
            for node in body.named_children:
                if node.type != "enumerator":
                    continue
                value = node.child_by_field_name("value")
                name = self._syntax.source(node.child_by_field_name("name"))
                if value is not None:
                    self._assign(name, value, "int")
                    known = self._known[name]
                    following = known if isinstance(known, int) else 0
                else:
                    self._known[name] = following
                following += 1

    def _globals(self, end: int) -> None:
        for node in _global_declarations(self._syntax):
            if node.start_byte >= end:
                return
            self._declaration(node)

    def _members(self, members: Node) -> None:
        """Take the constants of a class: `static const int side = 16;`."""
        for node in members.named_children:
            words = self._syntax.source(node).partition("=")[0].split()
            is_constant = "constexpr" in words or {"static", "const"} <= set(words)
            if node.type != "field_declaration" or not is_constant or not self._is_wanted(node):
                continue
            name, base = "", self._syntax.source(node.child_by_field_name("type"))
            for field, child in children(node):
                if field == "declarator":
                    name = self._syntax.source(declared_name(child))
                elif field == "default_value" and name:
                    self._assign(name, child, base)

    def _parameters(self, function: Node) -> None:
        declarator = function_declarator(function.child_by_field_name("declarator"))
        parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
        for parameter in parameters.named_children if parameters is not None else ():
            name = self._syntax.source(declared_name(parameter.child_by_field_name("declarator")))
            if name:
                line = self._syntax.line(parameter)
                self._known[name] = f"{name} is a parameter of the function in line {line}"
                self._types[name] = type_text(self._syntax, parameter, parameter.child_by_field_name("declarator"))

    def _until(self, body: Node | None, end: int) -> None:
        """Evaluate the statements before a place; those of a branch that holds the place are taken."""
        for node in body.named_children if body is not None else ():
            if node.start_byte >= end:
                return
            holds = node.end_byte > end
            if node.type in _BLOCKS:
                self._until(node, end)
            elif node.type == "if_statement":
                self._if(node, end, holds=holds)
            elif node.type in _LOOPS:
                self._loop(node, end, holds=holds)
            else:
                self._statement(node)

    def _statement(self, node: Node) -> None:
        if node.type == "declaration":
            self._declaration(node)
        elif node.type == "expression_statement" and node.named_children:
            self._expression(node.named_children[0])
        named = _ADDRESS.findall(self._syntax.code, node.start_byte, node.end_byte)
        for taken in descend(node, "pointer_expression") if not self._known.keys().isdisjoint(named) else ():
            name = _ADDRESS.match(self._syntax.source(taken))
            if name is not None and name[1] in self._known:
                line = self._syntax.line(taken)
                self._known[name[1]] = f"{name[1]} is not known: its address is taken in line {line}"

    def _if(self, node: Node, end: int, *, holds: bool) -> None:
        condition = node.child_by_field_name("condition")
        branches = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
        if holds:
            for branch in branches:
                if branch is not None and branch.start_byte <= end < branch.end_byte:
                    self._branch(branch, end)
            return
        try:
            inner = condition.child_by_field_name("value") if condition is not None else None
            taken = bool(self._value(inner or condition)) if condition is not None else False
        except UnknownValueError as error:
            for branch in branches:
                self._forget(
                    branch, f"what is assigned in line {self._syntax.line(node)} depends on a condition where {error}"
                )
            return
        chosen = branches[0] if taken else branches[1]
        if chosen is not None:
            self._branch(chosen, end)

    def _branch(self, node: Node, end: int) -> None:
        if node.type in _BLOCKS:
            self._until(node, end)
        elif node.type == "if_statement":
            self._if(node, end, holds=node.end_byte > end)
        else:
            self._statement(node)

    def _loop(self, node: Node, end: int, *, holds: bool) -> None:
        self._forget(node, f"it changes in the loop of line {self._syntax.line(node)}")
        if holds and node.type == "for_range_loop":
            self._range(node)
        if holds:
            for child in node.named_children:
                if child.start_byte <= end < child.end_byte:
                    self._until(child, end)

    def _range(self, loop: Node) -> None:
        """Take the largest of the numbers of a loop such as `for (int side : {8, 16})`: small blocks hide races."""
        over = loop.child_by_field_name("right")
        for made in descend(self._syntax.root, "init_declarator"):
            if self._syntax.source(declared_name(made)) == self._syntax.source(over):
                over = made.child_by_field_name("value")
        if over is None or over.type != "initializer_list":
            return
        with suppress(UnknownValueError):
            values = [self._value(child) for child in over.named_children if child.type != "comment"]
            numbers = [value for value in values if isinstance(value, int | float)]
            if numbers and len(numbers) == len(values):
                self._known[self._syntax.source(loop.child_by_field_name("declarator"))] = max(numbers)

    def _forget(self, node: Node | None, reason: str) -> None:
        """Treat what a statement assigns as unknown."""
        for assigned in descend(node, "assignment_expression", "update_expression") if node is not None else ():
            target = assigned.child_by_field_name("left") or assigned.child_by_field_name("argument")
            name = re.match(r"\w+", self._syntax.source(target))
            if name is not None and name[0] in self._known:
                self._known[name[0]] = f"{name[0]} is not known: {reason}"

    def _is_wanted(self, node: Node) -> bool:
        wanted = self._wanted
        return wanted is None or any(name in wanted for name in names_made(self._syntax)[node.id])

    def _declaration(self, node: Node) -> None:
        if not self._is_wanted(node):
            return
        base = self._syntax.source(node.child_by_field_name("type"))
        for field, declarator in children(node):
            if field != "declarator":
                continue
            name = self._syntax.source(declared_name(declarator))
            self._types[name] = type_text(self._syntax, node, declarator)
            initial = declarator.child_by_field_name("value")
            if initial is not None and initial.type == "lambda_expression":
                self._functions[name] = initial
                continue
            # `dim3 block(WIDTH, WIDTH);` may as well declare a function, and that is how it is read.
            of_function = function_declarator(declarator)
            value = (of_function or declarator).child_by_field_name("parameters" if of_function else "value")
            if value is not None:
                self._assign(name, value, base)
            elif base == "dim3":
                self._known[name] = (1, 1, 1)
            else:
                self._known[name] = (
                    f"{name}, declared in line {self._syntax.line(node)}, has no value before the launch"
                )

    def _assign(self, name: str, value: Node, type_text: str) -> None:
        try:
            if value.type in ("argument_list", "parameter_list"):
                values = [self._value(child) for child in value.named_children if child.type != "comment"]
                self._known[name] = (
                    dim3(values) if type_text == "dim3" or len(values) != 1 else convert(type_text, values[0])
                )
            else:
                result = self._value(value)
                self._known[name] = convert(type_text, result)
        except UnknownValueError as error:
            self._known[name] = self._reason(name, value, str(error))

    def _reason(self, name: str, value: Node, error: str) -> str:
        return error if " line " in error else f"{name} of line {self._syntax.line(value)} is not known: {error}"

    def _assigned(self, node: Node) -> Node | None:
        """Return what is assigned; of `a = b = 1` that is b, to which 1 is assigned first."""
        value = node.child_by_field_name("right")
        if value is None or value.type != "assignment_expression":
            return value
        self._expression(value)
        return value.child_by_field_name("left")

    def _expression(self, node: Node) -> None:
        if node.type == "comma_expression":
            for child in node.named_children:
                self._expression(child)
        if node.type != "assignment_expression":
            self._forget(node, f"line {self._syntax.line(node)} changes it")
            return
        target, value = node.child_by_field_name("left"), self._assigned(node)
        sign = self._syntax.source(node.child_by_field_name("operator"))
        if target is None or value is None or not self._is_wanted(node):
            return
        text = self._syntax.source(target)
        part = re.fullmatch(r"(\w+)\s*\.\s*([xyz])", text)
        name = part[1] if part else text
        if not re.fullmatch(r"\w+", name):
            return
        try:
            result = self._value(value)
            old = self._known.get(name)
            if sign != "=":
                current = self.evaluate(text)
                if isinstance(current, tuple) or isinstance(result, tuple):
                    raise UnknownValueError(f"{text!r} is a dim3")
                result = apply(sign[:-1], current, result, self._syntax.source(node))
            if part is not None and isinstance(old, tuple) and not isinstance(result, tuple):
                sizes: list[Value] = list(old)
                sizes["xyz".index(part[2])] = result
                self._known[name] = dim3(sizes)
            else:
                self._known[name] = convert(self._types.get(name, ""), result)
        except UnknownValueError as error:
            self._known[name] = self._reason(name, value, str(error))
