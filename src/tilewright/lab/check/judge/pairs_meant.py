"""Where a reduced product adds rows or columns that are no neighbours: two elements in whose indices no 2 i stands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.other_pairs import NEIGHBOURS
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source.macros import code_only, words

from .causes import CAUSE

_INSIDE = r"(?:[^\[\]();]|\[[^\[\]]*\]|\([^()]*\))*"
_AT = rf"(?:\s*\[{_INSIDE}\]|\s*\({_INSIDE}\))+"
_PAIR = re.compile(
    rf"\b(?P<name>[A-Za-z_]\w*)(?P<member>\.\w+)?{_AT}"
    rf"\s*(?:\+|[;,]\s*(?:const\s+)?(?:\w+\s+)?\w+\s*\+?=)\s*(?P=name)(?P=member)?{_AT}"
)
"""Two elements of an array that are added, or read one behind the other: by a subscript or by a function."""
_POINTER = r"\b\w+\s*=\s*(?:{name}\s*\+|&\s*{name}\s*\[)[^;,]*"
_TWICE = re.compile(r"\b2\s*\*|\*\s*2\b|<<\s*1\b")
_DOUBLED = re.compile(r"\b(\w+)\s*=\s*[^;,=]*(?:\b2\s*\*|\*\s*2\b|<<\s*1\b)")
_TURNS = re.compile(r"\bfor\s*\([^;()]*\b(?P<name>\w+)\s*=\s*0\s*;\s*(?P=name)\s*<\s*2\s*;")
"""A loop over two elements, which are then added, not stored into."""
NEAR = 300
"""Characters of such a loop that are looked at."""
MOST_COPIES = 3


def wrong_pairs(kernel: KernelFile, found: Found) -> Finding | None:
    """Return the finding that names the line where the wrong two are added, of a product of other pairs."""
    if found.pairs is None:
        return None
    code = code_only(kernel.opened.file.text)
    operands = [name for name, said in zip("AB", found.pairs, strict=True) if said != NEIGHBOURS]
    of_lines = list(_lines(kernel, found, code, operands[0])) or [kernel.signature.line]
    what = {"A": "rows", "B": "columns"}[operands[0]]
    message = (
        f"This adds the {what} {found.pairs['AB'.index(operands[0])]} of {operands[0]}, where {NEIGHBOURS} are meant."
    )
    advice = f"Add neighbours: a reduced product is that of the sums of the {what} {NEIGHBOURS}."
    file, line = kernel.opened.file.name, of_lines[0]
    index = _line_of_index(code, line)
    other = (file, index) if index is not None else None
    return Finding(CAUSE, ERROR, (file, line), message, advice, other=other, details={"change": message})


def _line_of_index(code: str, line: int) -> int | None:
    """Return the line where an index of the pair is declared as a sum of what is not doubled, `right = j + half`."""
    doubled = set(_DOUBLED.findall(code))
    for name in sorted(words("\n".join(code.split("\n")[line - 1 : line + 1]))):
        declared = re.search(rf"\b{re.escape(name)}\s*=\s*(\w+)\s*\+[^;,=*]*[;,]", code)
        if declared is not None and declared[1] not in doubled:
            return code.count("\n", 0, declared.start()) + 1
    return None


def _lines(kernel: KernelFile, found: Found, code: str, operand: str) -> Iterator[int]:
    """Yield the lines of pairs of an operand's elements, first those in whose indices nothing is doubled."""
    array = kernel.signature.parameters[found.roles.arguments.index(operand)].name.split(".")[-1]
    pairs = [(match, _is_doubled(match, code)) for match in _PAIR.finditer(code)]
    own = _copies_of(array, code)
    for turn in _TURNS.finditer(code):
        apart = (
            rf"\b(\w+)\s*(?:\[[^\[\]]*\])*\[[^\[\]]*\+\s*(?:{turn['name']}\s*\*\s*\w+|\w+\s*\*\s*{turn['name']})\s*\]"
            r"(?!(?:\s*\[[^\[\]]*\])*\s*=[^=])"
        )
        for match in re.compile(apart).finditer(code, turn.end(), turn.end() + NEAR):
            if match[1] in own and not _is_doubled(match, code):
                yield code.count("\n", 0, match.start()) + 1
    for is_own, is_doubled in ((True, False), (False, False)):
        for match, doubled in pairs:
            if doubled == is_doubled and (match["name"] in own) == is_own:
                yield code.count("\n", 0, match.start()) + 1
    for match in re.finditer(_POINTER.format(name=array), code):
        yield code.count("\n", 0, match.start()) + 1


def _is_doubled(pair: re.Match[str], code: str) -> bool:
    doubled = set(_DOUBLED.findall(code))
    return _TWICE.search(pair[0]) is not None or bool(doubled & words(pair[0]))


def _copies_of(array: str, code: str) -> set[str]:
    """Return the names of an array, of pointers into it and of what is filled from it."""
    names = {array}
    for _ in range(MOST_COPIES):
        for match in re.finditer(r"\b([A-Za-z_]\w*)\s*(?:\[[^;=]*\])?\s*(?:=(?!=)|\{)([^;{}]*)", code):
            if names & words(match[2]):
                names.add(match[1])
    return names
