"""The compiled extra `tilewright_native`, where it is installed: plans as numbers for it, so that it launches them.

What it does is what `tilewright.launch.planned` and `tilewright.call.repeated_product` do without it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .planned import PlannedRun

INTERFACE = 5
SWITCH = "TILEWRIGHT_NATIVE"
"""The environment variable that leaves the extra aside when it is 0."""

DRIVER_CALLS = (
    "cuLaunchKernelEx",
    "cuTensorMapEncodeTiled",
    "cuCtxGetCurrent",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
)


@cache
def extra() -> Any:
    """The module, or None: it is not installed, was switched off, or is of another version, which a warning says."""
    if os.environ.get(SWITCH) == "0":
        return None
    try:
        import tilewright_native
    except ImportError:
        return None
    if tilewright_native.INTERFACE == INTERFACE:
        return tilewright_native
    warnings.warn(
        f"The installed tilewright-native has interface {tilewright_native.INTERFACE}, and this tilewright uses "
        f"interface {INTERFACE}: calls do the same in Python until the extra is built anew (pip install ./native in a "
        f"checkout); {SWITCH}=0 leaves it aside without a word.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


@cache
def reader(tensor_type: Any) -> Any:
    """What reads torch's tensors in the extra; None without it, or where torch is older than its way to read them."""
    module = extra()
    if module is None:
        return None
    torch = sys.modules["torch"]
    try:
        kept = vars(torch.autograd.forward_ad), vars(torch.utils._python_dispatch)  # noqa: SLF001
        return module.Reader(tensor_type, torch.nn.Parameter, torch.is_grad_enabled, *kept)
    except (AttributeError, KeyError, ValueError, NotImplementedError):
        return None


@cache
def driver_addresses() -> tuple[int, ...]:
    """Where the driver's functions are that the extra calls, in the order that it takes them."""
    library = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    return tuple(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in DRIVER_CALLS)


def compiled_launches(run: PlannedRun) -> Any:
    """The extra's way to launch a plan; None without it, or for a plan that is too large for it."""
    module = extra()
    if module is None:
        return None
    try:
        return module.Launches(driver_addresses(), *run.as_numbers(), run.refused, run, run.device)
    except OverflowError:
        return None
