"""A SIMT machine for PTX: run compiled CUDA kernels on a CPU and count every access.

Text becomes rows of integers (`ptx/`), a launch's memory and state are made (`machine/`), warps run the rows
(`execute/`, with what an instruction computes in `arithmetic/`), and observers are told what happens (`observers/`).

What is imported from here is loaded when it is first used: faults and findings do without Numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.lazy import loader

if TYPE_CHECKING:
    from tilewright.emulate.emulator import Emulator as Emulator
    from tilewright.emulate.faults import AssertionFailed as AssertionFailed
    from tilewright.emulate.faults import BarrierFault as BarrierFault
    from tilewright.emulate.faults import BudgetExceeded as BudgetExceeded
    from tilewright.emulate.faults import EmulationError as EmulationError
    from tilewright.emulate.faults import MemoryFault as MemoryFault
    from tilewright.emulate.faults import PtxSyntaxError as PtxSyntaxError
    from tilewright.emulate.faults import UnsupportedInstruction as UnsupportedInstruction
    from tilewright.emulate.machine.counts import Counts as Counts
    from tilewright.emulate.machine.launch import LaunchResult as LaunchResult
    from tilewright.emulate.machine.memory import Allocation as Allocation
    from tilewright.emulate.machine.module import LoadedModule as LoadedModule
    from tilewright.emulate.machine.prints import PrintedText as PrintedText

_FAULTS = ("AssertionFailed", "BarrierFault", "BudgetExceeded", "EmulationError", "MemoryFault")
_load = loader(
    __name__,
    {
        "emulator": ("Emulator",),
        "faults": (*_FAULTS, "PtxSyntaxError", "UnsupportedInstruction"),
        "machine.counts": ("Counts",),
        "machine.launch": ("LaunchResult",),
        "machine.memory": ("Allocation",),
        "machine.module": ("LoadedModule",),
        "machine.prints": ("PrintedText",),
    },
)


def __getattr__(name: str) -> object:
    try:
        return _load(name)
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
        raise ModuleNotFoundError(
            'The emulator runs through Numba, which is not installed: pip install "tilewright[emulator]".', name="numba"
        ) from error
