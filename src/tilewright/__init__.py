"""Tiled matrix multiplication on a GPU: see it, prove it, run it.

`matmul`, `vecdot`, `tensordot`, `dot` and `reduced_matmul` multiply the arrays that people have (NumPy's, torch's,
CuPy's, JAX's) where they are, on the host or on a CUDA GPU, and those of the host, as compiled PTX, on an emulator;
`explain` says how they would. `occupancy` and `roofline` say what a chip allows, without one, and `sweep`
which tile it would like best. Importing this package imports neither CUDA nor Numba: each name below is loaded when it
is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright.call.dot import dot
    from tilewright.call.errors import DtypeError, FileError, ShapeError
    from tilewright.call.explain import explain
    from tilewright.call.files import read_matrix
    from tilewright.call.matmul import matmul
    from tilewright.call.prepared import plan
    from tilewright.call.reduced_matmul import reduced_matmul
    from tilewright.call.tensordot import tensordot
    from tilewright.call.vecdot import vecdot
    from tilewright.choose import Plan, PlanError, UnknownChipError, chip_names, find_chip, occupancy, roofline
    from tilewright.compile import CompileError, CompilerMissingError, resource_usage
    from tilewright.kernels import CATALOGUE, UnknownKernelError
    from tilewright.lab.check.checking import check
    from tilewright.lab.compare import compare
    from tilewright.lab.report.reporting import report
    from tilewright.lab.sweep import sweep
    from tilewright.lab.watch.recording import watch
    from tilewright.launch import DeviceUnavailableError, MachineError

__version__ = "0.1.0"

__all__ = [
    "CATALOGUE",
    "CompileError",
    "CompilerMissingError",
    "DeviceUnavailableError",
    "DtypeError",
    "FileError",
    "MachineError",
    "Plan",
    "PlanError",
    "ShapeError",
    "UnknownChipError",
    "UnknownKernelError",
    "__version__",
    "check",
    "chip_names",
    "compare",
    "dot",
    "explain",
    "find_chip",
    "matmul",
    "occupancy",
    "plan",
    "read_matrix",
    "reduced_matmul",
    "report",
    "resource_usage",
    "roofline",
    "sweep",
    "tensordot",
    "vecdot",
    "watch",
]

_MODULES = {
    "CATALOGUE": "tilewright.kernels",
    "CompileError": "tilewright.compile",
    "CompilerMissingError": "tilewright.compile",
    "DeviceUnavailableError": "tilewright.launch",
    "DtypeError": "tilewright.call.errors",
    "FileError": "tilewright.call.errors",
    "MachineError": "tilewright.launch",
    "Plan": "tilewright.choose",
    "PlanError": "tilewright.choose",
    "ShapeError": "tilewright.call.errors",
    "UnknownChipError": "tilewright.choose",
    "UnknownKernelError": "tilewright.kernels",
    "check": "tilewright.lab.check.checking",
    "chip_names": "tilewright.choose",
    "compare": "tilewright.lab.compare",
    "dot": "tilewright.call.dot",
    "explain": "tilewright.call.explain",
    "find_chip": "tilewright.choose",
    "matmul": "tilewright.call.matmul",
    "occupancy": "tilewright.choose",
    "plan": "tilewright.call.prepared",
    "read_matrix": "tilewright.call.files",
    "reduced_matmul": "tilewright.call.reduced_matmul",
    "report": "tilewright.lab.report.reporting",
    "resource_usage": "tilewright.compile",
    "roofline": "tilewright.choose",
    "sweep": "tilewright.lab.sweep",
    "tensordot": "tilewright.call.tensordot",
    "vecdot": "tilewright.call.vecdot",
    "watch": "tilewright.lab.watch.recording",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
