"""Changes of a text that leave its other characters where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """Characters of a text and what is to stand in their place."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with edits made; those inside of another are left out."""
    pieces, place = [], 0
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        if edit.start < place:
            continue
        pieces += [text[place : edit.start], edit.text]
        place = edit.end
    return "".join([*pieces, text[place:]])
