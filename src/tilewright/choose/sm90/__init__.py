"""Products on Hopper (compute capability 9.0): which tile, by measurement or by a model."""
