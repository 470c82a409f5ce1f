"""The compiled extra `tilewright_native`: converts plans to numbers, so that the extra can launch them.

It does the same as `tilewright.launch.cuda.planned` and `tilewright.call.repeated_product` do without it.
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
"""The environment variable that disables the extra if it is 0."""

DRIVER_CALLS = (
    "cuLaunchKernelEx",
    "cuTensorMapEncodeTiled",
    "cuCtxGetCurrent",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
)


@cache
def extra() -> Any:
    """The module, or None if it is not installed, disabled, or of another version (with a warning)."""
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
    """The extra's reader of torch's tensors; None without the extra, or if torch is too old for it."""
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
    """The addresses of the driver's functions that the extra calls, in its order."""
    library = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    return tuple(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in DRIVER_CALLS)


def compiled_launches(run: PlannedRun) -> Any:
    """The extra's launches of a plan; None without the extra, or for a plan that is too large for it."""
    module = extra()
    if module is None:
        return None
    try:
        return module.Launches(driver_addresses(), *run.as_numbers(), run.refused, run, run.device)
    except OverflowError:
        return None
