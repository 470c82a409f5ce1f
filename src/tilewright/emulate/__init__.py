"""A SIMT machine for PTX: run compiled CUDA kernels on a CPU and count every access.

Text (parser) -> rows of integers (encode) -> a launch's state (launch) -> the warp interpreter (interpreter).

What is imported from here is loaded when it is first used: faults and findings do without Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright.emulate.counts import Counts
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
    from tilewright.emulate.launch import LaunchResult
    from tilewright.emulate.memory import Allocation
    from tilewright.emulate.module import LoadedModule
    from tilewright.emulate.prints import PrintedText

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
    "Allocation": "tilewright.emulate.memory",
    "AssertionFailed": "tilewright.emulate.faults",
    "BarrierFault": "tilewright.emulate.faults",
    "BudgetExceeded": "tilewright.emulate.faults",
    "Counts": "tilewright.emulate.counts",
    "EmulationError": "tilewright.emulate.faults",
    "Emulator": "tilewright.emulate.emulator",
    "LaunchResult": "tilewright.emulate.launch",
    "LoadedModule": "tilewright.emulate.module",
    "MemoryFault": "tilewright.emulate.faults",
    "PrintedText": "tilewright.emulate.prints",
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
