"""`tilewright devices`: where kernels can run here, and what to install for more."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version

from rich.console import Console
from rich.markup import escape

from tilewright.compile import CompilerMissingError, nvrtc_version
from tilewright.launch import DeviceUnavailableError, driver_report, open_machine
from tilewright.launch.cuda.gpu import advice, architecture_for

from .screen import screen


def devices() -> None:
    """Name the driver, the GPUs, the emulator and the host, and what to install for those that are missing."""
    console = screen()
    _driver(console)
    _gpu(console)
    _compiler(console)
    _emulator(console)
    _say(console, "host", f"ready: NumPy {version('numpy')}, {os.cpu_count()} processors")


def _driver(console: Console) -> None:
    report = driver_report()
    if report.cuda_version is None:
        _say(console, "driver", f"none: {report.problem}")
        return
    major, minor = report.cuda_version
    release = f"NVIDIA {report.release}" if report.release else "NVIDIA, of unknown release"
    _say(console, "driver", f"{release}, supports CUDA up to {major}.{minor}")
    for gpu in report.gpus:
        capability = ".".join(str(number) for number in gpu.compute_capability)
        memory = f"{gpu.memory_bytes / 2**30:.0f} GiB"
        _say(console, "", f"{gpu.name}, compute capability {capability}, {memory}")


def _gpu(console: Console) -> None:
    report = driver_report()
    if report.problem is not None:
        _say(console, "gpu", f"not available: {report.problem}; {advice()}.")
        return
    try:
        facts = open_machine("gpu").facts()
        architecture = architecture_for(facts.name, facts.compute_capability or ())
        _say(console, "gpu", f"ready: {facts.name}, code for {architecture}, {_installed('cuda-bindings')}")
    except DeviceUnavailableError as error:
        _say(console, "gpu", f"not available: {error}")


def _compiler(console: Console) -> None:
    try:
        major, minor = nvrtc_version()
        _say(console, "compiler", f"NVRTC {major}.{minor}")
    except CompilerMissingError as error:
        _say(console, "compiler", f"none, so kernels run with the tiles whose PTX is in the package. {error}")


def _emulator(console: Console) -> None:
    try:
        open_machine("emulator")
        _say(console, "emulator", f"ready: {_installed('numba')}, {os.cpu_count()} processors")
    except DeviceUnavailableError as error:
        _say(console, "emulator", f"not available: {error}")


def _installed(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} of unknown version"


def _say(console: Console, name: str, text: str) -> None:
    console.print(f"[cyan]{name:<9}[/] {escape(text)}", soft_wrap=True)
