"""Sizes that a launch passes for others: `k` for the length of a column that has `m` elements.

With what the kernel needs it is right, so its roles are known; what the host passes for them need not be that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, parameters_of
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.roles import NAMED, NULL, PASSED
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import resolve_number
from tilewright.lab.source.unpacking import BETWEEN

from .launch_causes import set_before

TRIED = Sizes(61 * 64, 53 * 64, 47 * 64)
"""Sizes of which none is a part of another, and all are whole tiles and vectors."""
VECTORS = ("", "cols=1", "rows=1")
"""The families of products, and of those of a matrix and a vector."""


def wrong_sizes(kernel: KernelFile, found: Found) -> Iterator[tuple[int, str]]:
    """Yield the launch, or what it passes, where a size stands for another one: one name for two sizes.

    Where an array is passed twice, the kernel may be meant for another operation.
    """
    rule, roles, parameters = found.rule, found.roles, parameters_of(kernel)
    is_plain = not (roles.fixed or roles.batched or roles.sliced) and roles.family in VECTORS
    if not (found.fits and is_plain) or not isinstance(rule, OwnLaunch) or rule.is_guess:
        return
    texts = [text.strip() for text in rule.site.arguments]
    arrays = [text for text, word in zip(texts, roles.arguments, strict=False) if word in NAMED]
    is_known = len(set(arrays)) == len(arrays) and not any(word[0] == PASSED for word in roles.arguments)
    if not is_known or not len(texts) == len(parameters) == len(roles.arguments):
        return
    sizes = TRIED.of_family(roles.family).of_operation(roles.operation)
    needed = {at: value for at, value in enumerate(roles.values(sizes, int)) if isinstance(value, int)}
    values = roles.constants_at(sizes)
    for name in rule.roots:
        own = [at for at in needed if texts[at] == name]
        named = [needed[at] for at in own if parameters[at].name == name] or [needed[at] for at in own]
        values |= {name: Counter(named).most_common(1)[0][0]} if named else {}
    for at, number in needed.items():
        passed = resolve_number(rule.site, texts[at], values)
        meant = next((name for name in rule.roots if values.get(name) == number), roles.arguments[at])
        if roles.arguments[at] != NULL and isinstance(passed, int) and passed != number:
            place = (set_before(rule.site, texts[at]) or rule.site.node).start_byte
            said = f"{texts[at].replace(BETWEEN, '.')} is passed for {parameters[at].name}"
            yield place, f"{said}, where {kernel.signature.name} needs {meant}: with that, all its results are right."
