"""A plan: which kernels run, how they are launched, and why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from tilewright.choose import notebook
from tilewright.choose.quantities import extent
from tilewright.kernels.kernel import Kernel
from tilewright.kernels.launch import Extent, Launch, Prepared
from tilewright.kernels.problem import Problem
from tilewright.kernels.taught import TaughtKernel

Tile = int | tuple[int, int]


@dataclass(frozen=True)
class Plan:
    """How a problem is computed on a machine ("gpu", "emulator" or "host").

    ``launches`` run in order on one stream and share ``workspace_bytes``; there are none on the host, or if C is
    empty. ``tile`` is the one that was asked for, or the one chosen for a taught kernel. Each of the ``reasons`` is a
    sentence. ``prepared``: what could be kept of each operand; ``kept_bytes``: what is kept of ``constant``, "A" or
    "B", for which nothing is launched here.
    """

    problem: Problem
    kernel: Kernel
    machine: str
    tile: Tile | None
    launches: tuple[Launch, ...] = ()
    workspace_bytes: int = 0
    reasons: tuple[str, ...] = ()
    prepared: tuple[Prepared, ...] = ()
    constant: str | None = None
    kept_bytes: int = 0

    @cached_property
    def grid(self) -> Extent:
        """The grid of the main launch, in blocks in x, y and z; (1, 1, 1) without launches."""
        launch = self._main
        return (1, 1, 1) if launch is None else launch.grid

    @cached_property
    def block(self) -> Extent:
        """The block of the main launch, in threads in x, y and z."""
        launch = self._main
        return (1, 1, 1) if launch is None else launch.block

    @cached_property
    def shared_bytes(self) -> int:
        """The static and dynamic shared memory of a block of the main launch, in bytes."""
        launch = self._main
        if launch is None:
            return 0
        return launch.shared_bytes if self.taught is None else self.taught.shared_bytes(self.side, self.problem.dtype)

    @cached_property
    def blocks(self) -> int:
        """The number of blocks in the grid."""
        return prod(self.grid)

    @cached_property
    def threads(self) -> int:
        """The number of threads in the grid."""
        return self.blocks * prod(self.block)

    @cached_property
    def c_elements(self) -> int:
        """The number of elements that the kernel writes: those of C, or one partial sum per block."""
        partial = self.taught is not None and self.taught.partial_sums
        return prod(self.grid) if partial else prod(self.problem.c_shape)

    @property
    def predicted_global_loads(self) -> int | None:
        """The elements that all threads together load from global memory; None for kernels without a formula."""
        return None if self.taught is None else self.taught.predicted_global_loads(*self.problem.sizes, self.side)

    @cached_property
    def taught(self) -> TaughtKernel | None:
        """The kernel, if it is a taught one."""
        return self.kernel if isinstance(self.kernel, TaughtKernel) else None

    @cached_property
    def side(self) -> int | None:
        """The tile, if it is one number."""
        return self.tile if isinstance(self.tile, int) else None

    @cached_property
    def _main(self) -> Launch | None:
        own = (launch for launch in self.launches if launch.kernel == self.kernel.name)
        return next(own, next(iter(self.launches), None))

    def facts(self) -> dict[str, str]:
        """The plan's decisions, by name, as text."""
        facts = {
            "problem": str(self.problem),
            "result": f"C {self.problem.c_shape}",
            "kernel": self.kernel.name,
            "machine": self.machine,
        }
        if self.taught is not None and self.machine != "host":
            facts |= {
                "tile": "none" if self.tile is None else str(self.tile),
                "grid": " x ".join(map(str, self.grid)),
                "block": " x ".join(map(str, self.block)),
                "shared_bytes": f"{self.shared_bytes:,}",
            }
        if self.workspace_bytes:
            facts["workspace"] = f"{self.workspace_bytes:,} bytes"
        if self.kept_bytes:
            facts["kept"] = f"{self.kept_bytes:,} bytes of what is made of {self.constant}"
        return facts

    def __str__(self) -> str:
        """Return the plan: one fact a line, then the launches where there are several to show, then the reasons."""
        lines = [f"{name:<13} {value}" for name, value in self.facts().items()]
        lines += [] if self.taught is not None else map(str, self.launches)
        return "\n".join([*lines, *(f"- {reason}" for reason in self.reasons)])

    def _repr_html_(self) -> str:
        """Return the plan as HTML."""
        columns = ("kernel", "grid", "block", "cluster", "dynamic shared bytes")
        rows = [
            (x.kernel, extent(x.grid), extent(x.block), extent(x.cluster), f"{x.shared_bytes:,}") for x in self.launches
        ]
        launches = notebook.table(columns, rows) if rows and self.taught is None else ""
        return notebook.together(notebook.facts(self.facts()), launches, notebook.sentences(self.reasons))
