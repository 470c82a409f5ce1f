"""Runs a compile in a child process: a source that crashes the compiler crashes only that process.

The request and the answer are JSON.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilewright.compile.nvrtc import CompiledProgram, CompileError, CompilerMissingError
from tilewright.lab.limited import LimitedError, run_limited
from tilewright.lab.limited import Limits as LimitsOfChild
from tilewright.lab.limited.endings import Ending, error_of
from tilewright.lab.limited.forking import answer_of_fork, can_fork
from tilewright.lab.limited.messages import MOST_TEXT_BYTES
from tilewright.lab.limited.running import has_template

if TYPE_CHECKING:
    from tilewright.lab.limited.messages import Message
    from tilewright.lab.limited.task import Parent


TASK = "tilewright.lab.source.isolation:compile_source"
COMPILER = ("tilewright.compile.nvrtc",)
WHAT = "the compiler"
SECONDS = "processor_seconds"
FOLDER = Path(__file__).parent / "headers"
"""The compiler's working folder, which always exists and holds nothing that it is not given."""
_elsewhere = [0.0]


@dataclass(frozen=True)
class Limits:
    """What a compile may take: seconds on the clock, bytes of memory (where the system can limit that)."""

    seconds: float = 60
    memory_bytes: int = 2 << 30


def compile_in_child(
    source: str,
    name: str,
    *,
    architecture: str,
    macros: Mapping[str, str],
    headers: Mapping[str, str],
    options: Sequence[str] = (),
    instances: Sequence[str] = (),
    limits: Limits | None = None,
) -> CompiledProgram:
    """Compile CUDA C++ in a child process, in a folder that holds nothing of the user's.

    Raises:
        CompileError: NVRTC refused the source, crashed, or took more time or memory than the limits give.
        CompilerMissingError: NVRTC is not installed.
    """
    limits = limits or Limits()
    request = {
        "source": source,
        "name": name,
        "architecture": architecture,
        "macros": dict(macros),
        "headers": dict(headers),
        "options": list(options),
        "instances": list(instances),
    }
    try:
        return _result(_answer(request, LimitsOfChild(limits.seconds, limits.memory_bytes)))
    except LimitedError as error:
        raise CompileError(name, None, f"{error}", "") from error


def _answer(request: dict[str, Any], limits: LimitsOfChild) -> dict[str, Any]:
    """Fork a compiler from this process, or else from a template: starting one takes ten times as long."""
    if not (has_template() and can_fork()):
        found = run_limited(TASK, request, what=WHAT, limits=limits, modules=COMPILER)
        if isinstance(found, dict) and has_template():  # else it was a child of this process
            _elsewhere[0] += float(found.get(SECONDS, 0.0))
    else:
        data, ending = answer_of_fork(lambda: json.dumps(answer(request)).encode(), limits, MOST_TEXT_BYTES)
        if ending.status != 0:
            raise error_of(ending, WHAT, limits)
        found = json.loads(data or b"null")
    if not isinstance(found, dict):
        raise LimitedError(f"{WHAT} gave no answer")
    if "out_of_memory" in found or "out of memory" in found.get("error", {}).get("message", ""):
        raise error_of(Ending(1, "MemoryError"), WHAT, limits)
    return found


def _result(answer: dict[str, Any]) -> CompiledProgram:
    if "missing" in answer:
        raise CompilerMissingError(answer["missing"])
    if "error" in answer:
        error = answer["error"]
        raise CompileError(error["file"], error["line"], error["message"], error["log"], errors=int(answer["errors"]))
    code = base64.b64decode(answer["cubin"]) if "cubin" in answer else answer["code"]
    return CompiledProgram(code, answer["log"], answer["lowered_names"])


def compile_source(request: Message, _: Parent) -> dict[str, Any]:
    """Compile the request's source; return the result or the refusal, and the processor time that it took."""
    return answer(request.value) | {SECONDS: sum(os.times()[:2])}


def processor_seconds_elsewhere() -> float:
    """The processor time of compiles for this process that were no children of its own."""
    return _elsewhere[0]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Compile in this process; return the code, what NVRTC refuses, or that it or the memory is missing."""
    from tilewright.compile.nvrtc import CompileError, CompilerMissingError, compile_with_headers

    os.chdir(FOLDER)
    try:
        compiled = compile_with_headers(
            request["source"],
            request["name"],
            architecture=request["architecture"],
            macros=request["macros"],
            extra_options=request["options"],
            headers=request["headers"],
            instances=request["instances"],
        )
    except CompileError as error:
        return {
            "error": {"file": error.file, "line": error.line, "message": error.message, "log": error.log},
            "errors": error.errors,
        }
    except CompilerMissingError as error:
        return {"missing": str(error)}
    except MemoryError:
        return {"out_of_memory": True}
    found: dict[str, Any] = {"log": compiled.log, "lowered_names": compiled.lowered_names}
    if isinstance(compiled.code, bytes):
        return {**found, "cubin": base64.b64encode(compiled.code).decode()}
    return {**found, "code": compiled.code}
