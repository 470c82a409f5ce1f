"""Fields of structs that are taken for the length of a row in memory: whether they are meant so."""

from __future__ import annotations

import re

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.source.unpacking import BETWEEN

_NAMED = re.compile(r"ld|lead|str[iy]d|pitch|step|salto|pass?o|schritt|sprung|krok", re.IGNORECASE)


def are_row_lengths(kernel: KernelFile, found: Found) -> bool:
    """Return whether all matrices have leading dimensions; a field must be read of some matrix, or be called so.

    Another number beside a matrix's sides may be anything, and the kernel right without it.
    """
    leading, operation = found.roles.leading, found.roles.operation
    kind = KINDS.get(operation)
    matrices = sum(len(kind.shape_of(name)) > 1 for name in kind.arrays) if kind else len("ABC") - (operation == "dot")
    names = [kernel.signature.parameters[key].name if isinstance(key, int) else key for _, key in leading]
    fields = {re.split(rf"\.|{BETWEEN}", name)[-1] for name in names if "." in name or BETWEEN in name}
    is_meant = not fields or any(_NAMED.search(each) or re.search(rf"\.\s*{each}\b", kernel.body) for each in fields)
    return 0 < matrices <= len(leading) and is_meant
