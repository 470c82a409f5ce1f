"""Changes of what is done and when: barriers, zeros for what is not loaded, statements moved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tilewright.lab.source.changes import (
    LIKELY,
    LOOPS,
    POSSIBLE,
    STATEMENTS,
    UNLIKELY,
    USUAL,
    Change,
    ChangeableFunction,
    Edit,
    enclosing,
)
from tilewright.lab.source.changes_of_guards import all_guards, zero_unless
from tilewright.lab.source.changes_of_indices import index_of, is_written
from tilewright.lab.source.declarations import declared_name
from tilewright.lab.source.syntax import children, descend

if TYPE_CHECKING:
    from tree_sitter import Node

BARRIER = "__syncthreads();"
IN_INNER_LOOP = 0.5
"""How much more a barrier is doubted in a loop without any, within one that has some."""
AT_END = 0.5
"""The same behind all that a helper does: what keeps two calls apart belongs where they are."""
BEHIND_NAMES = 0.5
"""The same behind a declaration: at a loop's begin, where one at its end does the same."""
AT_ONCE = 0.4
"""How much more zeros behind several guards are doubted than one change."""
_BOUNDED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?:<=?|!=)(?!<)")
_BARRIER = re.compile(
    r"(?:__syncthreads\s*\(\s*\)|(?:cg::|\bcooperative_groups::)sync\s*\(\s*\w+\s*\)|\b\w+\.sync\s*\(\s*\))\s*;"
)

_COMMIT = re.compile(r"(?:\w+\.)?\w*commit\w*\s*\(\s*\)\s*;")
"""Ends a group of asynchronous copies; the groups are counted where they are waited for."""


def changes_of_barriers(function: ChangeableFunction) -> Iterator[Change]:
    """Yield a barrier added behind each statement, barriers removed, and barriers moved behind their branch.

    So is the end of a group of asynchronous copies.
    """
    for block in (function.body, *(b for b in function.nodes("compound_statement") if b != function.body)):
        within = [child for child in block.named_children if child.type in STATEMENTS]
        doubt = LIKELY + (IN_INNER_LOOP if _has_barrier_outside(function, block) else 0)
        for before, follows in zip(within, [*within[1:], None], strict=False):  # a block may be empty
            line = function.syntax.lines.at(before.end_byte - 1)
            last = function.syntax.lines.at(block.end_byte - 1)
            below = function.syntax.line(follows) if follows is not None else last
            edit = Edit(before.end_byte, before.end_byte, f" {BARRIER}")
            says = f"with a `{BARRIER}` behind line {line}"
            is_end = follows is None or follows.type == "return_statement"
            is_of_helper = block == function.body and not function.is_kernel
            is_of_helper |= block.parent is not None and block.parent.type == "lambda_expression"
            if not _BARRIER.fullmatch(function.source(before)):
                doubt_here = doubt + (AT_END if is_end and is_of_helper else 0)
                doubt_here += BEHIND_NAMES if before.type == "declaration" else 0
                change = function.edits([edit], before, doubt_here, says=says, now=BARRIER)
                yield replace(change, line=line, next_line=below)
    for node in function.nodes("expression_statement"):
        is_commit = _COMMIT.fullmatch(function.source(node)) is not None
        if not (is_commit or _BARRIER.fullmatch(function.source(node))):
            continue
        here = Edit(node.start_byte, node.end_byte, ";")
        branches = list(enclosing(node, "if_statement", *LOOPS))
        if branches:
            line = function.syntax.line(branches[0])
            after = Edit(branches[0].end_byte, branches[0].end_byte, f" {function.source(node)}")
            what, where = ("commit", "in each trip") if is_commit else ("barrier", "where all threads come")
            says = f"with this {what} behind the statement of line {line}, {where}"
            change = function.edits([here, after], node, USUAL if is_commit else LIKELY, says=says)
            yield replace(change, mends="order") if is_commit else change
    for node in function.nodes("continue_statement"):
        loop = next(enclosing(node, *LOOPS), None)
        if loop is not None and _BARRIER.search(function.source(loop)):
            yield function.change(
                node, ";", LIKELY, says="without this `continue`, which misses the barriers behind it"
            )
    yield from _returns_guarded(function)
    yield from _offsets(function)


def _has_barrier_outside(function: ChangeableFunction, block: Node) -> bool:
    """Return whether the loop around a block has no barrier, and one around that has: there the others belong."""
    loops = list(enclosing(block, *LOOPS))
    if len(loops) < 2 or _BARRIER.search(function.source(loops[0])):
        return False
    return any(_BARRIER.search(function.source(each)) for each in loops[1:])


def changes_of_fills(function: ChangeableFunction) -> Iterator[Change]:
    """Yield a 0 for each element of shared memory whose load a guard skips, one guard at a time and all at once."""
    yield from _of_absent_warps(function)
    everything: list[tuple[Node, Edit]] = []
    for node, stores, edit in guarded_fills(function, "0"):
        everything.append((node, edit))
        doubt = USUAL if any(_is_cleared_before(function, left, node) for left in stores) else LIKELY
        now = edit.text.removeprefix(" else { ").removesuffix(" }")
        yield function.edits([edit], node, doubt, says=f"with `else {now}` behind the guarded load", now=f"else {now}")
    if len(everything) > 1:
        first = everything[0][0]
        lines = ", ".join(str(function.syntax.line(node)) for node, _ in everything)
        says = f"with 0 for what the guards of lines {lines} do not load"
        yield function.edits([edit for _, edit in everything], first, LIKELY + AT_ONCE, says=says)


def guarded_fills(function: ChangeableFunction, number: str) -> Iterator[tuple[Node, list[Node], Edit]]:
    """Yield each guard of a load into shared memory, what it stores to, and the edit that else puts a number there."""
    for node in function.nodes("if_statement"):
        if node.child_by_field_name("alternative") is not None:
            continue
        body = node.child_by_field_name("consequence")
        stores = [
            left
            for each in (descend(body, "assignment_expression") if body is not None else [])
            if (left := each.child_by_field_name("left")) is not None and _may_be_shared(function, left)
        ]
        if stores:
            numbers = " ".join(f"{function.source(left)} = {number};" for left in stores)
            yield node, stores, Edit(node.end_byte, node.end_byte, f" else {{ {numbers} }}")


def _is_cleared_before(function: ChangeableFunction, left: Node, branch: Node) -> bool:
    """Return whether an element is set to 0 before the loop that a guarded load of it is in, and so only once."""
    loop = next(enclosing(branch, *LOOPS), None)
    zero = rf"{re.escape(function.source(left))} = (?:0(?:\.0*)?f?|{{}});"
    before = (each for each in function.nodes("expression_statement") if loop and each.end_byte <= loop.start_byte)
    return any(re.fullmatch(zero, function.source(each)) for each in before)


def _of_absent_warps(function: ChangeableFunction) -> Iterator[Change]:
    """Yield 0 for the sums of warps that a block has not: `lane < warps ? sums[lane] : 0` for `sums[lane]`."""
    if "shfl" not in function.syntax.code:
        return
    declared = [node for node in function.nodes("declaration") if is_shared(function, node)]
    shared = {function.source(declared_name(child)) for node in declared for _, child in children(node)}
    for node in function.nodes("subscript_expression"):
        index = function.source(index_of(node))
        if root_of(function, node) in shared and not is_written(node) and re.fullmatch(r"[A-Za-z_][\w.]*", index):
            guard = f"{index} < (blockDim.x + 31) / 32"
            yield zero_unless(function, node, guard, LIKELY, "for the warps that a block has not")


def _may_be_shared(function: ChangeableFunction, left: Node) -> bool:
    """Return whether a store is to no array of the kernel's arguments; a helper may store through any pointer."""
    if left.type == "pointer_expression":
        return not function.is_kernel
    if left.type == "identifier":  # that of a caller
        head = function.source(function.node).partition("{")[0]
        return (
            not function.is_kernel
            and re.search(rf"&\s*(?:__restrict__\s+)?{function.source(left)}\b", head) is not None
        )
    is_element = left.type == "subscript_expression" and is_written(left)
    return is_element and not (function.is_kernel and root_of(function, left) in function.pointers)


def changes_of_order(function: ChangeableFunction) -> Iterator[Change]:
    """Yield statements left out, exchanged with the next one or made for one thread, and conditions dropped."""
    for node in function.nodes("expression_statement", "continue_statement", "break_statement"):
        yield function.change(node, ";", POSSIBLE, says=f"without `{function.source(node)}`")
        if node.type == "expression_statement" and not _BARRIER.fullmatch(function.source(node)):
            text = function.syntax.code_of(node)
            for single in ("threadIdx.x == 0", "threadIdx.x == 0 && threadIdx.y == 0"):
                if "y" not in single or "threadIdx.y" in function.syntax.code_of(function.body):
                    yield function.change(
                        node, f"if ({single}) {text}", POSSIBLE, says=f"with `if ({single})` before it"
                    )
    for block in (function.body, *function.nodes("compound_statement")):
        plain = [child for child in block.named_children if child.type in STATEMENTS]
        for first, second in pairwise(plain):
            if "declaration" in (first.type, second.type):
                continue
            edits = [
                Edit(first.start_byte, first.end_byte, function.syntax.code_of(second)),
                Edit(second.start_byte, second.end_byte, function.syntax.code_of(first)),
            ]
            says = f"with this statement and that of line {function.syntax.line(second)} exchanged"
            yield function.edits(edits, first, UNLIKELY, says=says)
        yield from _stages_exchanged(function, plain)
    yield from _buffers_exchanged(function)
    for branch in function.nodes("if_statement"):
        yield from _looped(function, branch)
        condition = branch.child_by_field_name("condition")
        if condition is not None:
            says = f"without the condition `{function.source(condition)}`"
            yield replace(function.change(condition, "(true)", UNLIKELY, says=says), is_of_values=True)
            yield function.change(condition, f"(!{function.source(condition)})", UNLIKELY)


def _looped(function: ChangeableFunction, branch: Node) -> Iterator[Change]:
    """Yield `for (int e = t; e < n; e += blockDim.x)` for `if (t < n)`: there may be more elements than threads."""
    condition, inner = branch.child_by_field_name("condition"), branch.child_by_field_name("consequence")
    compared = re.fullmatch(r"\(\s*(?P<t>[\w.]+)\s*<\s*(?P<n>[^&|<>]+)\)", function.source(condition))
    if compared is None or inner is None or branch.child_by_field_name("alternative") is not None:
        return
    name, text = compared["t"], function.syntax.code_of(inner)
    is_thread = re.search(rf"\b{name}\s*=\s*threadIdx\s*\.\s*x\s*[;,]", function.source(function.body)) is not None
    if (name != "threadIdx.x" and not is_thread) or not re.search(rf"\[\s*{re.escape(name)}\s*\]", text):
        return
    head = f"for (int e_ = {name}; e_ < {compared['n'].strip()}; e_ += blockDim.x)"
    body = re.sub(rf"(?<![\w.]){re.escape(name)}\b", "e_", text)
    says = f"with a loop in steps of `blockDim.x` in place of `if {function.source(condition)}`"
    line = function.syntax.line(branch)
    yield replace(function.change(branch, f"{head} {body}", USUAL, says=says), line=line, is_of_values=False)


def _stages_exchanged(function: ChangeableFunction, statements: list[Node]) -> Iterator[Change]:
    """Yield what stands before a barrier exchanged with what stands behind it, up to the next one."""
    bars = [at for at, node in enumerate(statements) if _BARRIER.fullmatch(function.source(node))]
    for number, bar in enumerate(bars):
        start = bars[number - 1] + 1 if number else 0
        end = bars[number + 1] if number + 1 < len(bars) else len(statements)
        first, second = statements[start:bar], statements[bar + 1 : end]
        if first and second and not any(node.type == "declaration" for node in (*first, *second)):
            spans = [(part[0].start_byte, part[-1].end_byte) for part in (first, second)]
            texts = [function.syntax.text[low:high] for low, high in spans]
            edits = [Edit(low, high, text) for (low, high), text in zip(spans, reversed(texts), strict=True)]
            line = function.syntax.line(second[0])
            says = f"with what is done from line {line} on, behind the barrier, exchanged with what is done before it"
            yield function.edits(edits, first[0], POSSIBLE, says=says)


def _buffers_exchanged(function: ChangeableFunction) -> Iterator[Change]:
    """Yield `cur ^= 1` at the end of a loop that fills buffer `cur ^ 1`, where nothing changes `cur`."""
    code = function.syntax.code_of(function.body)
    for name in function.integers:
        other = rf"\b{name}\s*\^\s*1\b|\b1\s*-\s*{name}\b|!\s*{name}\b"
        if not re.search(other, code) or re.search(rf"\b{name}\s*(?:\^=|\+=|=[^=;]*\b{name}\b)", code):
            continue
        for loop in function.nodes("for_statement", "while_statement"):
            body = loop.child_by_field_name("body")
            if body is not None and body.type == "compound_statement" and re.search(other, function.source(body)):
                edit = Edit(body.end_byte - 1, body.end_byte - 1, f" {name} ^= 1; ")
                end = function.syntax.lines.at(body.end_byte - 1)
                says = f"with `{name} ^= 1;` at the end of the loop of line {function.syntax.line(loop)}"
                change = function.edits([edit], body, LIKELY, says=says, now=f"{name} ^= 1;")
                yield replace(change, line=end, last_line=end)


def changes_of_loops(function: ChangeableFunction) -> Iterator[Change]:
    """Yield a step for loops up to a bound whose variable never changes, which have no end."""
    for loop in function.nodes("for_statement", "while_statement"):
        condition, body = loop.child_by_field_name("condition"), loop.child_by_field_name("body")
        bounded = _BOUNDED.match(function.source(condition).lstrip("(")) if condition is not None else None
        if bounded is None or body is None:
            continue
        name = bounded["name"]
        changed = rf"\+\+\s*{name}\b|--\s*{name}\b|\b{name}\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))"
        behind = function.source(loop)[len(function.source(loop)) - len(function.source(body)) :]
        updated = function.source(loop.child_by_field_name("update"))
        if re.search(changed, updated) or re.search(changed, behind):
            continue
        if loop.type == "for_statement" and not updated:
            end = next(child for child in reversed(loop.children) if child.type == ")")
            edit = Edit(end.start_byte, end.start_byte, f" ++{name}")
        elif loop.type == "while_statement" and body.type == "compound_statement":
            edit = Edit(body.end_byte - 1, body.end_byte - 1, f" ++{name}; ")
        else:
            continue
        says = f"with `++{name}` in each turn of this loop, which has no end without it"
        yield function.edits([edit], loop, USUAL, says=says, now=f"++{name}")


def changes_to_atomics(function: ChangeableFunction) -> Iterator[Change]:
    """Yield atomic additions in place of plain ones to shared memory, and a counter that wraps one sooner."""
    for node in function.nodes("call_expression"):
        given = node.child_by_field_name("arguments")
        last = given.named_children[-1] if given is not None and given.named_children else None
        if last is not None and function.source(node.child_by_field_name("function")) == "atomicInc":
            yield function.change(last, f"{function.source(last)} - 1", USUAL)
    for node in function.nodes("assignment_expression", "update_expression"):
        left = node.child_by_field_name("left") or node.child_by_field_name("argument")
        if left is None or left.type not in ("subscript_expression", "pointer_expression"):
            continue
        right = node.child_by_field_name("right")
        value = function.source(right) if right is not None else "1"
        yield function.change(node, f"atomicAdd(&({function.source(left)}), {value})", LIKELY)


def _returns_guarded(function: ChangeableFunction) -> Iterator[Change]:
    """Replace an early return, which misses the barriers behind it, by a guard around the accesses."""
    for node in function.nodes("return_statement"):
        branch = next(enclosing(node, "if_statement"), None)
        if branch is None:
            continue
        guards = [edit for edit in all_guards(function) if not branch.start_byte <= edit.start < branch.end_byte]
        says = "with a guard at each access in place of this early return"
        gone = Edit(branch.start_byte, branch.end_byte, ";")
        yield function.edits([gone, *guards], branch, LIKELY, says=says)
        yield function.edits([gone], branch, UNLIKELY, says="without this early return")


def _offsets(function: ChangeableFunction) -> Iterator[Change]:
    """Yield `p + n * n` for `T *q = p + n`: a second tile behind the first, and not behind its first row."""
    for node in function.nodes("init_declarator"):
        value = node.child_by_field_name("value")
        declared = node.child_by_field_name("declarator")
        is_sum = value is not None and value.type == "binary_expression" and value.children[1].type == "+"
        if declared is None or declared.type != "pointer_declarator" or value is None or not is_sum:
            continue
        base, by = function.source(value.named_children[0]), function.source(value.named_children[-1])
        yield function.change(value, f"{base} + ({by}) * ({by})", POSSIBLE)


def root_of(function: ChangeableFunction, node: Node) -> str:
    """Return the name of the array that a subscript, or one of several, is of."""
    inner = node.child_by_field_name("argument")
    if inner is not None and inner.type == "subscript_expression":
        return root_of(function, inner)
    return function.source(inner)


def is_shared(function: ChangeableFunction, declaration: Node) -> bool:
    """Whether a declaration is of shared memory."""
    start = function.syntax.start_with_annotations(declaration.start_byte)
    return "__shared__" in function.syntax.annotations(start, declaration.end_byte)
