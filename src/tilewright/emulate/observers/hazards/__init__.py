"""Hazards of asynchronous kernels, found although the result happens to be right."""
