"""What is kept on disk between processes, and loaded as code: where, whose, and whole. The standard library alone."""
