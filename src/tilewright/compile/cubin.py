"""Reads the resources of kernels from a cubin, which is an ELF file: registers, local memory, parameters.

The section `.nv.info` states, by the number of a kernel's symbol, its registers (attribute EIATTR_REGCOUNT) and the
local memory of a thread (EIATTR_MIN_STACK_SIZE: its arrays, what ptxas spilled, and what it calls). `ptxas -v` prints
the same.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

ELF_MAGIC = b"\x7fELF"
SYMBOL_TABLE = 2
FUNCTION, GLOBAL_BINDINGS = 2, (1, 2)
REGISTER_COUNT, STACK_BYTES, PARAMETER = 0x2F, 0x12, 0x17
INFO_OF_KERNEL = ".nv.info."
SIZED = 4
"""The format of an attribute that is followed by as many bytes as its value says."""


class CubinError(ValueError):
    """The bytes are not a readable cubin; the message says why."""


@dataclass(frozen=True)
class KernelResources:
    """The resources of a kernel: registers and bytes of local memory, per thread."""

    registers_per_thread: int
    local_bytes_per_thread: int


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    offset: int
    size: int
    link: int


def resources_in(cubin: bytes) -> dict[str, KernelResources]:
    """Return the resources of each kernel of a cubin, by the kernel's name as the linker sees it.

    Raises:
        CubinError: the bytes are not a 64-bit ELF file, or end too early.
    """
    if cubin[:5] != ELF_MAGIC + b"\x02":
        raise CubinError("A cubin is a 64-bit ELF file, and these bytes are none.")
    try:
        sections = _sections(cubin)
        symbols = _functions(cubin, sections)
        info = next((section for section in sections if section.name == ".nv.info"), None)
        registers, stacks = ({}, {}) if info is None else _per_symbol(cubin, info)
    except (struct.error, IndexError, ValueError) as error:
        raise CubinError(f"The cubin cannot be read: {error}.") from error
    return {
        name: KernelResources(registers[number], stacks.get(number, 0))
        for number, name in symbols.items()
        if number in registers
    }


def parameter_bytes_in(cubin: bytes) -> dict[str, tuple[int, ...]]:
    """Return the sizes of each kernel's parameters, in their order, by the kernel's name as the linker sees it.

    Raises:
        CubinError: the bytes are not a 64-bit ELF file, or end too early.
    """
    if cubin[:5] != ELF_MAGIC + b"\x02":
        raise CubinError("A cubin is a 64-bit ELF file, and these bytes are none.")
    found = {}
    try:
        for section in _sections(cubin):
            if section.name.startswith(INFO_OF_KERNEL):
                rows = [value for attribute, value in _attributes(cubin, section) if attribute == PARAMETER]
                # An index, the parameter's number and offset, then flags whose upper 14 bits are its size.
                numbered = (struct.unpack_from("<IHHI", row) for row in rows)
                sizes = {number: flags >> 18 for _, number, _, flags in numbered}
                found[section.name.removeprefix(INFO_OF_KERNEL)] = tuple(sizes[number] for number in sorted(sizes))
    except (struct.error, IndexError, ValueError) as error:
        raise CubinError(f"The cubin cannot be read: {error}.") from error
    return found


def _sections(cubin: bytes) -> list[_Section]:
    (table,) = struct.unpack_from("<Q", cubin, 40)
    entry_bytes, count, names = struct.unpack_from("<HHH", cubin, 58)
    rows = [struct.unpack_from("<IIQQQQI", cubin, table + index * entry_bytes) for index in range(count)]
    names_offset = rows[names][4]
    return [_Section(_string(cubin, names_offset + row[0]), row[1], row[4], row[5], row[6]) for row in rows]


def _functions(cubin: bytes, sections: list[_Section]) -> dict[int, str]:
    """The kernels in the symbol table: functions that are visible outside; helpers are local."""
    table = next((section for section in sections if section.kind == SYMBOL_TABLE), None)
    if table is None:
        return {}
    strings = sections[table.link].offset
    found = {}
    for number in range(table.size // 24):
        name, info = struct.unpack_from("<IB", cubin, table.offset + 24 * number)
        if info & 0xF == FUNCTION and info >> 4 in GLOBAL_BINDINGS:
            found[number] = _string(cubin, strings + name)
    return found


def _per_symbol(cubin: bytes, info: _Section) -> tuple[dict[int, int], dict[int, int]]:
    values: dict[int, dict[int, int]] = {REGISTER_COUNT: {}, STACK_BYTES: {}}
    for attribute, value in _attributes(cubin, info):
        if attribute in values:
            number, count = struct.unpack_from("<II", value)
            values[attribute][number] = count
    return values[REGISTER_COUNT], values[STACK_BYTES]


def _attributes(cubin: bytes, info: _Section) -> Iterator[tuple[int, bytes]]:
    position, end = info.offset, info.offset + info.size
    while position < end:
        form, attribute, size = struct.unpack_from("<BBH", cubin, position)
        position += 4
        if form == SIZED:
            yield attribute, cubin[position : position + size]
            position += size


def _string(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode("utf-8", "replace")
