"""A kernel of the catalogue: its name and source, its types and chips, and the module that plans its launches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches, source_name
from tilewright.kernels.precision import accepted
from tilewright.kernels.problem import Problem

Capability = tuple[int, int]

LEAST_CAPABILITY: Capability = (7, 5)
"""The oldest chips that NVRTC 13 compiles for."""
SHARING = ("shared memory", "barrier")
"""What blocks need whose threads load together."""


class Planning(Protocol):
    """The module beside a kernel's source. It touches no device, so a laptop can plan for an H200."""

    def refusal(self, problem: Problem, facts: DeviceFacts, tile: Any) -> str | None:
        """Return why the kernel cannot compute a problem (which is not empty), as a sentence, or None."""

    def launches(self, problem: Problem, facts: DeviceFacts, tile: Any) -> Launches:
        """Return its launches; raise PlanError if they exceed the chip's limits."""


@dataclass(frozen=True)
class TileRule:
    """The tiles a kernel takes: ``smallest`` to ``largest``, powers of two only where ``power_of_two`` says so.

    The package ships PTX for ``usual`` tiles. ``reason`` explains the limits.
    """

    default: int
    smallest: int
    largest: int
    usual: tuple[int, ...]
    reason: str
    power_of_two: bool = False

    def accepts(self, tile: int) -> bool:
        """Return whether ``tile`` is one of the tiles."""
        fits = self.smallest <= tile <= self.largest
        return fits and (not self.power_of_two or tile & (tile - 1) == 0)

    def __str__(self) -> str:
        """Return the limits in words, as in "from 1 to 32"."""
        return f"from {self.smallest} to {self.largest}{', powers of two' if self.power_of_two else ''}"


@dataclass(frozen=True)
class Kernel:
    """A kernel of the catalogue: one idea for one operation, in one source file.

    ``since`` is the least compute capability for each input type; ``only`` is the one architecture that it is written
    for ("sm_90a"), or None. ``families`` are the instruction families that it needs, ``families_where_there`` those
    that it uses only on chips that have them. ``tile``: the rule of its tiles, if they are single numbers.
    ``planning`` is the module beside the source. ``precisions``: how it multiplies float32, if it takes that.
    ``is_step``: plans add it to another kernel's launches; it is not asked for by name. ``on_host``: C for the host.
    """

    operation: str
    idea: str
    summary: str
    since: Mapping[str, Capability] = field(hash=False)
    seeds: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    families_where_there: tuple[str, ...] = ()
    only: str | None = None
    tile: TileRule | None = None
    planning: Planning | None = field(default=None, repr=False)
    precisions: tuple[str, ...] = ("ieee",)
    is_step: bool = False
    on_host: bool = False
    file: str = ""

    @cached_property
    def name(self) -> str:
        """The kernel's identity, ``operation/idea``."""
        return f"{self.operation}/{self.idea}"

    @cached_property
    def entry(self) -> str:
        """The function's name in the source and in the compiled program."""
        return f"{self.operation}_{self.idea}"

    @cached_property
    def source(self) -> str:
        """The source file, relative to the folder of this package; absolute for a kernel that is elsewhere."""
        return self.file or f"{self.name}.{'c' if self.on_host else 'cu'}"

    @cached_property
    def source_path(self) -> Path:
        """The source file on this machine."""
        return Path(__file__).parent / self.source

    @property
    def source_name(self) -> str:
        """The name of the source file in compiled programs, the same on every machine."""
        return source_name(self.source)

    def source_text(self) -> str:
        """Return the text of the source file."""
        return self.source_path.read_text(encoding="utf-8")

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The types of A and B that it takes, by NumPy's names."""
        return tuple(self.since)

    @cached_property
    def runs_on(self) -> frozenset[str]:
        """The machines that run it."""
        return frozenset({"host"} if self.on_host else {"gpu", "emulator"})

    def chip_refusal(self, dtype: str, capability: Capability | None) -> str | None:
        """Return why a chip does not run it for an input type, as a sentence, or None if it does.

        ``capability`` is None for the emulator.
        """
        if dtype not in self.since:
            return f"{self.name} takes {' or '.join(self.since)}, not {dtype}."
        if capability is None:
            return None
        given = f"{capability[0]}.{capability[1]}"
        if self.only is not None and self.only != f"sm_{capability[0]}{capability[1]}a":
            return f"{self.name} is written for {self.only}, and this chip has compute capability {given}."
        least = self.since[dtype]
        if capability < least:
            return f"{self.name} takes {dtype} from compute capability {least[0]}.{least[1]} on; this chip has {given}."
        return None

    def precision_refusal(self, precision: str | None) -> str | None:
        """Return why it does not multiply float32 with a precision, as a sentence, or None if it does."""
        takes = accepted(self.precisions)
        if precision is None or precision in takes:
            return None
        return f"{self.name} multiplies float32 with precision {' or '.join(map(repr, takes))}, not {precision!r}."

    def refusal(self, problem: Problem, facts: DeviceFacts, tile: Any = None) -> str | None:
        """Return why it cannot compute a problem on a machine whose chip it runs on, as a sentence, or None if it can.

        The sizes are not checked if C is empty, since nothing is launched.
        """
        refused = problem.extent_refusal() or problem.alignment_refusal()
        if refused or problem.is_empty or self.planning is None:
            return refused
        return self.planning.refusal(problem, facts, tile)

    def launches(self, problem: Problem, facts: DeviceFacts, tile: Any = None) -> Launches:
        """Return the launches for a problem that `refusal` does not refuse."""
        assert self.planning is not None
        return self.planning.launches(problem, facts, tile)
