"""Checks a launch's arguments against the sizes of the compiled kernel's parameters, so that host and device agree.

PTX lists an entry's parameters; a cubin states them in the section ``.nv.info.<entry>`` (attribute EIATTR_KPARAM_INFO).
Neither knows their names, which the launch has from the source.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tilewright.compile.cubin import parameter_bytes_in
from tilewright.compile.kept_code import Code
from tilewright.kernels.launch import Launch, Parameter, Pointer, Scalar, packed

POINTER_BYTES, TENSOR_MAP_BYTES = 8, 128

_ENTRY = r"\.entry\s+{}\s*\(([^)]*)\)"
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.[a-z](\d+)[^,\[]*(?:\[(\d+)\])?")


class SignatureError(RuntimeError):
    """A launch's arguments do not match the compiled kernel's parameters; the message names both."""


def check_signature(launch: Launch, code: Code) -> None:
    """Raise SignatureError unless a launch's arguments have the number and sizes of the entry's parameters."""
    check_sizes(launch, parameter_bytes(code, launch.entry))


def check_sizes(launch: Launch, taken: tuple[int, ...]) -> None:
    """Raise SignatureError unless a launch passes parameters of these sizes."""
    passed = passed_bytes(launch)
    if tuple(passed.values()) == taken:
        return
    sizes = list(passed.items())
    wrong = next((each for each, size in zip(sizes, taken, strict=False) if each[1] != size), None)
    named = f"{wrong[0]} has {wrong[1]} bytes here" if wrong else f"{len(sizes)} are passed"
    raise SignatureError(
        f"{launch.entry} takes {len(taken)} parameters of {', '.join(map(str, taken))} bytes, and {named}: "
        f"{launch.source_name} and what plans its launches disagree."
    )


def passed_bytes(launch: Launch) -> dict[str, int]:
    """Return the size of each parameter that a launch passes, by its name."""
    return {name: _bytes(parameter) for name, parameter in launch.parameters.items()}


@lru_cache(maxsize=1024)
def parameter_bytes(code: Code, entry: str) -> tuple[int, ...]:
    """Return the sizes of a compiled entry's parameters, in their order. Raises SignatureError where there is none."""
    found = _in_ptx(code.image.decode(), entry) if code.is_ptx else parameter_bytes_in(code.image).get(entry)
    if found is None:
        raise SignatureError(f"The compiled program has no kernel {entry}.")
    return found


def _in_ptx(text: str, entry: str) -> tuple[int, ...] | None:
    found = re.search(_ENTRY.format(re.escape(entry)), text)
    if found is None:
        return None
    return tuple(int(bits) // 8 * int(count or 1) for bits, count in _PARAMETER.findall(found[1]))


def _bytes(parameter: Parameter) -> int:
    if isinstance(parameter, Scalar):
        return len(packed([parameter]))
    if isinstance(parameter, bytes):
        return len(parameter)
    if isinstance(parameter, Pointer):
        return POINTER_BYTES
    return TENSOR_MAP_BYTES * (len(parameter) if isinstance(parameter, tuple) else 1)
