"""The catalogue: every kernel, as data.

A kernel belongs here once its file exists: a `.cu`, the `.py` of the same stem that plans its launches, and a row in
the `rows.py` beside them. Everything else that lists kernels (the command line, the tables, the shipped PTX, the tests)
reads this list.
"""

from __future__ import annotations

import warnings

from tilewright.kernels.dot import rows as dot
from tilewright.kernels.kernel import Kernel
from tilewright.kernels.matmul import rows as matmul
from tilewright.kernels.reduced_matmul import rows as reduced_matmul
from tilewright.kernels.refusals import UnknownKernelError
from tilewright.kernels.taught import TaughtKernel

CATALOGUE: tuple[Kernel, ...] = (*matmul.KERNELS, *reduced_matmul.KERNELS, *dot.KERNELS)

TAUGHT = tuple(kernel for kernel in CATALOGUE if isinstance(kernel, TaughtKernel))
"""The taught kernels, those of the seeds."""

FORMER_NAMES = {"whole_matrices": "small_batched", "sum_splits": "splitk_reduce"}


def present_name(name: str) -> str:
    """Return the present name of a kernel, with or without its operation; a former one is taken with a warning."""
    operation, slash, idea = name.rpartition("/")
    if idea not in FORMER_NAMES:
        return name
    now = f"{operation}{slash}{FORMER_NAMES[idea]}"
    # Python hides a DeprecationWarning outside of __main__, and the user's call is an unknown number of frames away.
    warnings.warn(f"The kernel {name} is named {now} now.", FutureWarning, stacklevel=3)
    return now


def library_kernel(operation: str, library: str = "numpy") -> Kernel:
    """Return a stand-in for an array library in a plan: it has no source and is not in the catalogue."""
    summary = "NumPy computes it, with the BLAS behind it." if library == "numpy" else f"{library} computes it."
    return Kernel(operation, library, summary, since={}, on_host=library == "numpy")


def kernels_of(operation: str) -> tuple[Kernel, ...]:
    """Return the kernels of ``operation`` that can be asked for by name, in the best order for reading."""
    return tuple(kernel for kernel in CATALOGUE if kernel.operation == operation and not kernel.is_step)


def taught_kernels_of(operation: str) -> tuple[TaughtKernel, ...]:
    """Return the taught kernels of ``operation``."""
    return tuple(kernel for kernel in kernels_of(operation) if isinstance(kernel, TaughtKernel))


def find(operation: str, idea: str) -> Kernel:
    """Return the kernel ``operation/idea``.

    Raises:
        UnknownKernelError: there is none; the message lists the kernels of the operation, or all of them.
    """
    name = present_name(f"{operation}/{idea}")
    for kernel in CATALOGUE:
        if kernel.name == name:
            return kernel
    names = ", ".join(kernel.name for kernel in kernels_of(operation) or CATALOGUE)
    raise UnknownKernelError(f"There is no kernel {operation}/{idea}; there are {names}.")


def find_taught(operation: str, idea: str) -> TaughtKernel:
    """Return the taught kernel ``operation/idea``.

    Raises:
        UnknownKernelError: there is none, or it is not a taught one; the message lists the kernels.
    """
    found = find(operation, idea)
    if isinstance(found, TaughtKernel):
        return found
    names = ", ".join(kernel.name for kernel in taught_kernels_of(operation) if not kernel.on_host)
    raise UnknownKernelError(
        f"{found.name} has its tile from a plan for a chip; what is asked here is answered for {names}."
    )
