"""Products by the workers of a Dask cluster: one task for each tile of C."""
