"""Scripts and style sheets without what a browser does without: pages are sent, and their parts are read here."""

from __future__ import annotations

import re

STYLE_SPACES = re.compile(r"\s*([{};])\s*|(?<=[:,]) ")
TOKEN = re.compile(r"""
    (?P<text> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
  | (?P<regex> (?<=[(,=:!&|?;\[]) \ * /(?![/*]) (?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+ /[a-z]* )
  | (?P<template> ` )
  | (?P<spaces> [ ]+ )
  | (?P<other> . | \n )
""", re.VERBOSE)  # fmt: skip
PUNCTUATION = frozenset("{}()[],;:=<>+-*/?&|!")
OPENING, CLOSING = frozenset("{([,;"), frozenset("})]")
"""No statement ends after the one or before the other for want of a semicolon: a line may."""


def compact_style(text: str) -> str:
    """Return a style sheet without the spaces between its parts."""
    return STYLE_SPACES.sub(r"\1", text).replace(";}", "}")


def compact_script(text: str) -> str:
    """Return a script without indentation, lines of comment, and the spaces beside punctuation.

    Lines stay lines where their end may end a statement; texts, templates and regular expressions stay as they are.
    """
    stripped = (line.strip() for line in text.splitlines())
    text = "\n".join(line for line in stripped if line and not line.startswith("// "))
    parts: list[str] = []
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match is not None
        end = _template_end(text, at) if match["template"] else match.end()
        before, after = text[at - 1 : at], text[end : end + 1]
        if (match["spaces"] and _is_free(before, after)) or (match[0] == "\n" and _is_joined(before, after)):
            at = end
            continue
        parts.append(text[at:end])
        at = end
    return "".join(parts)


def _is_free(before: str, after: str) -> bool:
    """Return whether two characters need no space between them. Two signs in a row would be another one."""
    if before == after and before in "+-":
        return False
    return before in PUNCTUATION or after in PUNCTUATION


def _is_joined(before: str, after: str) -> bool:
    """Return whether two lines may stand in one, by the characters on both sides of their end."""
    return before in OPENING or after in CLOSING


def _template_end(text: str, at: int) -> int:
    """Return where a template ends that begins at a backtick; what it holds in ${} may hold templates, too."""
    at += 1
    while text[at] != "`":
        if text[at] == "\\":
            at += 2
        elif text.startswith("${", at):
            at = _hole_end(text, at + 2)
        else:
            at += 1
    return at + 1


def _hole_end(text: str, at: int) -> int:
    depth = 1
    while depth:
        match = TOKEN.match(text, at)
        assert match is not None
        at = _template_end(text, at) if match["template"] else match.end()
        depth += (match[0] == "{") - (match[0] == "}")
    return at
