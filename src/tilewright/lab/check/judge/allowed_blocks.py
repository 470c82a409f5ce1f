"""Other sides of blocks that the host's own checks let through: `if (threads % 32 != 0 || threads > 1024) return 1;`.

A kernel is then to be right with 96 threads as well, which are no power of two. Without a remainder in the checks, the
ends of what they let through are tried, as far as those are powers of two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import LaunchSite, resolve_number
from tilewright.lab.source.macros import comments_only, words
from tilewright.lab.source.syntax import descend, function_around

from .variants import Variant, found_with

MOST_THREADS = 1024
_LEAVES = re.compile(r"\b(?:return|exit|abort|throw)\b")
_POWER = re.compile(
    r"power|potenci|potênci|zweierpotenz|potenz|puissance|potęg|macht|kuvvet|степен|ступен|potens|mocnin|2\s*的|の累乗|거듭제곱|2\^",
    re.IGNORECASE,
)
"""Words of a comment that may hold a block to powers of two, in as many languages."""


def allowed_blocks(kernel: KernelFile, found: Found, tested: Sequence[Sizes]) -> Iterator[tuple[Sizes, Variant]]:
    """Yield a launch for each other side of a block that the host's checks show to be allowed."""
    rule = found.rule
    if not isinstance(rule, OwnLaunch) or found.roles.fixed:
        return
    sizes = max(tested, key=lambda each: (each.inner, each.rows * each.cols))
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
    if divided and not _POWER.search(said):
        odd = [value for value in every if value & (value - 1)]
        return list(dict.fromkeys([*odd[:1], every[-1], every[0]]))
    powers = [value for value in every if not value & (value - 1)]
    return list(dict.fromkeys([*powers[-1:], *powers[:1]]))
