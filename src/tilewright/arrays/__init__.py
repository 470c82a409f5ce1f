"""The arrays of every library: whose one is, how it lies, its memory and stream, and results of its kind."""
