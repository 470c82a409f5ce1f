"""Tiled matrix multiplication on a GPU: see it, prove it, run it.

`matmul`, `vecdot`, `tensordot`, `dot` and `reduced_matmul` multiply arrays of NumPy, torch, CuPy and JAX where they
are: on the host or on a CUDA GPU. An emulator runs the same kernels, compiled to PTX, on host arrays. `explain` returns
the plan of a product. `occupancy`, `roofline` and `sweep` tell what a chip allows and which tile suits it, without the
chip. Importing this package imports neither CUDA nor Numba: each name below is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.lazy import loader

if TYPE_CHECKING:
    from tilewright.arrays.errors import DtypeError as DtypeError
    from tilewright.arrays.errors import ShapeError as ShapeError
    from tilewright.arrays.errors import StoreError as StoreError
    from tilewright.call.dot import dot as dot
    from tilewright.call.explain import explain as explain
    from tilewright.call.files.errors import FileError as FileError
    from tilewright.call.files.reading import read_matrix as read_matrix
    from tilewright.call.matmul import matmul as matmul
    from tilewright.call.prepared import plan as plan
    from tilewright.call.reduced_matmul import reduced_matmul as reduced_matmul
    from tilewright.call.tensordot import tensordot as tensordot
    from tilewright.call.vecdot import vecdot as vecdot
    from tilewright.choose import Plan as Plan
    from tilewright.choose import PlanError as PlanError
    from tilewright.choose import UnknownChipError as UnknownChipError
    from tilewright.choose import chip_names as chip_names
    from tilewright.choose import find_chip as find_chip
    from tilewright.choose import occupancy as occupancy
    from tilewright.choose import roofline as roofline
    from tilewright.compile import CompileError as CompileError
    from tilewright.compile import CompilerMissingError as CompilerMissingError
    from tilewright.compile import resource_usage as resource_usage
    from tilewright.kernels import CATALOGUE as CATALOGUE
    from tilewright.kernels import UnknownKernelError as UnknownKernelError
    from tilewright.lab.check.checking import check as check
    from tilewright.lab.compare import compare as compare
    from tilewright.lab.report.reporting import report as report
    from tilewright.lab.sweep import sweep as sweep
    from tilewright.lab.watch.recording import watch as watch
    from tilewright.launch import DeviceUnavailableError as DeviceUnavailableError
    from tilewright.launch import MachineError as MachineError

__version__ = "0.1.0"

# The same names for Python itself, which loads each when it is first used. A test compares them with the imports above.
_NAMES = {
    "call.dot": ("dot",),
    "arrays.errors": ("DtypeError", "ShapeError", "StoreError"),
    "call.explain": ("explain",),
    "call.files.errors": ("FileError",),
    "call.files.reading": ("read_matrix",),
    "call.matmul": ("matmul",),
    "call.prepared": ("plan",),
    "call.reduced_matmul": ("reduced_matmul",),
    "call.tensordot": ("tensordot",),
    "call.vecdot": ("vecdot",),
    "choose": ("Plan", "PlanError", "UnknownChipError", "chip_names", "find_chip", "occupancy", "roofline"),
    "compile": ("CompileError", "CompilerMissingError", "resource_usage"),
    "kernels": ("CATALOGUE", "UnknownKernelError"),
    "lab.check.checking": ("check",),
    "lab.compare": ("compare",),
    "lab.report.reporting": ("report",),
    "lab.sweep": ("sweep",),
    "lab.watch.recording": ("watch",),
    "launch": ("DeviceUnavailableError", "MachineError"),
}
__all__ = ["__version__"]
__all__ += [name for names in _NAMES.values() for name in names]
__getattr__ = loader(__name__, _NAMES)


def __dir__() -> list[str]:
    return sorted(__all__)
