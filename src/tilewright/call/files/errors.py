"""What reading a file refuses with."""

from __future__ import annotations

from tilewright.choose.printable import PrintableError


class FileError(PrintableError):
    """A file holds no matrix that can be multiplied; the message names the file and what is wrong with it."""
