"""Operands: registers get slots in their function's frame, everything else a slot among the launch's constants."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic.vectors import SLOT_BYTES
from tilewright.emulate.faults import PtxSyntaxError
from tilewright.emulate.ptx.parser import TYPE_BYTES, Function


class NotEmulated(Exception):
    """An instruction that no handler can encode; it becomes a row that stops the launch when it is reached."""


Source = tuple[str, int, int]
"""Where a constant's bits come from: ("bits", value, 0), ("launch", number, 0), ("parameter", offset, signed bytes),
("variable", index, addend), ("shared", offset, 0), ("dynamic", align, addend), ("parameters", offset, 0)."""

_FLOAT = re.compile(r"0[fF]([0-9a-fA-F]{8})$")
_DOUBLE = re.compile(r"0[dD]([0-9a-fA-F]{16})$")
_INTEGER = re.compile(r"([-+~]?)\s*(0[xX][0-9a-fA-F]{1,32}|0[bB][01]{1,128}|0[0-7]{0,40}|[1-9]\d{0,38})[uU]?$")
_DECIMAL = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d{1,4})?$")


@dataclass
class Constants:
    """The constants of a module: one slot per value and width."""

    sources: list[tuple[Source, int, int]] = field(default_factory=list)
    nbytes: int = 64
    _known: dict[tuple[Source, int], int] = field(default_factory=dict)

    def slot(self, source: Source, width: int) -> int:
        """Return the (inverted) offset of a constant; `width` 1 is a predicate."""
        known = self._known.get((source, width))
        if known is None:
            known = self.nbytes
            self._known[source, width] = known
            self.sources.append((source, width, known))
            self.nbytes += SLOT_BYTES.get(width, 64)
        return ~known


def parse_number(text: str, kind: str) -> int | None:
    """Return the bits of an immediate as `kind` wants them, or None when the text is no number that fits."""
    try:
        return _bits_of_number(text, kind)
    except (OverflowError, struct.error):
        return None


def _bits_of_number(text: str, kind: str) -> int | None:
    if match := _FLOAT.match(text):
        bits = int(match[1], 16)
        if kind == "f64":
            return int.from_bytes(struct.pack("<d", struct.unpack("<f", struct.pack("<I", bits))[0]), "little")
        return bits
    if match := _DOUBLE.match(text):
        bits = int(match[1], 16)
        if kind == "f32":
            return int.from_bytes(struct.pack("<f", struct.unpack("<d", struct.pack("<Q", bits))[0]), "little")
        return bits
    if match := _INTEGER.match(text):
        digits = match[2]
        value = int(digits, 8) if digits.isdigit() and digits[0] == "0" else int(digits, 0)
        if match[1] == "-":
            value = -value
        elif match[1] == "~":
            value = ~value
        if kind in ("f32", "f64"):
            return int.from_bytes(struct.pack("<f" if kind == "f32" else "<d", value), "little")
        return value
    if _DECIMAL.match(text):
        return int.from_bytes(struct.pack("<d" if kind == "f64" else "<f", float(text)), "little")
    if text == "WARP_SZ":
        return 32
    return None


LEAST_FRAME_BYTES = 256
"""Instructions with fewer operands than a row has columns read offset 0 for the rest: a whole slot lies there."""


class Frame:
    """The registers of one function: byte offsets in its frame, given out as they are met."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.offsets: dict[str, int] = {}
        self.widths: dict[str, int] = {}
        self.nbytes = LEAST_FRAME_BYTES
        self.next_predicate = 4  # the first one is always true

    def width(self, name: str) -> int:
        """Return the width of a register in bits: 1 for a predicate, else 16, 32 or 64."""
        known = self.widths.get(name)
        if known is None:
            known = self.widths[name] = self._declared_width(name)
        return known

    def _declared_width(self, name: str) -> int:
        kind = self.function.register_type(name)
        if kind is None:
            raise PtxSyntaxError(f"{name} in {self.function.name} is not declared as a register")
        if kind == "pred":
            return 1
        width = TYPE_BYTES[kind] * 8
        if width > 64:
            raise NotEmulated(f"{name} in {self.function.name} has 128 bits")
        return max(width, 16)

    def offset(self, name: str) -> int:
        """Return the offset of a register."""
        known = self.offsets.get(name)
        if known is None:
            known = self.offsets[name] = self.new(self.width(name))
        return known

    def new(self, width: int) -> int:
        """Return the offset of a new slot."""
        if width == 1:
            if self.next_predicate % 64 == 0:
                self.next_predicate = self.nbytes
                self.nbytes += 64
            offset = self.next_predicate
            self.next_predicate += 4
            return offset
        offset = self.nbytes
        self.nbytes += SLOT_BYTES[width]
        return offset

    def is_register(self, text: str) -> bool:
        """Say whether an operand is a register rather than a special register, symbol or number."""
        if text.startswith("%") and (text[1:] in op.SPECIAL_NUMBER or text[1:] in op.LAUNCH_CONSTANTS):
            return False
        return text in self.widths or self.function.register_type(text) is not None
