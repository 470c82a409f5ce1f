"""What the NVIDIA driver says about itself, asked through ctypes so that it answers before any package is installed."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass
from functools import lru_cache

_COMPUTE_CAPABILITY_MAJOR = 75  # CUdevice_attribute values of cuda.h
_COMPUTE_CAPABILITY_MINOR = 76

_INIT_SENTENCES = {
    3: "the driver could not be initialized",
    34: "the CUDA library that was found is a stub without a driver behind it",
    46: "all GPUs are busy or unavailable",
    100: "the driver finds no GPU (is CUDA_VISIBLE_DEVICES set?)",
    803: "the driver's kernel module and its library have different versions; restart the machine",
    804: "the driver is too old for the forward-compatibility package that is installed",
}


@dataclass(frozen=True)
class Gpu:
    """One GPU as the driver lists it."""

    name: str
    compute_capability: tuple[int, int]
    memory_bytes: int


@dataclass(frozen=True)
class DriverReport:
    """The driver at hand.

    release: the driver's own version, such as "580.159.03"; None when it cannot be read.
    cuda_version: the newest CUDA that it supports, (major, minor); None when there is no driver.
    gpus: what it lists. problem: why it cannot be used, in words; None when it can.
    """

    release: str | None = None
    cuda_version: tuple[int, int] | None = None
    gpus: tuple[Gpu, ...] = ()
    problem: str | None = None


@lru_cache(maxsize=1)
def driver_report() -> DriverReport:
    """Ask the driver once per process. Initializes the driver; creates no context and uses no device memory."""
    library = _load("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    if library is None:
        return DriverReport(problem=_no_driver())
    version = ctypes.c_int(0)
    if library.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return DriverReport(problem="the CUDA library that was found does not say its version")
    cuda_version = (version.value // 1000, version.value % 1000 // 10)
    release = _release()
    status = library.cuInit(0)
    if status != 0:
        problem = _INIT_SENTENCES.get(status, f"the driver's initialization failed with CUDA error {status}")
        return DriverReport(release, cuda_version, (), problem)
    gpus = _gpus(library)
    return DriverReport(release, cuda_version, gpus, None if gpus else _INIT_SENTENCES[100])


def _load(name: str) -> ctypes.CDLL | None:
    if sys.platform == "darwin":
        return None
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def _no_driver() -> str:
    if sys.platform == "darwin":
        return "there is no NVIDIA driver for macOS"
    return "no NVIDIA driver was found"


def _gpus(library: ctypes.CDLL) -> tuple[Gpu, ...]:
    count = ctypes.c_int(0)
    if library.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return ()
    gpus = []
    for ordinal in range(count.value):
        device = ctypes.c_int(0)
        name = ctypes.create_string_buffer(256)
        memory_bytes = ctypes.c_size_t(0)
        major, minor = ctypes.c_int(0), ctypes.c_int(0)
        statuses = (
            library.cuDeviceGet(ctypes.byref(device), ordinal),
            library.cuDeviceGetName(name, len(name), device),
            library.cuDeviceTotalMem_v2(ctypes.byref(memory_bytes), device),
            library.cuDeviceGetAttribute(ctypes.byref(major), _COMPUTE_CAPABILITY_MAJOR, device),
            library.cuDeviceGetAttribute(ctypes.byref(minor), _COMPUTE_CAPABILITY_MINOR, device),
        )
        if not any(statuses):
            gpus.append(Gpu(name.value.decode(errors="replace"), (major.value, minor.value), memory_bytes.value))
    return tuple(gpus)


def _release() -> str | None:
    library = _load("nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1")
    if library is None or library.nvmlInit_v2() != 0:
        return None
    try:
        text = ctypes.create_string_buffer(96)
        if library.nvmlSystemGetDriverVersion(text, len(text)) != 0:
            return None
        return text.value.decode(errors="replace")
    finally:
        library.nvmlShutdown()
