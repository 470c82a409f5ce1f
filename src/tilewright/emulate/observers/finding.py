"""What an observer found, in words that lead to the line."""

from __future__ import annotations

from dataclasses import dataclass, field

Coordinates = tuple[int, int, int]
Place = tuple[str | None, int | None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a kernel does wrong (an error) or could do better (a note).

    kind: such as `race` or `out of bounds`. place: file and line. message: what happened, who did it and where;
    advice: what to do about it; both are sentences. other: the other line of a pair. threads: (block, thread) of
    those involved. address: such as `As[3][7]`. times: how often it happened; message and threads tell of the first.
    follows: whether it is known to follow from a mistake that another finding names.
    """

    kind: str
    severity: str
    place: Place
    message: str
    advice: str
    other: Place | None = None
    threads: tuple[tuple[Coordinates, Coordinates], ...] = ()
    address: str = ""
    times: int = 1
    details: dict[str, object] = field(default_factory=dict)
    follows: bool = False
