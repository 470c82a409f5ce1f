"""A file compiled with its subscripts checked, and what a run of that found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from tilewright.compile.nvrtc import CompiledProgram, CompileError
from tilewright.lab.source.preparing import Prepared
from tilewright.lab.source.subscripts import InstrumentedText, Site, instrument

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tilewright.emulate.observers.finding import Finding

SUBSCRIPT_LOG = "tilewright_subscripts"
"""The device variable that a run leaves its counts in: int64, `CheckedSubscripts.log_shape`."""
_HEADER = "tilewright_subscripts.h"
_COLUMNS = 9
_TRIES = 12
_ERROR = re.compile(r"^(.+?)\((\d+)\): (?:catastrophic )?error", re.MULTILINE)

Compile = Callable[..., tuple[CompiledProgram, list[str], bool]]


@dataclass(frozen=True)
class CheckedSubscripts:
    """Which subscripts of a file are checked, and which are not: (file, line, array, why)."""

    sites: list[Site]
    not_checked: list[tuple[str, int, str, str]]

    @property
    def checked(self) -> list[Site]:
        """Those that are known to be of arrays; the rest may turn out to be of pointers."""
        return [site for site in self.sites if site.extent_text]

    @property
    def log_shape(self) -> tuple[int, int]:
        """The shape of `SUBSCRIPT_LOG`."""
        return max(1, len(self.sites)), _COLUMNS


def compile_instrumented(
    prepared: Prepared, compile_it: Compile
) -> tuple[CompiledProgram, list[str], bool, CheckedSubscripts]:
    """Compile a prepared file with its subscripts checked; lines whose checks do not compile are left as they are.

    Raises:
        CompileError: NVRTC refuses the file, whatever is left out.
    """
    skipped: dict[str, frozenset[int]] = {}
    header = files("tilewright.lab.source").joinpath("headers", "subscripts.h").read_text(encoding="utf-8")
    for _ in range(_TRIES):
        checks, texts = _checks(prepared, skipped)
        try:
            program, notes, was_rewritten = compile_it(
                edits={name: text.edits for name, text in texts.items()},
                extra_headers={_HEADER: header.replace("TILEWRIGHT_SITES]", f"{checks.log_shape[0]}]")},
                options=[f"--pre-include={_HEADER}"],
            )
        except CompileError as error:
            lines = {(match[1], int(match[2])) for match in _ERROR.finditer(error.log)}
            new = {(name, line) for name, line in lines if name in texts and line not in skipped.get(name, frozenset())}
            new = {(name, line) for name, line in new if any(s.file == name and s.line == line for s in checks.sites)}
            if not new:
                break
            for name, line in new:
                skipped[name] = skipped.get(name, frozenset()) | {line}
            continue
        return program, notes, was_rewritten, checks
    program, notes, was_rewritten = compile_it()
    return program, notes, was_rewritten, CheckedSubscripts([], checks.not_checked)


def findings_of_instrumented_run(checks: CheckedSubscripts, log: ArrayLike) -> list[Finding]:
    """Return what an instrumented run found: subscripts outside of their own dimension.

    log: the device variable `SUBSCRIPT_LOG` after the launch, int64 of `checks.log_shape`; a launch that ended with a
    fault leaves it readable too. A subscript beyond its dimension may still be inside of the array as a whole.
    """
    import numpy as np

    from tilewright.emulate.observers.finding import Finding

    findings = []
    for site, row in zip(checks.sites, np.asarray(log, np.int64).reshape(-1, _COLUMNS).tolist(), strict=False):
        times, index, extent, bx, by, bz, tx, ty, tz = row
        if not times:
            continue
        block, thread = (bx, by, bz), (tx, ty, tz)
        written = f" ({site.extent_text})" if site.extent_text and not site.extent_text.isdigit() else ""
        findings.append(
            Finding(
                kind="inner dimension",
                severity="error",
                place=(site.file, site.line),
                message=(
                    f"Thread {thread} of block {block} uses index {index} in the {_ordinal(site.dimension)} dimension "
                    f"of {site.array}, which has {extent}{written} elements there."
                ),
                advice=_advice(index, extent),
                threads=((block, thread),),
                address=f"{site.array}{'[...]' * site.dimension}[{index}]",
                times=times,
                details={"array": site.array, "dimension": site.dimension, "index": index, "extent": extent},
            )
        )
    return findings


def _checks(
    prepared: Prepared, skipped: Mapping[str, frozenset[int]]
) -> tuple[CheckedSubscripts, dict[str, InstrumentedText]]:
    sites: list[Site] = []
    not_checked: list[tuple[str, int, str, str]] = []
    texts: dict[str, InstrumentedText] = {}
    for name, kept in zip(prepared.names, prepared.kept, strict=True):
        text = instrument(kept.syntax, kept.items, name, len(sites), skipped.get(name, frozenset()))
        texts[name] = text
        sites += text.checked
        not_checked += [(name, *rest) for rest in text.not_checked]
    return CheckedSubscripts(sites, not_checked), texts


def _ordinal(dimension: int) -> str:
    return ("first", "second", "third", "fourth")[dimension] if dimension < 4 else f"{dimension + 1}th"


def _advice(index: int, extent: int) -> str:
    if index < 0:
        return "Let the index start at 0, or leave out the threads for which it is negative."
    if index == extent:
        return f"The last index is {extent - 1}: end the loop one step earlier, or make the dimension larger."
    return f"Keep the index below {extent}, or make the dimension larger; subscripts may also be in the wrong order."
