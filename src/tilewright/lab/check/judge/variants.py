"""How a launch differs from the plain one at its sizes: other blocks, another alpha and beta, longer rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import FormulaLaunch, LargerGrid, SmallerGrid
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.roles import PLAIN_ALPHA, PLAIN_BETA
from tilewright.lab.source.macros import code_only
from tilewright.lab.source.unpacking import BETWEEN


@dataclass(frozen=True)
class Variant:
    """axes: of the grid, along which it is smaller. is_scaled: whether alpha is not 1 and beta not 0. padding: elements
    behind each row of a matrix with a leading dimension. is_larger: whether there are more blocks than threads in one.
    sides: values of names that determine the sides of the file's own blocks. threads: of a guessed block in a line.
    """

    axes: tuple[int, ...] = ()
    is_scaled: bool = False
    padding: int = 0
    is_larger: bool = False
    sides: tuple[tuple[str, int], ...] = ()
    threads: int = 0


PLAIN = Variant()


def found_with(found: Found, variant: Variant) -> Found:
    """Return the roles and the launch of a variant."""
    if variant.sides and isinstance(found.rule, OwnLaunch):
        found = replace(found, rule=found.rule.with_sides(variant.sides))
    if variant.threads and isinstance(found.rule, FormulaLaunch):
        found = replace(found, rule=found.rule.with_threads(variant.threads))
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
    own = named.get(PLAIN_BETA, named.get(PLAIN_ALPHA, ""))
    c = rf"(?:\w+\s*->\s*)?(?:{_either(named['C'])}|C)\b(?:\s*\[[^\]]*\])?"
    factor, of_what = _either(own), c if PLAIN_BETA in named else r"\w"
    if re.search(rf"\b(?:{factor})\s*\*\s*{of_what}|{of_what}\s*\*\s*(?:{factor})\b", text) is not None:
        return True
    return PLAIN_BETA in named and _is_read_back(code_only(text), factor)


def _either(name: str) -> str:
    """Return a pattern for a name, and for the field of a struct as its comments call it."""
    return "|".join(dict.fromkeys(re.escape(each) for each in (name, re.split(rf"\.|{BETWEEN}", name)[-1])))


def _is_read_back(code: str, beta: str) -> bool:
    """Return whether a statement multiplies by beta what it writes: `*to = alpha * sum + beta * *to`."""
    for scaled in re.finditer(
        rf"(?P<before>[^;{{}}]*[^;{{}}=!<>])=(?!=)[^;{{}}]*\b(?:{beta})\s*\*(?P<rest>[^;]+);", code
    ):
        before, rest = ("".join(scaled[group].split()) for group in ("before", "rest"))
        for read in (rest, rest.rstrip(")"), re.split(r"[+:]", rest)[0]):
            place = before.removesuffix(read)
            if read and place != before and not re.search(r"\w$", place):
                return True
    return False
