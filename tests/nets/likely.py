"""What a kernel may be that is no product: the kinds that are tried, and the first guesses at each one's arguments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.nets.checks import BLIND
from tests.nets.readings import until_refused
from tests.repeats import sampled
from tilewright.lab.check.find.candidates import candidate_of
from tilewright.lab.check.find.kernel_file import KernelFile, OpenedFile, open_file
from tilewright.lab.check.find.other_kinds import _is_another_said, _is_titled, _likely, _may_be_meant, guesses_of_kind
from tilewright.lab.check.find.said_launch import with_said_launch
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import Options
from tilewright.lab.source import KernelSignature

KERNELS = Path(__file__).parents[1] / "lab/check/kinds"
EVERY = 6
"""Of the blind kernels; of those of other kinds all."""
FEW = ("row_sum", "matrix_add", "transposed_matvec")
"""Kinds that are compared with all others."""
MOST_GROUPS, MOST_GUESSES = 6, 8


def likely() -> Iterator[tuple[str, str]]:
    """Yield each kernel with the groups of kinds that it may be, guesses at the first ones, and what it is called."""
    for path in (*sorted(KERNELS.rglob("*.cu")), *sampled(sorted(BLIND.rglob("*.cu"))[::EVERY])):
        opened = open_file(path)
        for signature in opened.kernels:
            yield f"{path.parent.name}/{path.stem} {signature.name}", until_refused(_of_kernel(opened, signature))


def _of_kernel(opened: OpenedFile, signature: KernelSignature) -> Iterator[str]:
    kernel = KernelFile(opened, signature, with_said_launch(opened, signature, Options()))
    candidate = candidate_of(kernel, is_other=True)
    groups = list(_likely(candidate))
    for kinds in groups:
        yield " ".join(kind.name for kind in kinds)
    for kinds in groups[:MOST_GROUPS] if not candidate.is_guessed else ():  # else kernels would run
        for roles, rule in islice(guesses_of_kind(kinds[0], candidate), MOST_GUESSES):
            yield f"{roles} {roles.family} {roles.leading} {rule.said}"
    for said, names in ((_may_be_meant, tuple(KINDS)), (_is_titled, tuple(KINDS)), (_is_another_said, FEW)):
        yield " ".join(name for name in names if said(KINDS[name], candidate))
