"""A plan for a chip, run by the emulator: kernels that it can run, planned as they would be there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tests.kernels.integer_product import IntegerProduct
from tilewright.choose.plan import Plan
from tilewright.compile.planned import ptx_of
from tilewright.emulate import Emulator
from tilewright.emulate.observers import Observer
from tilewright.kernels.launch import BUFFERS, KEPT, Launches
from tilewright.launch.emulator import EmulatorRun
from tilewright.launch.machine import Record


@contextmanager
def held_by(emulator: Emulator, arrays: Mapping[str, Any], workspace_bytes: int) -> Iterator[dict[str, Any]]:
    """Hold arrays in the emulator's memory, and a workspace; freed at the end."""
    held = {name: emulator.allocate(array.nbytes, name) for name, array in arrays.items()}
    for name, array in arrays.items():
        held[name].write(array)
    held["workspace"] = emulator.allocate(workspace_bytes, "workspace")
    try:
        yield held
    finally:
        for buffer in held.values():
            buffer.free()


def check_on_emulator(
    product: IntegerProduct,
    plan: Plan | Launches,
    emulator: Emulator,
    architecture: str,
    observers: Sequence[Observer] = (),
) -> Record:
    """Run a plan of a product, and compare every element, inside C and outside it."""
    with held_by(emulator, product.buffers, plan.workspace_bytes) as held:
        firsts = {**product.firsts, "workspace": 0}
        addresses = {name: buffer.address + firsts[name] for name, buffer in held.items()}
        record = run_on_emulator(emulator, plan, addresses, architecture, observers)
        product.check(held["C"].read(product.buffers["C"].dtype, product.buffers["C"].shape))
        return record


def run_on_emulator(
    emulator: Emulator,
    plan: Plan | Launches,
    addresses: Mapping[str, int],
    architecture: str,
    observers: Sequence[Observer] = (),
    *,
    only_counts: bool = False,
) -> Record:
    """Compile and run each launch in order; ``addresses`` are those of each buffer's first element."""
    modules = [emulator.load(ptx_of(launch, architecture)) for launch in plan.launches]
    buffers = (*BUFFERS, KEPT)
    run = EmulatorRun(emulator, plan.launches, modules, buffers)
    return run.run([addresses.get(name, 0) for name in buffers], observers=observers, only_counts=only_counts)
