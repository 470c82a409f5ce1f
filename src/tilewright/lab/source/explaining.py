"""A compiler's error on a user's file, in words that lead to the cause."""

from __future__ import annotations

import re

from tilewright.compile.nvrtc import CompileError
from tilewright.compile.packages import package_roots
from tilewright.lab.source.beyond import beyond, modern_form
from tilewright.lab.source.preparing import Prepared
from tilewright.lab.source.stand_ins import HOST_TYPES, library_of

_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined|has no member "(\w+)"')
_MISSING = re.compile(r"is undefined|has no member|no operator|no instance of|no suitable|incomplete type")


def explained(error: CompileError, prepared: Prepared) -> CompileError:
    """Return a compiler's error with what is known about it here, and without what it may have read elsewhere."""
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
