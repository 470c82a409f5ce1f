"""Runs a kernel of a test with observers, arrays by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from tests.emulate.running import Dimensions, ptx_of, three
from tilewright.emulate import EmulationError, Emulator, LaunchResult
from tilewright.emulate.observers import Observer


def watch(
    source: str,
    arguments: Mapping[str, Any],
    observers: Sequence[Observer],
    *,
    grid: Dimensions = 1,
    block: Dimensions = 32,
    unwritten: Sequence[str] = (),
    may_fault: bool = False,
    emulator: Emulator | None = None,
    **options: Any,
) -> LaunchResult | None:
    """Launch `kernel`; arrays are named as they are passed, and those of `unwritten` get no values.

    With may_fault a fault of the kernel is passed over: observers have findings then, too.
    """
    machine = emulator or Emulator(workers=1)
    module = machine.load(source if "\n.target " in source else ptx_of(source))
    passed = []
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            allocation = machine.allocate(value.nbytes, name, dtype=value.dtype, shape=value.shape)
            if name not in unwritten:
                allocation.write(value)
            passed.append(allocation)
        else:
            passed.append(value)
    launch = {"grid": three(grid), "block": three(block), "arguments": passed, "observers": observers, **options}
    if may_fault:
        with suppress(EmulationError):
            return machine.launch(module, "kernel", **launch)
        return None
    return machine.launch(module, "kernel", **launch)
