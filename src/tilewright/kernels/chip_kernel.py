"""Kernels written for what a chip has: 16-bit types, tensor cores, the copy engine. Launches are `choose/`'s work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tilewright.kernels.kernel_file import KernelFile

Capability = tuple[int, int]

GPU_ONLY = {
    "wgmma": "matrix instructions of a warpgroup",
    "TMA": "the copy engine",
    "clusters": "blocks that share their shared memory",
}
"""Instruction families that the emulator does not run, and what they are."""


@dataclass(frozen=True)
class ChipKernel(KernelFile):
    """A kernel of the catalogue whose launch depends on the chip, on strides and on alignment.

    ``source`` is relative to the folder of this package. ``since`` says from which compute capability on it takes an
    input type; ``only`` is the one architecture that it is written for ("sm_90a"), or None. ``families`` are the
    instruction families that it needs, ``families_where_there`` those that it uses on chips that have them and does
    without elsewhere.
    """

    operation: str
    idea: str
    summary: str
    source: str
    families: tuple[str, ...]
    since: Mapping[str, Capability] = field(hash=False)
    seeds: tuple[str, ...] = ()
    only: str | None = None
    families_where_there: tuple[str, ...] = ()

    @property
    def gpu_only(self) -> tuple[str, ...]:
        """The families that only a GPU runs; none where the emulator runs the kernel too."""
        return tuple(family for family in self.families if family in GPU_ONLY)

    @property
    def runs_on(self) -> frozenset[str]:
        """The machines that run it."""
        return frozenset({"gpu"}) if self.gpu_only else frozenset({"gpu", "emulator"})

    @property
    def emulator_refusal(self) -> str | None:
        """Why the emulator does not run it, as a sentence, or None where it does."""
        if not self.gpu_only:
            return None
        needs = " and ".join(f"{family} ({GPU_ONLY[family]})" for family in self.gpu_only)
        return f"{self.name} is GPU only: it needs {needs}, which the emulator does not run."

    @property
    def plain_refusal(self) -> str:
        """Why it is not run where float32 and float64 are, as sentences."""
        types = f"{self.name} multiplies matrices in {' or '.join(self.since)}, which tilewright.matmul takes."
        return types if self.emulator_refusal is None else f"{types} {self.emulator_refusal}"

    def chip_refusal(self, dtype: str, capability: Capability) -> str | None:
        """Return why a chip does not run it for an input type, as a sentence, or None where it does."""
        given = f"{capability[0]}.{capability[1]}"
        if dtype not in self.since:
            return f"{self.name} takes {' or '.join(self.since)}, not {dtype}."
        if self.only is not None and self.only != f"sm_{capability[0]}{capability[1]}a":
            return f"{self.name} is written for {self.only}, and this chip has compute capability {given}."
        least = self.since[dtype]
        if capability < least:
            return f"{self.name} takes {dtype} from compute capability {least[0]}.{least[1]} on; this chip has {given}."
        return None
