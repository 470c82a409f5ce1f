"""A text instrumented so that each subscript of an array is checked against its own dimension.

`tile[i][j]` becomes `tile[in(i)][in(j)]`, where `in` returns what it is given. The extent is that of the array's type,
so a pointer costs nothing. Lines stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tilewright.lab.source.changes import Edit, edited
from tilewright.lab.source.conditionals import parsed
from tilewright.lab.source.declarations import Item, items
from tilewright.lab.source.keeping import keep_device_part
from tilewright.lab.source.macros import Macros, code_only
from tilewright.lab.source.scopes import Declared, Scopes, fields_of, misread_declaration, of_file
from tilewright.lab.source.syntax import Node, Syntax, children, descend

_UNEVALUATED = ("sizeof_expression", "decltype", "alignof_expression", "noexcept", "template_argument_list")
_CONSTANT = ("static_assert_declaration", "case_statement", "enumerator", "array_declarator", "bitfield_clause")
_TAKES_ADDRESS = re.compile(r"&(?!&)|#|\bsizeof\b|\bdecltype\b")


@dataclass(frozen=True)
class Site:
    """A subscript that is checked: file, line, the array's name, its dimension from 0, and that extent as written."""

    file: str
    line: int
    array: str
    dimension: int
    extent_text: str


@dataclass
class InstrumentedText:
    """A text with its subscripts checked.

    checked: what is, in the order of their numbers. not_checked: (line, array, why). edits: what was changed.
    """

    text: str
    checked: list[Site] = field(default_factory=list)
    not_checked: list[tuple[int, str, str]] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)


def instrument_subscripts(text: str) -> InstrumentedText:
    """Return the device's part of a text that stands alone, its subscripts checked.

    Raises:
        SourceError: the text can't be parsed within its limits.
    """
    name = "the file"
    syntax = parsed(text, Macros([text]), name, {})
    kept = keep_device_part([syntax])[0]
    result = instrument(syntax, kept.items, name)
    result.text = edited(kept.text, result.edits)
    return result


def instrument(
    syntax: Syntax, found: Sequence[Item], name: str, first: int = 0, skipped_lines: frozenset[int] = frozenset()
) -> InstrumentedText:
    """Return the edits that check the subscripts of some items; the first gets the number `first`.

    skipped_lines: those whose checks did not compile.
    """
    result = InstrumentedText("")
    globals_of_text = of_file(syntax, items(syntax))
    fields = fields_of(syntax)
    for item in found:
        if item.kind == "macro":
            result.not_checked.append(
                (
                    syntax.lines.at(item.start),
                    syntax.text[item.start : item.end].partition("(")[0],
                    "a macro holds this code",
                )
            )
        elif item.node is not None:
            for function in descend(item.node, "function_definition"):
                scopes = Scopes(syntax, function, globals_of_text, fields)
                _Function(syntax, function, scopes, name, result, first, skipped_lines).instrument()
    result.not_checked = sorted(set(result.not_checked))
    return result


class _Function:
    """The subscripts of one function."""

    def __init__(
        self,
        syntax: Syntax,
        function: Node,
        scopes: Scopes,
        name: str,
        result: InstrumentedText,
        first: int,
        skipped_lines: frozenset[int],
    ) -> None:
        self._syntax = syntax
        self._function = function
        self._scopes = scopes
        self._name = name
        self._result = result
        self._first = first
        self._skipped_lines = skipped_lines

    def instrument(self) -> None:
        body = self._function.child_by_field_name("body")
        if body is None:
            return
        declared = {
            (left.start_byte, left.end_byte)
            for node in descend(body, "assignment_expression")
            if misread_declaration(self._syntax, node) is not None and (left := node.child_by_field_name("left"))
        }
        for node in sorted(descend(body, "subscript_expression"), key=lambda each: each.end_byte):
            if not any(start == node.start_byte and node.end_byte <= end for start, end in declared):
                self._subscript(node)
        for node in descend(body, "identifier"):
            self._bare_name(node)
        for line, array, why in self._in_macros(body):
            self._result.not_checked.append((line, array, why))

    def _subscript(self, node: Node) -> None:
        base, indices = node.child_by_field_name("argument"), node.child_by_field_name("indices")
        if base is None or indices is None:
            return
        variable = self._scopes.meaning(base)
        depth = _depth(base)
        line = self._syntax.line(indices)
        if variable is not None and variable.kind == "dynamic" and depth == 0:
            self._leave(line, variable.name, "its extent comes with the launch")
        if variable is not None and variable.kind != "other" and not self._has_extent(variable, depth):
            return
        why = self._reason(node, base, indices, variable)
        if line in self._skipped_lines:
            why = "its checked form does not compile"
        if why is not None:
            if variable is not None and variable.kind != "other" and why:
                self._leave(line, variable.name, why)
            return
        index = next(child for child in indices.named_children if child.type != "comment")
        number = self._first + len(self._result.checked)
        array = variable.name if variable is not None else self._syntax.source(base)
        extent = variable.dimensions[depth] if variable is not None and depth < len(variable.dimensions) else ""
        self._result.checked.append(Site(self._name, line, array, depth, extent))
        start = f"tilewright_subscript<TILEWRIGHT_EXTENT(({self._syntax.source(base)}))>::tilewright_in(("
        self._result.edits.append(Edit(index.start_byte, index.start_byte, start))
        self._result.edits.append(Edit(index.end_byte, index.end_byte, f"), {number})"))

    def _has_extent(self, variable: Declared, depth: int) -> bool:
        return depth < len(variable.dimensions) and variable.dimensions[depth] != ""

    def _leave(self, line: int, array: str, why: str) -> None:
        self._result.not_checked.append((line, array, why))

    def _reason(self, node: Node, base: Node, indices: Node, variable: Declared | None) -> str | None:
        """Return why a subscript is not checked, "" when there is nothing to check, None when it is."""
        inside = [child for child in indices.named_children if child.type != "comment"]
        if len(inside) != 1:
            return "it has several indices in one pair of brackets"
        stretch = self._syntax.text[base.start_byte : base.end_byte]
        if (
            any(True for _ in descend(base, "lambda_expression"))
            or "#" in self._syntax.code[base.start_byte : base.end_byte]
        ):
            return "its name holds a lambda or a directive"
        if '"' in stretch:
            return ""
        if variable is not None and variable.is_constexpr:
            return "it is constexpr"
        return self._reason_around(node)

    def _reason_around(self, node: Node) -> str | None:
        """Return why what stands around a subscript forbids a check."""
        inner, outer = node, node.parent
        is_chain = True
        while outer is not None and outer != self._function:
            if outer.type in _UNEVALUATED:
                return ""
            if outer.type in _CONSTANT and not (
                outer.type == "case_statement" and outer.child_by_field_name("value") != inner
            ):
                return "it is in a constant expression"
            if (
                outer.type == "declaration"
                and "constexpr" in self._syntax.code[outer.start_byte : inner.start_byte].split()
            ):
                return "it is in a constant expression"
            if is_chain and self._takes_address(outer):
                return "its address is taken"
            if outer.type == "call_expression" and (why := self._reason_of_macro(outer)) is not None:
                return why
            is_base = (
                outer.type in ("subscript_expression", "field_expression")
                and outer.child_by_field_name("argument") == inner
            )
            is_chain = is_chain and (is_base or outer.type == "parenthesized_expression")
            inner, outer = outer, outer.parent
        return None

    def _takes_address(self, outer: Node) -> bool:
        """Whether an expression is `&tile[i]`, which may be one past the end; an atomic function does access it."""
        if outer.type != "pointer_expression" or self._syntax.code[outer.start_byte] != "&":
            return False
        call = outer.parent.parent if outer.parent is not None and outer.parent.type == "argument_list" else None
        return call is None or not self._syntax.source(call).startswith("atomic")

    def _reason_of_macro(self, call: Node) -> str | None:
        function = call.child_by_field_name("function")
        name = self._syntax.source(function) if function is not None else ""
        for macro in self._syntax.macros.all.get(name, []):
            if _TAKES_ADDRESS.search(code_only(macro.body)):
                return f"the macro {name} takes its address or its text"
        return None

    def _bare_name(self, node: Node) -> None:
        """Note an array used without all of its subscripts: accesses through the pointer are not checked."""
        variable = self._scopes.named(self._syntax.source(node), node.start_byte)
        if variable is None or variable.kind not in ("array", "dynamic") or variable.start == node.start_byte:
            return
        inner, outer, depth = node, node.parent, 0
        while outer is not None:
            if outer.type == "subscript_expression" and outer.child_by_field_name("argument") == inner:
                depth += 1
            elif outer.type != "parenthesized_expression":
                break
            inner, outer = outer, outer.parent
        if outer is None or depth >= len(variable.dimensions) or outer.type in (*_UNEVALUATED, "field_expression"):
            return
        if outer.type in ("array_declarator", "init_declarator") and outer.child_by_field_name("declarator") == inner:
            return
        what = "it is used as a pointer" if depth == 0 else "its row is used as a pointer"
        self._leave(self._syntax.line(node), variable.name, what)

    def _in_macros(self, body: Node) -> Iterator[tuple[int, str, str]]:
        """Yield what is subscripted inside of macros."""
        macros = self._syntax.macros
        code = self._syntax.code
        for match in re.finditer(r"\b[A-Za-z_]\w*\b", code[body.start_byte : body.end_byte]):
            if any("[" in code_only(macro.body) for macro in macros.all.get(match[0], [])):
                line = self._syntax.lines.at(body.start_byte + match.start())
                yield line, match[0], "a macro holds the subscript"


def _depth(base: Node) -> int:
    """Return how many subscripts a base already has: of `a[i]` in `a[i][j]`, one."""
    depth, node = 0, base
    while True:
        if node.type == "subscript_expression":
            depth += 1
            inner = node.child_by_field_name("argument")
        elif node.type == "parenthesized_expression":
            inner = next((child for _, child in children(node) if child.is_named), None)
        else:
            return depth
        if inner is None:
            return depth
        node = inner
