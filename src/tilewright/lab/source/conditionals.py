"""Branches of `#if` that a compile leaves out, for texts whose braces match only without them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tilewright.lab.source.changes import Edit, edited
from tilewright.lab.source.expressions import Evaluation, UnknownValueError, Value, expression
from tilewright.lab.source.macros import Macros, blanked, code_only
from tilewright.lab.source.syntax import Syntax

_PREDEFINED = {
    "__CUDACC__": "1",
    "__CUDACC_RTC__": "1",
    "__CUDA_ARCH__": "900",
    "__cplusplus": "201703L",
    "__NVCC__": "1",
    "__LP64__": "1",
    "__x86_64__": "1",
    "__linux__": "1",
}
_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(?P<word>ifdef|ifndef|if|elif|else|endif|define|undef)\b(?P<rest>(?:[^\n\\]|\\\r?\n|\\)*)",
    re.MULTILINE,
)
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")


def without_inactive(text: str, defines: Mapping[str, str]) -> str:
    """Return a text in which the branches that are not compiled are blanked, and the conditions too."""
    code = code_only(text)
    known: dict[str, str] = {**_PREDEFINED, **defines}
    # A level: (is this branch compiled, was one of this #if's branches compiled, is what is around it compiled).
    levels: list[tuple[bool, bool, bool]] = []
    edits: list[Edit] = []
    hidden_from: int | None = None
    for match in _DIRECTIVE.finditer(code):
        word, rest = match["word"], match["rest"].replace("\\\n", " ").strip()
        around = levels[-1][0] if levels else True
        if word in ("define", "undef"):
            if around:
                _define(word, rest, known)
            continue
        if word in ("ifdef", "ifndef", "if"):
            is_true = around and _holds(word, rest, known)
            levels.append((is_true, is_true, around))
        elif not levels:
            continue
        elif word == "endif":
            levels.pop()
        else:
            _, was_taken, outer = levels[-1]
            is_true = outer and not was_taken and (word == "else" or _holds("if", rest, known))
            levels[-1] = (is_true, was_taken or is_true, outer)
        is_compiled = levels[-1][0] if levels else True
        if hidden_from is not None:
            edits.append(Edit(hidden_from, match.start(), blanked(text[hidden_from : match.start()])))
        edits.append(Edit(match.start(), match.end(), blanked(text[match.start() : match.end()])))
        hidden_from = None if is_compiled else match.end()
    if hidden_from is not None:
        edits.append(Edit(hidden_from, len(text), blanked(text[hidden_from:])))
    return edited(text, edits)


def parsed(text: str, macros: Macros, name: str, defines: Mapping[str, str]) -> Syntax:
    """Return a text's tree; where it can't be read as a whole, that of the branches that are compiled, if that can.

    Raises:
        SourceError: the text can't be parsed within its limits.
    """
    syntax = Syntax(text, macros, name)
    if not syntax.has_errors or "#" not in syntax.code:
        return syntax
    compiled = Syntax(text, macros, name, visible=without_inactive(text, defines))
    return syntax if compiled.has_errors else compiled


def _define(word: str, rest: str, known: dict[str, str]) -> None:
    name = re.match(r"\w+", rest)
    if name is None:
        return
    if word == "undef":
        known.pop(name[0], None)
    else:
        takes_arguments = rest[name.end() : name.end() + 1] == "("
        known.setdefault(name[0], "" if takes_arguments else rest[name.end() :].strip())


def _holds(word: str, rest: str, known: Mapping[str, str]) -> bool:
    if word in ("ifdef", "ifndef"):
        name = re.match(r"\w+", rest)
        return ((name[0] if name else "") in known) == (word == "ifdef")
    text = _DEFINED.sub(lambda match: str(int((match[1] or match[2]) in known)), rest)
    macros = Macros(f"#define {name} {value}" for name, value in known.items() if value)

    def zero(_name: str) -> Value:
        return 0

    try:
        syntax, node = expression(text, macros)
        return bool(Evaluation(syntax, zero).number(node))
    except UnknownValueError:
        return False
