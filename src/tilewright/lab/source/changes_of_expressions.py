"""Changes of what an expression computes: comparisons, roundings, operators and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tilewright.lab.source.changes import (
    LIKELY,
    PLAIN,
    POSSIBLE,
    UNLIKELY,
    USUAL,
    Change,
    ChangeableFunction,
    Edit,
    enclosing,
)
from tilewright.lab.source.syntax import descend

if TYPE_CHECKING:
    from tree_sitter import Node

_COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_OPPOSITE = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OPERATORS = {"+": ("-", "*"), "-": ("+",), "*": ("+",), "/": ("%",), "%": ("/",), ">>": ("<<",), "<<": (">>",)}
_LOGICAL = {"&&": "||", "||": "&&"}
_ASSIGNED = {
    "=": (("+=", USUAL),),
    "+=": (("=", LIKELY), ("-=", UNLIKELY)),
    "-=": (("+=", POSSIBLE),),
    "*=": (("+=", POSSIBLE),),
    "/=": (("*=", UNLIKELY),),
}
_OF_64_BITS = re.compile(r"\blong long\b|\bu?int64_t\b")
_WHOLE = re.compile(r"(\d+)[uUlL]*")
_NUMBER = re.compile(r"([01])(?:\.0*)?f?")
_ADDS = re.compile(r"\{?\s*[A-Za-z_]\w* \+=")
"""A sum that a thread keeps, not one in memory."""
_CEILING = re.compile(r"\(?\s*(?P<a>.+?)\s*\+\s*(?:\(\s*)?(?P<b>.+?)\s*-\s*1\s*\)?\s*\)?")


def changes_of_expressions(function: ChangeableFunction) -> Iterator[Change]:
    """Yield the changes of each operator and number of a function."""
    for node in function.nodes("binary_expression"):
        yield from _of_binary(function, node)
    for node in function.nodes("assignment_expression"):
        yield from _of_assignment(function, node)
    for node in function.nodes("update_expression"):
        was = function.source(node)
        now = was.replace("++", "--") if "++" in was else was.replace("--", "++")
        yield function.change(node, now, UNLIKELY)
    for node in function.nodes("number_literal"):
        yield from _of_number(function, node)
    for node in function.nodes("if_statement"):
        yield from _of_whole_groups(function, node)
    for node in function.nodes("cast_expression"):
        value = node.child_by_field_name("value")
        if value is not None:
            yield function.change(node, f"({function.source(value)})", POSSIBLE)
    for node in function.nodes("conditional_expression"):
        yes, no = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if yes is not None and no is not None:
            edits = [
                Edit(yes.start_byte, yes.end_byte, f"({function.source(no)})"),
                Edit(no.start_byte, no.end_byte, f"({function.source(yes)})"),
            ]
            says = f"with the two values of `{function.source(node)}` exchanged"
            yield function.edits(edits, node, UNLIKELY, says=says)


def _of_whole_groups(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `if (j + c < n)` in a loop over c for `if (j + 3 < n)` around it: of a group, those that there are."""
    condition, inner = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if condition is None or inner is None:
        return
    for compared in (each for each in descend(condition, "binary_expression") if _is_end(function, each)):
        first = _operands(_first_of_sum(compared.child_by_field_name("left")), "+")
        base = function.source(first[0]) if first else ""
        size = function.source(compared.child_by_field_name("right"))
        for loop in (each for each in (inner, *descend(inner, "for_statement")) if each.type == "for_statement"):
            body = loop.child_by_field_name("body")
            names = re.search(rf"\b{re.escape(base)}\s*\+\s*([A-Za-z_]\w*)", function.source(body)) if base else None
            if body is None or names is None:
                continue
            guard = f"{base} + {names[1]} < {size}"
            edits = [
                Edit(compared.start_byte, compared.end_byte, f"{base} < {size}"),
                Edit(body.start_byte, body.start_byte, f"if ({guard}) "),
            ]
            says = f"with `if ({guard})` in the loop in place of `{function.source(condition)}`"
            yield function.edits(edits, condition, USUAL, says=says, now=guard)


def _is_end(function: ChangeableFunction, node: Node) -> bool:
    return function.source(node.child_by_field_name("operator")) in ("<", "<=")


def _first_of_sum(node: Node | None) -> Node | None:
    """Return `j + 4` of `j + 4 - 1`."""
    ends = _operands(node, "-")
    return ends[0] if ends else node


def _of_binary(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    parts = [node.child_by_field_name(name) for name in ("left", "operator", "right")]
    if any(part is None for part in parts):
        return
    left, operator, right = (function.source(part) for part in parts)
    if operator in _COMPARED:
        yield from _of_comparison(function, node, left, operator, right)
    elif operator in _LOGICAL:
        yield from _of_guards(function, node)
        yield function.change(node, f"{left} {_LOGICAL[operator]} {right}", USUAL)
        for side in (left, right):  # a part of the elements may be meant
            yield replace(function.change(node, side, UNLIKELY), is_of_values=True)
    elif operator in _OPERATORS:
        for other in _OPERATORS[operator]:
            yield function.change(node, f"({left} {other} {right})", POSSIBLE)
        if operator in "+-":
            yield function.change(node, f"({left})", LIKELY if _WHOLE.fullmatch(right) else UNLIKELY)
            yield function.change(node, f"({right})", UNLIKELY)
        if operator == ">>" and _WHOLE.fullmatch(right):
            yield function.change(node, f"(({left} + (1 << {right}) - 1) >> {right})", USUAL)
        if operator == "/":
            yield from _of_quotient(function, node, left, right)
        yield from _of_parentheses(function, node, operator)
        yield from _of_product(function, node, operator, left, right)


def _of_product(function: ChangeableFunction, node: Node, operator: str, left: str, right: str) -> Iterator[Change]:
    """Yield `2 * i + 1` for `2 * i`, of a pair the second, and an index without its factor."""
    if operator == "*" and _OF_64_BITS.search(function.syntax.code) and not _is_index(node):
        wide = f"(long long)({left}) * {right}"
        declared = node.parent
        kind = declared.parent.child_by_field_name("type") if declared is not None and declared.parent else None
        if declared is not None and declared.type == "init_declarator" and kind is not None:
            edits = [Edit(kind.start_byte, kind.end_byte, "long long"), Edit(node.start_byte, node.end_byte, wide)]
            yield function.edits(edits, node, LIKELY, says=f"with the product `{function.source(node)}` in 64 bits")
        yield function.change(node, wide, LIKELY)
    if operator == "*" and "2" in (left, right):
        yield function.change(node, f"({left} * {right} + 1)", POSSIBLE)
    if operator == "*" and _is_index(node):
        yield function.change(node, f"({left})", UNLIKELY)


def _of_guards(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `i < m / 2 && j < n / 2` for `i < m && j < n`, where C has half the sides of its operands."""
    halves = []
    for name in ("left", "right"):
        side = _operands(node.child_by_field_name(name), "<")
        if not side or function.source(side[1]) not in function.parameters:
            return
        halves.append(f"{function.source(side[0])} < {function.source(side[1])} / 2")
    yield function.change(node, f" {function.source(node.child_by_field_name('operator'))} ".join(halves), POSSIBLE)


def _of_parentheses(function: ChangeableFunction, node: Node, operator: str) -> Iterator[Change]:
    """Yield `(a + b) * c` for `a + b * c`, `(a + c) * (b + d)` for `a * b + c * d`, `a * b + c` for `a * (b + c)`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if operator == "+" and (factors := _operands(right, "*")):
        one, other = map(function.source, factors)
        yield function.change(node, f"({function.source(left)} + {one}) * {other}", LIKELY)
        if first := _operands(left, "*"):
            a, b = map(function.source, first)
            yield function.change(node, f"({a} + {one}) * ({b} + {other})", LIKELY)
    inner = next(iter(right.named_children), None) if right is not None else None
    is_sum = right is not None and right.type == "parenthesized_expression"
    if operator == "*" and is_sum and (terms := _operands(inner, "+")):
        one, other = map(function.source, terms)
        yield function.change(node, f"({function.source(left)} * {one} + {other})", LIKELY)


def _operands(node: Node | None, operator: str) -> list[Node]:
    """Return both operands of an operation, none of another one."""
    if node is None or node.type != "binary_expression" or not any(child.type == operator for child in node.children):
        return []
    return [node.named_children[0], node.named_children[-1]]


def _of_comparison(function: ChangeableFunction, node: Node, left: str, operator: str, right: str) -> Iterator[Change]:
    doubt = POSSIBLE if operator in ("==", "!=") else USUAL
    change = function.change(node, f"{left} {_COMPARED[operator]} {right}", doubt)
    is_guard = operator in ("<=", ">") and any(True for _ in enclosing(node, "if_statement"))
    yield replace(change, mends="guard") if is_guard else change
    if operator == "==" and right.isdecimal() and right != "0":
        yield function.change(node, f"{left} == 0", LIKELY)  # the thread or the lane that has the sum
    is_of_branch = any(True for _ in enclosing(node, "condition_clause"))
    if operator == "<" and is_of_branch and right != "32" and "shfl" in function.syntax.code:
        yield function.change(node, f"{left} < 32", LIKELY)  # all lanes of a warp take part in its shuffles
    branch = next(enclosing(node, "if_statement"), None)
    added = function.source(branch.child_by_field_name("consequence")) if branch is not None and is_of_branch else ""
    if operator == "==" and right == "0" and left == "threadIdx.x" and _ADDS.match(added):
        # One thread of all, where one of each block adds the same.
        yield function.change(node, f"{left} == 0 && blockIdx.x == 0", USUAL)
    if operator == "==" and right == "0" and "shfl" in function.syntax.code:
        yield function.change(node, f"{left} % 32 == 0", LIKELY)  # of each warp, which has a sum of its own
    if operator in _OPPOSITE:
        yield function.change(node, f"{left} {_OPPOSITE[operator]} {right}", POSSIBLE)
        yield function.change(node, f"{left} {operator} {right} - 1", POSSIBLE)
        yield function.change(node, f"{left} {operator} {right} + 1", POSSIBLE)
    if operator in ("<", "<=") and (ends := _operands(node.child_by_field_name("left"), "+")):
        yield function.change(node, f"{function.source(ends[0])} < {right}", USUAL)  # and what is left over as well


def _of_quotient(function: ChangeableFunction, node: Node, left: str, right: str) -> Iterator[Change]:
    """A number of tiles is rounded up; one that is rounded up already is tried rounded down. A share is a fraction."""
    if _is_share(function, node):
        yield replace(function.change(node, f"(1.0f * {left} / {right})", PLAIN), is_of_values=False)
    ceiling = _CEILING.fullmatch(left)
    if ceiling is not None and ceiling["b"].strip(" ()") == right.strip(" ()"):
        yield function.change(node, f"({ceiling['a'].strip(' (')} / {right})", UNLIKELY)
        return
    plain = re.fullmatch(r"\(\s*(.+?)\s*[-+]\s*\d+\s*\)", left)
    numerator = plain[1] if plain is not None else left
    yield function.change(node, f"(({numerator} + {right} - 1) / {right})", USUAL)


def _is_share(function: ChangeableFunction, node: Node) -> bool:
    """Return whether a quotient of whole numbers is a factor of a number that is none: `sum * (1 / n)`."""
    whole = {*function.integers, *function.constants, *function.parameters}
    around = list(enclosing(node, "binary_expression"))
    if _is_index(node) or not any(function.source(each.child_by_field_name("operator")) in "*/" for each in around):
        return False
    names = [function.source(each) for each in (node, *descend(node, "identifier")) if each.type == "identifier"]
    others = [function.source(each) for each in descend(around[-1], "identifier", "number_literal")]
    is_of_fractions = any(name in function.floats or "." in name for name in others)
    return is_of_fractions and all(name in whole for name in names) and not descend(node, "call_expression")


def _of_assignment(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return
    target, value = function.source(left), function.source(right)
    for other, doubt in _ASSIGNED.get(function.source(operator), ()):
        is_counted = function.source(operator) == "=" and target in function.integers
        yield function.change(node, f"{target} {other} {value}", POSSIBLE if is_counted else doubt)
    if function.source(operator) == "+=" and target in function.integers and not _is_step(node):
        yield function.change(node, f"{target} += ({value}) * gridDim.x", POSSIBLE)
    if _is_step(node):
        steps = [
            "1",
            "blockDim.x",
            "blockDim.x * gridDim.x",
            "blockDim.y",
            "gridDim.x",
            "warpSize",
            "gridDim.x * (blockDim.x / 32)",
            "gridDim.x * blockDim.y",
            *function.constants,
            *(f"gridDim.x * {constant}" for constant in function.constants),
        ]
        if "gridDim" not in value and re.search(rf"\b{target}\s*=[^;]*\bblockIdx\b", function.source(function.body)):
            by = value if value.replace(".", "").isidentifier() else f"({value})"
            yield function.change(node, f"{target} {function.source(operator)} {by} * gridDim.x", USUAL)
        for step in steps:
            if step != value:
                yield function.change(node, f"{target} {function.source(operator)} {step}", POSSIBLE)


def _is_step(node: Node) -> bool:
    """Whether an assignment is what a `for` does after each trip."""
    loop = node.parent
    return loop is not None and loop.type == "for_statement" and loop.child_by_field_name("update") == node


def _of_number(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    text = function.source(node)
    whole = _WHOLE.fullmatch(text)
    if whole is not None:
        n = int(whole[1])
        others = [n + 1, n - 1, 2 * n, n // 2]
        is_of_loop = any(_is_of_header(loop, node) for loop in enclosing(node, "for_statement"))
        for other in dict.fromkeys(value for value in others if value >= 0 and value != n):
            is_near = n <= 1 or other in (n + 1, n - 1) or is_of_loop
            is_start = n > 1 and other == 2 * n and _is_halved(function, node)
            yield function.change(node, str(other), LIKELY if is_start else POSSIBLE if is_near else UNLIKELY)
    elif text.lower().startswith("0x"):
        yield function.change(node, "0xffffffffu", POSSIBLE)
    elif (number := _NUMBER.fullmatch(text)) is not None:
        yield function.change(node, "0.0f" if number[1] == "1" else "1.0f", POSSIBLE)


def _is_of_header(loop: Node, node: Node) -> bool:
    """Whether a node stands before a loop's body, as the first step of a sum of halves does."""
    body = loop.child_by_field_name("body")
    return body is not None and node.end_byte <= body.start_byte


def _is_halved(function: ChangeableFunction, node: Node) -> bool:
    """Return whether a number starts a loop that halves it in each trip."""
    loop = next(enclosing(node, "for_statement"), None)
    start = loop.child_by_field_name("initializer") if loop is not None else None
    if loop is None or start is None or not start.start_byte <= node.start_byte < start.end_byte:
        return False
    return re.search(r">>=?|/=?", function.source(loop.child_by_field_name("update"))) is not None


def _is_index(node: Node) -> bool:
    return any(True for _ in enclosing(node, "subscript_expression"))
