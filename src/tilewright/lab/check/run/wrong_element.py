"""The first wrong element of a result, and who wrote it."""

from __future__ import annotations

from dataclasses import dataclass

Extent = tuple[int, int, int]


@dataclass(frozen=True)
class WrongElement:
    """The first wrong element in reading order. got, expected: its values. bound: of its error.

    block, thread, line: of its last writer; without one, block and thread are None, and line is where the array is
    written, or 0. count: the number of wrong elements. total: of all.
    """

    array: str
    index: tuple[int, ...]
    got: float
    expected: float
    bound: float
    count: int
    total: int
    block: Extent | None = None
    thread: Extent | None = None
    line: int = 0

    def __str__(self) -> str:
        """Return the element, its values and its writer in a sentence."""
        name = f"{self.array}{''.join(f'[{i}]' for i in self.index)}"
        digits = 6 if f"{self.got:.6g}" != f"{self.expected:.6g}" else 17
        what = f"{name} is {self.got:.{digits}g} and should be {self.expected:.{digits}g}"
        if self.block is None:
            otherwise = f", and {self.array} is written in line {self.line}" if self.line else ""
            who = f"nobody wrote it{otherwise}"
        else:
            who = f"written by thread {self.thread} of block {self.block} in line {self.line}"
        return f"{what}; {who}. {self.count:,} of {self.total:,} elements are wrong."
