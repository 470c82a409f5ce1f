"""The few functions of torch's that its gradient rules use, over NumPy's arrays: the rules are tested without torch."""

# ruff: noqa: D102  (torch's documentation says what these do)

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy
from scipy.special import erf


class Tensor:
    """A NumPy array with torch's methods."""

    def __init__(self, values: Any) -> None:
        self.values = numpy.asarray(values)
        self.ndim, self.shape, self.dtype = self.values.ndim, self.values.shape, self.values.dtype

    def to(self, dtype: Any) -> Tensor:
        return Tensor(self.values.astype(dtype))

    def float(self) -> Tensor:
        return self.to(numpy.float32)

    def conj(self) -> Tensor:
        return Tensor(self.values.conj())

    @property
    def mH(self) -> Tensor:  # noqa: N802  (torch's name)
        return Tensor(self.values.conj().swapaxes(-1, -2))

    def unsqueeze(self, axis: int) -> Tensor:
        return Tensor(numpy.expand_dims(self.values, axis))

    def reshape(self, *shape: Any) -> Tensor:
        return Tensor(self.values.reshape(shape[0] if isinstance(shape[0], tuple) else shape))

    def movedim(self, source: int, target: int) -> Tensor:
        return Tensor(numpy.moveaxis(self.values, source, target))

    def repeat_interleave(self, count: int, dim: int) -> Tensor:
        return Tensor(numpy.repeat(self.values, count, dim))

    def new_zeros(self, shape: tuple[int, ...], dtype: Any) -> Tensor:
        return Tensor(numpy.zeros(shape, dtype))

    def sum_to_size(self, shape: tuple[int, ...]) -> Tensor:
        """In the tensor's type, of which each axis that was broadcast takes a sum."""
        values = self.values.sum(tuple(range(self.ndim - len(shape)))) if self.ndim > len(shape) else self.values
        kept = tuple(axis for axis, extent in enumerate(shape) if extent != values.shape[axis])
        return Tensor(values.sum(kept, keepdims=True) if kept else values)

    def __getitem__(self, at: Any) -> Tensor:
        return Tensor(self.values[at])

    def __add__(self, other: Tensor) -> Tensor:
        return Tensor(self.values + other.values)

    def __mul__(self, other: Any) -> Tensor:
        return Tensor(self.values * getattr(other, "values", other))

    __rmul__ = __mul__


def product(a: Tensor, b: Tensor, c: Any = None, bias: Any = None, **options: Any) -> Tensor:
    """C = alpha A B + beta c + bias, summed in float32 for 16-bit types and rounded once."""
    wide = numpy.float32 if a.dtype == numpy.float16 else a.dtype
    found = options.get("alpha", 1.0) * (a.values.astype(wide) @ b.values.astype(wide))
    if c is not None:
        found = found + options["beta"] * c.values
    if bias is not None:
        found = found + (bias.values if b.ndim > 1 else bias.values[0])
    return Tensor(numpy.asarray(found).astype(options.get("out_dtype") or numpy.result_type(a.dtype, b.dtype)))


def dot(a: Tensor, b: Tensor, **_options: Any) -> Tensor:
    """NumPy's."""
    return Tensor(numpy.dot(a.values, b.values))


def reduced_matmul(a: Tensor, b: Tensor, **_options: Any) -> Tensor:
    """The product of sums of pairs of rows and of columns."""
    rows, columns = a.values, b.values
    return Tensor((rows[..., 0::2, :] + rows[..., 1::2, :]) @ (columns[..., 0::2] + columns[..., 1::2]))


def activated(name: str | None, x: Any) -> Any:
    """An activation, by its definition."""
    if name is None:
        return x
    if name == "relu":
        return numpy.maximum(x, 0)
    return x * (0.5 * (1 + erf(x / numpy.sqrt(2))) if name == "gelu" else 1 / (1 + numpy.exp(-x)))


def _through(name: str) -> Any:
    """The gradient before an activation, by a central difference."""
    step = 1e-5

    def backward(gradient: Tensor, given: Tensor, *_threshold: int) -> Tensor:
        x = given.values
        return Tensor(gradient.values * (activated(name, x + step) - activated(name, x - step)) / (2 * step))

    return backward


def install(monkeypatch: Any) -> Any:
    """Put these in torch's place, and return the gradient rules that use them."""
    torch: Any = ModuleType("torch")
    torch.Tensor, torch.float32 = Tensor, numpy.dtype("f4")
    torch.float16, torch.bfloat16 = numpy.dtype("f2"), "bfloat16"
    torch.broadcast_shapes, torch.promote_types = numpy.broadcast_shapes, numpy.promote_types
    aten = {"threshold_backward": "relu", "gelu_backward": "gelu", "silu_backward": "silu"}
    torch.ops = SimpleNamespace(
        tilewright=SimpleNamespace(matmul=product, dot=dot, reduced_matmul=reduced_matmul),
        aten=SimpleNamespace(**{name: _through(activation) for name, activation in aten.items()}),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    package, name = import_module("tilewright.call.torch"), "tilewright.call.torch.gradients"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(package, "gradients", None, raising=False)  # what the import sets is undone, too
    rules = import_module(name)
    del sys.modules[name]  # or it would be put back
    monkeypatch.setattr(rules, "again", lambda *_: None)
    return rules
