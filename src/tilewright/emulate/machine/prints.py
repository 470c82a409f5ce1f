"""printf: records of the emulated launch to lines of text, formatted as C does."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from tilewright.emulate.state import PRINT_HEADER_BYTES, PRINT_RECORD_BYTES

Dimensions = tuple[int, int, int]
MAX_FIELD = 4096
_SPECIFIER = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|j|z|t|L)?([diouxXeEfFgGaAcsp%])")


@dataclass(frozen=True, slots=True)
class PrintedText:
    """What one call of printf wrote, and who called it: block and thread as (x, y, z)."""

    block: Dimensions
    thread: Dimensions
    text: str

    def __str__(self) -> str:
        return f"block {self.block}, thread {self.thread}: {self.text.rstrip()}"


def drain(
    records: np.ndarray[tuple[int], np.dtype[np.uint8]],
    used: int,
    string_at: Callable[[int, int, int], str],
    grid: Dimensions,
    block: Dimensions,
) -> Iterator[tuple[int, PrintedText]]:
    """Yield (linear number of the block, what it printed) for each record in the first `used` bytes.

    string_at: reads the string at an address, as a resident warp's lane sees it.
    """
    for start in range(0, used, PRINT_RECORD_BYTES):
        record = records[start : start + PRINT_RECORD_BYTES].tobytes()
        number, thread, warp, address, available = struct.unpack_from("<5q", record)
        read = partial(string_at, warp, thread % 32)
        text = format_text(read(address), record[PRINT_HEADER_BYTES : PRINT_HEADER_BYTES + available], read)
        yield number, PrintedText(_coordinates(number, grid), _coordinates(thread, block), text)


def _coordinates(number: int, extent: Dimensions) -> Dimensions:
    return number % extent[0], number // extent[0] % extent[1], number // (extent[0] * extent[1])


def format_text(text: str, arguments: bytes, string_at: Callable[[int], str]) -> str:
    """Format like printf, taking arguments as CUDA lays them out: each at a multiple of its size.

    Widths and precisions end at MAX_FIELD: one that is garbage must not fill the host's memory.
    """
    offset = 0

    def take(kind: str, size: int) -> int | float:
        nonlocal offset
        offset = -(-offset // size) * size
        value: int | float = struct.unpack_from(kind, arguments.ljust(offset + size, b"\0"), offset)[0]
        offset += size
        return value

    def replace(match: re.Match[str]) -> str:
        flags, width, precision, length, letter = match.groups()
        if letter == "%":
            return "%"
        if width == "*":
            width = str(take("<i", 4))
        if precision == "*":
            precision = str(take("<i", 4))
        width = str(max(-MAX_FIELD, min(int(width), MAX_FIELD))) if width else ""
        # A negative precision counts as none.
        precision = f".{min(int(precision), MAX_FIELD)}" if precision is not None and int(precision) >= 0 else ""
        specifier = f"%{flags}{width}{precision}"
        is_long = length in ("l", "ll", "j", "z", "t")
        if letter in "di":
            whole = take("<q" if is_long else "<i", 8 if is_long else 4)
            kept = {"h": 1 << 15, "hh": 1 << 7}.get(length)
            return (specifier + "d") % ((whole + kept) % (2 * kept) - kept if kept else whole)
        if letter in "ouxX":
            number = take("<Q" if is_long else "<I", 8 if is_long else 4)
            number = int(number) & {"h": 0xFFFF, "hh": 0xFF}.get(length, -1)
            if letter == "o" and "#" in flags:
                return f"%{flags.replace('#', '')}{width}s" % f"0{number:o}"
            return (specifier + letter.replace("u", "d")) % number
        if letter in "eEfFgG":
            return (specifier + letter) % take("<d", 8)
        if letter in "aA":
            return float(take("<d", 8)).hex()
        if letter == "c":
            return (specifier + "c") % chr(int(take("<i", 4)) & 255)
        address = int(take("<Q", 8))
        return (specifier + "s") % (string_at(address) if letter == "s" else f"{address:#x}")

    return _SPECIFIER.sub(replace, text)


def join_lines(pieces: list[str]) -> list[str]:
    """Return the lines that all prints make up together."""
    lines = "".join(pieces).split("\n")
    return lines if lines[-1] else lines[:-1]
