"""Which sizes a kernel promises to be right for: any, or multiples of its tile. Its launch and its guards say so."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tilewright.kernels import find_operation

from .candidate import Found
from .kernel_file import KernelFile
from .launches import FormulaLaunch, LaunchError
from .sizes import Sizes

_GUARD = re.compile(r"\bif\b|\?|\bf?min\s*\(|\bwhile\b")
TILES = 24
"""How many tiles are many."""


@dataclass(frozen=True)
class Promise:
    """multiples: of what the sizes are, None for any sizes. said: that in words.

    is_note: whether it limits the kernel's use, and it is the file that says so and not the user.
    """

    multiples: int | None
    said: str
    is_note: bool = False


def promise_of(kernel: KernelFile, found: Found) -> Promise:
    """Return what the user says; else multiples of the tile where there is no guard and no launch rounds up.

    A grid that rounds up (`ceil`, `(n + 15) / 16`) covers every size, and so promises it.
    """
    if kernel.options.multiples_of is not None:
        count = kernel.options.multiples_of
        return Promise(count, f"multiples of {count}, as --multiples-of says")
    if found.roles.fixed:
        said = "sizes that stand in the file: as parameters, or as #define, they could be tried at others"
        return Promise(None, said, is_note=True)
    if _GUARD.search(kernel.body) or _covers_any(found):
        return Promise(None, "any sizes")
    return Promise(
        found.tile,
        f"multiples of {found.tile}: the kernel has no guard, and its launch does not round up",
        is_note=True,
    )


def _covers_any(found: Found) -> bool:
    """Whether one row more than whole tiles gets a block of its own, or the grid is always the same."""
    if isinstance(found.rule, FormulaLaunch) and found.rule.is_guess:
        return False
    group = find_operation(found.roles.operation).row_group
    whole = found.tile * group * TILES
    grids = []
    for size in (whole, whole + group, 2 * whole):
        try:
            grids.append(found.rule.at(found.roles, Sizes(size, size, size).of_operation(found.roles.operation)).grid)
        except LaunchError:
            return False
    return grids[0] != grids[1] or grids[0] == grids[2]
