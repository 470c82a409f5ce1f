"""Constants of a host program: numbers, characters and texts as they are written, and names of the library."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .compiler import Code, Compiler
from .host_types import BLANK, CHAR, CONVERTERS, DOUBLE, FLOAT, INT, LONG, SIZE, TEXT, UNSIGNED, PointerTo, UnreadError

if TYPE_CHECKING:
    from tree_sitter import Node

_NUMBER = re.compile(r"(?P<sign>-?)(?P<digits>0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9.]+(?:[eE][-+]?\d+)?)(?P<end>[a-zA-Z]*)")
CONSTANTS: dict[str, tuple[Any, Any]] = {
    "RAND_MAX": (2147483647, INT),
    "EXIT_SUCCESS": (0, INT),
    "EXIT_FAILURE": (1, INT),
    "NULL": (None, PointerTo(BLANK)),
    "M_PI": (3.141592653589793, DOUBLE),
    "INFINITY": (float("inf"), FLOAT),
    "INT_MIN": (-2147483648, INT),
    "UINT_MAX": (4294967295, UNSIGNED),
    "INT_MAX": (2147483647, INT),
    "FLT_MAX": (3.4028234663852886e38, FLOAT),
    "FLT_EPSILON": (1.1920928955078125e-07, FLOAT),
    "DBL_EPSILON": (2.220446049250313e-16, DOUBLE),
    "__LINE__": (0, INT),
    "__FILE__": ("", TEXT),
    "__func__": ("", TEXT),
    "CLOCKS_PER_SEC": (1000000, LONG),
}
TO_DEVICE, TO_HOST, ON_DEVICE, BY_PLACE, ON_HOST = 1, 2, 3, 4, 0
_KINDS = {
    "cudaMemcpyHostToDevice": TO_DEVICE,
    "cudaMemcpyDeviceToHost": TO_HOST,
    "cudaMemcpyDeviceToDevice": ON_DEVICE,
    "cudaMemcpyHostToHost": ON_HOST,
    "cudaMemcpyDefault": BY_PLACE,
}
CONSTANTS |= {name: (kind, INT) for name, kind in _KINDS.items()}
STREAMS = {"cout", "cerr", "clog", "endl", "fixed", "scientific", "stdout", "stderr", "stdin"}


def number(c: Compiler, node: Node) -> Code:
    """Return a number as it is written."""
    text = c.text(node).replace("'", "")
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise UnreadError(f"the number {text}")
    digits, end = match["digits"], match["end"].lower()
    if digits[:2] in ("0x", "0X", "0b", "0B") or not re.search(r"[.eE]", digits):
        if "f" in end and not digits.startswith("0x"):
            raise UnreadError(f"the number {text}")
        is_octal = re.fullmatch(r"0[0-7]+", digits)
        value = (int(digits, 8) if is_octal else int(digits, 0)) * (-1 if match["sign"] else 1)
        kind = (SIZE if "l" in end or value >= 1 << 32 else UNSIGNED) if "u" in end else LONG if "l" in end else INT
        kind = LONG if kind == INT and value >= 1 << 31 else kind
        return constant(value, kind)
    real = float(match["sign"] + digits)
    return constant(CONVERTERS[FLOAT](real), FLOAT) if "f" in end else constant(real, DOUBLE)


def constant(value: Any, kind: Any) -> Code:
    """Return a known value as an expression."""
    return Code(lambda _: value, kind, constant=value)


def character(c: Compiler, node: Node) -> Code:
    """Return a character."""
    text = c.text(node).strip("'")
    return constant(ord({"\\n": "\n", "\\0": "\0", "\\t": "\t", "\\\\": "\\"}.get(text, text[-1:] or " ")), CHAR)


def text(c: Compiler, node: Node) -> Code:
    """Return a text."""
    return constant(c.text(node).strip('"'), TEXT)
