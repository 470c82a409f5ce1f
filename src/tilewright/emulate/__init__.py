"""A SIMT machine for PTX: run compiled CUDA kernels on a CPU and count every access.

Text (parser) -> rows of integers (encode) -> a launch's state (launch) -> the warp interpreter (interpreter).
"""

try:
    import numba as _numba  # noqa: F401  (first, so that its absence is said before an import of llvmlite fails)
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'The emulator runs through Numba, which is not installed: pip install "tilewright[emulator]".', name="numba"
    ) from error

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
