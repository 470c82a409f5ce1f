"""A first kernel whose blocks along one axis each leave a product of their own part of the inner dimension.

With few elements there is one such part, so that the kernel looks like one of the whole product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.kinds import is_partial
from tilewright.lab.check.run.watching import ERROR

from .variants import found_with
from .verdicts import Held, Judgement


def of_slices(found: Found, judgement: Judgement, judged: Callable[[Found], Held]) -> tuple[Found, Held] | None:
    """Return a kernel as one that leaves slices, if exactly those launches are wrong that have several along an axis.

    It must be right as such. Only the file's own launch shows that: a guessed grid has no such axis.
    """
    roles = found.roles
    is_one = not (roles.sliced or roles.batched or roles.leading or roles.fixed or is_partial(roles.operation))
    if not (is_one and judgement.failing and isinstance(found.rule, OwnLaunch)):
        return None
    try:
        grids = [found_with(found, variant).rule.at(roles, sizes).grid for sizes, variant in judgement.launched]
    except LaunchError:
        return None  # of fewer elements than a block has threads, where the quotient is rounded down
    wrong = [number in judgement.failing for number in range(len(grids))]
    for axis in "zyx":
        if [grid["xyz".index(axis)] > 1 for grid in grids] != wrong:
            continue
        sliced = replace(found, roles=replace(roles, sliced=axis))
        held = judged(sliced)
        if not held[0].failing and not any(each.severity == ERROR for each in held[1]):
            return sliced, held
    return None
