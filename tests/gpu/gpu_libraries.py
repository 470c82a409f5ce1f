"""torch, CuPy and JAX on a GPU: what the tests need of each, in the same words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy
import pytest

NAMES = ("torch", "cupy", "jax")


class Torch:
    """torch's tensors."""

    def __init__(self):
        self.xp: Any = import_module("torch")
        if not self.xp.cuda.is_available():
            pytest.skip("this torch has no CUDA")

    def array(self, values, dtype):
        """Numbers as an array of that type on the GPU."""
        return self.xp.from_numpy(numpy.array(values)).to(getattr(self.xp, dtype)).cuda()

    def values(self, array):
        """The numbers of an array, in the widest type of their kind."""
        wide = self.xp.complex128 if array.is_complex() else self.xp.float64
        return array.to(wide).cpu().numpy()

    def is_own(self, array):
        """Whether it is the library's own and on the GPU."""
        return type(array) is self.xp.Tensor and array.is_cuda

    def name(self, array):
        """Its type's name."""
        return str(array.dtype).removeprefix("torch.")


class Cupy:
    """CuPy's arrays."""

    def __init__(self):
        self.xp: Any = pytest.importorskip("cupy", reason="CuPy is not installed")

    def array(self, values, dtype):
        """Numbers as an array of that type on the GPU."""
        if dtype == "bfloat16":
            try:
                return self.xp.asarray(numpy.asarray(values).astype(import_module("ml_dtypes").bfloat16))
            except (ImportError, TypeError, ValueError) as error:
                pytest.skip(f"this CuPy has no bfloat16: {error}")
        return self.xp.asarray(numpy.asarray(values).astype(dtype))

    def values(self, array):
        """The numbers of an array, in the widest type of their kind."""
        return self.xp.asnumpy(array).astype("c16" if array.dtype.kind == "c" else "f8")

    def is_own(self, array):
        """Whether it is the library's own."""
        return type(array) is self.xp.ndarray

    def name(self, array):
        """Its type's name."""
        return str(array.dtype)


class Jax:
    """JAX's arrays, with 64-bit types."""

    def __init__(self):
        self.jax: Any = pytest.importorskip("jax", reason="JAX is not installed")
        try:
            self.device = self.jax.devices("gpu")[0]
        except RuntimeError as error:
            pytest.skip(f"this JAX has no GPU: {error}")
        self.xp: Any = self.jax.numpy

    def array(self, values, dtype):
        """Numbers as an array of that type on the GPU."""
        return self.jax.device_put(self.xp.asarray(values).astype(dtype), self.device)

    def values(self, array):
        """The numbers of an array, in the widest type of their kind."""
        return numpy.asarray(array).astype("c16" if array.dtype.kind == "c" else "f8")

    def is_own(self, array):
        """Whether it is the library's own and on the GPU."""
        return isinstance(array, self.jax.Array) and array.devices() == {self.device}

    def name(self, array):
        """Its type's name."""
        return str(array.dtype)


@contextmanager
def opened(name: str) -> Iterator[Any]:
    """The library of that name; JAX with its 64-bit types, and with room left on the GPU for the others."""
    if name != "jax":
        yield {"torch": Torch, "cupy": Cupy}[name]()
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        found = Jax()
    before = found.jax.config.jax_enable_x64
    found.jax.config.update("jax_enable_x64", True)
    yield found
    found.jax.config.update("jax_enable_x64", before)
