"""A kernel whose arguments' roles are searched for, and the roles found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy

from tilewright.lab.check.kinds import is_of_vectors
from tilewright.lab.check.run.execution import Stand

from .hypotheses import Slots
from .launches import LaunchRule
from .roles import Roles

TRIAL_SEED = 20_000
LARGEST_TILE = 128

StandAt = Callable[[Mapping[str, int]], Stand]
RulesFor = Callable[[str], Iterable[LaunchRule]]
ExtentsAt = Sequence[tuple[int, ...]]


@dataclass(frozen=True)
class Found:
    """The roles and the launch that fit, or fit best. dtypes: of A, B and C. how: a sentence on how they were found.

    always_stops: whether a launch ends under no roles, so that these are one guess of many. is_near: whether a good
    part of C is right. rounds: whether the kernel or a comment speaks of rounding, so that fractions may be lost.
    takes_all: whether the file speaks of all numbers that 16 bits hold, so that products are as large as they can be.
    pairs: which rows and columns a reduced product adds that are no neighbours. elsewhere: what comes nearest at any
    sizes, of a kernel that takes its sizes and is right where some are equal, as in the file.
    """

    roles: Roles
    rule: LaunchRule
    tile: int
    dtypes: dict[str, numpy.dtype[Any]]
    fits: bool
    how: str
    always_stops: bool = False
    is_near: bool = False
    rounds: bool = False
    takes_all: bool = False
    pairs: tuple[str, str] | None = None
    elsewhere: Found | None = None


@dataclass(frozen=True)
class Candidate:
    """A kernel to search, with the ways to compile and launch it.

    stand: compiles the kernel with given values of the file's constants. rules: launches to try for an operation.
    is_guessed: whether the launches are guesses. looks_like_dot: whether the kernel takes a single size.
    is_batched: whether it reads blockIdx.z. is_flat: whether it counts along x alone. computes_arguments: whether
    arguments such as numbers of tiles come from the file's own launch. numbers: the whole numbers in the kernel. text:
    of the file. about: the kernel's text and the file's comments. title: its name and the comments. operation: the
    only one that it may compute, as the user says. multiples_of: all sizes are multiples of this, as the user says.
    """

    name: str
    slots: Slots
    stand: StandAt
    rules: RulesFor
    shared_extents: ExtentsAt
    computes_arguments: bool
    is_guessed: bool
    is_batched: bool
    is_flat: bool
    looks_like_dot: bool
    numbers: Sequence[int]
    text: str
    about: str
    title: str
    operation: str
    multiples_of: int

    def dtypes(self, roles: Roles) -> dict[str, numpy.dtype[Any]]:
        """The types of A, B and C."""
        places = [i for i, parameter in enumerate(self.slots.parameters) if parameter.is_pointer]
        return {roles.arguments[i]: self.slots.dtypes[i] for i in places}


def trial_unit(candidate: Candidate, roles: Roles, tile: int) -> int:
    """Return the unit of a trial's sizes: they are multiples of it."""
    unit = tile if is_of_vectors(roles.operation) else min(tile, LARGEST_TILE)
    promised = lcm(unit, candidate.multiples_of)
    return promised if promised <= max(unit, LARGEST_TILE) else unit
