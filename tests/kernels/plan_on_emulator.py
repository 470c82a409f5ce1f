"""A plan for a chip, run by the emulator: kernels that it can run, planned as they would be there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.choose.plan import Plan
from tilewright.compile.planned import ptx_of
from tilewright.emulate import Emulator
from tilewright.emulate.observers import Observer
from tilewright.kernels.launch import BUFFERS, KEPT, Launches
from tilewright.launch.emulator import EmulatorRun
from tilewright.launch.machine import Record


def run_on_emulator(
    emulator: Emulator,
    plan: Plan | Launches,
    addresses: Mapping[str, int],
    architecture: str,
    observers: Sequence[Observer] = (),
) -> Record:
    """Compile and run each launch in order; ``addresses`` are those of each buffer's first element."""
    modules = [emulator.load(ptx_of(launch, architecture)) for launch in plan.launches]
    buffers = (*BUFFERS, KEPT)
    run = EmulatorRun(emulator, plan.launches, modules, buffers)
    return run.run([addresses.get(name, 0) for name in buffers], observers=observers)
