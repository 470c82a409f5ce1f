"""Runs a compile in a child process: what a source does to the compiler, it does to that process alone."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright.compile.nvrtc import CompiledProgram, CompileError, CompilerMissingError
from tilewright.lab.source.child import MAX_ANSWER_BYTES


@dataclass(frozen=True)
class Limits:
    """What a compile may take: seconds on the clock, bytes of address space (where the system can limit that)."""

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
    """Compile CUDA C++ in a child process, in an empty folder.

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
        "cpu_seconds": int(limits.seconds) + 1,
        "memory_bytes": limits.memory_bytes,
    }
    with tempfile.TemporaryDirectory(prefix="tilewright-compile-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        empty = place / "empty"
        empty.mkdir()
        (place / "request.json").write_text(json.dumps(request), encoding="utf-8")
        status, said = _run(place, empty, limits.seconds)
        if status is None:
            raise CompileError(name, None, f"the compiler did not end within {limits.seconds:g} seconds", said)
        answer = _read_answer(place / "answer.json")
    if status != 0 or answer is None or "out_of_memory" in answer:
        raise CompileError(name, None, _ending(status, said, limits, answer), said)
    return _result(answer)


def _run(place: Path, empty: Path, seconds: float) -> tuple[int | None, str]:
    """Run the child; return its status (None: it was stopped) and the end of what it said on its error output."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [
        sys.executable,
        "-m",
        "tilewright.lab.source.child",
        str(place / "request.json"),
        str(place / "answer.json"),
    ]
    with (place / "said").open("w+b") as said:
        child = subprocess.Popen(  # noqa: S603  (our own module)
            command,
            cwd=empty,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        try:
            status: int | None = child.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _stop(child)
        said.seek(0, os.SEEK_END)
        said.seek(max(0, said.tell() - 2000))
        return status, said.read().decode(errors="replace").strip()


def _stop(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(child.pid, signal.SIGKILL)
        child.kill()
        child.wait()


def _read_answer(path: Path) -> dict[str, Any] | None:
    try:
        if path.stat().st_size > MAX_ANSWER_BYTES:
            return None
        answer = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


def _ending(status: int | None, said: str, limits: Limits, answer: dict[str, Any] | None) -> str:
    memory = f"{limits.memory_bytes / (1 << 20):.0f} MiB"
    if (
        (answer or {}).get("out_of_memory")
        or "MemoryError" in said
        or "bad_alloc" in said
        or "out of memory" in said.lower()
    ):
        return f"the compiler needs more than {memory} of memory for this source"
    if status in {-number for name in ("SIGXCPU", "SIGKILL") if (number := getattr(signal, name, None))}:
        return f"the compiler did not end within {limits.seconds:g} seconds"
    if status is not None and status < 0:
        return f"the compiler crashed on this source ({signal.Signals(-status).name}; it may use {memory} of memory)"
    return f"the compiler gave no answer (status {status}; it may use {memory} of memory)"


def _result(answer: dict[str, Any]) -> CompiledProgram:
    if "missing" in answer:
        raise CompilerMissingError(answer["missing"])
    if "error" in answer:
        error = answer["error"]
        raise CompileError(error["file"], error["line"], error["message"], error["log"], errors=answer["errors"])
    code = base64.b64decode(answer["cubin"]) if "cubin" in answer else answer["code"]
    return CompiledProgram(code, answer["log"], answer["lowered_names"])
