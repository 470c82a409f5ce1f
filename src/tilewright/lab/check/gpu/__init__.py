"""The same launches on a GPU."""
