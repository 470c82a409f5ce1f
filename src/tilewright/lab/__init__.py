"""Tools that examine kernels: their use of a chip, where variables live, what goes wrong."""
