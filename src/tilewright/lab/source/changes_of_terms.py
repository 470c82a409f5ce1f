"""Changes of one term of an index: its factor, one more or less, the array that it is an index of, the buffer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tilewright.lab.source.changes import (
    LIKELY,
    PLAIN,
    POSSIBLE,
    USUAL,
    Change,
    ChangeableFunction,
    Edit,
    enclosing,
    statement_of,
)
from tilewright.lab.source.changes_of_indices import DOUBLE, index_of, is_times_row, value_of
from tilewright.lab.source.declarations import declared_name
from tilewright.lab.source.syntax import Node, descend

if TYPE_CHECKING:
    from collections.abc import Mapping

RARE = POSSIBLE + 0.5
"""Doubt: tried only where something else says what the kernel computes."""
MOST_FACTORS = 4
_BUFFER = r"\b{name}\s*(?:\^=\s*1\b|=[^;]*(?:&\s*1\b|%\s*2\b|\^\s*1\b|\b1\s*-))"
_VECTORS = re.compile(
    r"\b(?:float|double|int|uint|half|short|char|uchar)(?P<of>[24])\s*(?:const\s*)?\*\s*(?:const\s+)?"
    r"(?:__restrict__\s*)?(?P<name>\w+)\s*[=,)]"
)
_WIDTH = re.compile(r"\b(?:float|double|int|uint|half|short|u?char)([24])\b")
_TILE = re.compile(r"\b(\w+)\[\w+\]\[(\w+)(?: \+ 1)?\](?=[,;])")
_TREE = re.compile(
    r"(?:for \([\w ]*\b(?P<half>\w+) = |while \((?P<turned>\w+)\b).*?"
    r"if \((?P<thread>[\w.]+) < (?P<by>\w+)\)\s*\{?\s*"
    r"(?P<sums>\w+)\[(?P=thread)\] (?:\+=|= (?P=sums)\[(?P=thread)\] \+) \w+\[(?P=thread) \+ (?P=by)\]"
)
_HALVED = r"\b{0} = (?P<count>[\w.]+) (?:/ 2|>> 1)[;,]"
_ARRAY = re.compile(r"(?P<type>\w+)\s+(?P<name>\w+)\s*(?P<sides>(?:\[[^\]]*\]\s*)+)")


def changes_of_terms(function: ChangeableFunction) -> Iterator[Change]:
    """Yield the changes of the terms of a function's indices, and of which array they are of."""
    for node in function.nodes("identifier"):
        if function.source(node) in function.integers and _is_term(function, node):
            yield from _of_factor(function, node)
            yield from _of_neighbour(function, node)
    for node in function.nodes("binary_expression"):
        yield from _of_mirrored(function, node)
        yield from _of_swizzled(function, node)
    for node in function.nodes("init_declarator"):
        yield from _of_second(function, node)
        yield from _of_row_of_pairs(function, node)
        yield from _of_next_row(function, node)
    for statement in function.nodes("expression_statement", "declaration"):
        yield from _of_buffer(function, statement)
        yield from _of_quotient_and_rest(function, statement)
    yield from _of_twins(function)
    for loop in function.nodes("for_statement"):
        yield from _of_rest(function, loop)
    for loop in function.nodes("for_statement", "while_statement"):
        yield from _of_tree(function, loop)
    for node in function.nodes("assignment_expression"):
        yield from _of_step(function, node)
    alike = _arrays_alike(function)
    vectors = {match["name"]: match["of"] for match in _VECTORS.finditer(function.source(function.node))}
    for node in function.nodes("subscript_expression"):
        yield from _of_array(function, node, alike)
        yield from _of_vectors(function, node, vectors)


def _of_step(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `B += BK * N` for `B += BK`, and the other way round: a pointer moved by rows, elements, or all blocks.

    So is `B += 2 * N` for `B += N`, where pairs are added.
    """
    left, right = (function.source(node.child_by_field_name(side)) for side in ("left", "right"))
    by = node.child_by_field_name("right")
    is_step = "+=" in [child.type for child in node.children] and _is_pointer(function, left)
    if not is_step or by is None:
        return
    whole = re.fullmatch(r"(?P<by>.+?)\s*\*\s*(?P<side>\w+)", right)
    is_of_elements = not any(re.search(rf"\b{size}\b", right) for size in function.parameters)
    text = right if right.isidentifier() else f"({right})"
    nows = [(f"{text} * {size}", USUAL) for size in function.parameters if is_of_elements]
    axes = dict.fromkeys(re.findall(r"\bgridDim\s*\.\s*[xyz]", function.source(function.body)))
    nows += [(f"{text} * {axis}", LIKELY) for axis in axes if axis not in right]
    nows += [(f"2 * {text}", LIKELY)] if _has_pairs(function) else []
    nows += [(whole["by"], LIKELY)] if whole is not None and whole["side"] in function.parameters else []
    for now, doubt in nows:
        says = f"with `{left} += {now}` in place of `{function.source(node)}`"
        edit = Edit(by.start_byte, by.end_byte, now)
        yield function.edits([edit], statement_of(node), doubt, says=says, now=now)


def _has_pairs(function: ChangeableFunction) -> bool:
    """Return whether a function may take elements in pairs: it doubles or halves a number."""
    return re.search(r"\b2\s*\*|/\s*2\b", function.source(function.body)) is not None


def _is_pointer(function: ChangeableFunction, name: str) -> bool:
    declared = rf"\*\s*(?:const\s+|__restrict__\s+)?{re.escape(name)}\s*[=,;]"
    return name in function.pointers or (
        name.isidentifier() and re.search(declared, function.source(function.body)) is not None
    )


def _of_mirrored(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `start - R + t` for `start - 1 - t`: what stands before a tile, in its own order."""
    match = re.fullmatch(r"(?P<from>[\w.]+)\s*-\s*1\s*-\s*(?P<by>\w+)", function.source(node))
    for width in function.constants if match is not None else ():
        assert match is not None
        yield function.change(node, f"({match['from']} - {width} + {match['by']})", POSSIBLE)


def _of_swizzled(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `((y + 8) ^ p)` for `s + 8` where `s = y ^ p`: the whole index is swizzled, not a part of it."""
    left, right = (node.child_by_field_name(side) for side in ("left", "right"))
    value = value_of(function, left) if left is not None and left.type == "identifier" else None
    parts = re.fullmatch(r"([\w.]+) \^ (\w+)", function.source(value))
    if parts is not None and "+" in [child.type for child in node.children]:
        yield function.change(node, f"(({parts[1]} + {function.source(right)}) ^ {parts[2]})", LIKELY)


def _of_rest(function: ChangeableFunction, loop: Node) -> Iterator[Change]:
    """Yield `for (i *= 4; ...)` for `for (; ...)`: what is left behind vectors of four is counted in elements."""
    condition = loop.child_by_field_name("condition")
    if loop.child_by_field_name("initializer") is not None or condition is None:
        return
    name = function.source(condition.child_by_field_name("left"))
    start = next((child for child in loop.children if child.type == ";"), None)
    widths = dict.fromkeys(_WIDTH.findall(function.syntax.code))
    for by in widths if name in function.integers and start is not None else ():
        assert start is not None
        edit = Edit(start.start_byte, start.start_byte, f"{name} *= {by}")
        yield function.edits([edit], condition, USUAL, says=f"with `{name} *= {by}` before this loop")


def _of_twins(function: ChangeableFunction) -> Iterator[Change]:
    """Yield `next = 1 - now` for `next = t % 2` where `now = t % 2` as well: the other one of two buffers."""
    first: dict[str, str] = {}
    for node in function.nodes("init_declarator"):
        name, value = (node.child_by_field_name(field) for field in ("declarator", "value"))
        text = "".join(function.source(value).split())
        if value is None or not re.fullmatch(r"\(?\w+(?:%2|&1)\)?", text):
            continue
        if text in first:
            says = f"with `{function.source(name)} = 1 - {first[text]}` in place of `{function.source(node)}`"
            yield function.change(value, f"1 - {first[text]}", USUAL, says=says)
        first.setdefault(text, function.source(name))


def _of_tree(function: ChangeableFunction, loop: Node) -> Iterator[Change]:
    """Yield a tree of any number of sums for one that halves it and loses the odd one out: of 192, at 3."""
    tree = _TREE.match(function.source(loop))
    half = (tree["half"] or tree["turned"]) if tree is not None else ""
    start = loop.child_by_field_name("initializer") or _declaration_before(function, loop, half)
    test = next(iter(descend(loop, "if_statement")), None)
    halved = (
        re.search(_HALVED.format(half), function.source(start)) if tree is not None and half == tree["by"] else None
    )
    value = next((each for each in descend(start, "binary_expression")), None) if halved and start is not None else None
    condition = test.child_by_field_name("condition") if test is not None else None
    if tree is None or halved is None or value is None or condition is None:
        return
    count, thread = halved["count"], tree["thread"]
    within = f"({thread} < {half} && {thread} + {half} < {count})"
    edits = [
        Edit(value.start_byte, value.end_byte, f"1 << (31 - __clz({count} - 1))"),
        Edit(condition.start_byte, condition.end_byte, within),
    ]
    says = f"with halves of the next power of two, and `{thread} + {half} < {count}` in the loop"
    yield function.edits(edits, loop, LIKELY, says=says, now=within)


def _declaration_before(function: ChangeableFunction, loop: Node, name: str) -> Node | None:
    """Return the last declaration of a name in front of a loop."""
    named = (node for node in function.nodes("declaration") if re.search(rf"\b{name} = ", function.source(node)))
    before = [node for node in named if name and node.end_byte <= loop.start_byte]
    return before[-1] if before else None


def _is_term(function: ChangeableFunction, node: Node) -> bool:
    """Return whether a number is added in an index, or in what a whole number is declared as, or is passed."""
    outer = node.parent
    if outer is None:
        return False
    if outer.type == "argument_list":
        return True
    if outer.type != "binary_expression" or not any(child.type in "+-" for child in outer.children):
        return False
    if any(True for _ in enclosing(node, "subscript_expression")):
        return True
    declared = next(enclosing(node, "init_declarator"), None)
    return declared is not None and function.source(declared.child_by_field_name("declarator")) in function.integers


def _of_factor(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `2 * j` and `TILE * j` for `j`: a pair's or a tile's first column."""
    name = function.source(node)
    if name in function.parameters and function.is_kernel:
        return
    shown = next(enclosing(node, "binary_expression", "argument_list"), node)
    by_threads = ("blockDim.x",) if _counts_elements(function, node) else ()
    for factor in ("2", *function.constants[:MOST_FACTORS], *by_threads):
        now = f"({factor} * {name})"
        says = f"with `{factor} * {name}` in place of `{name}` in `{function.source(shown)}`"
        is_of_others = re.search(rf"\b{factor}\b", function.source(shown)) is not None
        is_likely = _has_pairs(function) if factor == "2" else is_of_others or factor in by_threads
        yield function.change(node, now, LIKELY if is_likely else POSSIBLE, says=says)


def _counts_elements(function: ChangeableFunction, node: Node) -> bool:
    """Return whether a name counts those of each thread, one by one: they may lie a block's threads apart."""
    loop = next(enclosing(node, "for_statement"), None)
    is_counted = rf"\+\+ ?{function.source(node)}|{function.source(node)} ?\+\+"
    update = function.source(loop.child_by_field_name("update")) if loop is not None else ""
    return re.fullmatch(is_counted, update) is not None and "blockDim.x" in function.source(function.body)


def _of_neighbour(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield the element before and the one behind."""
    name = function.source(node)
    shown = next(enclosing(node, "binary_expression", "argument_list"), node)
    for now in (f"({name} + 1)", f"({name} - 1)"):
        says = f"with `{now[1:-1]}` in place of `{name}` in `{function.source(shown)}`"
        yield function.change(node, now, RARE, says=says)


def _of_second(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `first + 1` for `first + half`: the second of a pair of rows or columns, or of pointers to them."""
    value = node.child_by_field_name("value")
    pair = re.fullmatch(r"(?P<first>[A-Za-z_]\w*) \+ (?P<by>[A-Za-z_]\w*)", function.source(value))
    by = value.child_by_field_name("right") if value is not None and pair is not None else None
    if by is None or pair is None or pair["by"] not in function.integers:
        return
    doubled = rf"\b{pair['first']}\s*=[^;]*(?:\b2\s*\*|\*\s*2\b|<<\s*1\b)"
    is_of_pairs = re.search(doubled, function.source(function.body)) is not None
    says = f"with `{pair['first']} + 1` in place of `{pair[0]}`"
    yield function.change(by, "1", LIKELY if is_of_pairs else RARE, says=says)


def _of_row_of_pairs(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `row = B + q * (2 * n)` for `row = B + q * n` where `row[2 * j]` is read: rows of pairs are as long."""
    name, value = (node.child_by_field_name(field) for field in ("declarator", "value"))
    if name is None or name.type != "pointer_declarator" or value is None:
        return
    read = re.finditer(rf"\b{function.source(declared_name(name))}\[([^\[\]]+)\]", function.source(function.body))
    if not any(DOUBLE.fullmatch(each[1]) for each in read):
        return
    for length in descend(value, "identifier"):
        side = function.source(length)
        if side in function.parameters and is_times_row(length):
            says = f"with rows of `2 * {side}` in place of `{side}` in `{function.source(value)}`"
            yield function.change(length, f"(2 * {side})", USUAL, says=says)


def _of_next_row(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `lower = upper + k` for `lower = upper + 2 * k`: the second of two rows is the next one."""
    value, name = node.child_by_field_name("value"), node.child_by_field_name("declarator")
    step = re.fullmatch(r"\w+ \+ (?:2 \* (?P<one>\w+)|(?P<other>\w+) \* 2)", function.source(value))
    by = value.child_by_field_name("right") if value is not None and step is not None else None
    side = (step["one"] or step["other"]) if step is not None else ""
    if by is not None and name is not None and name.type == "pointer_declarator" and side in function.parameters:
        yield function.change(by, side, USUAL)


def _of_quotient_and_rest(function: ChangeableFunction, statement: Node) -> Iterator[Change]:
    """Yield `e / WIDE` and `e % WIDE` for `e / HIGH` and `e % HIGH`: an element's row and column in a tile."""
    nodes = [node for node in descend(statement, "binary_expression") if node.children[1].type in "/%"]
    ends = [node.child_by_field_name("right") for node in nodes]
    texts = {function.source(end) for end in ends}
    if {node.children[1].type for node in nodes} != {"/", "%"} or len(texts) != 1:
        return
    column = re.search(r"(?P<name>\w+) = [^=;,]*%", function.source(statement))
    used = rf"\b(\w+)\s*\[[^\[\]]*\]\s*\[\s*{column['name'] if column else ''}\s*\]"
    tiles = dict(_TILE.findall(function.source(function.body)))
    wide = {tiles.get(name) for name in re.findall(used, function.source(statement.parent))}
    for other in dict.fromkeys([*function.constants, *function.parameters]):
        edits = [Edit(end.start_byte, end.end_byte, other) for end in ends if end is not None]
        says = f"with `{other}` in place of each `{min(texts)}` in `{function.source(statement)}`"
        if other not in texts:
            yield function.edits(edits, statement, PLAIN if other in wide else POSSIBLE, says=says, now=other)


def _of_buffer(function: ChangeableFunction, statement: Node) -> Iterator[Change]:
    """Yield the other one of two buffers for each array of a statement at once, and where a helper is given one."""
    places: dict[str, list[Node]] = {}
    for node in descend(statement, "subscript_expression"):
        index = index_of(node)
        if index is not None and function.source(index) in function.integers and statement_of(node) == statement:
            places.setdefault(function.source(index), []).append(index)
    for call in descend(statement, "call_expression"):
        given = call.child_by_field_name("arguments")
        for node in given.named_children if given is not None else ():
            if function.source(node) in function.integers and statement_of(node) == statement:
                places.setdefault(function.source(node), []).append(node)
    for name, found in places.items():
        if re.search(_BUFFER.format(name=name), function.source(function.body)):
            edits = [Edit(index.start_byte, index.end_byte, f"1 - {name}") for index in found]
            says = f"with `1 - {name}` in place of `{name}` in `{function.source(statement)}`"
            yield function.edits(edits, statement, LIKELY, says=says, now=f"1 - {name}")


def _arrays_alike(function: ChangeableFunction) -> Mapping[str, list[str]]:
    """Return what may stand in an array's place: pointers of the same type, local arrays of the same sides."""
    kinds: dict[str, tuple[str, ...]] = {}
    declarator = function.node.child_by_field_name("declarator")
    for parameter in descend(declarator, "parameter_declaration") if declarator is not None else ():
        name = next((each for each in function.pointers if re.search(rf"\b{each}$", function.source(parameter))), "")
        if name:
            kinds[name] = (function.source(parameter.child_by_field_name("type")),)
    for node in function.nodes("declaration"):
        for match in _ARRAY.finditer(function.source(node).partition("=")[0]):
            kinds[match["name"]] = match["type"], "".join(match["sides"].split())
    return {name: [each for each in kinds if each != name and kinds[each] == kind] for name, kind in kinds.items()}


def _of_array(function: ChangeableFunction, node: Node, alike: Mapping[str, list[str]]) -> Iterator[Change]:
    base = node.child_by_field_name("argument")
    if base is None or base.type != "identifier":
        return
    name, body = function.source(base), function.source(function.body)
    for other in alike.get(name, ()):
        is_unread = re.search(rf"\b{other}\b", body) is None
        says = f"with `{other}` in place of `{name}` in `{function.source(node)}`"
        yield function.change(base, other, USUAL if is_unread else RARE, says=says)


def _of_vectors(function: ChangeableFunction, node: Node, vectors: Mapping[str, str]) -> Iterator[Change]:
    """Yield `B4[(k * n + j) / 4]` for `B4[k * n + j]`, where `B4` points to vectors of four."""
    base, index = node.child_by_field_name("argument"), index_of(node)
    of = vectors.get(function.source(base))
    if of is not None and index is not None:
        text = function.source(index)
        now = re.sub(rf"\s*/\s*{of}$", "", text) if re.search(rf"/\s*{of}$", text) else f"({text}) / {of}"
        yield function.change(index, now, LIKELY)
