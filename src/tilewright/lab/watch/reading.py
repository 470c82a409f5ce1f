"""Reads what was recorded, a trace or a pipeline, and checks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilewright.lab.pipeline import document as pipeline
from tilewright.lab.pipeline.sound import fault_of as fault_of_pipeline
from tilewright.lab.trace import document as trace
from tilewright.lab.trace.sound import fault_of as fault_of_trace
from tilewright.lab.trace.subject import TraceError

KNOWN = {
    trace.FORMAT: (trace.VERSION, fault_of_trace),
    pipeline.FORMAT: (pipeline.VERSION, fault_of_pipeline),
}


def read_document(path: Path) -> dict[str, Any]:
    """Read a trace or a pipeline.

    Raises:
        TraceError: the file is neither, or one of another version.
    """
    return checked_document(trace.read_json(path), str(path))


def checked_document(document: Any, said: str) -> dict[str, Any]:
    """Return the document if it is a trace or a pipeline of this version; raise TraceError otherwise."""
    known = KNOWN.get(str(document.get("format"))) if isinstance(document, dict) else None
    if known is None:
        raise TraceError(f'{said} is no trace: its "format" is not one of {", ".join(KNOWN)}.')
    version, fault_of = known
    if document.get("version") != version:
        given = repr(document.get("version"))[:40]
        raise TraceError(f"{said} is a trace of version {given}; this tilewright reads {version}.")
    fault = fault_of(document)
    if fault:
        raise TraceError(f"{said} is a damaged trace: {fault}.")
    assert isinstance(document, dict)
    return document
