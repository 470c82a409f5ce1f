"""Where the variables of a kernel live, from its source on: a kernel of the catalogue, or those of a user's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from tilewright.choose import DeviceFacts
from tilewright.choose.occupancy.launched import device_named, kernel_named
from tilewright.compile import CompilerMissingError, compile_kernel
from tilewright.compile.cubin import resources_in
from tilewright.compile.resources import compiler_name, cubin_architecture
from tilewright.kernels import TaughtKernel
from tilewright.lab.declared_variables import NOTHING, DeclaredVariables, declared_by_name
from tilewright.lab.limited import LimitedError, Limits, default_memory_bytes, run_limited
from tilewright.lab.limited.refusals import done_or_raised
from tilewright.lab.memories import Memories, memories_of
from tilewright.lab.memories_of_file import TASK, memories_of_record
from tilewright.lab.source import SourceError


def kernel_memories(
    kernel: str | TaughtKernel, device: str | DeviceFacts, *, tile: int | None = None, dtype: str = "float32"
) -> Memories:
    """Return where the variables of a kernel of the catalogue live; registers are counted for a chip.

    Raises:
        UnknownChipError, UnknownKernelError, PlanError: as for `tilewright.occupancy`.
        CompilerMissingError: there is no NVRTC, and the package has no PTX for this tile.
    """
    facts = device_named(device)
    found, tile = kernel_named(kernel, tile, dtype)
    program = compile_kernel(found, dtype, tile)
    assert program.ptx is not None
    resources, counted_by = None, ""
    try:
        architecture = cubin_architecture(facts)
        cubin = compile_kernel(found, dtype, tile, architecture=architecture).cubin
        assert cubin is not None
        resources, counted_by = resources_in(cubin)[found.entry], f"{compiler_name()} for {architecture}"
    except CompilerMissingError as error:
        counted_by = str(error).rstrip(".")
    text = found.source_text()
    return memories_of(
        program.ptx,
        found.entry,
        declared=_declared(text, found.entry).with_macros(found.macros(dtype, tile)),
        sources={found.source_name: text},
        resources=resources,
        counted_by=counted_by,
    )


def file_memories(
    path: str | Path,
    device: str | DeviceFacts,
    *,
    symbol: str | None = None,
    defines: Mapping[str, str] | None = None,
    template_arguments: Sequence[str] = (),
) -> list[tuple[str, Memories]]:
    """Return where the variables of each kernel of a file live, with the kernel's name in the source.

    The file is read and compiled in a child process with limits.

    Args:
        path: a CUDA C++ file, as it is: host code is left aside.
        device: the chip that registers are counted for.
        symbol: the kernel that is wanted; None: all.
        defines: macros, name to value.
        template_arguments: those of ``symbol``; without any, those of the file's own launches.

    Raises:
        SourceError: the file cannot be read or is refused, or has no such kernel.
        CompileError: NVRTC refused it.
        CompilerMissingError: there is no NVRTC.
        UnknownChipError: no such chip.
    """
    facts = device_named(device)
    request = {
        "path": str(path),
        "facts": asdict(facts),
        "symbol": symbol,
        "defines": dict(defines or {}),
        "template_arguments": list(template_arguments),
    }
    try:
        answer = run_limited(TASK, request, what="the compile", limits=Limits(memory_bytes=default_memory_bytes()))
        return [(str(name), memories_of_record(record)) for name, record in done_or_raised(answer)]
    except LimitedError as error:
        raise SourceError(f"{path}: {error}.") from error


def _declared(text: str, entry: str) -> DeclaredVariables:
    """What the source declares; nothing where the parser is not installed, and names are then the compiler's."""
    try:
        return declared_by_name(text, entry)
    except SourceError:
        return NOTHING
