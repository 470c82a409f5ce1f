"""Our own errors as data: a task's error is raised again in the process that asked for the task."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

KNOWN = {
    "CheckError": "tilewright.lab.check.options",
    "CompilerMissingError": "tilewright.compile",
    "DtypeError": "tilewright.arrays.errors",
    "FileError": "tilewright.call.files.errors",
    "LaunchError": "tilewright.lab.check.find.launches",
    "PlanError": "tilewright.choose",
    "RolesError": "tilewright.lab.check.find.roles",
    "SourceError": "tilewright.lab.source.cuda_file",
    "TraceError": "tilewright.lab.trace.subject",
}
"""Errors made of one sentence, and their modules."""
OF_EMULATOR = {"EmulationError": "CheckError"}
"""The errors that callers see for the emulator's, which they need not import."""


def with_refusals(work: Callable[[], object]) -> dict[str, Any]:
    """Return the work's result, or the error of ours that it raises, as JSON data."""
    from tilewright.compile.nvrtc import CompileError

    try:
        return {"done": work()}
    except CompileError as error:
        about = {"file": error.file, "line": error.line, "message": error.message, "log": error.log}
        return {"compile_error": about, "errors": error.errors}
    except Exception as error:
        names = [OF_EMULATOR.get(each.__name__, each.__name__) for each in type(error).__mro__]
        name = next((name for name in names if name in KNOWN), None)
        if name is None:
            raise
        return {"refused": name, "why": str(error)}


def done_or_raised(answer: Any) -> Any:
    """Return the result, or raise the work's error; ValueError for an answer that is neither."""
    if not isinstance(answer, dict):
        raise ValueError("it is neither a result nor an error")  # noqa: TRY004  (as for any other answer)
    if "done" in answer:
        return answer["done"]
    if "compile_error" in answer:
        from tilewright.compile.nvrtc import CompileError

        raise CompileError(**answer["compile_error"], errors=int(answer["errors"]))
    name = answer["refused"]
    raise getattr(import_module(KNOWN[name]), name)(str(answer["why"]))
