"""Our products inside of JAX's transformations: gradients, and what JAX compiles for a CPU or a GPU."""

from tilewright.call.door import register

from .taking import take

register("jax", take)
