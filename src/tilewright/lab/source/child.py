"""A compile in a process of its own: reads a request from a file, writes the answer to another.

`python -m tilewright.lab.source.child REQUEST ANSWER`, both JSON. Limits are set before NVRTC is loaded.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

from .limits import limit_process

MAX_ANSWER_BYTES = 256 << 20


def main(arguments: list[str]) -> int:
    """Answer one request; return 0 when there is an answer, a refusal included."""
    request = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    limit_process(request["cpu_seconds"], request["memory_bytes"], MAX_ANSWER_BYTES)
    Path(arguments[1]).write_text(json.dumps(_answer(request)), encoding="utf-8")
    return 0


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    from tilewright.compile.nvrtc import CompileError, CompilerMissingError, compile_with_headers

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
    answer: dict[str, Any] = {"log": compiled.log, "lowered_names": compiled.lowered_names}
    if isinstance(compiled.code, bytes):
        return {**answer, "cubin": base64.b64encode(compiled.code).decode()}
    return {**answer, "code": compiled.code}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
