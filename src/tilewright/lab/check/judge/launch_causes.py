"""Finds a cause in the host's code by changing its lines: a grid rounded down, sides exchanged, a wrong size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, permutations, product
from typing import TYPE_CHECKING

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.candidates import launch_of
from tilewright.lab.check.find.kernel_file import KernelFile, parameters_of
from tilewright.lab.check.find.launches import MAX_THREADS, LaunchError, LaunchRule
from tilewright.lab.check.find.other_instances import of_other_text
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.run.deadline import Deadline
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import CompileError, LaunchSite, SourceError
from tilewright.lab.source.changes import Edit, edited
from tilewright.lab.source.macros import words
from tilewright.lab.source.names_behind import names_behind
from tilewright.lab.source.syntax import descend, function_around
from tilewright.lab.source.unpacking import BETWEEN

from .causes import CAUSE, Launched

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_CONSTANTS = 4
_WORD = re.compile(r"[A-Za-z_]\w*")
_LISTS = ("argument_list", "initializer_list", "parameter_list")
"""Sides in a row; of names alone, as in `dim3 block(W, H)`, they read like the types of a function's parameters."""
HostChange = tuple[tuple[Edit, ...], int, str]
"""Edits, their line, and a clause that describes the change."""


def find_launch_cause(
    kernel: KernelFile,
    found: Found,
    tested: Sequence[Sizes],
    launched: Callable[[KernelFile, Found], Sequence[Launched]],
    seconds: float,
) -> Finding | None:
    """Return the finding that names the host's line whose change makes all launches right; None if not found in time.

    launched: returns the problems of a kernel with another launch, the most telling first.
    """
    rule = found.rule
    if not isinstance(rule, OwnLaunch) or rule.site.syntax.text != kernel.opened.file.text:
        return None
    if rule.site.line != rule.site.syntax.line(rule.site.node):
        return None  # of a comment
    seen = [_geometries(rule, found, tested)]
    deadline = Deadline(seconds)
    for edits, line, says in [
        *_in_bytes(rule.site, found),
        *_sides_exchanged(rule.site),
        *_rounded_up(rule.site, _nodes(rule.site)),
        *_by_other_sides(rule),
        *_of_constants(kernel),
        *_host_changes(rule.site),
    ]:
        if deadline.is_over:
            return None
        changed, launch = _changed(kernel, edits) or (kernel, rule)
        is_same = changed.known_numbers == kernel.known_numbers
        geometries = _geometries(launch, found, tested)
        if geometries is None or (is_same and geometries in seen):
            continue
        seen += [geometries] if is_same else []
        code = kernel if is_same else changed
        try:
            problems = launched(code, replace(found, rule=launch))
            is_right = all(each.check(code.stand(each.values)) for each in problems)
        except (LaunchError, CompileError, SourceError):
            continue
        if is_right:
            other = _other_line(rule.site, edits, line)
            return Finding(
                CAUSE,
                ERROR,
                (kernel.opened.file.name, line),
                f"{says[0].upper()}{says[1:]}, every problem comes out right and nothing else is found.",
                "See whether that is what is meant; what is found below follows from it.",
                other=(kernel.opened.file.name, other) if other is not None else None,
                details={"change": says, "is_of_launch": True},
            )
    return None


def _other_line(site: LaunchSite, edits: Sequence[Edit], line: int) -> int | None:
    """Return the launch's line where the change is in another one, else where what it replaces was given its value."""
    if line != site.line:
        return site.line
    given = set_before(site, site.syntax.text[edits[0].start : edits[0].end])
    return site.syntax.line(given) if given is not None else None


def _geometries(rule: LaunchRule, found: Found, tested: Sequence[Sizes]) -> list[object] | None:
    try:
        passed = [found.roles.values(sizes, partial(rule.number, roles=found.roles, sizes=sizes)) for sizes in tested]
        return [*(rule.at(found.roles, sizes) for sizes in tested), *passed]
    except LaunchError:
        return None


def _changed(kernel: KernelFile, edits: Sequence[Edit]) -> tuple[KernelFile, LaunchRule] | None:
    """Return the kernel and the launch of the edited file; None if it has none."""
    try:
        changed = of_other_text(kernel.opened, kernel.signature, edited(kernel.opened.file.text, edits))
        if changed is None:
            return None
        other = KernelFile(*changed, kernel.options)
        rule = launch_of(other, parameters_of(other))
    except (SourceError, CheckError, LaunchError, IndexError):
        return None
    return None if rule is None else (other, rule)


def _in_bytes(site: LaunchSite, found: Found) -> Iterator[HostChange]:
    """Yield the launch with twice its shared memory, for two tiles, and with bytes where elements were given.

    The change is made where a name that the launch gives for the bytes is set.
    """
    syntax = next(child for child in site.node.children if child.type == "kernel_call_syntax")
    parts = [child for child in syntax.named_children if child.type != "comment"]
    if len(parts) <= 2:
        return
    value = set_before(site, site.syntax.source(parts[2])) or parts[2]
    for size in sorted({2, *(dtype.itemsize for dtype in found.dtypes.values())}):
        yield _change(site, value, f"({site.syntax.source(value)}) * {size}")


def set_before(site: LaunchSite, name: str) -> Node | None:
    """Return the last value that a name, or a field, is given before the launch, in its function; None for no name."""
    function = function_around(site.node)
    if function is None or not name.replace(".", "_").isidentifier():
        return None
    given = None
    for node in descend(function, "init_declarator", "assignment_expression"):
        fields = ("declarator", "value") if node.type == "init_declarator" else ("left", "right")
        target, value = (node.child_by_field_name(field) for field in fields)
        if node.end_byte <= site.node.start_byte and site.syntax.source(target) == name:
            given = value
    return given


def _of_constants(kernel: KernelFile) -> Iterator[HostChange]:
    """Yield each constant with the value of another, such as a block's side and a tile's that must be equal.

    Then as a power of two, which a sum of halves needs.
    """
    literal = [constant for constant in kernel.constants.values() if constant.is_literal][:MOST_CONSTANTS]
    values = [(one, other.value, f"`{other.name}`, {other.value}") for one, other in permutations(literal, 2)]
    values += [(one, power, f"{power}, a power of two,") for one in literal if (power := next_power(one.value))]
    text = kernel.opened.file.text
    for one, value, said in values:
        if one.value != value and value <= MAX_THREADS:
            line = text.count("\n", 0, one.start) + 1
            says = f"with `{one.name}` as {said} and not {one.value}"
            yield (Edit(one.start, one.end, str(value)),), line, says


def next_power(number: int) -> int:
    """Return the next power of two."""
    return 1 << (max(number, 1) - 1).bit_length()


def _nodes(site: LaunchSite) -> list[Node]:
    """Return what the code of the function around a launch says of it."""
    function = function_around(site.node)
    if function is None:
        return []
    kinds = ("binary_expression", *_LISTS, "identifier", "number_literal")
    found = descend(function, *kinds)
    return [node for node in found if node.start_byte < site.node.end_byte and _says_launch(site, node)]


def _sides_exchanged(site: LaunchSite) -> Iterator[HostChange]:
    """Yield the two sizes of a grid exchanged, where each is said of the other's axis, and a block's two sides.

    A constant's other value may mend exchanged sides, too, and is seldom what is wrong.
    """
    nodes = _nodes(site)
    for edits, line, says in _exchanged(site, nodes):
        if len(edits) == 1 and edits[0].text.count("(") > 1:
            yield edits, line, says
    yield from _exchanged(site, [node for node in nodes if _is_of_block(site, node)])
    yield from _fields_exchanged(site)


def _fields_exchanged(site: LaunchSite) -> Iterator[HostChange]:
    """Yield the values of `grid.x` and `grid.y` exchanged, and those of a block."""
    for name in (site.grid_text, site.block_text):
        across, down = (set_before(site, f"{name}.{side}") for side in "xy")
        if across is not None and down is not None:
            pairs = ((across, down), (down, across))
            edits = tuple(Edit(to.start_byte, to.end_byte, site.syntax.source(of)) for to, of in pairs)
            yield edits, site.syntax.line(across), f"with the values of `{name}.x` and `{name}.y` exchanged"


def _is_of_block(site: LaunchSite, node: Node) -> bool:
    """Return whether a list is that of the block's sides, in the launch or where its name is declared."""
    return any(
        site.block_text in (site.syntax.source(outer), site.syntax.source(outer.child_by_field_name("declarator")))
        for outer in islice(_around(node), 2)
    )


def _host_changes(site: LaunchSite) -> Iterator[HostChange]:
    """Yield changes of the code before a launch: quotients rounded up, sides exchanged, other names."""
    nodes = _nodes(site)
    yield from _rounded_up(site, nodes)
    yield from _exchanged(site, nodes)
    yield from _by_warps(site, nodes)
    yield from _renamed(site, nodes)
    yield from _of_numbers(site, nodes)
    for node in nodes:  # a warp for each
        if node.type == "identifier" and not _is_declared(node) and _says_sizes(site, node):
            yield _change(site, node, f"({site.syntax.source(node)} * 32)")


def _by_warps(site: LaunchSite, nodes: Sequence[Node]) -> Iterator[HostChange]:
    """Yield what a grid is divided by as a number of warps: of a name of its own, that the block does not use."""
    for node in nodes:
        by = node.child_by_field_name("right") if any(child.type == "/" for child in node.children) else None
        name = site.syntax.source(by)
        value = set_before(site, name) if name not in words(site.block_text) else None
        if value is not None:
            yield _change(site, value, f"({site.syntax.source(value)}) / 32")


def _rounded_up(site: LaunchSite, nodes: Sequence[Node]) -> Iterator[HostChange]:
    """Yield each quotient rounded up, and all of a line at once."""
    of_lines: dict[int, list[Edit]] = {}
    for node in nodes:
        if node.type == "binary_expression" and any(child.type == "/" for child in node.children):
            left, right = (site.syntax.source(node.child_by_field_name(side)) for side in ("left", "right"))
            if re.search(rf"\+\s*\(?\s*{re.escape(right)}\s*-\s*1\b|-\s*1\s*\+\s*{re.escape(right)}", left):
                continue  # it is
            change = _change(site, node, f"(({left}) + ({right}) - 1) / ({right})")
            edits = of_lines.setdefault(change[1], [])
            if not any(each.start <= change[0][0].start < each.end for each in edits):  # a part of another quotient
                edits.extend(change[0])
            yield change
    for line, edits in of_lines.items():
        if len(edits) > 1:
            yield tuple(edits), line, "with the quotients of the launch rounded up"
    if len(of_lines) > 1:
        together = tuple(edit for edits in of_lines.values() for edit in edits)
        lines = ", ".join(map(str, of_lines))
        yield together, next(iter(of_lines)), f"with the quotients of lines {lines} rounded up"


def _by_other_sides(rule: OwnLaunch) -> Iterator[HostChange]:
    """Yield each quotient by another side of a block or a tile: `(m + H - 1) / H` for `(m + W - 1) / W`."""
    site = rule.site
    for node in _nodes(site):
        by = node.child_by_field_name("right") if node.type == "binary_expression" else None
        if by is None or by.type != "identifier" or site.syntax.source(node.child_by_field_name("operator")) != "/":
            continue
        text, old = site.syntax.source(node), site.syntax.source(by)
        if old not in rule.block_names:
            continue
        for name in sorted(rule.block_names):
            if name not in text:
                yield _change(site, node, re.sub(rf"\b{old}\b", name, text))


def _exchanged(site: LaunchSite, nodes: Sequence[Node]) -> Iterator[HostChange]:
    for node in nodes:
        parts = [child for child in node.named_children if child.type != "comment"]
        if node.type in _LISTS and len(parts) >= 2 and node.parent != site.node:
            texts = [site.syntax.source(part) for part in parts]
            exchanges = [texts[1::-1], *(_with_exchanged(texts[:2], *own) for own in product(*_own_words(texts[:2])))]
            start, end = ("{", "}") if node.type == "initializer_list" else ("(", ")")
            for sides in exchanges:
                yield _change(site, node, f"{start}{', '.join([*sides, *texts[2:]])}{end}")


def _own_words(texts: Sequence[str]) -> list[list[str]]:
    """Return the names in each of two texts that the other has not: of a grid, its sizes and its tiles."""
    found = [list(dict.fromkeys(_WORD.findall(text))) for text in texts]
    return [[word for word in own if word not in other] for own, other in (found, found[::-1])]


def _with_exchanged(texts: Sequence[str], one: str, two: str) -> list[str]:
    """Return two texts, each with the other's name in place of its own."""
    first, second = texts
    return [re.sub(rf"\b{one}\b", two, first), re.sub(rf"\b{two}\b", one, second)]


def _renamed(site: LaunchSite, nodes: Sequence[Node]) -> Iterator[HostChange]:
    names = [node for node in nodes if node.type == "identifier" and not _is_declared(node)]
    passed = [text for text in site.arguments if text.isidentifier() and re.search(rf"\b{text}\b", site.sizes_text)]
    others = [text for text in site.arguments if text.isidentifier() and text not in passed] if passed else []
    for node in names:
        peers = [*map(site.syntax.source, names), *(others if _says_sizes(site, node) else [])]
        for name in dict.fromkeys(peers):
            if name != site.syntax.source(node):
                yield _change(site, node, name)


def _is_declared(node: Node) -> bool:
    """Return whether a name is the one that a declaration gives."""
    outer = node.parent
    return outer is not None and "declarat" in outer.type and outer.child_by_field_name("value") != node


def _says_sizes(site: LaunchSite, node: Node) -> bool:
    """Return whether a name stands in the launch's configuration and is passed to the kernel as well: a size."""
    return site.syntax.source(node) in site.arguments and not any(
        outer.type == "argument_list" and outer.parent == site.node for outer in _around(node)
    )


def _around(node: Node) -> Iterator[Node]:
    """Yield the nodes around a node."""
    while node.parent is not None:
        node = node.parent
        yield node


def _of_numbers(site: LaunchSite, nodes: Sequence[Node]) -> Iterator[HostChange]:
    for node in nodes:
        text = site.syntax.source(node)
        if node.type == "binary_expression":
            left, operator, right = (
                site.syntax.source(node.child_by_field_name(field)) for field in ("left", "operator", "right")
            )
            if operator == "-" and right.isdigit():
                yield _change(site, node, f"({left})")
            yield _change(site, node, f"({text} + 1)")
        elif node.type == "number_literal" and text.isdigit():
            for other in (int(text) + 1, 2 * int(text), int(text) // 2, 4 * int(text), next_power(int(text))):
                yield _change(site, node, str(other))


def _says_launch(site: LaunchSite, node: Node) -> bool:
    """Return whether a node is in the launch's configuration, or in a declaration of a name used there."""
    outer: Node | None = node
    while outer is not None and outer.type != "function_definition":
        if outer.type == "kernel_call_syntax":
            return True
        if outer.type in ("declaration", "expression_statement"):
            text = site.syntax.source(outer)
            named = {word for word in (site.grid_text, site.block_text) if word.isidentifier()}
            return "dim3" in text or any(word in text.split("=")[0] for word in named) or _feeds(site, outer)
        outer = outer.parent
    return False


def _feeds(site: LaunchSite, statement: Node) -> bool:
    declared = [
        site.syntax.source(each.child_by_field_name("declarator")) for each in descend(statement, "init_declarator")
    ]
    used = words(" ".join(site.arguments)) | names_behind(site.syntax, f"{site.grid_text}, {site.block_text}")
    return any(name in used for name in declared) or any(
        word in site.syntax.source(statement) for word in ("blocks", "grid", "threads")
    )


def _change(site: LaunchSite, node: Node, now: str) -> HostChange:
    says = f"with `{now}` in place of `{site.syntax.source(node)}`".replace(BETWEEN, ".")
    return (Edit(node.start_byte, node.end_byte, now),), site.syntax.line(node), says
