"""The journal of a product: what is multiplied, and which tiles of C are whole on the disk.

It lies beside the output, in the folder `OUTPUT.tilewright`: first a line of JSON that describes the product, then a
line for each tile, with the tile's checksum and a checksum of the line. A tile gets its line after its bytes are on the
disk, so that nothing is said to be done that a crash could take back. A line that a crash cut short does not count.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

from tilewright.arrays.errors import StoreError
from tilewright.arrays.stores.store import Store
from tilewright.kept.whole_files import write_whole

VERSION = 1


def folder_of(out: Store) -> Path | None:
    """Where an output's journal and lock lie; None for an output in memory or elsewhere than on this machine's disk."""
    where = out.location()
    if where is None or out.path is None:
        return None
    path = out.path.resolve()
    inside = where.get("dataset", "").strip("/").replace("/", ".")
    if where["kind"] == "memmap" and path.suffix != ".npy":
        inside = str(where["offset"])
    return path.with_name(f"{path.name}{'.' if inside else ''}{inside}.tilewright")


class Journal:
    """The journal of one output, while its lock is held."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "journal"
        self._handle = -1

    def read(self) -> tuple[dict[str, Any] | None, dict[int, int]]:
        """What was multiplied (None without a journal that can be read), and the checksums of the whole tiles."""
        try:
            head, *lines = self.path.read_text(encoding="ascii", errors="replace").split("\n")
            told = json.loads(head)
        except (OSError, ValueError):
            return None, {}
        if not isinstance(told, dict) or told.get("version") != VERSION:
            return None, {}
        return told, dict(found for found in map(_tile_of, lines) if found is not None)

    def begin(self, told: dict[str, Any], tiles: dict[int, int]) -> None:
        """Write a new journal, whole or not at all, with tiles that are whole already. Raises StoreError."""
        text = json.dumps(told) + "\n" + "".join(map(_line, tiles.items()))
        try:
            write_whole(self.path, lambda file: file.write(text.encode("ascii")))
            _sync_folder(self.path.parent)
            self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        except OSError as error:
            raise self._error(error) from error

    def add(self, number: int, checksum: int) -> None:
        """Say that a tile is whole, and wait until that is on the disk. Raises StoreError."""
        try:
            os.write(self._handle, _line((number, checksum)).encode("ascii"))
            os.fsync(self._handle)
        except OSError as error:
            raise self._error(error) from error

    def close(self) -> None:
        """Write no more."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _error(self, error: OSError) -> StoreError:
        return StoreError(f"{self.path} cannot be written: {error.strerror or error}.", error.errno)


def _line(tile: tuple[int, int]) -> str:
    text = f"{tile[0]} {tile[1]:08x}"
    return f"{text} {zlib.crc32(text.encode()):08x}\n"


def _tile_of(line: str) -> tuple[int, int] | None:
    text, _, check = line.rpartition(" ")
    number, _, checksum = text.partition(" ")
    if len(check) != 8 or f"{zlib.crc32(text.encode(errors='replace')):08x}" != check:
        return None
    return int(number), int(checksum, 16)


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
