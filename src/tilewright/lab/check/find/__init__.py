"""Finds a kernel's roles, sizes and launch by trying guesses."""
