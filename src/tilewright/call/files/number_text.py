"""What a number looks like in a text file: ASCII digits, a point, an exponent; inf and nan.

Python's float also takes underscores (1_0 is 10) and the digits of every script, which no other reader of these files
does; a file that holds them is damaged or means something else.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[+-]?((\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)", re.ASCII | re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"\+?\d+", re.ASCII)


def is_number(word: str) -> bool:
    """Whether a word is a number."""
    return _NUMBER.fullmatch(word) is not None


def is_whole_number(word: str) -> bool:
    """Whether a word is a whole number of 0 or more."""
    return _WHOLE_NUMBER.fullmatch(word) is not None


def is_plain(text: str) -> bool:
    """Whether Python's float takes no word of a text that `is_number` does not take. Cheap, unlike asking for each."""
    return text.isascii() and "_" not in text
