"""`--junit`: JUnit XML for CI servers, with a suite per kernel and a test case per problem and kind of finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tilewright.choose.printable import printable, printable_line
from tilewright.emulate.observers.finding import Finding, Place
from tilewright.lab.check.statuses import FAULT, NOT_RUN, REFUSED, RIGHT

if TYPE_CHECKING:
    from .points import Score
    from .result import CaseResult, CheckResult, GpuCase, GpuResult

WATCHED = (
    "race",
    "out of bounds",
    "inner dimension",
    "uninitialised read",
    "barrier not reached",
    "uncoalesced",
    "bank conflict",
)
"""Kinds of finding that always have a test case, even without findings."""


def junit_xml(files: Sequence[Sequence[CheckResult]], *, strict: bool = False, scores: Sequence[Score] = ()) -> bytes:
    """Return the document. strict: notes fail, too. scores: of each file, with `--points`; each gets its own suite."""
    root = Element("testsuites", name="tilewright check")
    for results in files:
        for result in results:
            _suite(root, result, strict=strict)
    for results, score in zip(files, scores, strict=False):
        _points_suite(root, results[0].file, score)
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    indent(root)
    text: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _suite(root: Element, result: CheckResult, *, strict: bool) -> None:
    suite = SubElement(root, "testsuite", name=_name(result))
    if result.pending:
        element = _case(suite, result, "can be checked")
        SubElement(element, "skipped", message=printable(f"{result.pending}: {result.refusal}"))
    elif result.refusal or not result.cases:
        _failed(_case(suite, result, "can be checked"), "error", result.refusal or "nothing was run")
    for case in result.cases:
        _launch(_case(suite, result, case_name(case)), case)
    if result.gpu is not None:
        _on_gpu(suite, result, result.gpu)
    if result.cases:
        kinds = [*WATCHED, *(f.kind for f in result.findings)]
        for kind in dict.fromkeys(kinds):
            found = [f for f in result.findings if f.kind == kind]
            _findings(_case(suite, result, f"no {kind}"), found, strict=strict)
    _count(suite)


def _points_suite(root: Element, file: str, score: Score) -> None:
    suite = SubElement(root, "testsuite", name=printable_line(f"{file}: points"))
    for line in score.lines:
        case = SubElement(suite, "testcase", classname=printable_line(file), name=f"points: {line.criterion}")
        if score.pending:
            SubElement(case, "skipped", message=printable(line.reason or score.pending))
        elif line.reason:
            _failed(case, "failure", f"{line.points:g} of {line.of:g} points: {line.reason}")
    _count(suite)


def case_name(case: CaseResult | GpuCase) -> str:
    """Return a problem's sizes in words, as in "rows 33, inner 47, cols 31"."""
    return ", ".join(f"{name} {size}" for name, size in case.sizes.items()) or "as given"


def place_words(place: Place | None) -> str:
    """Return file:line, or the part of it that is known."""
    name, line = place or (None, None)
    return (name or "") if line is None else f"{name or 'line '}{':' if name else ''}{line}"


def _name(result: CheckResult) -> str:
    return printable_line(f"{result.file}: {result.kernel}" if result.kernel else result.file)


def _case(suite: Element, result: CheckResult, name: str) -> Element:
    return SubElement(
        suite, "testcase", classname=_name(result), name=printable_line(name), file=printable_line(result.file)
    )


def _launch(element: Element, case: CaseResult) -> None:
    if case.status == REFUSED:
        SubElement(element, "skipped", message=printable(case.message))
    elif case.status != RIGHT:
        _failed(element, "error" if case.status == FAULT else "failure", case.message or case.status)


def _on_gpu(suite: Element, result: CheckResult, gpu: GpuResult) -> None:
    if gpu.refusal:
        _failed(_case(suite, result, "runs on the GPU"), "error", f"Not run on {gpu.device}, for {gpu.refusal}.")
    for case in gpu.cases:
        element = _case(suite, result, f"{case_name(case)}, on the GPU")
        if case.kernel_seconds is not None:
            element.set("time", f"{case.kernel_seconds:.9f}")
        if case.status == NOT_RUN:
            SubElement(element, "skipped", message="an earlier problem was stopped")
        elif case.status != RIGHT:
            _failed(element, "error" if case.status == FAULT else "failure", case.message or case.status)


def _findings(element: Element, found: Sequence[Finding], *, strict: bool) -> None:
    failing = [f for f in found if f.severity == "error" or strict]
    if failing:
        first = failing[0]
        _failed(element, "failure", f"{place_words(first.place)}: {first.message}", "\n\n".join(map(_text, failing)))
    notes = [f for f in found if f not in failing]
    if notes:
        SubElement(element, "system-out").text = printable("\n\n".join(map(_text, notes)))


def _text(finding: Finding) -> str:
    where = place_words(finding.place) + (f" and {place_words(finding.other)}" if finding.other else "")
    return (
        f"{where}: {finding.severity}: {finding.kind} ({finding.times} x)\n{finding.message}\n{finding.advice}".strip()
    )


def _failed(element: Element, tag: str, message: str, text: str = "") -> None:
    SubElement(element, tag, message=printable(message)).text = printable(text or message)


def _count(suite: Element) -> None:
    suite.set("tests", str(len(suite.findall("testcase"))))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
