"""Products by the workers of a Dask cluster, one task for each tile of C, and of Dask's arrays."""

from tilewright.call.door import register

from .taking import take

register("dask.array", take)
