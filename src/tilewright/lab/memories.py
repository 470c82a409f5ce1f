"""Seed 001's table for a kernel: in which memory each of its variables lives, who sees it, and for how long.

Read from the compiled PTX: what is declared in which state space, and which variable each access goes to. Registers and
local memory are counted in the cubin for a chip, since ptxas decides on them.

PTX keeps a function's objects in local memory in one block without names. The code shows where an object begins, and
the source lines that access it show which variable it is. A variable without an object is in registers, or removed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tilewright.compile.cubin import KernelResources
from tilewright.emulate.ptx.parser import Function, Module, Variable, parse
from tilewright.emulate.ptx.symbols import plain_name
from tilewright.lab.declared_variables import NOTHING, DeclaredVariable, DeclaredVariables
from tilewright.lab.memory_kinds import (
    CONSTANT,
    GLOBAL,
    KINDS,
    LAUNCH,
    LOCAL,
    READ,
    REGISTER,
    SHARED,
    LocatedVariable,
    access_of,
    located,
)
from tilewright.lab.pointer_trace import (
    LOCAL_PLACE,
    PARAMETER,
    VARIABLE,
    Access,
    accesses,
    called,
    local_places,
    symbols,
    virtual_registers,
)

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
SPACES = {"shared": SHARED, "const": CONSTANT, "global": GLOBAL}
PARAMETER_NOTE = "a parameter, set by the launch"
POINTEE_NOTE = "allocated by the host"
DYNAMIC_NOTE = "as many bytes as the launch says"
COMPILERS_NOTE = "the compiler's own"


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


@dataclass(frozen=True)
class Memories:
    """Where a kernel's variables live, by memory in the order of `KINDS`.

    ``entry`` is the kernel's name in the PTX, and ``virtual_registers`` counts the registers that it names there.
    ``resources`` is the cubin's count; ``counted_by`` the compiler and the chip that it is for, or why there is none.
    """

    entry: str
    variables: tuple[LocatedVariable, ...]
    virtual_registers: int
    resources: KernelResources | None
    counted_by: str

    def find(self, name: str) -> LocatedVariable:
        """Return the variable called ``name``; KeyError if there is none."""
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise KeyError(name)


def memories_of(
    ptx: str,
    entry: str,
    *,
    declared: DeclaredVariables = NOTHING,
    sources: Mapping[str, str] | None = None,
    resources: KernelResources | None = None,
    counted_by: str = "",
) -> Memories:
    """Return where the variables of a kernel live.

    Args:
        ptx: the compiled module.
        entry: the kernel's name in it.
        declared: what its source declares; without it, variables have the compiler's names.
        sources: the texts of its files, by their names in the PTX, to say which variable an object in local memory is.
        resources: registers and local memory that the cubin states.
        counted_by: who counted them, or why nobody could.

    Raises:
        PtxSyntaxError: the PTX cannot be read.
        KeyError: it has no such kernel.
    """
    module = parse(ptx)
    kernel = module.functions[entry]
    reached = _reached(module, kernel)
    lines = {
        (number, line): text
        for number, name in module.files.items()
        for line, text in enumerate((sources or {}).get(name, "").splitlines(), 1)
    }
    variables = [
        *_parameters(kernel, declared, accesses(kernel)),
        *_placed_variables(module, reached, declared),
        *automatic_variables(reached, declared, lines, resources),
        *special_registers(reached),
    ]
    ordered = sorted(variables, key=lambda variable: KINDS.index(variable.memory))
    return Memories(entry, tuple(ordered), virtual_registers(kernel), resources, counted_by)


def _reached(module: Module, kernel: Function) -> list[Function]:
    """The kernel, then every function with a body that it calls, or that those call."""
    reached, names = [kernel], {kernel.name}
    for function in reached:
        for name in sorted(called(function) & module.functions.keys() - names):
            if module.functions[name].has_body:
                names.add(name)
                reached.append(module.functions[name])
    return reached


def _parameters(kernel: Function, declared: DeclaredVariables, found: list[Access]) -> list[LocatedVariable]:
    """The parameters, each pointer followed by what it points to."""
    rows = []
    matched = declared.parameters if len(declared.parameters) == len(kernel.parameters) else ()
    for index, parameter in enumerate(kernel.parameters):
        own = matched[index] if matched else None
        name, text = (own.name, own.text) if own else (f"parameter {index}", "")
        row = located(CONSTANT, name, PARAMETER_NOTE, declaration=text, access=READ, nbytes=parameter.nbytes)
        rows.append(replace(row, lifetime=LAUNCH))
        to_it = [access for access in found if (PARAMETER, index) in access.origins]
        may_hold_address = own is None or parameter.count is not None
        if (own is not None and own.is_pointer) or (to_it and may_hold_address):
            rows.append(located(GLOBAL, f"*{name}", POINTEE_NOTE, access=access_of(to_it)))
    return rows


def _placed_variables(module: Module, reached: list[Function], declared: DeclaredVariables) -> list[LocatedVariable]:
    """The variables that are declared with a memory and that the kernel, or what it calls, uses."""
    used = {name for function in reached for name in symbols(function)}
    found = [access for function in reached for access in accesses(function)]
    texts = {variable.name: variable.text for variable in (*declared.outside, *declared.shared)}
    own = [variable for function in reached for variable in function.variables]
    return [
        _placed_variable(variable, texts, found)
        for variable in [*(each for each in module.variables if each.name in used), *own]
        if variable.space in SPACES
    ]


def _placed_variable(variable: Variable, texts: Mapping[str, str], found: list[Access]) -> LocatedVariable:
    name = plain_name(variable.name)
    to_it = [access for access in found if (VARIABLE, variable.name) in access.origins]
    is_dynamic = variable.space == "shared" and variable.nbytes == 0
    is_compilers = variable.name.startswith(("$", "__nv_"))
    return located(
        SPACES[variable.space],
        name,
        DYNAMIC_NOTE if is_dynamic else COMPILERS_NOTE if is_compilers else "",
        declaration=texts.get(name, ""),
        access=access_of(to_it),
        nbytes=None if is_dynamic else variable.nbytes,
    )
