"""The kernels of the matrix product; a `.py` beside a source plans its launches."""
