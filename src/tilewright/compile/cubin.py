"""Reads the resources of kernels from a cubin, which is an ELF file: registers, local memory, parameters.

The section `.nv.info` states, by the number of a kernel's symbol, its registers (attribute EIATTR_REGCOUNT) and the
local memory of a thread (EIATTR_MIN_STACK_SIZE: its arrays, what ptxas spilled, and what it calls). `ptxas -v` prints
the same.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.choose.occupancy.resident import device_named, kernel_named
from tilewright.compile.nvrtc import CompilerMissingError, nvrtc_version, supported_architectures
from tilewright.compile.program import compile_kernel
from tilewright.kernels import TaughtKernel
from tilewright.kernels.facts import DeviceFacts

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


@dataclass(frozen=True)
class ResourceUsage:
    """The resources of a compiled kernel, as its cubin states them.

    ``local_bytes_per_thread`` are arrays that did not fit registers, spilled registers and call frames. ``compiler``
    and ``architecture`` say who counted: another version may take other registers.
    """

    registers_per_thread: int
    local_bytes_per_thread: int
    architecture: str
    compiler: str


def resource_usage(
    kernel: str | TaughtKernel, device: str | DeviceFacts, *, tile: int | None = None, dtype: str = "float32"
) -> ResourceUsage:
    """Compile a kernel of the catalogue for a chip and return its resources. No device is needed.

    Args:
        kernel: the kernel, or its name ("matmul/tiled").
        device: a chip of the table by name ("h200"), or facts with a compute capability.
        tile: the tile; None: the kernel's default.
        dtype: the element type.

    Raises:
        CompilerMissingError: there is no NVRTC, or it does not compile for the chip.
        UnknownChipError, UnknownKernelError, PlanError: as for `occupancy`.
    """
    facts = device_named(device)
    found, tile = kernel_named(kernel, tile, dtype)
    architecture = cubin_architecture(facts)
    program = compile_kernel(found, dtype, tile, architecture=architecture)
    assert program.cubin is not None
    taken = resources_in(program.cubin)[program.entry]
    return ResourceUsage(taken.registers_per_thread, taken.local_bytes_per_thread, architecture, compiler_name())


def cubin_architecture(facts: DeviceFacts) -> str:
    """Return what NVRTC calls a chip, such as ``sm_90``.

    Raises:
        CompilerMissingError: there is no NVRTC, or it does not compile for the chip; the message says for which.
    """
    if facts.compute_capability is None:
        raise CompilerMissingError(f"{facts.name} has no compute capability to compile for.")
    major, minor = facts.compute_capability
    supported = supported_architectures()
    if 10 * major + minor not in supported:
        oldest, newest = min(supported), max(supported)
        raise CompilerMissingError(
            f"{compiler_name()} compiles for sm_{oldest} to sm_{newest}, not for sm_{major}{minor} ({facts.name})."
        )
    return f"sm_{major}{minor}"


def compiler_name() -> str:
    """Return the compiler and its version, such as "NVRTC 13.0"."""
    major, minor = nvrtc_version()
    return f"NVRTC {major}.{minor}"
