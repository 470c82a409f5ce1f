"""Sources that NVRTC refuses for what they need, not for what is wrong in them: textures, launches in device code."""

from __future__ import annotations

import re

from tilewright.compile.nvrtc import CompileError

_FEATURES = (
    (r"device-side kernel launch", "", "launches in device code (dynamic parallelism)", "launch from host code"),
    (
        r'identifier "cuda(?:DeviceSynchronize|Malloc|Free|Memcpy\w*|Memset\w*|Stream\w+|GetLastError)" is undefined',
        "",
        "CUDA's runtime in device code (dynamic parallelism)",
        "call it in host code",
    ),
    (
        r'identifier "\w+" is undefined|texture',
        r"\btexture\s*<",
        "textures (texture references, which CUDA 12 took out)",
        "read from a plain array",
    ),
    (r"128-bit integer", "", "128-bit integers (__int128)", "use two of 64 bits"),
)
_TAKEN_OUT = re.compile(r'identifier "(__shfl(?:_up|_down|_xor)?|__ballot|__any|__all)" is undefined')


class UnsupportedSource(CompileError):
    """A source that needs what is not emulated. feature: its name in CUDA's words."""

    def __init__(self, error: CompileError, feature: str, cure: str) -> None:
        said = f"it needs {feature}, which is not emulated: run it on a GPU ({cure})"
        super().__init__(error.file, error.line, said, error.log)
        self.feature = feature


def beyond(error: CompileError, source: str) -> UnsupportedSource | None:
    """Return what an error comes to whose cause is a feature that is not emulated; None for any other."""
    for message, text, feature, cure in _FEATURES:
        if re.search(message, error.message) and re.search(text, source):
            return UnsupportedSource(error, feature, cure)
    return None


def modern_form(message: str) -> str:
    """Return what to write for an intrinsic that CUDA has no more; empty for any other message."""
    match = _TAKEN_OUT.search(message)
    return f": CUDA has it no more since Volta; write {match[1]}_sync(0xffffffff, ...)" if match else ""
