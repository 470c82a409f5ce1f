"""The kernels: CUDA C++ files, a folder per operation, and the catalogue that says what each needs."""

from tilewright.kernels.catalogue import (
    CATALOGUE,
    TAUGHT,
    find,
    find_taught,
    kernels_of,
    library_kernel,
    taught_kernels_of,
)
from tilewright.kernels.kernel import Kernel, TileRule
from tilewright.kernels.operations import OPERATIONS, Operation, find_operation
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError, UnknownKernelError, UnknownOperationError
from tilewright.kernels.taught import SizeLimit, TaughtKernel

__all__ = [
    "CATALOGUE",
    "OPERATIONS",
    "TAUGHT",
    "Kernel",
    "Operation",
    "PlanError",
    "Problem",
    "SizeLimit",
    "TaughtKernel",
    "TileRule",
    "UnknownKernelError",
    "UnknownOperationError",
    "find",
    "find_operation",
    "find_taught",
    "kernels_of",
    "library_kernel",
    "taught_kernels_of",
]
