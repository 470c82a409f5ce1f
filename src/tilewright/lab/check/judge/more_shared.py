"""A guessed launch that gives a kernel more dynamic shared memory than the file's own: what is too little there."""

from __future__ import annotations

from tilewright.lab.check.find.finding_out import KnownKernel
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.roles import QuestionError
from tilewright.lab.check.run.execution import Geometry
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.check.statuses import NEEDS_LAUNCH


def refuse_more_shared(known: KnownKernel, guessed: KnownKernel) -> None:
    """Raise QuestionError if a guess gives the kernel more shared memory than the file's launch of that block does."""
    if (pair := takes_more_shared(known, guessed)) is not None:
        own, other = pair
        raise QuestionError(
            f"{known.kernel.signature.name} is right with {other.shared_bytes:,} bytes of shared memory, and "
            f"{known.found.rule.said} gives a block of {own.block[0]} x {own.block[1]} threads {own.shared_bytes:,}: "
            "give --block, --grid and --shared-bytes.",
            NEEDS_LAUNCH,
        )


def takes_more_shared(known: KnownKernel, guessed: KnownKernel) -> tuple[Geometry, Geometry] | None:
    """Return the file's launch and a guessed one, if they have the same block, and the guess more shared memory.

    Where only the running program knows the threads of the file's block, it is taken to be the guessed one.
    """
    sizes = Sizes(512, 512, 512).of_operation(known.found.roles.operation)
    rule = known.found.rule
    try:
        other = guessed.found.rule.at(guessed.found.roles, sizes)
        if isinstance(rule, OwnLaunch) and len(rule.taken_for_sides) == 1 and other.block[1:] == (1, 1):
            rule = rule.with_sides([(rule.taken_for_sides[0], other.block[0])])
        own = rule.at(known.found.roles, sizes)
    except LaunchError:
        return None
    is_more = own.shared_bytes and own.block == other.block and own.shared_bytes < other.shared_bytes
    return (own, other) if is_more else None
