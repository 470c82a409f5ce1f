"""Constants of a struct, `Tile::size`, written out: those of a template, `Tile<64, 8>::size`, with its arguments."""

from __future__ import annotations

import re
from functools import lru_cache

from tilewright.lab.source.macros import closing, split_arguments

_STRUCT = re.compile(
    r"(?:\btemplate\s*<(?P<parameters>[^<>]*)>\s*)?\b(?:struct|class)\s+(?P<name>\w+)\s*(?:final\s*)?\{"
)
_MEMBERS = re.compile(r"\b(?:static|constexpr)\b[^;={}()]*?(?P<listed>\b\w+\s*(?:=|\{)[^;]*);")
_VALUE = re.compile(r"(?P<name>\w+)\s*(?:=\s*(?P<value>[^{}]+)|\{(?P<braced>[^{}]*)\})")
_LISTED = re.compile(r"\benum\b[^{};]*\{(?P<inside>[^{}]*)\}")
_WORD = re.compile(r"[A-Za-z_]\w*")
DEPTH = 8
"""Of constants that are made of each other."""


def with_members(text: str, code: str) -> str:
    """Return an expression with the constants of a file's structs written out."""
    for name, (parameters, members) in _structs(code).items() if "::" in text else ():
        arguments = r"<(?P<arguments>[^<>]*)>\s*" if parameters else "(?P<arguments>)"
        use = re.compile(rf"\b{name}\s*{arguments}::\s*(?P<member>\w+)\b(?!\s*\()")
        for match in reversed(list(use.finditer(text))):
            values = dict(zip(parameters, split_arguments(match["arguments"]), strict=False))
            if match["member"] in members and len(values) == len(parameters):
                written = _written(match["member"], members, values, DEPTH)
                text = f"{text[: match.start()]}{written}{text[match.end() :]}"
    return text


def _written(name: str, members: dict[str, str], values: dict[str, str], depth: int) -> str:
    """Return a name of a struct as an expression of the arguments."""
    if name in values:
        return f"({values[name]})"
    if name not in members or not depth:
        return name
    return f"({_WORD.sub(lambda word: _written(word[0], members, values, depth - 1), members[name])})"


@lru_cache(maxsize=4)
def _structs(code: str) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Return the structs with the names of their templates' parameters and their constants."""
    found: dict[str, tuple[list[str], dict[str, str]]] = {}
    for match in _STRUCT.finditer(code):
        body = code[match.end() : closing(code, match.end() - 1)]
        parts = (part for listed in _MEMBERS.finditer(body) for part in split_arguments(listed["listed"]))
        values = filter(None, (_VALUE.fullmatch(part.strip()) for part in parts))
        members = {each["name"]: each["value"] or each["braced"] for each in values}
        for listed in _LISTED.finditer(body):
            pairs = (part.partition("=") for part in split_arguments(listed["inside"]))
            members |= {name.strip(): value.strip() for name, _, value in pairs if value.strip()}
        parameters = [_WORD.findall(part.partition("=")[0])[-1:] for part in split_arguments(match["parameters"] or "")]
        found[match["name"]] = [name for each in parameters for name in each], members
    return found
