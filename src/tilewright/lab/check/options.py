"""What the user says about a check: which kernel, what its arguments are, how it is launched, what is promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tilewright.choose.printable import PrintableError


class CheckError(PrintableError):
    """A check that cannot be made; the message says what was given and what is accepted."""


@dataclass(frozen=True)
class Options:
    """Empty fields are found out. Formulas are of rows, inner and cols (expressions.py).

    arguments: `rows,inner,cols,A,B,C`. defines: macros and constants of the file, to values or formulas.
    multiples_of: the kernel promises only sizes that are multiples of it. zero_output: C holds 0 and not NaN before.
    launch: what a rubric says of the launch of files that say nothing (said_launch.py).
    seed: of the inputs, and of the sizes that the file can't guess. cause_seconds: how long the cause of what is wrong
    is looked for in the kernel, and as long again in its launch.
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
    seed: int = 0
    cause_seconds: float = 20.0


def options_of(given: Mapping[str, Any], seed: int = 0) -> Options:
    """Return options from keyword arguments; raise CheckError, naming those that there are, for any other."""
    known = [each.name for each in fields(Options) if each.name not in ("seed", "cause_seconds")]
    unknown = [name for name in given if name not in known]
    if unknown:
        raise CheckError(f"There is no option {unknown[0]!r} for files; there are {', '.join(known)}.")
    return Options(seed=seed, **{**given, "template_arguments": tuple(given.get("template_arguments", ()))})


def options_of_record(record: Mapping[str, Any]) -> Options:
    """Return the options whose fields a message had, in which a tuple is a list."""
    return Options(**{**record, "template_arguments": tuple(record["template_arguments"])})
