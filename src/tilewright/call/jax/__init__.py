"""Our products under JAX's transformations: gradients, and compilation for a CPU or a GPU."""

from tilewright.call.door import register

from .taking import take

register("jax", take)
