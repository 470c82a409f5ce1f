"""A GPU, through the CUDA driver: devices, memory, launches of a plan."""
