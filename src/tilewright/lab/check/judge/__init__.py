"""Judges a kernel at many sizes: right or wrong, and why."""
