"""Times of the Hopper kernels beside torch.matmul, tile by tile: what the rules of `choose/` are made from."""
