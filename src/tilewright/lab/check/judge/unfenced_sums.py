"""Sums of blocks that the last block may read before they are there: no fence between a sum and the counter.

The emulator writes at once, and a launch of one block reads its own sum alone: so the text is looked at. Accesses that
are volatile keep their order within a thread and no longer: other blocks may see the counter first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.roles import COUNTER, SCRATCH
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source.macros import code_only

KIND = "race"
_ORDERS = re.compile(r"fence|memory_order|\.(?:release|acquire|acq_rel)\b|\basm\b|\bthis_grid\b|\batomic(?:_ref)?\s*<")
"""What may order the accesses of two blocks; a file that has any of it is left alone."""


def unfenced_sums(kernel: KernelFile, found: Found, findings: Sequence[Finding]) -> list[Finding]:
    """Return where a block's sum is stored, if nothing of the file orders that before the atomic that counts the block.

    Not where a race on these sums was found already.
    """
    arguments, parameters = found.roles.arguments, kernel.signature.parameters
    if not {SCRATCH, COUNTER} <= set(arguments) or len(arguments) != len(parameters):
        return []
    if _ORDERS.search(code_only(kernel.opened.file.text)) or any(each.address.startswith(SCRATCH) for each in findings):
        return []
    sums, counter = (re.escape(parameters[arguments.index(word)].name) for word in (SCRATCH, COUNTER))
    stored = re.search(rf"\b{sums}\s*\[\s*blockIdx\s*\.\s*x\s*\]\s*=(?!=)", kernel.body)
    counted = re.search(rf"\batomic(?:Inc|Add)\s*\(\s*&?\s*{counter}\b", kernel.body)
    if stored is None or counted is None or counted.start() < stored.start():
        return []
    file = kernel.opened.file.name
    places = [(file, kernel.line_at(at.start())) for at in (stored, counted)]
    message = (
        f"The last block may read this sum before it is there: nothing orders it before the atomic of line "
        f"{places[1][1]}, by which the block is counted."
    )
    advice = f"Put __threadfence() between line {places[0][1]} and the atomic."
    return [Finding(KIND, ERROR, places[0], message, advice, other=places[1])]
