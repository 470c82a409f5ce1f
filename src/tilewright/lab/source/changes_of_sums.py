"""Changes of sums: where they begin, from what, and in which type they are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tilewright.lab.source.changes import (
    LIKELY,
    LOOPS,
    POSSIBLE,
    USUAL,
    Change,
    ChangeableFunction,
    Edit,
    enclosing,
    statement_of,
)
from tilewright.lab.source.changes_of_statements import is_shared, root_of
from tilewright.lab.source.declarations import declared_name, passed_nodes
from tilewright.lab.source.signatures import aliases, plain_type
from tilewright.lab.source.syntax import children, descend

if TYPE_CHECKING:
    from tree_sitter import Node

_OF_32_BITS, _OF_64_BITS = ("int", "unsigned", "unsigned int"), re.compile(r"\blong long\b|\bu?int64_t\b")
_OF_8_AND_16_BITS = (
    *("char", "signed char", "unsigned char", "int8_t", "uint8_t"),
    *("short", "unsigned short", "int16_t", "uint16_t"),
)
_ENDS = re.compile(r"(?P<index>\w+) < (?P<end>.+)")
_GROWS = re.compile(r"(?P<index>\w+) \+= (?P<step>.+)|(?:\+\+)?(?P<counted>\w+)(?:\+\+)?")
_ZERO = re.compile(r"0(?:\.0*)?f?")
_STAGE = re.compile(r"(?P<head>.*\b__shfl_(?:down|xor)\w*\s*\([^;]*?,\s*)(?P<by>\d+)(?P<end>\s*(?:,\s*\w+\s*)?\)+\s*;)")
_FILLED = re.compile(r"(?:\w+::)*fill_fragment\s*\(\s*(?P<name>\w+)")
_SHUFFLE = re.compile(r"__shfl_(?:xor|down|up)_sync")
DISTANCES = (1, 2, 4, 8, 16)
_WIDER = {"int": ("float", "double", "long long"), "short": ("int", "float"), "char": ("int", "float"),
          "half": ("float",), "__half": ("float",), "__nv_bfloat16": ("float",), "float": ("double",),
          "unsigned": ("float", "int"), "unsigned int": ("float", "int"),
          **dict.fromkeys(("unsigned char", "signed char", "int8_t", "uint8_t", "int16_t", "uint16_t"), ("int",)),
          }  # fmt: skip


def changes_of_sums(function: ChangeableFunction) -> Iterator[Change]:
    """Yield sums set to 0 at their declaration, in each trip of a loop or before it, and wider types for sums."""
    for name, declaration in function.floats.items():
        for field, child in children(declaration):
            if field == "declarator" and child.type == "identifier" and function.source(child) == name:
                yield function.change(child, f"{name} = 0", LIKELY)
    yield from _all_begun_anew(function)
    yield from _tiles_of_sums(function)
    for node in function.nodes("init_declarator"):
        yield from _of_extreme(function, node)
    for node in function.nodes("conditional_expression"):
        yield from _in_turns(function, node)
    for node in function.nodes("assignment_expression"):
        yield from _scaled_once(function, node)
    for node in function.nodes("array_declarator"):
        yield from _of_array(function, node)
        yield from _array_begun_anew(function, node)
    for node in function.nodes("declaration"):
        yield from _of_declaration(function, node)
        yield from _of_unset_numbers(function, node)
        yield from _in_64_bits(function, node)
    for node in function.nodes("call_expression"):
        yield from _fragment_begun_anew(function, node)
        yield from _other_lanes(function, node)
    yield from _missing_stages(function)


def _missing_stages(function: ChangeableFunction) -> Iterator[Change]:
    """Yield a further step of a sum over a warp that is written step by step: in front, in between, or at its end."""
    steps = {node.id: step for node in function.nodes("expression_statement") if (step := _step_of(function, node))}
    for node in function.nodes("expression_statement"):
        step = steps.get(node.id)
        before, behind = (
            steps.get(each.id) if each is not None else None
            for each in (node.prev_named_sibling, node.next_named_sibling)
        )
        if step is None or (before is None and behind is None):
            continue
        by = int(step["by"])
        last = int(before["by"]) if before is not None else 0
        is_first = before is None and behind is not None and int(behind["by"]) < by
        added = {node.start_byte: 2 * by} if is_first or last > 2 * by else {}
        if behind is None:
            added[node.end_byte] = 2 * by if last < by else by // 2
        for at, offset in added.items():
            if offset in DISTANCES:
                now = f"{step['head']}{offset}{step['end']}"
                says = f"with `{now}` {'in front of' if at == node.start_byte else 'behind'} `{step[0]}`"
                yield function.edits([Edit(at, at, f" {now} ")], node, LIKELY, says=says, now=now)


def _other_lanes(function: ChangeableFunction, call: Node) -> Iterator[Change]:
    """Yield the other distances of a single shuffle: the lane below is as far away as a block is wide."""
    given = passed_nodes(call)
    if not _SHUFFLE.fullmatch(function.source(call.child_by_field_name("function"))) or len(given) < len("mvd"):
        return
    distance = function.source(given[2])
    for other in map(str, DISTANCES) if distance.isdigit() else ():
        if other != distance:
            says = f"with `{other}` in place of `{distance}` in `{function.source(call)}`"
            yield function.change(given[2], other, USUAL, says=says)


def _step_of(function: ChangeableFunction, node: Node) -> re.Match[str] | None:
    return _STAGE.fullmatch(function.source(node))


def _scaled_once(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield `sum *= alpha` in the last trip of a loop alone: in each trip, the factor is there as often."""
    if function.source(node.child_by_field_name("operator")) not in ("*=", "/=") or node.parent is None:
        return
    for loop in enclosing(node, "for_statement"):
        ended = _ENDS.fullmatch(function.source(loop.child_by_field_name("condition")))
        updated = _GROWS.fullmatch(function.source(loop.child_by_field_name("update")))
        if ended is None or updated is None or ended["index"] != (updated["index"] or updated["counted"]):
            continue
        last = f"if ({ended['index']} + ({updated['step'] or 1}) >= {ended['end']})"
        says = f"with `{function.source(node)}` in the last trip of the loop of line {function.syntax.line(loop)} alone"
        yield function.edits([Edit(node.start_byte, node.start_byte, f"{last} ")], node, LIKELY, says=says, now=last)


def _of_unset_numbers(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield a 0 for each whole number that is declared without a value."""
    for field, child in children(node):
        name = function.source(child)
        if field == "declarator" and child.type == "identifier" and name in function.integers:
            yield function.change(child, f"{name} = 0", USUAL)


def _sums(function: ChangeableFunction) -> dict[str, Node]:
    """Return what sums may be kept in, with its declaration: fractions, and whole numbers that elements are added to.

    A loop's number is added to as well, and other indices are: never elements.
    """
    added = {
        function.source(node.child_by_field_name("left"))
        for node in function.nodes("assignment_expression")
        if "+=" in [child.type for child in node.children] and descend(node, "subscript_expression")
    }
    whole = {
        name: node
        for node in function.nodes("declaration")
        for field, child in children(node)
        if field == "declarator"
        and (name := function.source(declared_name(child))) in function.integers
        and name in added
    }
    return {**function.floats, **whole}


def _begun_anew(function: ChangeableFunction, name: str, declaration: Node) -> Iterator[Change]:
    updates = [
        node
        for node in function.nodes("assignment_expression")
        if function.source(node.child_by_field_name("left")) == name
    ]
    zero = f"{name} = 0;"
    for loop in {loop.id: loop for node in updates for loop in enclosing(node, *LOOPS)}.values():
        line, body, outer = function.syntax.line(loop), loop.child_by_field_name("body"), loop.parent
        if declaration.start_byte > loop.start_byte:
            continue
        if body is not None and body.type == "compound_statement":
            edit = Edit(body.start_byte + 1, body.start_byte + 1, f" {zero}")
            says = f"with `{zero}` at the start of each trip of the loop of line {line}"
            head = function.syntax.code[loop.start_byte : body.start_byte]
            doubt = USUAL if "gridDim" in head else LIKELY if descend(body, *LOOPS) else POSSIBLE
            yield function.edits([edit], declaration, doubt, says=says, now=zero)
        if outer is not None and outer.type == "compound_statement":
            edit = Edit(loop.start_byte, loop.start_byte, f"{zero} ")
            says = f"with `{zero}` before the loop of line {line}"
            yield function.edits([edit], declaration, POSSIBLE, says=says, now=zero)


def _all_begun_anew(function: ChangeableFunction) -> Iterator[Change]:
    """Yield a sum of a thread set to 0 in each trip of a loop or before it, and several in a loop over tiles."""
    known = _sums(function)
    for name, declaration in known.items():
        yield from _begun_anew(function, name, declaration)
    for loop in function.nodes(*LOOPS):
        body = loop.child_by_field_name("body")
        if body is None or body.type != "compound_statement" or not descend(body, *LOOPS):
            continue
        updated = {
            function.source(node.child_by_field_name("left"))
            for node in descend(body, "assignment_expression")
            if function.source(node.child_by_field_name("operator")) == "+="
        }
        sums = {
            name: declaration
            for name, declaration in known.items()
            if name in updated and declaration.start_byte < loop.start_byte
        }
        if len(sums) > 1:
            zero = " ".join(f"{name} = 0;" for name in sums)
            says = f"with `{zero}` at the start of each trip of the loop of line {function.syntax.line(loop)}"
            edit = Edit(body.start_byte + 1, body.start_byte + 1, f" {zero}")
            yield function.edits([edit], next(iter(sums.values())), USUAL, says=says, now=zero)


def _tiles_of_sums(function: ChangeableFunction) -> Iterator[Change]:
    """Yield `int` for the elements of all shared tiles in which sums of two numbers of 8 or 16 bits are kept."""
    stored = {
        root_of(function, left)
        for node in function.nodes("assignment_expression")
        if (left := node.child_by_field_name("left")) is not None
        and left.type == "subscript_expression"
        and any(each.children[1].type == "+" and _is_of_elements(each) for each in descend(node, "binary_expression"))
    }
    known = aliases(function.syntax)
    tiles = [
        (node, kind)
        for node in function.nodes("declaration")
        if (kind := node.child_by_field_name("type")) is not None
        and is_shared(function, node)
        and plain_type(function.source(kind), known) in _OF_8_AND_16_BITS
        and any(
            function.source(declared_name(each)) in stored for field, each in children(node) if field == "declarator"
        )
    ]
    if tiles:
        edits = [Edit(kind.start_byte, kind.end_byte, "int") for _, kind in tiles]
        says = f"with `int` in place of `{function.source(tiles[0][1])}` for the tiles that sums of two are stored in"
        yield function.edits(edits, tiles[0][0], LIKELY, says=says, now="int")


def _is_of_elements(added: Node) -> bool:
    """Return whether both sides of a sum are elements of arrays, and the sum is no subscript."""
    sides = added.child_by_field_name("left"), added.child_by_field_name("right")
    return all(side is not None and side.type == "subscript_expression" for side in sides)


def _array_begun_anew(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield a thread's sums set to 0 in each trip of a loop over several tiles."""
    declaration = next(enclosing(node, "declaration"), None)
    name = function.source(node.child_by_field_name("declarator"))
    if declaration is None or is_shared(function, declaration) or not function.is_float(declaration):
        return
    sides = 1 + sum(True for _ in enclosing(node, "array_declarator"))
    each_side = "".join(f"for (auto &e{side + 1}_ : {f'e{side}_' if side else name}) " for side in range(sides))
    anew = f" {each_side}e{sides}_ = {{}};"
    updates = [
        each
        for each in function.nodes("assignment_expression")
        if root_of(function, each) == name or re.match(rf"{re.escape(name)}\s*\[", function.source(each))
    ]
    for loop in {loop.id: loop for each in updates for loop in enclosing(each, "for_statement")}.values():
        body, line = loop.child_by_field_name("body"), function.syntax.line(loop)
        is_outer = body is not None and body.type == "compound_statement" and len(descend(body, *LOOPS)) > 1
        if body is None or not is_outer or declaration.end_byte > loop.start_byte:
            continue
        edit = Edit(body.start_byte + 1, body.start_byte + 1, anew)
        says = f"with the sums of `{name}` set to 0 at the start of each trip of the loop of line {line}"
        is_of_grid = "gridDim" in function.syntax.code[loop.start_byte : body.start_byte]
        doubt = USUAL if is_of_grid else LIKELY
        yield replace(function.edits([edit], declaration, doubt, says=says, now=anew), next_line=line)


def _fragment_begun_anew(function: ChangeableFunction, call: Node) -> Iterator[Change]:
    """Yield `fill_fragment(sums, 0)` at the start of each trip of a loop behind it in which others add to the sums."""
    filled = _FILLED.match(function.source(call))
    statement = [statement_of(call), *enclosing(call, "for_statement")][-1]  # of an array, the loops over it as well
    for loop in function.nodes(*LOOPS) if filled is not None else ():
        body, line = loop.child_by_field_name("body"), function.syntax.line(loop)
        is_behind = body is not None and body.type == "compound_statement" and loop.start_byte >= statement.end_byte
        adds = rf"\bmma_sync\s*\(\s*{filled['name'] if filled else ''}\b"
        if body is None or not is_behind or not any(re.search(adds, function.source(e)) for e in descend(body, *LOOPS)):
            continue
        now = function.syntax.code_of(statement)
        edit = Edit(body.start_byte + 1, body.start_byte + 1, f" {now}")
        says = f"with `{function.source(statement)}` at the start of each trip of the loop of line {line}"
        yield replace(function.edits([edit], statement, USUAL, says=says, now=now), next_line=line)


def _of_extreme(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield the least and the largest number in place of the 0 at which a maximum or a minimum begins."""
    name, value = (node.child_by_field_name(field) for field in ("declarator", "value"))
    text = function.source(name)
    compared = (
        rf"(?:max|min)f?\s*\([^;]*\b{text}\b|[<>]\s*{text}\b|\b{text}\s*[<>]|\b{text}\s*=\s*\w+\s*\([^;]*\b{text}\b"
    )
    if value is None or not _ZERO.fullmatch(function.source(value)) or not re.search(compared, function.syntax.code):
        return
    if text in function.integers or text in function.floats:
        end = "2147483647" if text in function.integers else "3.402823466e38f"
        yield function.change(value, f"-{end}", LIKELY)
        yield function.change(value, end, LIKELY)


def _in_turns(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield a sum over `e = t, t + blockDim.x, ...` for `s = t < n ? sums[t] : 0`: there may be more than threads."""
    parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
    condition, taken, rest = (function.source(part) for part in parts)
    compared = re.fullmatch(r"\(?\s*(?P<t>[\w.]+)\s*<\s*(?P<n>[\w.]+)\s*\)?", condition)
    statement, outer = statement_of(node), node.parent
    if compared is None or not _ZERO.fullmatch(rest) or outer is None:
        return
    name = re.escape(compared["t"])
    is_thread = re.search(rf"\b{name}\s*=\s*threadIdx\s*\.\s*x\s*[;,]", function.source(function.body)) is not None
    if (compared["t"] != "threadIdx.x" and not is_thread) or not re.search(rf"\[\s*{name}\s*\]", taken):
        return
    is_declared = statement.type == "declaration" and outer.type == "init_declarator"
    left = function.source(outer.child_by_field_name("declarator" if is_declared else "left"))
    if not left or not (is_declared or (outer.type == "assignment_expression" and outer.parent == statement)):
        return
    element = re.sub(rf"(?<![\w.]){name}(?!\w)", "e_", taken)
    kind = f"{function.source(statement.child_by_field_name('type'))} " if is_declared else ""
    loop = f"for (int e_ = {compared['t']}; e_ < {compared['n']}; e_ += blockDim.x) {left} += {element};"
    says = f"with a sum in steps of `blockDim.x` in place of `{function.source(node)}`"
    change = function.edits(
        [Edit(statement.start_byte, statement.end_byte, f"{kind}{left} = 0; {loop}")],
        statement,
        USUAL,
        says=says,
        now=loop,
    )
    yield replace(change, is_of_values=False)


def _of_array(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield an array that begins with zeros, and one with its sides exchanged."""
    declaration = node.parent
    if declaration is not None and declaration.type == "declaration" and not is_shared(function, declaration):
        yield function.change(node, f"{function.source(node)} = {{}}", LIKELY)
    inner = node.child_by_field_name("declarator")
    last, first = node.child_by_field_name("size"), inner.child_by_field_name("size") if inner is not None else None
    if last is not None and first is not None:
        edits = [
            Edit(first.start_byte, first.end_byte, function.source(last)),
            Edit(last.start_byte, last.end_byte, function.source(first)),
        ]
        says = f"with the sides of `{function.source(node)}` exchanged"
        yield function.edits(edits, node, LIKELY, says=says)


def _of_declaration(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield a wider type, which may be a template's argument, and the declaration before the loop that it stands in."""
    whole = node.child_by_field_name("type")
    for kind in (whole, *descend(whole, "type_descriptor")) if whole is not None else ():
        for wider in _WIDER.get(function.source(kind), ()):
            says = f"with `{wider}` in place of `{function.source(kind)}` in `{function.source(node)}`"
            yield function.change(kind, wider, POSSIBLE, says=says)
    loop = next(enclosing(node, *LOOPS), None)
    if loop is not None and node.parent is not None and node.parent.type == "compound_statement":
        edits = [
            Edit(loop.start_byte, loop.start_byte, f"{function.syntax.code_of(node)} "),
            Edit(node.start_byte, node.end_byte, ";"),
        ]
        says = f"with `{function.source(node)}` before the loop of line {function.syntax.line(loop)}, not in it"
        yield function.edits(edits, node, LIKELY, says=says)


def _in_64_bits(function: ChangeableFunction, node: Node) -> Iterator[Change]:
    """Yield a sum of products in 64 bits, and each product as well: either alone still overflows."""
    kind = node.child_by_field_name("type")
    if kind is None or function.source(kind) not in _OF_32_BITS or not _OF_64_BITS.search(function.syntax.code):
        return
    names = [function.source(declared_name(child)) for field, child in children(node) if field == "declarator"]
    sums = [
        each
        for each in function.nodes("assignment_expression")
        if "+=" in [child.type for child in each.children] and re.match(r"\w*", function.source(each))[0] in names  # type: ignore[index]
    ]
    products = {
        product.start_byte
        for each in sums
        for product in descend(each, "binary_expression")
        if product.children[1].type == "*" and not any(True for _ in enclosing(product, "subscript_expression"))
    }
    if products:
        edits = [Edit(kind.start_byte, kind.end_byte, "long long")]
        edits += [Edit(at, at, "(long long)") for at in sorted(products)]
        says = f"with `{function.source(node)}` and the products that are added in 64 bits"
        yield function.edits(edits, node, LIKELY, says=says, now="long long")
