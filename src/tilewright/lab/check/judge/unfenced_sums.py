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
"""What may order the accesses of two blocks; it does not stand behind the atomic, where only the reader has it."""
_COUNTED = re.compile(r"\batomic(?:Inc|Add)\s*\(\s*&?\s*(?P<name>\w+)\b")
_STORED = re.compile(r"\b(?P<name>\w+)\s*\[\s*blockIdx\s*\.\s*x\s*\]\s*=(?!=)")

_OF_DEVICE = re.compile(r"\b__device__\s[\w\s]+?\b(\w+)\s*(?:\[[^;()]*)?[=;{]")


def unfenced_sums(kernel: KernelFile, found: Found, findings: Sequence[Finding]) -> list[Finding]:
    """Return where a block's sum is stored, if nothing of the file orders that before the atomic that counts the block.

    Not where a race on these sums was found already.
    """
    sums, counters = (_names_of(kernel, found, word) for word in (SCRATCH, COUNTER))
    body = kernel.body
    counted = next((each for each in _COUNTED.finditer(body) if each["name"] in counters), None)
    if counted is None:
        return []
    before = [each for each in _STORED.finditer(body[: counted.start()]) if each["name"] in sums]
    stored = before[-1] if before else None
    if stored is None or re.search(rf"\b{stored['name']}\b", body[counted.end() :]) is None:
        return []
    elsewhere = code_only(kernel.opened.file.text).replace(body, "")
    if _ORDERS.search(elsewhere) or _ORDERS.search(body[: counted.start()]):
        return []
    if any(each.address.startswith((SCRATCH, stored["name"])) for each in findings):
        return []
    file = kernel.opened.file.name
    places = [(file, kernel.line_at(at.start())) for at in (stored, counted)]
    message = (
        f"The last block may read this sum before it is there: nothing orders it before the atomic of line "
        f"{places[1][1]}, by which the block is counted."
    )
    advice = f"Put __threadfence() between line {places[0][1]} and the atomic."
    return [Finding(KIND, ERROR, places[0], message, advice, other=places[1])]


def _names_of(kernel: KernelFile, found: Found, word: str) -> set[str]:
    """Return what the file calls the sums or the counter: the argument of that role, or variables of the device."""
    arguments, parameters = found.roles.arguments, kernel.signature.parameters
    if word in arguments and len(arguments) == len(parameters):
        return {parameters[arguments.index(word)].name}
    if found.roles.operation != "dot":
        return set()
    return set(_OF_DEVICE.findall(code_only(kernel.opened.file.text)))
