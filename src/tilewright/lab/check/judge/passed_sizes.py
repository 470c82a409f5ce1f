"""Sizes that a launch passes for others: `k` for the length of a column that has `m` elements.

With what the kernel needs it is right, so its roles are known; what the host passes for them need not be that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, parameters_of
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.roles import NAMED, NULL, PASSED
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import resolve_number
from tilewright.lab.source.unpacking import BETWEEN

TRIED = Sizes(106, 61, 94)
"""Sizes of which none is a part of another."""
VECTORS = ("", "cols=1", "rows=1")
"""The families of products, and of those of a matrix and a vector."""


def wrong_sizes(kernel: KernelFile, found: Found) -> Iterator[tuple[int, str]]:
    """Yield the launch, or what it passes, where a size stands for another one: one name for two sizes.

    Where an array is passed twice, the kernel may be meant for another operation.
    """
    rule, roles, parameters = found.rule, found.roles, parameters_of(kernel)
    if not isinstance(rule, OwnLaunch) or rule.is_guess or roles.fixed or roles.batched or roles.family not in VECTORS:
        return
    texts = [text.strip() for text in rule.site.arguments]
    arrays = [text for text, word in zip(texts, roles.arguments, strict=False) if word in NAMED]
    is_plain = len(set(arrays)) == len(arrays) and not any(word[0] == PASSED for word in roles.arguments)
    if not is_plain or not len(texts) == len(parameters) == len(roles.arguments):
        return
    sizes = TRIED.of_family(roles.family).of_operation(roles.operation)
    needed = {at: value for at, value in enumerate(roles.values(sizes, int)) if isinstance(value, int)}
    values = roles.constants_at(sizes)
    for name in rule.roots:
        own = [at for at in needed if texts[at] == name]
        named = [needed[at] for at in own if parameters[at].name == name] or [needed[at] for at in own]
        values |= {name: Counter(named).most_common(1)[0][0]} if named else {}
    for at, number in needed.items():
        passed = resolve_number(rule.site, texts[at], dict(rule.unknown) | values)
        meant = next((name for name in rule.roots if values.get(name) == number), roles.arguments[at])
        if roles.arguments[at] != NULL and isinstance(passed, int) and passed != number:
            what, place = _what_and_where(rule, texts[at])
            said = f"{what} passed for {parameters[at].name}, where {kernel.signature.name} needs {meant}"
            yield place, f"{said}: with that, all its results are right."


def _what_and_where(rule: OwnLaunch, text: str) -> tuple[str, int]:
    """Return what a launch passes, in words, and its place: of a struct's member where the struct is made."""
    owner, between, member = text.partition(BETWEEN)
    before = rule.site.syntax.text[: rule.site.node.start_byte]
    made = list(re.finditer(rf"\b{re.escape(owner)}\s*(?:=\s*\w*\s*)?[{{(]", before)) if between else []
    return (f"{owner}.{member} is", made[-1].start()) if made else (f"{text} is", rule.site.node.start_byte)
