"""The listing beside a trace: the kernel's file, followed by the included files that it has instructions from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tilewright.emulate.machine.module import LoadedModule
from tilewright.emulate.observers.finding import Place


@dataclass(frozen=True)
class Listing:
    """Several files as one text. file: the first one's name. headers: the line before the first one of each other."""

    file: str
    text: str
    headers: Mapping[str, int] = field(default_factory=dict)

    def line(self, place: Place | None) -> int | None:
        """Return the listing's line for a place in a file; None if it is not shown."""
        name, line = place or (None, None)
        if line is None or name in (None, self.file):
            return line
        return None if name not in self.headers else self.headers[name] + line


def line_said(document: Mapping[str, Any], line: int | None) -> str:
    """Return a listing's line in words, with its number in its own file, as in "line 7 of tiles.cuh"."""
    if line is None:
        return "a line that is not shown"
    headers: Mapping[str, int] = document["kernel"].get("headers") or {}
    before, name = max(((at, name) for name, at in headers.items() if at < line), default=(0, ""))
    return f"line {line - before} of {name}" if name else f"line {line}"


def listing_of(file: str, text: str, module: LoadedModule, text_of: Callable[[str], str | None]) -> Listing:
    """Return the listing of a compiled file. text_of: returns an included file's text, or None to leave it out."""
    used = {module.source_files.get(number) for number, _ in module.code.lines}
    lines, headers = text.rstrip("\n").split("\n"), {}
    for name in sorted(name for name in used if name and name != file):
        header = text_of(name)
        if header is not None:
            lines += ["", f"// {name}"]
            headers[name] = len(lines)
            lines += header.rstrip("\n").split("\n")
    return Listing(file, "\n".join(lines) + "\n" if headers else text, headers)
