"""Choosing the tile of a product on Hopper (compute capability 9.0), by measurements or by a cost model."""
