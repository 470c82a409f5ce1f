"""Whole numbers among a kernel's parameters that are no sizes: alpha and beta, and the steps of vectors (`incx`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tilewright.lab.source import Parameter
from tilewright.lab.source.macros import closing, split_arguments

from .roles import PLAIN_ALPHA, PLAIN_BETA

STEP = "1"
"""The argument for the step from one element of a vector to the next."""
_CAST = r"(?:\(\s*[\w ]+\)\s*)?"
_FACTOR = rf"(?:{_CAST}\w+|static_cast\s*<[^<>]*>\s*\(\s*\w+\s*\))"
_WORD = re.compile(r"[A-Za-z_]\w*")
_WORDS_OF_BYTES = {"int": "char4", "int32_t": "char4", "unsigned": "uchar4", "unsigned int": "uchar4"}
_TAKES_BYTES = re.compile(r"\b__dp4a\s*\(")


def with_bytes(parameters: Sequence[Parameter], code: str) -> list[Parameter]:
    """Return the parameters; the words that a kernel reads as four bytes each, for `__dp4a`, count as such vectors."""
    if not _TAKES_BYTES.search(code):
        return list(parameters)
    return [
        replace(p, element_type=_WORDS_OF_BYTES.get(p.element_type, p.element_type))
        if p.is_pointer and p.is_const
        else p
        for p in parameters
    ]


def factor_words(body: str, parameters: Sequence[Parameter], whole: Sequence[int]) -> dict[int, str]:
    """Return the places of a whole alpha and beta: `C[i] = alpha * sum + beta * C[i]`.

    whole: the places of whole numbers.
    """
    written = "|".join(re.escape(p.name) for p in parameters if p.is_pointer and not p.is_const)
    for beta in whole:
        held = rf"\b{re.escape(parameters[beta].name)}\s*\*\s*{_CAST}(?:{written})\s*\["
        added = re.search(rf"=(?!=)(?P<first>[^;=]*)\+\s*{held}", body) if written else None
        if added is None:
            continue
        alphas = [
            i for i in whole if i != beta and re.search(rf"\b{re.escape(parameters[i].name)}\s*\*", added["first"])
        ]
        return {beta: PLAIN_BETA} | dict.fromkeys(alphas[:1], PLAIN_ALPHA)
    return {}


def steps_of_vectors(
    body: str, parameters: Sequence[Parameter], whole: Sequence[int], code: str = ""
) -> Iterator[tuple[int, int]]:
    """Yield the place of each step of a vector, as of `x[i * incx]`, with the vector's.

    code: of the file, where a function may stand to which the kernel hands both on.
    """
    for place in whole:
        for at, parameter in enumerate(parameters):
            names = parameter.name, parameters[place].name
            if parameter.is_pointer and _is_step(*(_handed_on(body, code, *names) or (body, *names))):
                yield place, at


def _is_step(body: str, vector: str, step: str) -> bool:
    """Return whether a number of a function only multiplies the index of one array."""
    step = re.escape(step)
    index = rf"{_FACTOR}\s*\*\s*{_CAST}{step}|{step}\s*\*\s*{_FACTOR}"
    found = len(re.findall(rf"\b{re.escape(vector)}\s*\[\s*(?:{index})\s*\]", body))
    return found > 0 and found == len(re.findall(rf"\b{step}\b", body)) - 1


def _handed_on(body: str, code: str, vector: str, step: str) -> tuple[str, str, str] | None:
    """Return the function to which a kernel hands a vector and its step on, with its names for them, or None."""
    for call in re.finditer(r"\b(?P<name>\w+)\s*(?:<[^<>;]*>)?\s*\(", body):
        given = [each.strip() for each in split_arguments(body[call.end() : closing(body, call.end() - 1)])]
        made = re.search(rf"\b{call['name']}\s*\((?P<listed>[^;{{}}]*)\)\s*\{{", code)
        if made is None or not {vector, step} <= set(given):
            continue
        names = [_WORD.findall(each)[-1:] for each in split_arguments(made["listed"])]
        if len(names) == len(given) and all(names):
            own = code[made.start() : closing(code, made.end() - 1)]
            return own, names[given.index(vector)][0], names[given.index(step)][0]
    return None
