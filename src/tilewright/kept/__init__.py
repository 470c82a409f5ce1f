"""Files on disk: compiled code, trusted only if whole and the user's own; files that appear whole. No dependencies."""
