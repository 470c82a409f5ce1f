"""Runs a file's `main` with its own sizes and with others that it takes, and compares what the program compares.

The author's own reference on the host says what is right: what the program subtracts from a result, or compares it
with. What no operation explains may be judged by that. A mistake counts that shows at sizes which the program takes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tilewright.lab.check.find.hypotheses import VECTOR
from tilewright.lab.check.find.promises import says_even, says_multiples, says_odd
from tilewright.lab.source import CudaFile
from tilewright.lab.source.macros import closing, code_only

from .host_types import COPIED
from .launching import Kernels
from .program import Ran, run_main

_ARGUMENT = re.compile(r"\bargv\s*\[\s*(\d+)\s*\]")
_PAIRS = re.compile(r"/\s*2\b|\b2\s*\*")
_MACRO = re.compile(r"(?m)^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+\(?(?P<value>\d+|1[ \t]*<<[ \t]*\d+)\)?[ \t]*$")
_DECLARED = re.compile(
    r"\b(?:int|unsigned|long|size_t|u?int(?:32|64)_t)\s+(?P<names>[A-Za-z_][^;{}()<>]*=[^;{}()<>]*);"
)
_INITIAL = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>\d[\d']*|1\s*<<\s*\d+)\s*[uUlL]*\s*(?:,|$)")
_CHUNK = re.compile(r"\bfor\s*\([^;]*;[^;]*;\s*\w+\s*\+=\s*(?P<by>[A-Za-z_]\w*)\s*\)\s*\{[^{}]*<<<")
BY_STEP: dict[int, tuple[tuple[int, ...], ...]] = {
    1: ((37, 101, 19, 5, 3), (83, 21, 45, 7, 3), (9, 23, 17, 29, 13)),
    2: ((38, 102, 20, 6, 4), (84, 22, 46, 8, 4), (10, 22, 18, 30, 14)),
    8: ((40, 104, 24, 8, 16), (88, 24, 48, 8, 16), (8, 24, 16, 32, 40)),
    64: ((64, 320, 192, 128, 256), (320, 64, 128, 192, 256)),
}
"""Numbers for the command line, of which each makes another number of tiles; the last ones fit into one tile."""
LENGTHS = {1: (100_003, 1000), 2: (100_002, 1000), 8: (100_008, 1000), 64: (65_536, 1024)}
"""Of vectors, where the program takes one number: more than one block takes, and fewer."""
LONG = 16384
NEAR, FAR = 1e-3, 2e-2
"""How much a right result may differ from the reference, and how much a wrong one must, of the values' mean."""
OWN_SHARE = 0.4
"""Of the time, for the program's own sizes: others cost less."""


@dataclass(frozen=True)
class Tried:
    """A run of the program. said: its numbers, in words. arguments: of the command line. values: of constants."""

    said: str
    ran: Ran
    arguments: tuple[str, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict)


def runs_of(file: CudaFile, seconds: float, *, is_quick: bool = False) -> Iterator[Tried]:
    """Yield the runs of a file's `main`, within some seconds of the processor.

    is_quick: leave out the program's own numbers where it takes others, or where smaller ones leave the same rests.
    """
    kernels = Kernels(file)
    code = code_only(file.text)
    count = max((int(number) for number in _ARGUMENT.findall(code)), default=0)
    used = 0
    for tried in _with_arguments(file, kernels, count, seconds * (1 - OWN_SHARE)) if count else ():
        yield tried
        used += 1
    smaller = {} if count else smaller_numbers(code)
    own = None
    if not is_quick or not (used or smaller):
        own = _ran(file, kernels, (), {}, seconds * OWN_SHARE)
        yield Tried("its own numbers", own)
    if smaller and (own is None or (own.stopped and not own.is_fault)):
        said = ", ".join(f"{name} = {value}" for name, value in smaller.items())
        yield Tried(said, _ran(file, kernels, (), smaller, seconds * OWN_SHARE), values=smaller)


def _ran(file: CudaFile, kernels: Kernels, arguments: Sequence[str], values: Mapping[str, int], seconds: float) -> Ran:
    kernels.reset()
    return run_main(file, kernels, arguments, values, seconds)


def _with_arguments(file: CudaFile, kernels: Kernels, count: int, seconds: float) -> Iterator[Tried]:
    """Yield runs with numbers on the command line; a program that refuses them all is not run."""
    step = step_of(file.text)
    lists = [[number] for number in LENGTHS[step]] if count == 1 else []
    lists += [list(numbers[:count]) for numbers in BY_STEP[step] if count <= len(numbers)]
    longer = list(_longer_than_chunks(code_only(file.text), count, step))
    lists, used = longer + lists, -len(longer)
    for numbers in lists:
        arguments = tuple(str(number) for number in numbers)
        ran = _ran(file, kernels, arguments, {}, seconds / 2)
        blocks = {side for each in ran.launches for side in each.block} - {1}
        if not ran.launches or blocks & set(numbers):
            continue  # refused, or numbers that are no sizes
        yield Tried("the arguments " + " ".join(arguments), ran, arguments)
        used += 1
        if used == 2:
            return


def _longer_than_chunks(code: str, count: int, step: int) -> Iterator[list[int]]:
    """Yield numbers of which one is larger than what a loop around a launch takes in each trip, and so in two trips."""
    chunk = _CHUNK.search(code) if count > 1 else None
    size = re.search(rf"\b{chunk['by']}\s*=?\s*(\d+)\b", code) if chunk is not None else None
    if size is not None and count <= len(BY_STEP[step][0]):
        few = sorted(BY_STEP[step][0])[:count]
        for place in range(count):
            yield [*few[:place], int(size[1]) + 2 * few[place], *few[place + 1 :]]


def step_of(text: str) -> int:
    """Return what sizes are multiples of, as far as a file's text makes one careful."""
    code = code_only(text)
    if says_multiples(text):
        return 64
    if VECTOR.search(code):
        return 8
    if says_even(text) or (_PAIRS.search(code) and not says_odd(text)):
        return 2
    return 1


def smaller_numbers(code: str) -> dict[str, int]:
    """Return smaller values of a file's constants that may be sizes, which leave the same rest in a block or a tile.

    What the kernels name, or a launch's block, is no size. What was less than another number is so again: a row may be
    longer in memory than it is wide.
    """
    fixed, values = _names_of_blocks(code), {}
    listed = (each for found in _DECLARED.finditer(code) for each in _INITIAL.finditer(found["names"]))
    for match in [*_MACRO.finditer(code), *listed]:
        name, text = match["name"], "".join(match["value"].replace("'", "").split())
        if name not in fixed and _is_size(name, code):
            values[name] = 1 << int(text.split("<<")[1]) if "<<" in text else int(text)
    smaller: dict[int, int] = {}
    last = 0
    for value in sorted(set(values.values())):
        new, step = _smaller(value)
        while new <= last and new < value:
            new += step
        smaller[value] = last = min(new, value)
    return {name: smaller[value] for name, value in values.items() if smaller[value] < value}


def _smaller(value: int) -> tuple[int, int]:
    """Return a smaller number with the same rest, and the step to the next such number."""
    if value >= LONG:
        return 4096 + value % 4096, 4096
    if value % 128 == 0:
        return min(value, 128), 128
    return min(value, 64 + value % 64), 64


def _is_size(name: str, code: str) -> bool:
    """Return whether a constant is passed on as it is, or is the factor of a number of elements."""
    passed = re.search(rf"(?<!min)(?<!max)\((?:[^();{{}}]*,)?\s*{name}\s*[,)]", code)
    return passed is not None or re.search(rf"\b{name}\s*\*|\*\s*{name}\b", code) is not None


def _names_of_blocks(code: str) -> set[str]:
    """Return the names in kernels and in the blocks of launches, through one declaration."""
    names: set[str] = set()
    for match in re.finditer(r"<<<(?P<sides>[^;]*?)>>>", code):
        names |= set(re.findall(r"[A-Za-z_]\w*", match["sides"].partition(",")[2]))
    for name in list(names):
        for declared in re.finditer(rf"\b{name}\s*(?:=|\(|\{{)(?P<value>[^;]*);", code):
            names |= set(re.findall(r"[A-Za-z_]\w*", declared["value"]))
    for match in re.finditer(r"__(?:global|device|constant)__", code):
        opening = code.find("{", match.end())
        end = closing(code, opening) if opening >= 0 else -1
        names |= set(re.findall(r"[A-Za-z_]\w*", code[match.end() : end]))
    return names


@dataclass(frozen=True)
class Compared:
    """What a program's comparisons showed. count: of results that have a reference. wrong: the first that differs from
    it: result, reference and line.
    """

    count: int
    wrong: tuple[float, float, int] | None
    wrong_count: int


def compared(ran: Ran) -> Compared:
    """Return what the comparisons of a run showed, those of one line together."""
    lines: dict[int, list[tuple[float, float]]] = {}
    for one, other, line in ran.compared:
        if (type(one) in COPIED) != (type(other) in COPIED) and isinstance(one + other, int | float):
            result, reference = (one, other) if type(one) in COPIED else (other, one)
            if reference != 0:
                lines.setdefault(line, []).append((result, reference))
    count, wrong, wrong_count = 0, None, 0
    for line, pairs in lines.items():
        mean = sum(abs(reference) for _, reference in pairs) / len(pairs)
        for result, reference in pairs:
            far = not math.isfinite(result) or abs(result - reference) > FAR * (abs(reference) + mean)
            wrong_count += far
            if far and wrong is None:
                wrong = result, reference, line
        near = all(abs(result - reference) <= NEAR * (abs(reference) + mean) for result, reference in pairs)
        count += len(pairs) if near else 0
    return Compared(count, wrong, wrong_count)
