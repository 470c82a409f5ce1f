"""The kernels: CUDA C++ files, a folder per operation, and the catalogue that says what each needs."""

from tilewright.kernels.catalogue import CATALOGUE, UnknownKernelError, find, kernels_of, numpy_kernel
from tilewright.kernels.kernel import Kernel, SizeLimit, TileRule
from tilewright.kernels.operations import OPERATIONS, Operation, UnknownOperationError, find_operation

__all__ = [
    "CATALOGUE",
    "OPERATIONS",
    "Kernel",
    "Operation",
    "SizeLimit",
    "TileRule",
    "UnknownKernelError",
    "UnknownOperationError",
    "find",
    "find_operation",
    "kernels_of",
    "numpy_kernel",
]
