"""Guesses the arguments of a template without a launch: from instantiations, defaults or the parameters' names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tilewright.lab.source import KernelSignature
from tilewright.lab.source.macros import code_only

Arguments = tuple[str, ...]

_TYPE = re.compile(r"^(?:typename|class)\b")
_OF_THREADS = re.compile(
    r"^(?:T[MNXY]|T_?[MN]|[MN]T|W[PT]{2}\w*|\w*(?:PER|COARS|WORK|ITEMS|ELEMS?|UNROLL|VEC|REG|FACTOR|ROWS|COLS)\w*)$",
    re.IGNORECASE,
)
_OF_DEPTH = re.compile(r"^(?:\w*K|\w*DEPTH\w*|STEP)$", re.IGNORECASE)
_OF_LINES = re.compile(r"^\w*(?:THREADS|NT|NUM_?T\w*|BLOCK_?SIZE|BLOCK_?DIM|BLOCK|BS)$", re.IGNORECASE)
MOST = 6
SIDES = ("16", "32", "8")
TILES = (("64", "8", "4"), ("64", "8", "8"), ("32", "8", "4"), ("32", "32", "2"), ("128", "8", "8"), ("32", "16", "2"))
"""Usual values of a block's side, the depth of a step, and a thread's side."""


def name_of(parameter: str) -> str:
    """Return the name of a template's parameter, such as `int N = 4`; nothing where it has none."""
    return next(reversed(parameter.split("=", maxsplit=1)[0].split()), "")


def declares_type(text: str, name: str) -> bool:
    """Return whether a file declares a type of that name; template parameters do not count."""
    own = rf"\b(?:struct|class|union|enum)\s+{name}\s*[:{{;]|\btypedef\b[^;]*\b{name}\s*;|\busing\s+{name}\s*="
    return re.search(own, text) is not None


def template_guesses(text: str, signature: KernelSignature) -> list[Arguments]:
    """Return argument lists to try, the likeliest first; none if a parameter cannot be guessed."""
    instances = _instances(text, signature)
    parameters = [parameter.split("=")[0].split() for parameter in signature.template_parameters]
    defaults = [parameter.partition("=")[2].strip() for parameter in signature.template_parameters]
    if any("..." in word for words in parameters for word in words) or "template" in {w[0] for w in parameters}:
        return instances
    numbers = [i for i, words in enumerate(parameters) if not _TYPE.match(words[0]) and not defaults[i]]
    made = []
    for choice in _choices([parameters[i] for i in numbers]):
        chosen = dict(zip(numbers, choice, strict=True))
        made.append(tuple(chosen.get(i) or defaults[i] or "float" for i in range(len(parameters))))
    return list(dict.fromkeys([*instances, *made]))[:MOST]


def instance_of_types(text: str, signature: KernelSignature) -> Arguments | None:
    """Return a file's instance of a template of types: that of float, else of double, else the first; None for none."""
    found = _instances(text, signature)
    usual = ((each,) * len(signature.template_parameters) for each in ("float", "double"))
    return next((each for each in usual if each in found), next(iter(found), None))


def _instances(text: str, signature: KernelSignature) -> list[Arguments]:
    """Return the instances in the file, as in `template __global__ void tiled<float, 16>(` or `&tiled<float, 16>`."""
    found = re.findall(rf"\b{signature.name}\s*<(?!<)([^<>;{{}}]*)>", code_only(text))
    listed = [tuple(part.strip() for part in each.split(",")) for each in found]
    count = len(signature.template_parameters)
    own = {name_of(parameter) for parameter in signature.template_parameters}
    return [each for each in dict.fromkeys(listed) if len(each) == count and not own & set(each)]


def _choices(parameters: Sequence[Sequence[str]]) -> list[Arguments]:
    """Return numbers for parameters by the words in their names: one side, or sides of blocks, steps and threads."""
    if not parameters:
        return [()]
    if len(parameters) == 1 and not _is_bool(parameters[0]):
        lines = ("256", "128") if _OF_LINES.match(parameters[0][-1]) else ()
        return [(side,) for side in (*SIDES[:2], *lines, *SIDES[2:])]
    return [tuple(_number(words, *tile) for words in parameters) for tile in TILES]


def _number(words: Sequence[str], block: str, depth: str, thread: str) -> str:
    if _is_bool(words):
        return "true"
    name = words[-1]
    if _OF_THREADS.match(name):
        return thread
    return depth if _OF_DEPTH.match(name) else block


def _is_bool(words: Sequence[str]) -> bool:
    return "bool" in words
