"""A variable in which a kernel counts, such as its finished blocks, and that nothing sets back for the next launch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.run.endless import budget_at
from tilewright.lab.check.sizes import tested_sizes
from tilewright.lab.source.changes import LOOPS, enclosing
from tilewright.lab.source.syntax import function_around

from .cases import case_of, starts_at_zero

_VARIABLE = re.compile(r"\b__device__\s+(?:static\s+|volatile\s+)*(?:unsigned(?:\s+int)?|int)\s+(?P<name>\w+)\s*[=;{]")
_COUNTS = r"\batomic(?:Add|Inc)\s*\(\s*&\s*{name}\b"


def counters_left(kernel: KernelFile, found: Found, code: str) -> Iterator[tuple[int, str]]:
    """Yield where a kernel counts, if its first launch is right, its second is not, and there may be a second.

    What else names the variable may set it back.
    """
    for variable in _VARIABLE.finditer(code):
        name = variable["name"]
        counts = [match.start() for match in re.finditer(_COUNTS.format(name=name), code)]
        rest = kernel.body.count(name) + 1 < len(re.findall(rf"\b{name}\b", code))
        if len(counts) == 1 and not rest and _is_launched_again(kernel) and _is_right_once(kernel, found):
            said = f"The second launch of {kernel.signature.name} is wrong, and the first is right"
            yield counts[0], f"{said}: {name} goes on from where that left it, and nothing sets it back."


def _is_launched_again(kernel: KernelFile) -> bool:
    """Return whether a kernel is launched twice, or in a loop or a function that may be called twice."""
    site = kernel.site
    function = function_around(site.node) if site is not None else None
    if site is None or function is None:
        return False
    is_of_main = re.search(r"\bmain\s*\(", site.syntax.source(function.child_by_field_name("declarator"))) is not None
    return not is_of_main or len(kernel.sites) > 1 or next(enclosing(site.node, *LOOPS), None) is not None


def _is_right_once(kernel: KernelFile, found: Found) -> bool:
    """Return whether the first of two launches is right, and the second is not."""
    roles = found.roles
    tested = roles.fixed or tested_sizes(roles.operation, roles.family, found.tile, kernel.options.seed, None)
    sizes = roles.sized(tested[min(1, len(tested) - 1)])
    try:
        case = case_of(found, sizes, kernel.options.seed, zero=starts_at_zero(kernel, found))
    except LaunchError:
        return False
    stand = kernel.stand(roles.constants_at(sizes))
    budget = budget_at(sizes, case.geometry, found.tile)
    outcomes = [stand.run(case.arguments, case.geometry, budget=budget) for _ in range(2)]
    if any(outcome.fault is not None or outcome.refusal for outcome in outcomes):
        return False
    first, second = (case.compare(outcome.arrays["C"]).passed for outcome in outcomes)
    return first and not second
