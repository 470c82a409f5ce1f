"""Finds what of a kernel's PTX cannot run, before anything is run: unknown features, and memory that no GPU has."""

from __future__ import annotations

from tilewright.compile.nvrtc import CompileError
from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes
from tilewright.emulate.features import feature_of
from tilewright.emulate.machine.module import MAX_LOCAL_BYTES
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.statuses import NOT_EMULATED

from .execution import Stand

_INSTEAD = {
    "copies in bulk": "copies of lines and of tiled boxes are emulated",
    "wgmma": "its dense forms of whole elements are emulated",
    "wmma": "its types of 8 bits and more are emulated",
    "textures": "read from a plain array",
    "surfaces": "write to a plain array",
    "memory allocated in device code": "allocate it in host code and pass the pointer",
    "dynamic parallelism": "launch from host code",
    "warp instructions without .sync": "write the _sync form",
}
"""What to write instead, so that a kernel can be checked without a GPU, by the feature's first words."""


MAX_STATIC_SHARED_BYTES = 48 * 1024
"""Of every GPU: more shared memory comes with the launch, as `extern __shared__`, and nvcc refuses it otherwise."""


class NotEmulatedError(CheckError):
    """A kernel needs a feature that the emulator does not run. feature: its name in CUDA."""

    def __init__(self, message: str, feature: str) -> None:
        super().__init__(message)
        self.feature = feature


def refuse_missing(stand: Stand, kernel: str, file: str) -> None:
    """Raise NotEmulatedError if a kernel, or a function that it calls, needs a feature that is not emulated."""
    found = _missing(stand)
    if not found:
        return
    feature, (source, line) = next(iter(found.items()))
    place = f" ({file}:{line})" if source is not None and source.rpartition("/")[2] == file and line else ""
    others = f", and {', '.join(list(found)[1:])}" if len(found) > 1 else ""
    raise NotEmulatedError(
        f"{kernel} needs {feature}{place}{others}, which is not emulated, so it can't be checked: {cure(feature)}.",
        feature,
    )


def refuse_too_large(stand: Stand, kernel: str, file: str, line: int) -> None:
    """Raise CompileError if a kernel's own arrays are larger than what is assembled, or than what a thread has."""
    of_thread = stand.module.depth_bytes(stand.entry)[1]
    for what, nbytes, most in (
        ("shared memory without extern", stand.static_shared_bytes, MAX_STATIC_SHARED_BYTES),
        ("local memory for each thread", of_thread, MAX_LOCAL_BYTES),
    ):
        if nbytes > most:
            raise CompileError(file, line, f"{kernel} declares {nbytes:,} bytes of {what}; {most:,} are possible", "")


def pending_of(error: Exception) -> str:
    """Return the `pending` of an error: NOT_EMULATED, or what a QuestionError asks for; empty for other errors."""
    return NOT_EMULATED if getattr(error, "feature", "") else str(getattr(error, "pending", ""))


def cure(feature: str) -> str:
    """Return what can be done about a feature that is not emulated."""
    instead = next((text for start, text in _INSTEAD.items() if feature.startswith(start)), "write it without")
    return f"run it on a GPU, or {instead}" if instead == "write it without" else f"run it on a GPU ({instead})"


def _missing(stand: Stand) -> dict[str, tuple[str | None, int]]:
    """Return the features that the kernel's code needs, in its order, each with the file and line of its first use."""
    code = stand.module.code
    starts = sorted(function.entry for function in code.functions.values())
    found: dict[str, tuple[str | None, int]] = {}
    for function in stand.module.reachable(stand.entry):
        end = next((start for start in starts if start > function.entry), len(code.rows))
        for at in range(function.entry, end):
            if code.rows[at][row.OPCODE] == opcodes.UNSUPPORTED:
                number, line = code.lines[code.rows[at][row.LINE]]
                found.setdefault(feature_of(code.texts[at]), (stand.module.source_files.get(number), line))
    return found
