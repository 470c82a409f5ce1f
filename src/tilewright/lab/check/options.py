"""The options of a check: which kernel, its arguments, its launch, and the sizes that it promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tilewright.choose.printable import PrintableError


class CheckError(PrintableError):
    """The check cannot be made; the message says what was given and what is accepted."""


@dataclass(frozen=True)
class Options:
    """A check's options; empty ones are determined automatically. Formulas use rows, inner and cols (expressions.py).

    arguments: `rows,inner,cols,A,B,C`. defines: values or formulas of macros and constants of the file.
    multiples_of: the kernel promises only multiples of it as sizes. zero_output: C starts as 0, not NaN.
    launch: a rubric's launch, for files that give none (said_launch.py). refused_blocks: those that are not guessed.
    seed: of the inputs, and of the randomly chosen sizes. cause_seconds: how long to search the kernel for the cause of
    an error, and as long again its launch.
    """

    symbol: str = ""
    operation: str = ""
    arguments: str = ""
    block: str = ""
    grid: str = ""
    shared_bytes: str = ""
    defines: dict[str, str] = field(default_factory=dict)
    template_arguments: tuple[str, ...] = ()
    multiples_of: int | None = None
    zero_output: bool = False
    launch: dict[str, str] = field(default_factory=dict)
    refused_blocks: tuple[tuple[int, int, int], ...] = ()
    seed: int = 0
    cause_seconds: float = 20.0


def options_of(given: Mapping[str, Any], seed: int = 0) -> Options:
    """Return options from keyword arguments; raise CheckError for an unknown one, listing those that exist."""
    known = [each.name for each in fields(Options) if each.name not in ("seed", "cause_seconds", "refused_blocks")]
    unknown = [name for name in given if name not in known]
    if unknown:
        raise CheckError(f"There is no option {unknown[0]!r} for files; there are {', '.join(known)}.")
    return Options(seed=seed, **{**given, "template_arguments": tuple(given.get("template_arguments", ()))})


def options_of_record(record: Mapping[str, Any]) -> Options:
    """Return the options from a message's fields, where tuples are lists."""
    given = {**record, "template_arguments": tuple(record["template_arguments"])}
    return Options(**given | {"refused_blocks": tuple(map(tuple, record["refused_blocks"]))})
