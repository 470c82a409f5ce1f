"""What looks at kernels: what they take of a chip, where their variables live, where they go wrong."""
