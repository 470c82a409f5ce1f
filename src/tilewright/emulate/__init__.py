"""A SIMT machine for PTX: run compiled CUDA kernels on a CPU and count every access.

Text becomes rows of integers (`ptx/`), a launch's memory and state are made (`machine/`), warps run the rows
(`execute/`, with what an instruction computes in `arithmetic/`), and observers are told what happens (`observers/`).

What is imported from here is loaded when it is first used: faults and findings do without Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright.emulate.emulator import Emulator
    from tilewright.emulate.faults import (
        AssertionFailed,
        BarrierFault,
        BudgetExceeded,
        EmulationError,
        MemoryFault,
        PtxSyntaxError,
        UnsupportedInstruction,
    )
    from tilewright.emulate.machine.counts import Counts
    from tilewright.emulate.machine.launch import LaunchResult
    from tilewright.emulate.machine.memory import Allocation
    from tilewright.emulate.machine.module import LoadedModule
    from tilewright.emulate.machine.prints import PrintedText

__all__ = [
    "Allocation",
    "AssertionFailed",
    "BarrierFault",
    "BudgetExceeded",
    "Counts",
    "EmulationError",
    "Emulator",
    "LaunchResult",
    "LoadedModule",
    "MemoryFault",
    "PrintedText",
    "PtxSyntaxError",
    "UnsupportedInstruction",
]

_MODULES = {
    "Allocation": "tilewright.emulate.machine.memory",
    "AssertionFailed": "tilewright.emulate.faults",
    "BarrierFault": "tilewright.emulate.faults",
    "BudgetExceeded": "tilewright.emulate.faults",
    "Counts": "tilewright.emulate.machine.counts",
    "EmulationError": "tilewright.emulate.faults",
    "Emulator": "tilewright.emulate.emulator",
    "LaunchResult": "tilewright.emulate.machine.launch",
    "LoadedModule": "tilewright.emulate.machine.module",
    "MemoryFault": "tilewright.emulate.faults",
    "PrintedText": "tilewright.emulate.machine.prints",
    "PtxSyntaxError": "tilewright.emulate.faults",
    "UnsupportedInstruction": "tilewright.emulate.faults",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'tilewright.emulate' has no attribute {name!r}")
    try:
        value = getattr(import_module(_MODULES[name]), name)
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        raise ModuleNotFoundError(
            'The emulator runs through Numba, which is not installed: pip install "tilewright[emulator]".', name="numba"
        ) from error
    globals()[name] = value
    return value
