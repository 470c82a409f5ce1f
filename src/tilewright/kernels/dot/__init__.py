"""The kernels of the dot product: their sources, and a row of the catalogue for each."""
