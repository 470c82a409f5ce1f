"""The allocations, copies and `cudaMemset` in the host's code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tilewright.lab.source.macros import closing, split_arguments

_CALL = re.compile(r"\bcuda(?P<what>Malloc(?:Managed|Async|Host)?|Memcpy(?:Async)?|Memset(?:Async)?)\s*\(")
_POINTER = re.compile(
    r"^(?:\(\s*void\s*\*\s*\*\s*\)|reinterpret_cast\s*<[^>]*>\s*\()?\s*&?\s*(?P<name>[A-Za-z_]\w*)\)?$"
)

HostSlip = tuple[int, str, int | None]
"""Where a mistake of the host is, what it is, and another line that may be meant otherwise."""


@dataclass(frozen=True)
class HostCall:
    """An allocation, a copy or a `cudaMemset` in the host's code. at: its place in the text."""

    at: int
    what: str
    arguments: list[str]

    @property
    def is_copy(self) -> bool:
        """Whether it copies."""
        return self.what.startswith("Memcpy")

    @property
    def is_allocation(self) -> bool:
        """Whether it allocates."""
        return self.what.startswith("Malloc")

    @property
    def nbytes(self) -> str:
        """The text of its number of bytes, or ""."""
        place = 1 if self.is_allocation else 2
        return self.arguments[place] if len(self.arguments) > place else ""


def alone(slips: Iterable[tuple[int, str]]) -> Iterator[HostSlip]:
    """Yield mistakes that show in one place of the text, with no line of another."""
    return ((at, said, None) for at, said in slips)


def host_calls(code: str) -> Iterator[HostCall]:
    """Yield the allocations, copies and `cudaMemset` of code without comments."""
    for match in _CALL.finditer(code):
        end = closing(code, match.end() - 1)
        yield HostCall(match.start(), match["what"], split_arguments(code[match.end() : end]))


def pointer_named(text: str) -> str:
    """Return the name of the array that an argument points to, or "" for another place in it."""
    found = _POINTER.match(text.strip())
    return found["name"] if found else ""
