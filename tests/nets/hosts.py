"""What is read of a third of the blind kernels' texts for the roles that are tried first: launches, slips."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tests.nets.checks import BLIND, hashed
from tests.nets.readings import until_refused
from tests.repeats import sampled
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.candidates import candidate_of, operations_of, size_choices
from tilewright.lab.check.find.hypotheses import families_of, hypotheses
from tilewright.lab.check.find.kernel_file import KernelFile, OpenedFile, open_file
from tilewright.lab.check.find.launches import LaunchError, tile_of
from tilewright.lab.check.find.plain_slips import plain_slips
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.find.said_launch import with_said_launch
from tilewright.lab.check.find.zeroed import adds_atomically, zeroing_line
from tilewright.lab.check.judge.fills import fill_lines
from tilewright.lab.check.judge.host_slips import host_slips
from tilewright.lab.check.options import Options
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import KernelSignature

MOST_ROLES = 3
"""Of each operation: of a product the right ones are seldom later."""
AT = (Sizes(33, 70, 49), Sizes(64, 32, 96), Sizes(1000, 300, 500))
EVERY = 3
"""Of the files: all would take a minute more."""


def hosts() -> Iterator[tuple[str, str]]:
    """Yield each file with the slips of its text, and each kernel with what is read for the first roles."""
    for path in sampled(sorted(BLIND.rglob("*.cu"))[::EVERY]):
        opened = open_file(path)
        name = f"{path.parent.name}/{path.stem}"
        slips = [f"{slip.line} {slip.says} {hashed(slip.text)}" for slip in plain_slips(opened.file.text)]
        yield name, "\n".join(slips)
        for signature in opened.kernels:
            yield f"{name} {signature.name}", until_refused(_of_kernel(opened, signature))


def _of_kernel(opened: OpenedFile, signature: KernelSignature) -> Iterator[str]:
    kernel = KernelFile(opened, signature, with_said_launch(opened, signature, Options()))
    yield " ".join(f"{array.name} {fill_lines(kernel, array.name)}" for array in signature.shared_arrays)
    yield f"{size_choices(kernel)}"
    candidate = candidate_of(kernel)
    for operation in () if candidate.is_guessed else operations_of(kernel):
        (rule,) = candidate.rules(operation)
        for family in families_of(operation, candidate.slots):
            for roles in islice(hypotheses(operation, family, candidate.slots), MOST_ROLES):
                tile = tile_of(rule, roles, candidate.shared_extents)
                found = Found(roles, rule, tile, candidate.dtypes(roles), fits=True, how="")
                yield from _of_roles(kernel, found)


def _of_roles(kernel: KernelFile, found: Found) -> Iterator[str]:
    launches = []
    for sizes in AT:
        try:
            launches.append(str(found.rule.at(found.roles, _sized(found.roles, sizes))))
        except LaunchError as refused:
            launches.append(str(refused))
    slips = [f"{finding.place[1]} {finding.message}" for finding in host_slips(kernel, found)]
    zeroed = zeroing_line(kernel, found), adds_atomically(kernel, found)
    yield f"{found.roles} {' '.join(launches)} {zeroed} {' '.join(slips)}"


def _sized(roles: Roles, sizes: Sizes) -> Sizes:
    return roles.sized(sizes.of_family(roles.family).of_operation(roles.operation))
