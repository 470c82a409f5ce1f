"""A file's named whole numbers (`const int N = 64;`, `#define TILE 16`), and the file's text with other values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tilewright.lab.check.expressions import FormulaError, evaluate, names
from tilewright.lab.source.macros import code_only

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]+(?P<value>[^\n]*?)[ \t]*$", re.MULTILINE)
_DECLARATION = re.compile(
    r"\b(?:const|constexpr)\b(?:[ \t]+(?:static|inline|const|constexpr|unsigned|signed|long|short|int|size_t|auto"
    r"|std::size_t|u?int(?:8|16|32|64)_t))+[ \t\n]+(?P<rest>[A-Za-z_][^;{}()]*(?:\([^;{}]*)?);"
)
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>[^,;]+)")
_LITERAL = re.compile(r"\(?\s*(?P<digits>0[xX][0-9a-fA-F]+|\d+)[uUlL]*\s*\)?")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+\([^()\n]*\)(?:\\\n|[^\n])*", re.MULTILINE)
_MARK = re.compile(r"\b__device__\b|[;{}]")
VARIABLE = "tilewright_searches_"
_FLOATING = re.compile(r"\b(?:float|double)\b")


@dataclass(frozen=True)
class Constant:
    """A named whole number. start, end: the position of its value. is_literal: whether the value uses no other name."""

    name: str
    value: int
    start: int
    end: int
    is_literal: bool


def constants_of(text: str) -> dict[str, Constant]:
    """Return the constants of a file, by name, including those computed from others."""
    found: dict[str, Constant] = {}
    known: dict[str, int] = {}
    for name, value, start, end in sorted(_written(code_only(text)), key=lambda item: item[2]):
        literal = _LITERAL.fullmatch(value.strip())
        number = int(literal["digits"], 0) if literal and not _is_octal(literal["digits"]) else _value(value, known)
        if number is not None and name not in found:
            known[name] = number
            found[name] = Constant(name, number, start, end, is_literal=literal is not None or not names(value))
    return found


def with_values(text: str, values: Mapping[str, int]) -> str:
    """Return the text with new values of constants; every line keeps its number."""
    known = constants_of(text)
    for constant in sorted((known[name] for name in values if name in known), key=lambda c: -c.start):
        text = text[: constant.start] + str(values[constant.name]) + text[constant.end :]
    return text


def with_variables(text: str, names: Sequence[str], first: int, last: int) -> str:
    """Return the text with constants replaced by variables where a kernel uses them; one line longer.

    That is in its lines, `first` to `last`, in macros with parameters and in functions of the device.
    """
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    for start, end in reversed(_used(text, first, last)):
        inside = _with_formulas(text[start:end], text, names)
        text = text[:start] + pattern.sub(lambda match: VARIABLE + match[1], inside) + text[end:]
    declared = "".join(f'extern "C" {{ __constant__ int {VARIABLE}{name}; }} ' for name in names)
    return f"{declared}\n{text}"


def _used(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """Return the places of a kernel, of macros with parameters and of functions of the device, in the text's order."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: first - 1])
    kernel = start, start + len("\n".join(lines[first - 1 : last]))
    code = code_only(text)
    others = [*(match.span() for match in _MACRO.finditer(code)), *_functions(code)]
    apart = [kernel, *(each for each in others if each[1] <= kernel[0] or each[0] >= kernel[1])]
    found: list[tuple[int, int]] = []
    for each in sorted(apart):
        found += [each] if not found or each[0] >= found[-1][1] else []
    return found


def _functions(code: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the functions of the device."""
    start = -1
    for mark in _MARK.finditer(code):
        if mark[0] == "__device__":
            start = mark.start() if start < 0 else start
            continue
        if mark[0] == "{" and start >= 0 and ")" in code[start : mark.start()]:
            yield start, _behind_body(code, mark.end())
        start = -1


def _behind_body(code: str, start: int) -> int:
    """Return the place behind the bracket that closes a body."""
    depth = 1
    for at in range(start, len(code)):
        depth += (code[at] == "{") - (code[at] == "}")
        if not depth:
            return at + 1
    return len(code)


def _with_formulas(inside: str, text: str, names: Sequence[str]) -> str:
    """Return a kernel with formulas in place of the constants that follow from some names, as `H2` does in H / 2."""
    known = constants_of(text)
    formulas = {name: " ".join(text[c.start : c.end].split()) for name, c in known.items() if not c.is_literal}
    for name in reversed(formulas):  # each is made of those before it
        behind, used = {name}, {name}
        while behind:
            behind = {word for each in behind for word in re.findall(r"[A-Za-z_]\w*", formulas.get(each, ""))} - used
            used |= behind
        if used & set(names):
            inside = f"({formulas[name]})".join(re.split(rf"\b{name}\b", inside))
    return inside


def _written(code: str) -> Iterator[tuple[str, str, int, int]]:
    for match in _DEFINE.finditer(code):
        yield match["name"], match["value"], match.start("value"), match.end("value")
    for match in _DECLARATION.finditer(code):
        if _FLOATING.search(match[0]):
            continue
        for part in _ASSIGNED.finditer(match["rest"]):
            start = match.start("rest")
            end = start + part.start("value") + len(part["value"].rstrip())
            yield part["name"], part["value"].rstrip(), start + part.start("value"), end


def _value(text: str, known: Mapping[str, int]) -> int | None:
    try:
        return int(evaluate(text, known))
    except FormulaError:
        return None


def _is_octal(digits: str) -> bool:
    return len(digits) > 1 and digits.isdigit() and digits[0] == "0"
