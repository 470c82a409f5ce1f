"""Explains a compiler's error on a user's file: its cause, or the feature that is not emulated."""

from __future__ import annotations

import re

from tilewright.compile.nvrtc import CompileError
from tilewright.compile.packages import package_roots
from tilewright.lab.source.preparing import Prepared
from tilewright.lab.source.stand_ins import HOST_TYPES, library_of

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
_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined|has no member "(\w+)"')
_MISSING = re.compile(r"is undefined|has no member|no operator|no instance of|no suitable|incomplete type")


class UnsupportedSource(CompileError):
    """A source that needs what is not emulated. feature: its name in CUDA's words."""

    def __init__(self, error: CompileError, feature: str, cure: str) -> None:
        said = f"it needs {feature}, which is not emulated: run it on a GPU ({cure})"
        super().__init__(error.file, error.line, said, error.log)
        self.feature = feature


def beyond(error: CompileError, source: str) -> UnsupportedSource | None:
    """Return the error for a feature that is not emulated; None if the cause is another."""
    for message, text, feature, cure in _FEATURES:
        if re.search(message, error.message) and re.search(text, source):
            return UnsupportedSource(error, feature, cure)
    return None


def modern_form(message: str) -> str:
    """Return the replacement of an intrinsic that CUDA has removed; empty for any other message."""
    match = _TAKEN_OUT.search(message)
    return f": CUDA has it no more since Volta; write {match[1]}_sync(0xffffffff, ...)" if match else ""


def explained(error: CompileError, prepared: Prepared) -> CompileError:
    """Return a compiler's error with an explanation, and without text that it may have read from other files."""
    known = {
        prepared.file.name,
        *prepared.names,
        *prepared.headers,
        "__nv_name_map",
        HOST_TYPES,
        "tilewright_subscripts.h",
    }
    roots = tuple(str(root) for root in package_roots())
    if error.file not in known and not (roots and error.file.startswith(roots)):
        return CompileError(prepared.file.name, None, "NVRTC read a file that it was not given", "")
    if found := beyond(error, prepared.kept[0].syntax.code):
        return found
    message = error.message + modern_form(error.message)
    match = _UNDEFINED.search(message)
    name = (match[1] or match[2]) if match else None
    for file_name, kept in zip(prepared.names, prepared.kept, strict=True):
        if name in kept.hidden:
            line, kind = kept.hidden[name]
            what = {"function": "a function", "prototype": "a function", "variable": "a variable"}.get(kind, "a name")
            cure = "put __device__ in front of it" if kind != "variable" else "make it const, or pass it as an argument"
            message += f": it is {what} of the host ({file_name}:{line}); {cure}"
            break
    if _MISSING.search(message) and prepared.included.unknown:
        missing = [include.written for _, include in prepared.included.unknown]
        known_owners = [sentence for name in missing if (sentence := library_of(name))]
        message += f" ({'; '.join(known_owners) or 'not found, so empty: ' + ', '.join(missing)})"
    if error.file == "__nv_name_map":
        return CompileError(prepared.file.name, None, f"the template arguments do not fit: {message}", error.log)
    return CompileError(error.file, error.line, message, error.log, errors=error.errors)
