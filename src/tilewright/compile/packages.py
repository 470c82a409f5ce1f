"""Finds CUDA's headers (in the runtime, crt and cccl packages) and NVRTC in the installed Python packages."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@cache
def header_folders(cuda_major: int) -> tuple[Path, ...]:
    """Return the folders with CUDA's headers for CUDA ``cuda_major``, as far as they are installed.

    The packages of CUDA 13 share ``nvidia/cu13/include``; those of CUDA 12 have a folder each. Both may be
    installed side by side, so the folders of another major version are left out.
    """
    folders: list[Path] = []
    for root in package_roots():
        if cuda_major >= 13:
            packages = [root / f"cu{cuda_major}"]
        else:
            packages = [root / name for name in ("cuda_runtime", "cuda_nvcc", "cuda_cccl", "curand")]
        for package in packages:
            folders += [package / "include", package / "include" / "cccl"]
    return tuple(folder for folder in folders if folder.is_dir())


def load_nvrtc_of_the_binding() -> None:
    """Load NVRTC 12 for a CUDA 12 binding, before that looks for one itself.

    With the extras ``emulator`` and ``cuda12`` both installed there are two, and the binding would take NVRTC 13,
    whose code a CUDA 12 driver cannot load.
    """
    try:
        major = version("cuda-bindings").partition(".")[0]
    except PackageNotFoundError:
        return
    if major != "12":
        return
    pattern = "bin/nvrtc64_120_0.dll" if sys.platform == "win32" else "lib/libnvrtc.so.12"
    for root in package_roots():
        library = root / "cuda_nvrtc" / pattern
        if library.is_file():
            ctypes.CDLL(str(library))
            return


def package_roots() -> list[Path]:
    """Return the folders that hold NVIDIA's packages; none when none is installed."""
    spec = importlib.util.find_spec("nvidia")
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
