"""Rows' lengths in memory that a call passes to the host's function that launches: one side for another.

`gemm(m, n, k, A, m, B, k, C, n)` is wrong if C's columns have m elements: only the kernel says which it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.source.callers import calls_with_arguments, parameters_of_function
from tilewright.lab.source.syntax import function_around

if TYPE_CHECKING:
    from tree_sitter import Node

    from tilewright.lab.source.syntax import Syntax

SIDES = ("rows", "inner", "cols")


def wrong_lengths(kernel: KernelFile, found: Found) -> Iterator[tuple[int, str]]:
    """Yield calls that pass for a row's length what they pass for another side than the row has."""
    site, roles = kernel.site, found.roles
    function = function_around(site.node) if site is not None else None
    if site is None or function is None or not isinstance(found.rule, OwnLaunch) or roles.fixed or not roles.leading:
        return
    if site.syntax.text != kernel.opened.file.text or len(site.arguments) != len(roles.arguments):
        return
    leading = {key if isinstance(key, int) else _place(site.arguments, key): matrix for matrix, key in roles.leading}
    words = roles.formulas
    name, parameters = parameters_of_function(site.syntax, function)
    for call, given in calls_with_arguments(site.syntax, name):
        passed = _texts(site.syntax, given, parameters)
        texts = [passed.get(argument.strip(), "") for argument in site.arguments]
        sides: dict[str, set[str]] = {side: set() for side in SIDES}
        for at, (word, text) in enumerate(zip(words, texts, strict=True)):
            if word in sides and text and at not in leading:
                sides[word].add(text)
        for place, matrix in leading.items():
            word, text = (words[place], texts[place]) if place >= 0 else ("", "")
            own = sides.get(word, set())
            others = set[str]().union(*(each for side, each in sides.items() if side != word))
            if len(own) == 1 and text in others - own:
                said = f"This call passes {text} for {site.arguments[place]}, the length of a row or a column of"
                array = kernel.signature.parameters[roles.arguments.index(matrix)].name
                yield call.start_byte, f"{said} {array} in memory, and that is {next(iter(own))} here."


def _texts(syntax: Syntax, given: list[Node], parameters: list[str]) -> dict[str, str]:
    """Return what a call passes for each parameter."""
    return {name: syntax.source(node) for name, node in zip(parameters, given, strict=False)}


def _place(arguments: list[str], name: str) -> int:
    """Return which argument of a launch is a name, or -1."""
    return next((at for at, text in enumerate(arguments) if text.strip() == name), -1)
