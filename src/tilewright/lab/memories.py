"""Seed 001's table for a kernel: in which memory each of its variables lives, who sees it, and for how long.

Read from the compiled PTX: what is declared in which state space, and which variable each access goes to. Registers and
local memory are counted in the cubin for a chip, since ptxas decides on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tilewright.compile.cubin import KernelResources
from tilewright.emulate.ptx.parser import Function, Module, Variable, parse
from tilewright.emulate.ptx.symbols import plain_name
from tilewright.lab.automatic_memory import automatic_variables, special_registers
from tilewright.lab.declared_variables import NOTHING, DeclaredVariables
from tilewright.lab.memory_kinds import (
    CONSTANT,
    GLOBAL,
    KINDS,
    LAUNCH,
    READ,
    SHARED,
    LocatedVariable,
    access_of,
    located,
)
from tilewright.lab.pointer_trace import PARAMETER, VARIABLE, Access, accesses, called, symbols, virtual_registers

SPACES = {"shared": SHARED, "const": CONSTANT, "global": GLOBAL}
PARAMETER_NOTE = "a parameter, set by the launch"
POINTEE_NOTE = "allocated by the host"
DYNAMIC_NOTE = "as many bytes as the launch says"
COMPILERS_NOTE = "the compiler's own"


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
