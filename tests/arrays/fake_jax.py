"""A stand-in for JAX whose arrays are in the emulator's memory: what the calls use of it, and no more."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.arrays.dlpack_producer import ByDlpack
from tests.arrays.emulated_gpu import EmulatedArray, EmulatedGpu

STREAM = 17
"""JAX's own, which it names only to those that share arrays with it."""


class Device:
    """The emulated GPU."""

    platform, local_hardware_id = "gpu", 0


class Array(ByDlpack):
    """An array on the emulated GPU, which may be shared and is never written."""

    device = Device()
    committed = True

    def __init__(self, array: EmulatedArray) -> None:
        super().__init__(array)
        self.shape, self.dtype = array.shape, array.dtype

    def devices(self):
        """Where it is."""
        return {self.device}


class Tracer(Array):
    """An array without values."""


class JaxRuntimeError(RuntimeError):
    """What JAX raises."""


def install(monkeypatch: pytest.MonkeyPatch, gpu: EmulatedGpu) -> Any:
    """Let `import jax` find the stand-in, whose memory is this GPU's."""
    jax = SimpleNamespace(
        Array=Array,
        core=SimpleNamespace(Tracer=Tracer),
        errors=SimpleNamespace(JaxRuntimeError=JaxRuntimeError),
        full=False,
        local_devices=lambda backend: [Array.device] if backend == "gpu" else [],
    )

    def empty(shape, dtype, device):
        assert device is Array.device
        if jax.full:
            raise JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory\nwhile trying")
        return Array(EmulatedArray(gpu, shape, dtype))

    def from_dlpack(shared):
        assert shared.__dlpack_device__() == (2, 0)
        shared.__dlpack__(stream=STREAM)
        return shared._array

    jax.numpy = SimpleNamespace(empty=empty, array=lambda given, copy: Array(gpu.array(given.values, given.dtype)))  # noqa: ARG005
    jax.dlpack = SimpleNamespace(from_dlpack=from_dlpack)
    for name in ("", ".core", ".errors", ".numpy", ".dlpack"):
        monkeypatch.setitem(sys.modules, f"jax{name}", getattr(jax, name[1:]) if name else jax)
    return jax
