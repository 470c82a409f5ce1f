"""Host functions that are templates of types: `run<float, double>(...)` of `template <typename In, typename Acc>`.

A function that launches a kernel gets the types that its calls name in place of its parameters; lines stay. Of several
instances each is launched on its own (other_instances.py).
"""

from __future__ import annotations

import re

from tilewright.lab.source.macros import closing, code_only, split_arguments

_HEAD = re.compile(
    r"\btemplate\s*<(?P<parameters>[^<>;{}()]*)>(?P<head>[^;{}]*?\b(?P<name>[A-Za-z_]\w*)\s*\([^;{}]*)\{"
)
_TYPE = re.compile(r"(?:typename|class)\s+(?P<name>\w+)")
_OF_DEVICE = re.compile(r"__(?:global|device)__")


def with_types_of_calls(text: str) -> str:
    """Return a text whose host templates have the types that their calls name, where all name the same."""
    code = code_only(text)
    edits: list[tuple[int, int, str]] = []
    for function in _HEAD.finditer(code):
        end = closing(code, function.end() - 1)
        if end < 0 or _OF_DEVICE.search(function["head"]) or "<<<" not in code[function.end() : end]:
            continue
        named = re.findall(rf"\b{function['name']}\s*<([^<>;{{}}()]+)>\s*\(", code)
        if len({"".join(types.split()) for types in named}) != 1:
            continue
        start = function.start("head")
        parameters = [_TYPE.match(each.strip()) for each in split_arguments(function["parameters"])]
        for parameter, given in zip(parameters, split_arguments(named[0]), strict=False):
            words = re.finditer(rf"\b{parameter['name']}\b", code[start:end]) if parameter else ()
            edits += [(start + word.start(), start + word.end(), given.strip()) for word in words]
    for start, end, now in sorted(edits, reverse=True):
        text = text[:start] + now + text[end:]
    return text
