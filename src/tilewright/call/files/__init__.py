"""Matrices and texts from files that a user names."""
