"""Which variable each memory access of a PTX function goes to: addresses followed from where they come from.

An address comes from a parameter, from the symbol of a variable, or from a place in the function's local memory. It
stays one through moves, conversions, additions and selections; multiplication makes an index of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.emulate.ptx.parser import Function, Instruction

PARAMETER, VARIABLE, LOCAL_PLACE, LOCAL_BASE = "parameter", "variable", "local place", "local base"
CARRIES = frozenset({"mov", "add", "sub", "cvta", "cvt", "selp", "min", "max", "and", "or", "xor"})
KINDS = {"ld": "read", "ldu": "read", "st": "write", "atom": "read and write", "red": "read and write"}
ADDRESS_BITS = frozenset({"u64", "b64", "s64"})
SPACES = ("global", "shared", "local", "const", "param")

_REGISTER = re.compile(r"%[\w$]+(?:@\d+)?")
_SYMBOL = re.compile(r"(?<![\w$%.])[A-Za-z_$][\w$]*")
_ADDRESS = re.compile(r"\[\s*([%\w$@]+)\s*(?:\+\s*(-?\d+))?\s*\]")

Origin = tuple[str, str | int]
"""What an address comes from: a parameter's number, a variable's symbol, an offset in local memory."""


@dataclass(frozen=True)
class Access:
    """One load, store or atomic of a function: ``kind`` is "read", "write" or "read and write".

    ``space`` is what the instruction says, None for a generic address. ``line`` is (file number, line) in the source.
    ``callee`` is the function that an address was handed to, "" for an access of the function itself.
    """

    kind: str
    space: str | None
    origins: frozenset[Origin]
    line: tuple[int, int]
    callee: str = ""


def accesses(function: Function) -> list[Access]:
    """Return the memory accesses of a function, without those to its parameters, in the order of its code."""
    held = _origins_of_registers(function)
    local = _local_names(function)
    found = [access for each in function.instructions if (access := _access(each, local, held)) is not None]
    return [*found, *_escapes(function, held)]


def local_places(function: Function) -> list[int]:
    """Return where objects begin in the function's local memory, as far as the code names them, ascending."""
    held = _origins_of_registers(function)
    places = {int(value) for origins in held.values() for kind, value in origins if kind == LOCAL_PLACE}
    direct = (
        int(offset)
        for access in function.instructions
        for name, offset in _addresses(access)
        if (LOCAL_BASE, 0) in held.get(name, frozenset())
    )
    return sorted(places | {place for place in direct if not places})


def virtual_registers(function: Function) -> int:
    """Return how many registers the PTX of a function names; ptxas gives several of them one place, or none."""
    named = {
        name
        for instruction in function.instructions
        for operand in (*instruction.operands, instruction.guard or "")
        for name in _REGISTER.findall(operand)
    }
    return sum(function.register_type(name) is not None for name in named)


def called(function: Function) -> set[str]:
    """Return the functions that a function calls by name."""
    return {
        name
        for instruction in function.instructions
        if instruction.opcode.startswith("call")
        for operand in instruction.operands
        for name in _SYMBOL.findall(operand)
    }


def symbols(function: Function) -> set[str]:
    """Return every symbol that the function's operands name."""
    return {
        name
        for instruction in function.instructions
        for operand in instruction.operands
        for name in _SYMBOL.findall(operand)
    }


def _origins_of_registers(function: Function) -> dict[str, frozenset[Origin]]:
    """What each register may hold an address of, over all paths: repeated until nothing is added."""
    numbers = {parameter.name: index for index, parameter in enumerate(function.parameters)}
    depot = _local_names(function)
    held: dict[str, frozenset[Origin]] = {}
    changed = True
    while changed:
        changed = False
        for instruction in function.instructions:
            if not instruction.operands or not instruction.operands[0].startswith("%"):
                continue
            target = instruction.operands[0].partition("|")[0]
            origins = held.get(target, frozenset()) | _produced(instruction, numbers, depot, held)
            if origins != held.get(target, frozenset()):
                held[target], changed = origins, True
    return held


def _produced(
    instruction: Instruction, numbers: dict[str, int], depot: set[str], held: dict[str, frozenset[Origin]]
) -> frozenset[Origin]:
    name, *words = instruction.opcode.split(".")
    sources = instruction.operands[1:]
    if name == "ld" and words[:1] == ["param"]:
        symbol = _SYMBOL.search(sources[0])
        is_address = bool(ADDRESS_BITS & set(words)) and symbol is not None and symbol[0] in numbers
        return frozenset({(PARAMETER, numbers[symbol[0]])}) if is_address and symbol else frozenset()
    if name in ("mad", "fma"):
        sources = sources[2:]
    elif name not in CARRIES:
        return frozenset()
    origins: set[Origin] = set()
    for source in sources:
        for register in _REGISTER.findall(source):
            origins |= held.get(register, frozenset())
        for symbol_name in _SYMBOL.findall(source):
            origins.add((LOCAL_BASE, 0) if symbol_name in depot else (VARIABLE, symbol_name))
    if (LOCAL_BASE, 0) in origins and name == "add" and (offset := _constant(sources)) is not None:
        origins = (origins - {(LOCAL_BASE, 0)}) | {(LOCAL_PLACE, offset)}
    return frozenset(origins)


def _local_names(function: Function) -> set[str]:
    return {variable.name for variable in function.variables if variable.space == "local"}


def _constant(operands: list[str]) -> int | None:
    return next((int(operand) for operand in operands if re.fullmatch(r"-?\d+", operand)), None)


def _access(instruction: Instruction, local: set[str], held: dict[str, frozenset[Origin]]) -> Access | None:
    name, *words = instruction.opcode.split(".")
    kind = KINDS.get(name)
    if kind is None:
        return None
    space = next((word for word in words if word in SPACES), None)
    if space == "param":
        return None
    origins: set[Origin] = set()
    for base, offset in _addresses(instruction):
        if base.startswith("%"):
            known = held.get(base, frozenset())
            origins |= {(LOCAL_PLACE, int(offset)) if origin == (LOCAL_BASE, 0) else origin for origin in known}
        else:
            origins.add((LOCAL_PLACE, int(offset)) if base in local else (VARIABLE, base))
    return Access(kind, space, frozenset(origins), instruction.line)


def _addresses(instruction: Instruction) -> Iterator[tuple[str, int]]:
    for operand in instruction.operands:
        match = _ADDRESS.fullmatch(operand.strip())
        if match:
            yield match[1], int(match[2] or 0)


def _escapes(function: Function, held: dict[str, frozenset[Origin]]) -> Iterator[Access]:
    """Addresses handed to a called function, which may read and write there."""
    for position, instruction in enumerate(function.instructions):
        if instruction.opcode.startswith("st.param"):
            handed = {
                origin
                for operand in instruction.operands[1:]
                for register in _REGISTER.findall(operand)
                for origin in held.get(register, frozenset())
            }
            if handed:
                callee = _next_callee(function, position)
                yield Access("read and write", None, frozenset(handed), instruction.line, callee)


def _next_callee(function: Function, position: int) -> str:
    """The function whose call follows: its name in `call (result), name, (arguments)`, "" through a pointer."""
    for instruction in function.instructions[position:]:
        if instruction.opcode.startswith("call"):
            return next((operand for operand in instruction.operands if _SYMBOL.fullmatch(operand)), "")
    return ""
