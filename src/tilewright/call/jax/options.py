"""What is asked of a traced product, but its arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
from jax import numpy as jnp

from tilewright.arrays.errors import describe
from tilewright.call.dot import dot_here
from tilewright.call.epilogue import PLAIN, EpilogueNumbers
from tilewright.call.matmul import multiply_here
from tilewright.call.reduced_matmul import reduced_matmul_here
from tilewright.call.repeated_product import OPTIONS
from tilewright.call.shapes import check_shapes, dot_shape
from tilewright.choose import PlanError

from . import gpu as jax_gpu

Array = Any


@dataclass(frozen=True)
class Options:
    """All of a call but its arrays. It is hashable, as a key of JAX's compiled functions."""

    operation: str
    numbers: EpilogueNumbers = PLAIN
    out_dtype: str | None = None
    kernel: str = "auto"
    tile: Any = None
    device: str = "auto"
    precision: str = "auto"

    @property
    def may_be_sharded(self) -> bool:
        """Whether nothing was asked for by name that the devices of a mesh could not do alike."""
        asked = self.kernel, self.tile, self.device
        return asked == ("auto", None, "auto") and (self.precision == "auto" or jax_gpu.is_there())

    def call(self, a: object, b: object, c: object, bias: object) -> Any:
        """Call the public function with arrays that have values."""
        if self.operation != "matmul":
            compute = dot_here if self.operation == "dot" else reduced_matmul_here
            chosen = {"kernel": self.kernel, "tile": self.tile, "device": self.device, "precision": self.precision}
            return compute(a, b, None, **chosen)
        chosen = {**vars(self), **vars(self.numbers)}
        return multiply_here(a, b, c, bias, None, tuple(chosen[name] for name in OPTIONS))

    def check_numbers(self, a: Array, b: Array) -> None:
        """Raise PlanError where JAX has symbols for extents: only XLA's own product is compiled for any numbers."""
        if not all(isinstance(extent, int) for extent in (*a.shape, *b.shape)):
            raise PlanError(
                f"{self.operation} takes symbols for extents where XLA multiplies, on a CPU and without kernel, tile, "
                f"device and precision, but {describe(a, b)}: export it with numbers."
            )

    def result(self, a: Array, b: Array) -> jax.ShapeDtypeStruct:
        """Shape and type of the result. Raises ShapeError if A and B do not fit."""
        shape = dot_shape(a, b) if self.operation == "dot" else check_shapes(self.operation, a, b)
        return jax.ShapeDtypeStruct(shape, self.out_dtype or jnp.promote_types(a.dtype, b.dtype))
