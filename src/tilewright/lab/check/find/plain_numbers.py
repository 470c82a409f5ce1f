"""Whole numbers among a kernel's parameters that are no sizes: alpha and beta, and the steps of vectors (`incx`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tilewright.lab.source import Parameter

from .roles import PLAIN_ALPHA, PLAIN_BETA

STEP = "1"
"""The argument for the step from one element of a vector to the next."""
_CAST = r"(?:\(\s*[\w ]+\)\s*)?"
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


def steps_of_vectors(body: str, parameters: Sequence[Parameter], whole: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the place of each step of a vector, as of `x[i * incx]`, with the vector's."""
    for place in whole:
        step = re.escape(parameters[place].name)
        index = rf"{_CAST}\w+\s*\*\s*{_CAST}{step}|{step}\s*\*\s*{_CAST}\w+"
        uses = len(re.findall(rf"\b{step}\b", body)) - 1
        for at, parameter in enumerate(parameters):
            found = len(re.findall(rf"\b{re.escape(parameter.name)}\s*\[\s*(?:{index})\s*\]", body))
            if parameter.is_pointer and found and found == uses:
                yield place, at
