"""Host functions that are templates: `run<float, 8>(...)` of `template <typename T, int LANES> void run(...)`.

A function that launches a kernel gets what its calls name in place of its parameters; lines stay. Of numbers the
largest is taken; of several types each instance is launched on its own (other_instances.py).
"""

from __future__ import annotations

import re

from tilewright.lab.source.macros import closing, code_only, split_arguments

_HEAD = re.compile(
    r"\btemplate\s*<(?P<parameters>[^<>;{}()]*)>(?P<head>[^;{}]*?\b(?P<name>[A-Za-z_]\w*)\s*\([^;{}]*)\{"
)
_PARAMETER = re.compile(r"(?:(?P<type>typename|class)|int|unsigned|size_t|bool)\s+(?P<name>\w+)")
_OF_DEVICE = re.compile(r"__(?:global|device)__")


def with_types_of_calls(text: str) -> str:
    """Return a text whose host templates have the types that their calls name, where all name the same."""
    code = code_only(text)
    edits: list[tuple[int, int, str]] = []
    for function in _HEAD.finditer(code):
        end = closing(code, function.end() - 1)
        if end < 0 or _OF_DEVICE.search(function["head"]) or "<<<" not in code[function.end() : end]:
            continue
        calls = re.findall(rf"\b{function['name']}\s*<([^<>;{{}}()]+)>\s*\(", code)
        given = max((split_arguments(call) for call in calls), key=_numbers, default=[])
        start = function.start("head")
        parameters = [_PARAMETER.match(each.strip()) for each in split_arguments(function["parameters"])]
        of_types = [at for at, each in enumerate(parameters) if each is not None and each["type"]]
        are_same = len({tuple(_types(call, of_types)) for call in calls}) == 1
        for parameter, now in zip(parameters, given, strict=False):
            if parameter is None or (parameter["type"] and not are_same):
                continue
            words = re.finditer(rf"\b{parameter['name']}\b", code[start:end])
            edits += [(start + word.start(), start + word.end(), now.strip()) for word in words]
    for start, end, now in sorted(edits, reverse=True):
        text = text[:start] + now + text[end:]
    return text


def _numbers(arguments: list[str]) -> list[int]:
    return [int(each) for each in map(str.strip, arguments) if each.isdecimal()]


def _types(call: str, places: list[int]) -> list[str]:
    return ["".join(each.split()) for at, each in enumerate(split_arguments(call)) if at in places]
