"""A kernel's name and its source file, which all kernels of the catalogue have alike."""

from __future__ import annotations

from pathlib import Path


class KernelFile:
    """What follows from ``operation``, ``idea`` and ``source``, a path relative to the folder of this package."""

    operation: str
    idea: str
    source: str

    @property
    def name(self) -> str:
        """The kernel's identity, ``operation/idea``."""
        return f"{self.operation}/{self.idea}"

    @property
    def entry(self) -> str:
        """The function's name in the source and in the compiled program."""
        return f"{self.operation}_{self.idea}"

    @property
    def source_path(self) -> Path:
        """The source file on this machine."""
        return Path(__file__).parent / self.source

    @property
    def source_name(self) -> str:
        """The source file as compiled programs name it: the same on every machine."""
        return f"tilewright/kernels/{self.source}"

    def source_text(self) -> str:
        """Return the source as it is written."""
        return self.source_path.read_text(encoding="utf-8")
