"""Changes that keep an access inside of its array: a guard at it, and what is compared in the one that there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tilewright.lab.source.changes import (
    LIKELY,
    POSSIBLE,
    UNLIKELY,
    USUAL,
    Change,
    ChangeableFunction,
    Edit,
    enclosing,
    statement_of,
)
from tilewright.lab.source.changes_of_indices import index_of, is_written, linear_of, value_of
from tilewright.lab.source.syntax import descend

if TYPE_CHECKING:
    from tree_sitter import Node

_CLAMPED = (
    re.compile(r"\bmin\s*\(\s*(?P<index>[^(),]+?)\s*,\s*(?P<end>[\w.]+)\s*-\s*1\s*\)"),
    re.compile(r"\bmin\s*\(\s*(?P<end>[\w.]+)\s*-\s*1\s*,\s*(?P<index>[^(),]+?)\s*\)"),
    re.compile(r"(?P<index>[\w.]+)\s*<\s*(?P<end>[\w.]+)\s*\?\s*(?P=index)\s*:\s*(?P=end)\s*-\s*1"),
    re.compile(r"(?P<index>[\w.]+)\s*>=\s*(?P<end>[\w.]+)\s*\?\s*(?P=end)\s*-\s*1\s*:\s*(?P=index)"),
)
_OF_INDICES = re.compile(r"\([^<>|=!]+<[^<>|=!&]+(?:&&[^<>|=!]+<[^<>|=!&]+)*\)")
MOST_SIZES = 4
CLOSER = 0.4
"""How much less a guard is doubted in place of the one that a store has, and how much more inside of it."""


def changes_of_guards(function: ChangeableFunction) -> Iterator[Change]:
    """Yield changes that keep each access of a known array inside it: others read 0, and write nothing."""
    for node in function.nodes("subscript_expression"):
        if clamped := _clamps_of(function, node):
            yield from _guarded(function, node, clamped, USUAL)
        for guard, doubt in guards_of(function, node):
            yield from _guarded(function, node, guard, doubt)
            yield from _instead(function, node, guard, doubt)
    for node in function.nodes("binary_expression"):
        if function.source(node.child_by_field_name("operator")) in ("&&", "||"):
            yield from _of_sizes(function, node)
        yield from _of_last_slice(function, node)
    for node in function.nodes("for_statement"):
        yield from _of_rest(function, node)
    if function.is_kernel:
        for node in function.nodes("declaration"):
            yield from _returning(function, node)


def _returning(function: ChangeableFunction, declaration: Node) -> Iterator[Change]:
    """Yield `if (row >= rows) return;` behind a row that is never compared: of all that is done with it."""
    text, body = function.source(declaration), function.source(function.body)
    of_block = re.search(r"\b(?P<name>\w+) = [^,;]*\bblockIdx\b", text)
    name = of_block["name"] if of_block is not None else ""
    if declaration.parent != function.body or name not in function.integers:
        return
    if re.search(rf"\b{name}\b[^;,=&|]*[<>]|[<>]=?[^;,&|]*\b{name}\b", body):
        return
    for size in function.parameters[:MOST_SIZES]:
        guard = f"if ({name} >= {size}) return;"
        now = f"{function.syntax.code_of(declaration)} {guard}"
        yield function.change(declaration, now, USUAL, says=f"with `{guard}` behind it", shown=guard)


def _of_sizes(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `r < m && c < n` for `r < n && c < m`: each index compared with the size of the other."""
    sides = [node.child_by_field_name(field) for field in ("left", "right")]
    ends = [side.child_by_field_name("right") for side in sides if side is not None]
    texts = [function.source(end) for end in ends]
    compared = [re.fullmatch(r"[^<>&|=]+(<=?|>=?)[^<>&|=]+", function.source(side)) for side in sides]
    one, other = compared if len(compared) == len(ends) == 2 else (None, None)
    if one is None or other is None or one[1] != other[1] or len(set(texts)) < 2 or None in ends:
        return
    pairs = zip(ends, reversed(texts), strict=True)
    edits = [Edit(end.start_byte, end.end_byte, text) for end, text in pairs if end is not None]
    says = f"with `{texts[1]}` and `{texts[0]}` exchanged in `{function.source(node)}`"
    yield function.edits(edits, node, USUAL, says=says)


def _of_last_slice(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `K` for the end of the last block's slice, `first + length`: it has the rest, or less than others."""
    left = node.child_by_field_name("left")
    ends = re.fullmatch(r"(?P<first>\w+) \+ (?P<length>\w+)", function.source(node))
    value = value_of(function, left) if left is not None and left.type == "identifier" else None
    length = ends["length"] if ends is not None else ""
    block = re.fullmatch(
        rf"blockIdx\.(?P<x>[xyz]) \* {length}|{length} \* blockIdx\.(?P<y>[xyz])", function.source(value)
    )
    if ends is None or block is None:
        return
    axis = block["x"] or block["y"]
    quotient = re.search(rf"\b{length} = (?P<size>\w+) / gridDim\b", function.source(function.body))
    for size in [quotient["size"]] if quotient is not None else function.parameters[:MOST_SIZES]:
        for says, when in (
            ("for the last block", f"blockIdx.{axis} == gridDim.{axis} - 1"),
            ("where that is less", f"{size} < {ends[0]}"),
        ):
            yield function.change(
                node, f"({when} ? {size} : {ends[0]})", LIKELY, says=f"with `{size}` in place of `{ends[0]}` {says}"
            )


def _of_rest(function: ChangeableFunction, loop: Node) -> Iterator[Change]:
    """Yield `j < TILE && first + j < n` for `j < TILE` in a loop over the tiles, of which the last has fewer.

    So is `i < first + 32 && i < m` for what a block has of m.
    """
    condition = loop.child_by_field_name("condition")
    inner = re.fullmatch(r"(?P<name>\w+) < (?P<end>.+)", function.source(condition))
    if inner is None or condition is None:
        return
    body, guards = function.source(loop.child_by_field_name("body")), []
    for outer in enclosing(loop, "for_statement"):
        around = function.source(outer.child_by_field_name("condition"))
        tiles = re.fullmatch(r"(?P<first>\w+) < (?P<size>[\w.]+)", around)
        index = f"{tiles['first']} + {inner['name']}" if tiles is not None else ""
        if tiles is not None and re.search(rf"\b{re.escape(index)}\b", body):
            guards.append((f"{index} < {tiles['size']}", USUAL))
    if not any(re.search(rf"\b{size}\b", inner["end"]) for size in function.parameters):
        guards += [(f"{inner['name']} < {size}", POSSIBLE) for size in function.parameters[:MOST_SIZES]]
    for guard, doubt in guards:
        says = f"with `{guard}` as well in `{function.source(condition)}`"
        yield function.change(condition, f"{function.source(condition)} && {guard}", doubt, says=says)
    for tiles_loop in enclosing(loop, "for_statement"):
        ends = re.fullmatch(
            r"(?P<first>\w+) < (?P<size>[\w.]+)", function.source(tiles_loop.child_by_field_name("condition"))
        )
        if ends is not None and ends["size"] in function.parameters and "sync" in function.source(tiles_loop):
            guard = f"{ends['first']} + {inner['name']} < {ends['size']}"
            says = f"with `{guard}` as well in `{function.source(condition)}`"
            change = function.change(condition, f"{function.source(condition)} && {guard}", LIKELY, says=says)
            yield replace(change, mends="fill")  # no element that no thread has loaded is read


def _instead(function: ChangeableFunction, node: Node, guard: str, doubt: float) -> Iterator[Change]:
    """Yield a guard in place of one for this statement alone, which compares other indices, or not all of them."""
    statement = statement_of(node)
    branch = next(enclosing(statement, "if_statement"), None)
    condition = branch.child_by_field_name("condition") if branch is not None else None
    inner = branch.child_by_field_name("consequence") if branch is not None else None
    if branch is None or condition is None or inner is None or branch.child_by_field_name("alternative") is not None:
        return
    own = (
        [inner]
        if inner.type != "compound_statement"
        else [each for each in inner.named_children if each.type != "comment"]
    )
    text = function.source(condition)
    if own == [statement] and _OF_INDICES.fullmatch(text):
        says = f"with `if ({guard})` in place of `if {text}`"
        yield function.change(condition, f"({guard})", doubt - CLOSER, says=says, shown=f"if ({guard})")


def guards_of(function: ChangeableFunction, node: Node) -> list[tuple[str, int]]:
    """Return conditions under which a subscript of a pointer lies inside of its array, the likeliest first."""
    base, index = node.child_by_field_name("argument"), index_of(node)
    if base is None or index is None or base.type != "identifier":
        return []
    extents = function.bounds.extents.get(function.source(base))
    text = function.source(index)
    if extents is None:
        return [(f"{text} < {size}", POSSIBLE) for size in function.bounds.sizes[:3]]
    if len(extents) == 1:
        return [(f"{text} < {extents[0]}", LIKELY)]
    linear = linear_of(function, index)
    if linear is None:
        return []
    return [
        (f"{linear.major} < {extents[0]} && {linear.minor} < {extents[1]}", LIKELY),
        (f"{linear.major} >= 0 && {linear.minor} >= 0", UNLIKELY),
    ]


def _clamps_of(function: ChangeableFunction, node: Node) -> str:
    """Return the condition under which an index is not clamped to the last element, as by `min(i, n - 1)`; or ""."""
    index = index_of(node)
    if index is None or is_written(node):
        return ""
    texts = [function.source(index)]
    for name in (index, *descend(index, "identifier")):
        value = value_of(function, name) if name.type == "identifier" else None
        texts += [function.source(value)] if value is not None else []
    found = [match for text in texts for pattern in _CLAMPED for match in pattern.finditer(text)]
    return " && ".join(dict.fromkeys(f"({match['index']}) < ({match['end']})" for match in found))


def _guarded(function: ChangeableFunction, node: Node, guard: str, doubt: float) -> Iterator[Change]:
    statement = statement_of(node)
    text = function.syntax.code_of(statement)
    if is_written(node) or _address_is_taken(function, node):
        if statement.type == "expression_statement":
            says = f"with `if ({guard})` before the store"
            doubt += CLOSER if _is_compared(function, statement, node) else 0  # the guard that it has may be wrong
            yield function.change(statement, f"if ({guard}) {text}", doubt, says=says, shown=f"if ({guard})")
        return
    yield zero_unless(function, node, guard, doubt, f"where `{guard}` does not hold")


def _is_compared(function: ChangeableFunction, statement: Node, node: Node) -> bool:
    """Return whether a store stands under a condition on all indices of its element."""
    branch = next(enclosing(statement, "if_statement"), None)
    condition = branch.child_by_field_name("condition") if branch is not None else None
    indices = {function.source(each) for each in descend(node, "identifier")} & function.integers.keys()
    indices -= set(function.parameters)
    return condition is not None and indices <= {function.source(each) for each in descend(condition, "identifier")}


def zero_unless(function: ChangeableFunction, node: Node, guard: str, doubt: float, where: str) -> Change:
    """Return an element's read as 0 where a guard does not hold. where: that, in words."""
    text = function.source(node)
    now = f"(({guard}) ? {text} : decltype({text} + {text})(0))"
    says = f"with 0 in place of `{text}` {where}"
    return function.change(node, now, doubt, says=says, shown=f"({guard}) ? {text} : 0")


def _address_is_taken(function: ChangeableFunction, node: Node) -> bool:
    outer = node.parent
    return outer is not None and outer.type == "pointer_expression" and function.source(outer).startswith("&")


def all_guards(function: ChangeableFunction) -> list[Edit]:
    """Return the edits that guard every access of a known array at once."""
    found: list[Edit] = []
    for node in descend(function.body, "subscript_expression"):
        guards = guards_of(function, node)
        if guards and guards[0][1] == LIKELY:
            found += [edit for change in _guarded(function, node, *guards[0]) for edit in change.edits]
    return found
