"""The kernels of RMM, the product summed over squares of 2 x 2: their sources, and a row of the catalogue for each."""
