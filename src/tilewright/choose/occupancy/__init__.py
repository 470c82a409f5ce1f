"""What a chip makes of a kernel: the blocks that an SM holds and what limits them, and the roofline."""
