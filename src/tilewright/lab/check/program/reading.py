"""The host's code as a tree: conditions decided, macros replaced, each line where it was."""

from __future__ import annotations

import re

from tilewright.lab.source.conditionals import without_inactive
from tilewright.lab.source.cuda_file import SourceError
from tilewright.lab.source.macros import Macros, blanked, closing, code_only, split_arguments
from tilewright.lab.source.syntax import Syntax

from .host_types import UnreadError

_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\r?\n|\\)*", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
MOST_REPLACED = 5000


def host_syntax(text: str) -> Syntax:
    """Return the tree of a file as the host's compiler reads it; raise UnreadError if it can't be read for certain."""
    try:
        active = without_inactive(text, {"NDEBUG": ""} if "NDEBUG" in text else {})
        macros = Macros([_DIRECTIVE.sub(_kept_if_define, active)])
        code = _DIRECTIVE.sub(lambda match: blanked(match[0]), active)
        syntax = Syntax(_replaced(code, macros))
    except (SourceError, RecursionError) as error:
        raise UnreadError(str(error)) from error
    return syntax


def _kept_if_define(match: re.Match[str]) -> str:
    return match[0] if re.match(r"\s*#\s*define\b", match[0]) else blanked(match[0])


def _replaced(text: str, macros: Macros) -> str:
    """Return code with its macros replaced; an annotation stays, and so does each line's number."""
    names = {name for name in macros.all if name not in macros.annotations}
    if not names:
        return text
    parts, code, end, count = [], code_only(text), 0, 0
    for match in _WORD.finditer(code):
        if match[0] not in names or match.start() < end:
            continue
        macro, last = macros.all[match[0]][-1], match.end()
        call = match[0]
        if macro.parameters is not None:
            opening = re.compile(r"\s*\(").match(code, last)
            close = closing(code, opening.end() - 1) if opening else -1
            if opening is None or close < 0:
                continue
            given = [" ".join(each.split()) for each in split_arguments(text[opening.end() : close])]
            call, last = f"{match[0]}({', '.join(given)})", close + 1
        new = " ".join(macros.expanded(call).split("\n"))
        parts += [text[end : match.start()], new, "\n" * text.count("\n", match.start(), last)]
        end, count = last, count + 1
        if count > MOST_REPLACED:
            raise UnreadError("too many macros")
    return "".join([*parts, text[end:]])
