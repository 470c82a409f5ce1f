"""A layer whose bias is taken along the other side of C than a formula in a comment says: `Y[b][o] = ... + bias[o]`.

Either is a layer, so that the results alone show nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.roles import BIAS
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source.macros import comments_only

KIND = "wrong result"
_FORMULA = re.compile(
    r"\w\s*[\[(]\s*(?P<row>\w+)\s*(?:\]\s*\[|,)\s*(?P<col>\w+)\s*[\])]\s*=[^;]*?\+\s*\w+\s*[\[(]\s*(?P<of>\w+)\s*[\])]"
)
_BY_COLUMNS = re.compile(r"col\w*[- ]?major|blas", re.IGNORECASE)


def other_bias_than_said(kernel: KernelFile, found: Found) -> Iterator[Finding]:
    """Yield where the kernel reads the bias, if a formula in a comment says that it belongs to the other side of C.

    Matrices that may lie by columns, as where the second array is the first operand, are left alone.
    """
    roles, parameters = found.roles, kernel.signature.parameters
    places = {word: at for at, word in enumerate(roles.arguments)}
    if not (found.fits and roles.layer) or BIAS not in places or places["A"] > places["B"]:
        return
    text = comments_only(kernel.opened.file.text)
    said, side = _FORMULA.search(text), roles.layer.partition(" ")[0]
    if said is None or _BY_COLUMNS.search(text) or said["row"] == said["col"]:
        return
    meant = {said["row"]: "rows", said["col"]: "cols"}.get(said["of"], side)
    name = parameters[places[BIAS]].name
    read = re.search(rf"\b{re.escape(name)}\s*\[", kernel.body[kernel.body.index("{") :])
    if meant != side and read is not None:
        line = kernel.line_at(kernel.body.index("{") + read.start())
        words = {"rows": "row", "cols": "column"}
        message = (
            f"{name} is added to each {words[side]} of C, and the comment's `{' '.join(said[0].split())}` says to each "
            f"{words[meant]}."
        )
        yield Finding(
            KIND, ERROR, (kernel.opened.file.name, line), message, "Take the bias by the index that is meant."
        )
