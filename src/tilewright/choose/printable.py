"""Untrusted text, made safe to show: a file, a name or a compiler's message may hold terminal escapes.

All output goes through here: consoles, JSON, XML, HTML and pictures. Unsafe characters become Python's escapes for
them: a backslash, `x` or `u`, and the number.
"""

from __future__ import annotations

import html
import re
from typing import Any

CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Control characters, those that XML 1.0 forbids, text direction marks and invisible characters; not tabs and line
ends. The surrogates are bytes of file names that are not UTF-8."""
_IN_JSON = re.compile(
    r"(?P<line_end>\\r\\n)|\\u00(?P<code>[01][0-9a-f])|\\(?P<letter>[bfr])|\\.|(?P<raw>" + CONTROL.pattern + ")",
    re.DOTALL,
)
_LETTERS = {"b": "08", "f": "0c", "r": "0d"}


def printable(text: str) -> str:
    """Return the text with unsafe characters escaped, except tabs and line ends."""
    return CONTROL.sub(_escape, text.replace("\r\n", "\n"))


def printable_line(text: str) -> str:
    """Return the text in one line: line ends and tabs are escaped, too."""
    return CONTROL.sub(_escape, text).replace("\n", "\\n").replace("\t", "\\t")


class PrintableError(ValueError):
    """An error about an untrusted file, whose message is safe to show."""

    def __str__(self) -> str:
        """Return the message, printable."""
        return printable(super().__str__())


def printable_content(value: Any) -> Any:
    """Return plain data (as of JSON) with every string in it, keys included, made printable."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable_content(key): printable_content(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [printable_content(each) for each in value]
    return value


def printable_json(text: str) -> str:
    """Return JSON with printable strings. text: what json.dumps wrote with ensure_ascii=False.

    Faster than `printable_content` for large documents: only unsafe characters are visited.
    """

    def shown(match: re.Match[str]) -> str:
        if match["raw"]:
            return "\\" + _escape(match["raw"])
        if match["line_end"]:
            return "\\n"
        code = match["code"] or _LETTERS.get(match["letter"] or "")
        return f"\\\\x{code}" if code else match[0]

    return _IN_JSON.sub(shown, text)


def escape(text: str) -> str:
    """Return the text printable and escaped for HTML."""
    return html.escape(printable(text))


def _escape(match: re.Match[str] | str) -> str:
    number = ord(match if isinstance(match, str) else match[0])
    if 0xDC80 <= number <= 0xDCFF:
        number -= 0xDC00  # the byte that Python could not decode
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
