"""A launch given in a comment, `// tilewright: block 32,8 grid ceil(cols/32),rows`, or in a rubric."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tilewright.lab.check.expressions import FormulaError, evaluate, split
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.source import KernelSignature
from tilewright.lab.source.macros import code_only

from .kernel_file import OpenedFile

FIELDS = {
    "block": "block",
    "grid": "grid",
    "args": "arguments",
    "shared": "shared_bytes",
    "template": "template_arguments",
    "operation": "operation",
    "multiples": "multiples_of",
}
"""The words of such a comment, and their options."""
OPERATION_NAMES = ("matmul", "reduced_matmul", "dot")
EXAMPLE = "tilewright: block 32,8 grid ceil(cols/32),ceil(rows/32) args A,B,C,rows,cols,inner"

_COMMENT = re.compile(r"(?://|/\*)[ \t*!]*tilewright[ \t]*:(?P<said>[^\n]*?)(?:\*/|$)", re.MULTILINE | re.IGNORECASE)
_WORD = re.compile(rf"(?<![\w(,+*/-])(?P<word>{'|'.join(FIELDS)})\b(?:[ \t]*[:=])?", re.IGNORECASE)


def with_said_launch(opened: OpenedFile, signature: KernelSignature, options: Options) -> Options:
    """Return the options, completed by the file's comment on the kernel's launch, or else by the rubric.

    A comment belongs to the kernel around it, or else to the next one. Raises CheckError for an invalid comment.
    """
    said: dict[str, str] = {}
    for line, text in _comments(opened, signature):
        for word, value in _fields(text, f"{opened.file.name}:{line}").items():
            if word in said:
                raise CheckError(f"{opened.file.name}:{line} gives {word} twice for {signature.name}.")
            said[word] = value
    has_own = any(site.kernel == signature.name for site in opened.part.launches)
    where = f"The comment `tilewright:` of {opened.file.name}" if said else "The rubric's table [launch]"
    if not said and not has_own:
        said = dict(options.launch)
    return _with(options, said, where) if said else options


def checked_launch(table: Mapping[str, Any], where: str) -> dict[str, str]:
    """Return a rubric's table as the words of a comment; raise CheckError if it is not valid."""
    said = {}
    for word, value in table.items():
        if word not in FIELDS:
            raise CheckError(f"{where} has {word!r}, and a launch is said by {', '.join(FIELDS)}.")
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise CheckError(f'{where} gives {value!r} for {word!r}, and a text such as block = "32,8" is accepted.')
        said[word] = str(value)
    _with(Options(), said, where)
    return said


def _comments(opened: OpenedFile, signature: KernelSignature) -> Iterator[tuple[int, str]]:
    """Yield the comments that belong to a kernel: from the end of the previous one to its own end."""
    text = opened.file.text
    code = code_only(text)
    ends = sorted(kernel.last_line for kernel in opened.kernels)
    first = max((end for end in ends if end < signature.line), default=0)
    is_last = signature.last_line == ends[-1]
    for match in _COMMENT.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        is_comment = not code[match.start() : match.end()].strip()
        if is_comment and first < line and (line <= signature.last_line or is_last):
            yield line, match["said"].strip()


def _fields(text: str, where: str) -> dict[str, str]:
    matches = list(_WORD.finditer(text))
    if not matches or text[: matches[0].start()].strip():
        raise CheckError(
            f"{where} says `tilewright: {text}`, and a launch is said by {', '.join(FIELDS)}, as in `// {EXAMPLE}`."
        )
    found: dict[str, str] = {}
    for match, following in zip(matches, [*matches[1:], None], strict=True):
        value = text[match.end() : following.start() if following else len(text)].strip(" \t;'\"")
        word = match["word"].lower()
        if not value or word in found:
            raise CheckError(f"{where} gives {word} {'twice' if word in found else 'no value'}, as in `// {EXAMPLE}`.")
        found[word] = value
    return found


def _with(options: Options, said: Mapping[str, str], where: str) -> Options:
    """Return the options, completed where the user gave none."""
    changes: dict[str, Any] = {}
    for word, value in said.items():
        name = FIELDS[word]
        if word in ("block", "grid") and (options.block or options.grid):
            continue
        if not getattr(options, name):
            changes[name] = _value(word, value, where)
    together = replace(options, **changes)
    if bool(together.block) != bool(together.grid):
        raise CheckError(f"{where} says a block without a grid, or a grid without a block: both are needed.")
    return together


def _value(word: str, value: str, where: str) -> Any:
    if word == "template":
        return tuple(split(value))
    if word == "operation":
        if value not in (*OPERATION_NAMES, *KINDS):
            raise CheckError(f"{where} names the operation {value!r}, and {', '.join(OPERATION_NAMES)} are known.")
        return value
    if word == "multiples":
        if not (value.isascii() and value.isdigit()) or int(value) < 1:
            raise CheckError(f"{where} gives {value!r} for multiples, and a number from 1 on is accepted.")
        return int(value)
    if word in ("block", "grid", "shared"):
        _check_formulas(word, value, where)
    return value


def _check_formulas(word: str, value: str, where: str) -> None:
    """Raise CheckError for an invalid formula; unknown names are taken for the kernel's own."""
    most = 1 if word == "shared" else 3
    parts = split(value)
    if len(parts) > most:
        accepted = "one is" if most == 1 else "one to three are"
        raise CheckError(f"{where} gives {len(parts)} sizes for {word}, and {accepted} accepted.")
    for part in parts:
        try:
            evaluate(part, _Anything())
        except FormulaError as error:
            raise CheckError(f"{where} gives {value!r} for {word}: {error}") from error


class _Anything(dict[str, int]):
    """A dictionary that has a number for every name."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> int:
        return 64
