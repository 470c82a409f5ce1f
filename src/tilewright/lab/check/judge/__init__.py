"""Right or wrong, at many sizes, and why."""
