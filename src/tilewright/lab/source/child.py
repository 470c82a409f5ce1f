"""A compile as a task in a process of its own: the request and the answer are what JSON has."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilewright.lab.limited.messages import Message
    from tilewright.lab.limited.task import Parent

FOLDER = Path(__file__).parent / "headers"
"""Where the compiler runs: a folder that is always there, and holds what is given to it anyway."""


def compile_source(request: Message, _: Parent) -> dict[str, Any]:
    """Compile what the request holds; return what became of it, a refusal included."""
    return answer(request.value)


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
