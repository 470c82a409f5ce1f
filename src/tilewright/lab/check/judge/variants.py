"""How a launch differs from the plain one at its sizes: other blocks, another alpha and beta, longer rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LargerGrid, SmallerGrid
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.roles import PLAIN_ALPHA, PLAIN_BETA


@dataclass(frozen=True)
class Variant:
    """axes: of the grid, along which it is smaller. is_scaled: whether alpha is not 1 and beta not 0. padding: elements
    behind each row of a matrix with a leading dimension. is_larger: whether there are more blocks than threads in one.
    sides: values of names that determine the sides of the file's own blocks.
    """

    axes: tuple[int, ...] = ()
    is_scaled: bool = False
    padding: int = 0
    is_larger: bool = False
    sides: tuple[tuple[str, int], ...] = ()


PLAIN = Variant()


def found_with(found: Found, variant: Variant) -> Found:
    """Return the roles and the launch of a variant."""
    if variant.sides and isinstance(found.rule, OwnLaunch):
        found = replace(found, rule=found.rule.with_sides(variant.sides))
    if variant.axes:
        found = replace(found, rule=SmallerGrid(found.rule, variant.axes))
    if variant.is_larger:
        found = replace(found, rule=LargerGrid(found.rule, (0,)))
    found = replace(found, roles=found.roles.with_padding(variant.padding)) if variant.padding else found
    return replace(found, roles=replace(found.roles, is_scaled=True)) if variant.is_scaled else found


def takes_factors(found: Found) -> bool:
    """Return whether there is an alpha or a beta, which other values show: of floats of 32 or 64 bits."""
    is_exact_in_c = found.dtypes["C"].kind == "f" and found.dtypes["C"].itemsize > 2
    return is_exact_in_c and bool({PLAIN_ALPHA, PLAIN_BETA} & set(found.roles.arguments))


def says_factors(kernel: KernelFile, found: Found) -> bool:
    """Return whether the file says, in code or in a comment, that C is alpha A B + beta C.

    Without that, a number by which the product is right at 1 and 0 could also mean something else, such as a bias.
    """
    parameters, words = kernel.signature.parameters, found.roles.arguments
    named = {word: parameter.name for word, parameter in zip(words, parameters, strict=True)}
    text = kernel.opened.file.text
    c = rf"(?:\w+\s*->\s*)?(?:{re.escape(named['C'])}|C)\b(?:\s*\[[^\]]*\])?"
    factor = re.escape(named.get(PLAIN_BETA, named.get(PLAIN_ALPHA, "")))
    of_what = c if PLAIN_BETA in named else r"\w"
    return re.search(rf"\b{factor}\s*\*\s*{of_what}|{of_what}\s*\*\s*{factor}\b", text) is not None
