"""Matrices in files and in the host's memory, read and written by regions, so that no more than a region is held."""
