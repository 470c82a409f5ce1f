"""Changes of which element is meant: names, their order, and subscripts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
    statement_of,
)
from tilewright.lab.source.structs import OF_PARAMETER
from tilewright.lab.source.syntax import descend

if TYPE_CHECKING:
    from tree_sitter import Node

_BUILTINS = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_OTHER_BUILTIN = {"threadIdx": "blockIdx", "blockIdx": "threadIdx", "blockDim": "gridDim", "gridDim": "blockDim"}
_AXIS = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*([xy])\b")
_FLIPPED = {"x": "y", "y": "x"}
OFFSET_SLIP = re.compile(
    r"blockIdx\s*\.\s*(?P<axis>[xyz])\s*\*\s*(?:blockDim\s*\.\s*(?!(?P=axis))[xyz]|gridDim\s*\.\s*[xyz]"
    r"|blockDim\s*\.\s*(?P=axis)\s*\+\s*threadIdx\s*\.\s*(?!(?P=axis))[xyz])"
)
"""A block's offset by the threads of another axis than it or the thread has, or by the number of blocks."""
DOUBLE = re.compile(r"\(?(?:2 \* [\w.]+|[\w.]+ \* 2|[\w.]+ << 1)\)?")
"""The first of two neighbours."""
_ADDED = re.compile(r"(\w+)\s*\[[^;]*\]\s*\+\s*\1\s*\[")
"""Two elements of an array, added."""
_BLOCKS_OFFSET = re.compile(r"blockIdx\.[xyz] \* [\w.]+|[\w.]+ \* blockIdx\.[xyz]")
_QUOTIENT = re.compile(r".+/ *(?P<by>\w+)")
MOST_PEERS = 12
SWAPPED = 0.6
"""Doubt: the two indices of a tile's element exchanged."""


@dataclass(frozen=True)
class Linear:
    """An index `major * stride + minor`, as texts."""

    major: str
    stride: str
    minor: str


def changes_of_indices(function: ChangeableFunction) -> Iterator[Change]:
    """Yield changes of the names and subscripts of a function."""
    yield from _of_axes(function)
    yield from _of_all_axes(function)
    yield from _of_names(function)
    yield from _of_fields(function)
    for node in function.nodes("subscript_expression"):
        yield from _of_subscript(function, node)
    for node in function.nodes("binary_expression"):
        yield from _of_interleaved(function, node)
        yield from _row_of_pair(function, node)
        yield from _of_several_tiles(function, node)
    for node in function.nodes("declaration", "expression_statement", "return_statement"):
        yield from _doubled(function, node)
        yield from _rows_of_pairs(function, node)
        yield from _as_its_peers(function, node)


def index_of(node: Node) -> Node | None:
    """Return the only index of a subscript."""
    indices = node.child_by_field_name("indices")
    inside = [child for child in indices.named_children if child.type != "comment"] if indices is not None else []
    return inside[0] if len(inside) == 1 else None


def linear_of(function: ChangeableFunction, index: Node) -> Linear | None:
    """Return an index as row, stride and column; a variable is replaced by its value."""
    node: Node | None = _bare(index)
    if node is not None and node.type == "identifier":
        node = _bare(value_of(function, node))
    terms = _terms(node) if node is not None else []
    for number, term in enumerate(terms):
        inner = _bare(term)
        if (
            inner is None
            or inner.type != "binary_expression"
            or function.source(inner.child_by_field_name("operator")) != "*"
        ):
            continue
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        rest = [function.source(each) for at, each in enumerate(terms) if at != number]
        first, second = function.source(left), function.source(right)
        if second in ("blockDim.x", "blockDim.y") or first in ("blockIdx.x", "blockIdx.y", "blockDim.x", "blockDim.y"):
            continue
        sizes = {size for extents in function.bounds.extents.values() for size in extents} | set(function.bounds.sizes)
        is_first, is_second = (_is_size(function, each, sizes) for each in (left, right))
        if sizes and not is_second and is_first:
            first, second = second, first
        if sizes and not (is_first or is_second):
            continue
        return Linear(f"({first})", second, f"({' + '.join(rest) or '0'})")
    return None


def _is_size(function: ChangeableFunction, node: Node | None, sizes: Iterable[str]) -> bool:
    """Return whether a factor is a size, or half of one: `n / 2`, or a variable that holds that."""
    node = _bare(node)
    value = value_of(function, node) if node is not None and node.type == "identifier" else None
    known = {re.sub(r"[\s()]", "", size) for size in sizes}
    return any(
        re.sub(r"[\s()]", "", function.source(each)) in known for each in (node, _bare(value)) if each is not None
    )


def _declared_as(function: ChangeableFunction, name: str) -> Node | None:
    """Return the only value that a name is declared with."""
    found = [
        each.child_by_field_name("value")
        for each in function.nodes("init_declarator")
        if function.source(each.child_by_field_name("declarator")) == name
    ]
    return found[0] if len(found) == 1 else None


def _terms(node: Node) -> list[Node]:
    if node.type == "binary_expression" and any(child.type == "+" for child in node.children):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return [*(_terms(left) if left is not None else []), *([right] if right is not None else [])]
    inner = _bare(node)
    return _terms(inner) if inner is not None and inner != node else [node]


def _bare(node: Node | None) -> Node | None:
    while node is not None and node.type in ("parenthesized_expression", "cast_expression"):
        node = node.child_by_field_name("value") or next(
            (child for child in node.named_children if child.type != "comment"), None
        )
    return node


def value_of(function: ChangeableFunction, name: Node) -> Node | None:
    """Return what a variable is declared with, if that is the only value that it gets."""
    return _declared_as(function, function.source(name))


def _of_axes(function: ChangeableFunction) -> Iterator[Change]:
    for node in function.nodes("field_expression"):
        base, axis = (
            function.source(node.child_by_field_name("argument")),
            function.source(node.child_by_field_name("field")),
        )
        if base not in _BUILTINS:
            continue
        if base == "blockDim" and axis == "x" and not _is_of_block(function, node):
            yield function.change(node, "(blockDim.x * gridDim.x)", LIKELY)
        slip = OFFSET_SLIP.fullmatch(function.source(node.parent))
        is_turned, is_of_grid = (slip is not None and base == name for name in ("blockDim", "gridDim"))
        if axis in _FLIPPED:
            yield function.change(node, f"{base}.{_FLIPPED[axis]}", PLAIN if is_turned else USUAL)
        yield function.change(node, f"{_OTHER_BUILTIN[base]}.{axis}", PLAIN if is_of_grid else POSSIBLE)


def _is_of_block(function: ChangeableFunction, node: Node) -> bool:
    """Return whether a number of threads stands beside a block's number, or that of the blocks: no step of a loop."""
    return re.search(r"blockIdx|gridDim", function.source(statement_of(node))) is not None


def _of_all_axes(function: ChangeableFunction) -> Iterator[Change]:
    """Yield x and y exchanged in a statement, in two and in all declarations."""
    flipped = []
    for statement in function.nodes("declaration", "expression_statement"):
        text = function.syntax.code_of(statement)
        if _AXIS.search(text) is None:
            continue
        now = _AXIS.sub(lambda m: f"{m[1]}.{_FLIPPED[m[2]]}", text)
        if len(_AXIS.findall(text)) > 1:
            yield function.change(statement, now, LIKELY, says=_exchanged(function, statement))
        if statement.type == "declaration":
            flipped.append((statement, Edit(statement.start_byte, statement.end_byte, now)))
    for number, (first, edit) in enumerate(flipped):
        for second, other in flipped[number + 1 : number + 3]:
            line = function.syntax.line(second)
            says = f"with x and y exchanged here and in line {line}"
            yield function.edits([edit, other], first, LIKELY, says=says)
    if len(flipped) > 2:
        says = "with x and y exchanged in all of these declarations"
        yield function.edits([edit for _, edit in flipped], flipped[0][0], POSSIBLE, says=says)


def _of_interleaved(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `thread + i * THREADS` for `thread * EACH + i`, and the other way round: elements apart or side by side."""
    if _is_part_of_sum(node):
        return
    terms = [function.source(term) for term in _terms(node)]
    products = [
        (at, match) for at, term in enumerate(terms) if (match := re.fullmatch(r"([\w.:]+) \* ([\w.:]+)", term))
    ]
    plain = [at for at, term in enumerate(terms) if re.fullmatch(r"[A-Za-z_][\w.]*", term)]
    for (at, product), place in itertools.product(products, plain):
        if product[1].startswith("blockIdx"):
            continue
        rest = [term for n, term in enumerate(terms) if n not in (at, place)]
        yield from _as_elsewhere(function, node, rest, (product[1], product[2], terms[place]))
        each, by = (product[2], product[1]) if product[1].isdigit() else (product[1], product[2])
        ends = _ends_of(function, node, each)
        for step in dict.fromkeys([*ends, by, *function.constants, "blockDim.x", "blockDim.y"]):
            now = " + ".join([*rest, each, f"{terms[place]} * {step}"])
            yield function.change(node, f"({now})", LIKELY)


def _is_part_of_sum(node: Node) -> bool:
    outer = node.parent
    return outer is not None and outer.type == "binary_expression" and any(c.type == "+" for c in outer.children)


def _as_elsewhere(
    function: ChangeableFunction, node: Node, rest: list[str], parts: tuple[str, str, str]
) -> Iterator[Change]:
    """Yield `thread + i * THREADS` for `thread * EACH + i` where the kernel has that form elsewhere."""
    first, by, last = parts
    body = function.source(function.body)
    for thread, index in ((first, last), (last, first)):
        form = rf"(?<![\w.:]){re.escape(thread)} \+ {re.escape(index)} \* ([\w.:]+)"
        for step in dict.fromkeys(re.findall(form, body)):
            if (thread, index, step) != (last, first, by):
                yield function.change(node, f"({' + '.join([*rest, thread, f'{index} * {step}'])})", USUAL)


def _ends_of(function: ChangeableFunction, node: Node, name: str) -> list[str]:
    """Return what a variable stays below in a loop around a node: how many elements each thread has."""
    loops = (function.source(loop.child_by_field_name("condition")) for loop in enclosing(node, "for_statement"))
    return [found[1] for each in loops if (found := re.fullmatch(rf"{re.escape(name)} < ([\w:]+)", each))]


def _of_several_tiles(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `blockIdx.x * TILE * EACH` for `blockIdx.x * TILE`, where a block has several tiles."""
    text = function.source(node)
    for constant in function.constants if _BLOCKS_OFFSET.fullmatch(text) else ():
        if constant not in text.split(" * "):
            yield function.change(node, f"({text} * {constant})", LIKELY)


def _doubled(function: ChangeableFunction, statement: Node) -> Iterator[Change]:
    """Yield `(2 * i)` for each `i` of a statement with several of them in subscripts: every second row may be meant."""
    named: dict[str, list[Node]] = {}
    for subscript in descend(statement, "subscript_expression"):
        for node in descend(subscript, "identifier"):
            if function.source(node) in function.integers and function.source(node) not in function.parameters:
                named.setdefault(function.source(node), []).append(node)
    for name, nodes in named.items():
        edits = [Edit(node.start_byte, node.end_byte, f"(2 * {name})") for node in nodes]
        if len(nodes) > 1:
            yield function.edits(edits, statement, POSSIBLE, says=f"with `2 * {name}` in place of each `{name}`")


def _rows_of_pairs(function: ChangeableFunction, statement: Node) -> Iterator[Change]:
    """Yield `(2 * n)` for the length of the rows of two elements that are added: of what has a half as many columns."""
    if not _ADDED.search(function.source(statement)):
        return
    factors: dict[str, list[Node]] = {}
    for subscript in descend(statement, "subscript_expression"):
        for node in descend(subscript, "identifier"):
            if function.source(node) in function.parameters and is_times_row(node):
                factors.setdefault(function.source(node), []).append(node)
    for name, nodes in factors.items():
        edits = [Edit(node.start_byte, node.end_byte, f"(2 * {name})") for node in nodes]
        if len(nodes) > 1:
            yield function.edits(edits, statement, LIKELY, says=f"with rows of `2 * {name}` in place of `{name}`")


def _row_of_pair(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `q * 2 * n + 2 * j` for `q * n + 2 * j`: rows in which pairs stand have twice as many elements."""
    if _is_part_of_sum(node):
        return
    terms = _terms(node)
    if not any(DOUBLE.fullmatch(function.source(term)) for term in terms):
        return
    for term in terms:
        row = term.child_by_field_name("right")
        name = function.source(row)
        if row is not None and term.type == "binary_expression" and name in function.parameters and is_times_row(row):
            yield function.change(row, f"2 * {name}", USUAL)


def _as_its_peers(function: ChangeableFunction, statement: Node) -> Iterator[Change]:
    """Yield `2 * x` for an index `x` of an array where other elements of the statement have `2 * x` in its place."""
    indices: dict[tuple[str, int], list[Node]] = {}
    for subscript in descend(statement, "subscript_expression"):
        index, array = index_of(subscript), function.source(subscript.child_by_field_name("argument"))
        if index is not None:
            indices.setdefault((array.partition("[")[0], array.count("[")), []).append(index)
    for peers in indices.values():
        texts = [function.source(each) for each in peers]
        for node, text in zip(peers, texts, strict=True):
            scaled = re.compile(rf"[\w.]+ \* {re.escape(text)}|{re.escape(text)} \* [\w.]+")
            for other in dict.fromkeys(filter(scaled.fullmatch, texts)) if node.type == "identifier" else ():
                yield function.change(node, other, PLAIN)


def is_times_row(node: Node) -> bool:
    """Return whether a length stands behind the index of a row: `row * length`."""
    product = node.parent
    if product is None or product.type != "binary_expression" or product.children[1].type != "*":
        return False
    row = product.child_by_field_name("left")
    return row is not None and row.id != node.id and row.type != "number_literal"


def _exchanged(function: ChangeableFunction, statement: Node) -> str:
    return f"with x and y exchanged in `{function.source(statement)}`"


def _of_names(function: ChangeableFunction) -> Iterator[Change]:
    """Replace each whole number by another of its kind: a size by a size, an index by an index."""
    for node in function.nodes("identifier"):
        name = function.source(node)
        is_constant = name in function.constants
        if (name not in function.integers and not is_constant) or _is_declared_here(node) or OF_PARAMETER in name:
            continue
        in_index = any(True for _ in enclosing(node, "subscript_expression", "condition_clause"))
        is_size = name in function.parameters or is_constant
        for peer in _peers(function, name, node, is_constant=is_constant)[:MOST_PEERS]:
            is_peer_size = peer in function.parameters or peer in function.constants
            doubt = LIKELY if is_size == is_peer_size and (in_index or is_size) else POSSIBLE
            if is_size != is_peer_size:
                doubt = POSSIBLE if in_index else UNLIKELY
            yield function.change(node, peer, doubt, says=_instead(function, node, peer))
        value = _bare(value_of(function, node))
        if value is not None and (vectors := _QUOTIENT.fullmatch(function.source(value))):
            now = f"({name} * {vectors['by']})"  # where vectors are counted, elements may be meant
            yield function.change(node, now, LIKELY, says=_instead(function, node, now))


def _instead(function: ChangeableFunction, node: Node, peer: str) -> str:
    shown = next((each for each in enclosing(node, "binary_expression", "subscript_expression")), node)
    return f"with `{peer}` in place of `{function.source(node)}` in `{function.source(shown)}`"


def _peers(function: ChangeableFunction, name: str, node: Node, *, is_constant: bool) -> list[str]:
    visible = [each for each in function.integers_at(node.start_byte) if each != name]
    constants = [each for each in function.constants if each != name]
    if is_constant:
        return [*constants, *(each for each in visible if each in function.parameters)]
    sizes = [each for each in visible if each in function.parameters]
    indices = [each for each in visible if each not in function.parameters]
    return [*sizes, *indices] if name in function.parameters else [*indices, *sizes, *constants]


def _is_declared_here(node: Node) -> bool:
    outer = node.parent
    return outer is not None and outer.child_by_field_name("declarator") == node


def _of_subscript(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    base, index = node.child_by_field_name("argument"), index_of(node)
    if base is None or index is None:
        return
    inner = index_of(base) if base.type == "subscript_expression" else None
    if inner is not None:
        edits = [
            Edit(inner.start_byte, inner.end_byte, function.source(index)),
            Edit(index.start_byte, index.end_byte, function.source(inner)),
        ]
        array = function.source(base.child_by_field_name("argument"))
        now = f"{array}[{function.source(index)}][{function.source(inner)}]"
        says = f"with `{now}` in place of `{function.source(node)}`"
        beside = _stored_beside(function, node)
        doubt = POSSIBLE if function.source(node).partition("[")[2] in beside else SWAPPED
        if is_written(node) and now.partition("[")[2] not in beside:
            doubt += 0.05  # a tile is stored as it lies, and read the other way
        yield function.edits(edits, node, doubt, says=says, now=now)
        if (outer := base.child_by_field_name("argument")) is not None and outer.type == "subscript_expression":
            deepest = index_of(outer)
            if deepest is not None:
                yield function.change(deepest, f"1 - ({function.source(deepest)})", POSSIBLE)
    yield function.change(index, f"1 - ({function.source(index)})", UNLIKELY)
    yield from _of_neighbour(function, node, index)
    extents = function.bounds.extents.get(function.source(base))
    linear = linear_of(function, index)
    if linear is not None and index.type != "identifier":
        strides = dict.fromkeys([linear.stride, *(extents or ()), *function.bounds.sizes])
        for stride in strides:
            now = f"{linear.minor} * {stride} + {linear.major}"
            yield function.change(index, now, LIKELY if extents and stride == extents[-1] else POSSIBLE)
        if extents and len(extents) == 2 and linear.stride != extents[1]:
            yield function.change(index, f"{linear.major} * {extents[1]} + {linear.minor}", USUAL)


def _of_neighbour(function: ChangeableFunction, node: Node, index: Node) -> Iterator[Change]:
    """Yield `q[0] + q[n]` for `q[0] + q[1]`, and the other way round: the element below, or the one beside it."""
    base, text = function.source(node.child_by_field_name("argument")), function.source(index)
    if f"{base}[0]" not in function.source(statement_of(node)):
        return
    sizes = function.parameters if text == "1" else ["1"] if text in function.parameters else []
    for size in sizes:
        yield function.change(index, size, LIKELY, says=f"with `{base}[{size}]` in place of `{function.source(node)}`")


def _stored_beside(function: ChangeableFunction, node: Node) -> set[str]:
    """Return the subscripts, `y][x]` of `b[y][x]`, at which other arrays are stored, if an element is stored here."""
    if not is_written(node):
        return set()
    array = function.source(node).partition("[")[0]
    stores = filter(is_written, function.nodes("subscript_expression"))
    places = (function.source(store).partition("[") for store in stores)
    return {subscripts for name, _, subscripts in places if name != array}


def _of_fields(function: ChangeableFunction) -> Iterator[Change]:
    """Replace each size in a struct, `a.width`, by others of its kind: that of another one, another one of its own.

    So is what is declared as a part of it: `w4` of `w4 = a.width / 4`.
    """
    texts = [name.replace(OF_PARAMETER, ".") for name in function.parameters if OF_PARAMETER in name]
    parts = {text: tuple(text.split(".")) for text in texts}
    declared = [(name, function.source(value)) for name in function.integers if (value := _declared_as(function, name))]
    for node in function.nodes("field_expression"):
        text = function.source(node)
        if text not in parts or is_written(node):
            continue
        alike = [each for each in texts if each != text and set(parts[each]) & set(parts[text])]
        made = [name for name, value in declared if _QUOTIENT.fullmatch(value) and value.startswith(f"{text} ")]
        for peer in [*alike[:MOST_PEERS], *made]:
            yield function.change(node, peer, LIKELY, says=_instead(function, node, peer))


def is_written(node: Node) -> bool:
    """Whether a subscript is what an assignment changes."""
    outer = node.parent
    if outer is None:
        return False
    if outer.type == "update_expression":
        return True
    return outer.type == "assignment_expression" and outer.child_by_field_name("left") == node
