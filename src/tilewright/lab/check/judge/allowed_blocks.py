"""Other sides of blocks that the host's own checks let through: `if (threads % 32 != 0 || threads > 1024) return 1;`.

A kernel is then to be right with 96 threads as well, which are no power of two. Without a remainder in the checks, the
ends of what they let through are tried, as far as those are powers of two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from tilewright.lab.check.find.block_words import POWER, odd_blocks_said
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import FormulaLaunch, LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import LaunchSite, resolve_number
from tilewright.lab.source.macros import comments_only, words
from tilewright.lab.source.syntax import descend, function_around

from .variants import Variant, found_with

MOST_THREADS = 1024
_LEAVES = re.compile(r"\b(?:return|exit|abort|throw)\b")


def allowed_blocks(kernel: KernelFile, found: Found, tested: Sequence[Sizes]) -> Iterator[tuple[Sizes, Variant]]:
    """Yield a launch for each other side of a block that the host's checks or a comment show to be allowed."""
    rule = found.rule
    if found.roles.fixed:
        return
    sizes = max(tested, key=lambda each: (each.inner, each.rows * each.cols))
    yield from _said(kernel, found, sizes)
    if not isinstance(rule, OwnLaunch):
        return
    known = kernel.constants.keys()
    for name in sorted(rule.block_names & words(rule.site.syntax.code) - known):
        atoms = list(_atoms(rule.site, name))
        is_of_sizes = any(words(text) - known - {name} for text, _ in atoms)
        for value in _values(kernel, rule.site, name, atoms) if atoms and not is_of_sizes else ():
            variant = Variant(sides=((name, value),))
            try:
                geometry = found_with(found, variant).rule.at(found.roles, sizes)
                plain = rule.at(found.roles, sizes)
            except LaunchError:
                continue
            if geometry.block != plain.block and 1 < prod(geometry.block) <= MOST_THREADS:
                yield sizes, variant


def _said(kernel: KernelFile, found: Found, sizes: Sizes) -> Iterator[tuple[Sizes, Variant]]:
    """Yield a launch with fewer threads in a line than the block has, as many as comments let it have."""
    text = kernel.opened.file.text
    if "blockDim.x" not in kernel.indices or "threadIdx.y" in kernel.indices or holds_to_powers(text):
        return
    try:
        plain = prod(found.rule.at(found.roles, sizes).block)
        for threads in dict.fromkeys(odd_blocks_said(comments_only(text))):
            variant = _of_threads(kernel, found, threads)
            if variant is not None and threads < plain:
                geometry = found_with(found, variant).rule.at(found.roles, sizes)
                if prod(geometry.block) == threads:
                    yield sizes, variant
    except LaunchError:
        return


def holds_to_powers(text: str) -> bool:
    """Return whether the code asserts that a number is a power of two."""
    return re.search(r"&\s*\(?\s*\w+(?:\s*\.\s*x)?\s*-\s*1\s*\)?\s*\)?\s*(?:==|!=)\s*0", text) is not None


def _of_threads(kernel: KernelFile, found: Found, threads: int) -> Variant | None:
    """Return the variant with so many threads in a block; None where the grid could not follow them."""
    rule = found.rule
    if isinstance(rule, FormulaLaunch):
        follows = 0 in kernel.looped_axes or re.search(rf"\b{rule.block}\b", rule.grid)
        return Variant(threads=threads) if rule.block.isdigit() and follows else None
    if isinstance(rule, OwnLaunch):
        names = sorted(rule.block_names & words(rule.site.syntax.code) - kernel.constants.keys())
        return Variant(sides=((names[0], threads),)) if len(names) == 1 else None
    return None


def _atoms(site: LaunchSite, name: str) -> Iterator[tuple[str, bool]]:
    """Yield each comparison with a name that the function checks before a launch, and whether it must hold."""
    function = function_around(site.node)
    for node in descend(function, "if_statement", "call_expression") if function is not None else ():
        if node.end_byte > site.node.start_byte:
            continue
        text = site.syntax.source(node.child_by_field_name("condition" if node.type == "if_statement" else "arguments"))
        inner = re.sub(r"^\((.*)\)$", r"\1", text)
        if node.type == "if_statement":
            leaves = _LEAVES.search(site.syntax.source(node.child_by_field_name("consequence")))
            parts = re.split(r"\|\|", inner) if leaves else []
        else:
            is_assertion = site.syntax.source(node.child_by_field_name("function")) == "assert"
            parts = re.split(r"&&", inner) if is_assertion else []
        for part in parts:
            if re.search(rf"\b{re.escape(name)}\b", part):
                yield part.strip(), node.type != "if_statement"


def _values(kernel: KernelFile, site: LaunchSite, name: str, atoms: list[tuple[str, bool]]) -> list[int]:
    """Return values of a name that its checks let through, at most three of them."""

    def is_allowed(value: int) -> bool:
        for text, must_hold in atoms:
            holds = resolve_number(site, text, {name: value})
            if not isinstance(holds, int | float) or bool(holds) != must_hold:
                return False
        return True

    if is_allowed(2 * MOST_THREADS):
        return []  # its checks say nothing of how large it is
    every = [value for value in range(2, MOST_THREADS + 1) if is_allowed(value)]
    divided = re.search(rf"\b{re.escape(name)}\s*%\s*\w+", " ".join(text for text, _ in atoms))
    said = comments_only(kernel.opened.file.text)
    if not every:
        return []
    if divided and not POWER.search(said):
        odd = [value for value in every if value & (value - 1)]
        return list(dict.fromkeys([*odd[:1], every[-1], every[0]]))
    powers = [value for value in every if not value & (value - 1)]
    return list(dict.fromkeys([*powers[-1:], *powers[:1]]))
