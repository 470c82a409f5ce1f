"""The largest sizes that a number of blocks is launched for: what a wrong quotient leaves out, these blocks miss.

`(n / 4 + 127) / 128` blocks of 512 elements are enough for 512 and for 516, and not for 513 to 515.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.promises import Promise
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.sizes import Sizes, row_group

from .variants import PLAIN, Variant

LARGEST = {"inner": 1 << 15, "rows": 512, "cols": 512}
"""The longest side that is tried: a product of such sides still takes little time."""


def with_full_grids(found: Found, promise: Promise, tested: Sequence[Sizes]) -> Iterator[tuple[Sizes, Variant]]:
    """Yield the sizes just before the file's own launch takes another block, where these are no whole tiles."""
    roles = found.roles
    is_any = promise.multiples is None and not roles.fixed and roles.operation not in KINDS
    if not is_any or not isinstance(found.rule, OwnLaunch) or found.rule.is_guess:
        return
    step = row_group(roles.operation)
    for side in ("inner",) if roles.operation == "dot" else ("rows", "cols"):
        lengths = {getattr(sizes, side) for sizes in tested}
        last = _last_of_grid(found, tested[-1], side, step) if len(lengths) > 1 else 0
        if last and last % max(found.tile, 1) and last not in lengths:
            yield roles.sized(replace(tested[-1], **{side: last})), PLAIN


def _last_of_grid(found: Found, sizes: Sizes, side: str, step: int) -> int:
    """Return the longest side with as many blocks as the shortest has, 0 if there is none."""

    def grid(count: int) -> tuple[int, ...]:
        return found.rule.at(found.roles, found.roles.sized(replace(sizes, **{side: count * step}))).grid

    with suppress(LaunchError):
        first, few, more = grid(1), 1, 2
        while grid(more) == first:
            few, more = more, 2 * more
            if more * step > LARGEST[side]:
                return 0
        while more - few > 1:
            middle = (few + more) // 2
            few, more = (middle, more) if grid(middle) == first else (few, middle)
        return few * step
    return 0
