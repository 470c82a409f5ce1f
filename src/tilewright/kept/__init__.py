"""What is kept on disk: compiled code, where, whose and whole; files that appear whole. The standard library alone."""
