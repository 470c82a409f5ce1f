"""The manifest as objects, and a launch of a hazard kernel on the emulator."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.emulate.running import TensorOf
from tests.lab.planted.manifest import MARK
from tests.lab.planted.running import kind_of
from tests.lab.planted.watching import all_observers
from tilewright.compile.nvrtc import compile_with_headers
from tilewright.emulate import EmulationError, Emulator
from tilewright.emulate.observers import Finding

FOLDER = Path(__file__).parent
FLOAT16, SWIZZLE_128 = 6, 3
SIDE, ROW_BYTES = 64, 128
WHOLE = (SIDE, SIDE)
ELEMENTS = SIDE * SIDE // 2
BUDGET = 200_000


@dataclass(frozen=True)
class HazardCase:
    """A kernel's file and its launch, as hazards.toml explains."""

    name: str
    wrong: str
    finding: str
    also: tuple[str, ...] = ()
    public: str = ""
    is_right: bool = True
    block: int = 128
    grid: int = 1
    cluster: int = 0
    launches: int = 1
    swizzle: int = SWIZZLE_128
    box: tuple[int, ...] = WHOLE
    mended_box: tuple[int, ...] = ()

    @property
    def twin(self) -> HazardCase:
        """The mended kernel."""
        fields = {key: getattr(self, key) for key in ("block", "grid", "cluster", "launches", "swizzle")}
        return HazardCase(f"{self.name}_mended", "", "", **fields, box=self.mended_box or self.box)

    @property
    def path(self) -> Path:
        """Its file."""
        return FOLDER / "bad" / f"{self.name}.cu"

    def marked(self, word: str) -> set[int]:
        """The lines marked `planted` or `also`."""
        marks = ((number, MARK.search(line)) for number, line in enumerate(self.path.read_text().splitlines(), 1))
        return {number for number, mark in marks if mark and mark[1] == word and mark[2] == self.finding}


@dataclass(frozen=True)
class Ran:
    """What came of a launch. fault: the kind of finding that it is, or nothing."""

    findings: list[Finding]
    out: NDArray[np.uint32]
    fault: str


def hazard_cases() -> list[HazardCase]:
    """Every kernel with a mistake."""
    entries = tomllib.loads((FOLDER / "hazards.toml").read_text(encoding="utf-8"))
    return [_case(name, entry) for name, entry in entries.items()]


def _case(name: str, entry: Mapping[str, Any]) -> HazardCase:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return HazardCase(name, **fields)


@functools.cache
def code_of(path: Path, architecture: str, *options: str) -> str | bytes:
    """Compile a kernel, once: PTX for `compute_`, a cubin for `sm_`."""
    headers = {"hazards.cuh": (FOLDER / "hazards.cuh").read_text(encoding="utf-8")}
    text = path.read_text(encoding="utf-8")
    return compile_with_headers(
        text, path.name, architecture=architecture, macros={}, headers=headers, extra_options=options
    ).code


def inputs() -> NDArray[np.float16]:
    """What `x` holds: the same small numbers each time."""
    return np.random.default_rng(1).integers(-4, 5, SIDE * SIDE).astype(np.float16)


def run(case: HazardCase, completion: str = "early", *, seed: int | None = None) -> Ran:
    """Launch a kernel with every observer of mistakes. seed: of the order of warps, which is by turns without one."""
    machine = Emulator(workers=1)
    ptx = code_of(case.path, "compute_90a")
    assert isinstance(ptx, str)
    module = machine.load(ptx)
    x, out = machine.allocate(4 * ELEMENTS, "x"), machine.allocate(4 * ELEMENTS, "out")
    x.write(inputs())
    out.write(np.zeros(ELEMENTS, np.uint32))
    tensor_map = TensorOf(1, FLOAT16, WHOLE, (ROW_BYTES,), case.box, swizzle=case.swizzle).encode(x)
    fault, watching = "", all_observers()
    for _ in range(case.launches):
        watching = all_observers()
        try:
            machine.launch(
                module,
                "kernel",
                grid=case.grid,
                block=case.block,
                cluster=case.cluster or None,
                arguments=[tensor_map, x, out],
                schedule="round_robin" if seed is None else "random",
                seed=seed or 0,
                instruction_budget=BUDGET,
                observers=watching,
                completion=completion,
            )
        except EmulationError as error:
            fault = kind_of(error)
    found = [finding for observer in watching for finding in observer.findings if finding.severity == "error"]
    return Ran(found, out.read(np.uint32, ELEMENTS), fault)
