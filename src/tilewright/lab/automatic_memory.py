"""Variables without a qualifier: which are in registers, and which in local memory.

PTX keeps a function's objects in local memory in one block without names. The code shows where an object begins, and
the source lines that access it show which variable it is. A variable without an object is in registers, or removed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tilewright.compile.cubin import KernelResources
from tilewright.emulate.ptx.parser import Function
from tilewright.emulate.ptx.symbols import plain_name
from tilewright.lab.declared_variables import DeclaredVariable, DeclaredVariables
from tilewright.lab.memory_kinds import LOCAL, REGISTER, LocatedVariable, access_of, located
from tilewright.lab.pointer_trace import LOCAL_PLACE, Access, accesses, local_places

SPECIAL = {
    "%tid": "threadIdx",
    "%ntid": "blockDim",
    "%ctaid": "blockIdx",
    "%nctaid": "gridDim",
    "%laneid": "the lane",
    "%warpid": "the warp",
    "%clock": "clock",
    "%clock64": "clock64",
}
MAYBE_GONE = "or optimised away"
ARRAY_IN_REGISTERS = "every index is known when compiling"
NO_REGISTER = "indexed or addressed at run time"
PRINTED = "what printf is called with"
NAMELESS = "a variable that no source line names"
SPILLED = "and call frames"
STACK_ALIGNMENT = 8
"""ptxas rounds a stack up to this many bytes."""

NOT_INLINED = "called, not inlined"

_SPECIAL = re.compile(r"%[a-z]+\d*(?:\.[xyz])?")
_WORD = re.compile(r"[A-Za-z_]\w*")

Lines = Mapping[tuple[int, int], str]
"""The text of source lines, by file number and line as the PTX has them."""


def automatic_variables(
    reached: Sequence[Function], declared: DeclaredVariables, lines: Lines, resources: KernelResources | None
) -> list[LocatedVariable]:
    """Return where the variables without a qualifier are; ``reached`` is the kernel, then the functions it calls."""
    kernel = reached[0]
    candidates = [*declared.automatic, *_aggregates(kernel, declared)]
    rows = [_local_object(size, to_it, candidates, lines) for size, to_it in _objects(kernel)]
    in_local = {name for row in rows for name in row.name.split(" or ")}
    registers = [each for each in declared.automatic if each.name not in in_local]
    scalars, arrays = ([each for each in registers if each.is_array == is_array] for is_array in (False, True))
    if scalars:
        text = scalars[0].text if len(scalars) == 1 else ""
        rows.append(located(REGISTER, ", ".join(each.name for each in scalars), MAYBE_GONE, declaration=text))
    rows += [located(REGISTER, each.name, ARRAY_IN_REGISTERS, declaration=each.text) for each in arrays]
    called = [(function, size) for function in reached[1:] if (size := local_bytes(function))]
    rows += [located(LOCAL, f"locals of {plain_name(each.name)}()", NOT_INLINED, nbytes=size) for each, size in called]
    if resources is not None:
        rest = resources.local_bytes_per_thread - local_bytes(kernel) - sum(size for _, size in called)
        rows += [located(LOCAL, "spilled registers", SPILLED, nbytes=rest)] if rest >= STACK_ALIGNMENT else []
    return rows


def special_registers(reached: Sequence[Function]) -> list[LocatedVariable]:
    """Return the built-in variables that the code reads, as one row."""
    read = {
        name
        for function in reached
        for instruction in function.instructions
        for operand in instruction.operands
        for name in _SPECIAL.findall(operand)
        if name.partition(".")[0] in SPECIAL
    }
    if not read:
        return []
    names = sorted(f"{SPECIAL[base]}{dot}{axis}" for base, dot, axis in (name.partition(".") for name in read))
    return [located(REGISTER, ", ".join(names), "special registers", access="read")]


def local_bytes(function: Function) -> int:
    """Return the local memory that a function declares, in bytes per thread."""
    return sum(variable.nbytes for variable in function.variables if variable.space == "local")


def _aggregates(kernel: Function, declared: DeclaredVariables) -> list[DeclaredVariable]:
    """The parameters that are structures: one that is indexed at run time is copied to local memory."""
    pairs = zip(declared.parameters, kernel.parameters, strict=False)
    return [replace(own, is_array=True) for own, compiled in pairs if compiled.count is not None]


def _objects(kernel: Function) -> list[tuple[int, list[Access]]]:
    """The objects in the kernel's local memory: size, and the accesses to each."""
    size = local_bytes(kernel)
    if size == 0:
        return []
    starts, found = local_places(kernel) or [0], accesses(kernel)
    objects = []
    for start, end in zip(starts, [*starts[1:], size], strict=True):
        to_it = [
            access
            for access in found
            if any(kind == LOCAL_PLACE and start <= int(place) < end for kind, place in access.origins)
        ]
        objects.append((end - start, to_it))
    return objects


def _local_object(
    size: int, to_it: list[Access], candidates: Sequence[DeclaredVariable], lines: Lines
) -> LocatedVariable:
    row = located(LOCAL, f"{size} bytes", NAMELESS, nbytes=size, access=access_of(to_it))
    if any(access.callee == "vprintf" for access in to_it):
        return replace(row, name="printf's arguments", note=PRINTED)
    likely = _likely({access.line for access in to_it}, candidates, lines)
    if not likely:
        return row
    text = likely[0].text if len(likely) == 1 else ""
    return replace(row, name=" or ".join(each.name for each in likely), declaration=text, note=NO_REGISTER)


def _likely(
    places: set[tuple[int, int]], candidates: Sequence[DeclaredVariable], lines: Lines
) -> list[DeclaredVariable]:
    """The variables that all lines of an object's accesses name, or else that any does; arrays before others."""
    texts = [lines[place] for place in sorted(places) if place in lines]
    words = [set(_WORD.findall(text)) for text in texts]
    for choose in (set.intersection, set.union):
        named = choose(*words) if words else set()
        likely = [each for each in candidates if each.name in named]
        arrays = [each for each in likely if each.is_array]
        addressed = [
            each for each in likely if any(re.search(rf"&\s*{re.escape(each.name)}\b", text) for text in texts)
        ]
        if arrays or addressed or likely:
            return arrays or addressed or likely
    return []
