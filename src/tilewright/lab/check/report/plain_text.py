"""Lines of a user's file, to quote in a report."""

from __future__ import annotations

from pathlib import Path

from tilewright.choose.printable import printable
from tilewright.emulate.observers.finding import Place
from tilewright.lab.source.cuda_file import CudaFile

LARGEST_QUOTED_BYTES = 4 << 20


class QuotedLines:
    """Lines of the checked file and of files in its folder.

    No others are read: `#line 1 "/etc/passwd"` in a file would have them quoted in its report.
    """

    def __init__(self, file: str) -> None:
        self._file = Path(file)
        self._lines: dict[Path, list[str]] = {}

    def line(self, place: Place | None) -> str:
        """Return the line's text without indentation; empty if it is unknown."""
        name, number = place or (None, None)
        path = self._path_of(name)
        if path is None or number is None:
            return ""
        lines = self._lines.setdefault(path, _read(path))
        return printable(lines[number - 1].strip()) if 0 < number <= len(lines) else ""

    def _path_of(self, name: str | None) -> Path | None:
        if not name or name in (str(self._file), self._file.name, CudaFile(self._file, "").name):
            return self._file
        folder = self._file.parent.resolve()
        try:
            path = (folder / name).resolve()
            return path if path.is_relative_to(folder) and path.is_file() else None
        except (OSError, ValueError):
            return None


def _read(path: Path) -> list[str]:
    try:
        if path.stat().st_size > LARGEST_QUOTED_BYTES:
            return []
        return path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return []
