"""Where the variables of a kernel live: of the catalogue, or of a user's file, compiled in a child process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilewright.choose import DeviceFacts
from tilewright.choose.occupancy.resident import device_named, kernel_named
from tilewright.compile import CompilerMissingError, compile_kernel
from tilewright.compile.cubin import KernelResources, compiler_name, cubin_architecture, resources_in
from tilewright.kernels import TaughtKernel
from tilewright.lab.declared_variables import NOTHING, DeclaredVariables, declared_by_name, declared_in
from tilewright.lab.limited import LimitedError, Limits, default_memory_bytes, run_limited
from tilewright.lab.limited.task import done_or_raised, with_refusals
from tilewright.lab.memories import Memories, memories_of
from tilewright.lab.memory_kinds import KINDS, LocatedVariable
from tilewright.lab.source import SourceError, read_cuda_file
from tilewright.lab.source.compiling import compile_texts
from tilewright.lab.source.instances import instances_of, match_entries
from tilewright.lab.source.preparing import Prepared, prepare
from tilewright.lab.source.signatures import KernelSignature

if TYPE_CHECKING:
    from tilewright.lab.limited.messages import Message
    from tilewright.lab.limited.task import Parent


TASK = "tilewright.lab.compiled_memories:locate"
_KINDS = {kind.name: kind for kind in KINDS}


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
    limits: Limits | None = None,
) -> list[tuple[str, Memories]]:
    """Return where the variables of each kernel of a file live, with the kernel's name in the source.

    The file is read and compiled in a child process with limits.

    Args:
        path: a CUDA C++ file, as it is: host code is left aside.
        device: the chip that registers are counted for.
        symbol: the kernel that is wanted; None: all.
        defines: macros, name to value.
        template_arguments: those of ``symbol``; without any, those of the file's own launches.
        limits: of the child process; None for 300 s and a quarter of the machine's memory.

    Raises:
        SourceError: the file cannot be read or is refused, or has no such kernel.
        CompileError: NVRTC refused it.
        CompilerMissingError: there is no NVRTC.
        UnknownChipError: no such chip.
    """
    facts = device_named(device)
    request = {
        "path": str(path),
        "facts": asdict(replace(facts, tuned=None)),
        "symbol": symbol,
        "defines": dict(defines or {}),
        "template_arguments": list(template_arguments),
    }
    try:
        limits = limits or Limits(memory_bytes=default_memory_bytes())
        answer = run_limited(TASK, request, what="the compile", limits=limits)
        return [(str(name), memories_of_record(record)) for name, record in done_or_raised(answer)]
    except LimitedError as error:
        raise SourceError(f"{path}: {error}.") from error


def _declared(text: str, entry: str) -> DeclaredVariables:
    """What the source declares. Without the parser it is nothing, and names are the compiler's."""
    try:
        return declared_by_name(text, entry)
    except SourceError:
        return NOTHING


def locate(request: Message, _: Parent) -> dict[str, Any]:
    """Return names and records of a file's kernels."""
    asked = request.value
    capability = asked["facts"]["compute_capability"]
    facts = DeviceFacts(**{**asked["facts"], "compute_capability": capability and tuple(capability)})

    def work() -> list[tuple[str, dict[str, Any]]]:
        found = _found(asked["path"], facts, asked["symbol"], asked["defines"], asked["template_arguments"])
        return [(name, record_of(memories)) for name, memories in found]

    return with_refusals(work)


def record_of(memories: Memories) -> dict[str, Any]:
    """Return all fields by name, made of what JSON has."""
    variables = [{**asdict(variable), "memory": variable.memory.name} for variable in memories.variables]
    return {**asdict(memories), "variables": variables}


def memories_of_record(record: Mapping[str, Any]) -> Memories:
    """Return what the record was made of."""
    variables = (LocatedVariable(**{**row, "memory": _KINDS[row["memory"]]}) for row in record["variables"])
    resources = None if record["resources"] is None else KernelResources(**record["resources"])
    return Memories(**{**record, "variables": tuple(variables), "resources": resources})


def _found(
    path: str, facts: DeviceFacts, symbol: str | None, defines: Mapping[str, str], template_arguments: Sequence[str]
) -> list[tuple[str, Memories]]:
    prepared = prepare(read_cuda_file(path))
    instances = instances_of(prepared, symbol, template_arguments)
    compiled, _, _ = compile_texts(prepared, defines=defines, instances=instances, arch="sm_90", limits=None)
    ptx = str(compiled.code)
    by_name = {compiled.lowered_names[instance]: signature for instance, signature in instances.items()}
    entries = match_entries(ptx, prepared.signatures, by_name)
    wanted = {
        entry: signature
        for entry, signature in entries.items()
        if symbol is None or symbol in (signature.name, signature.qualified_name)
    }
    if not wanted:
        raise SourceError(f"{prepared.file.name} has no kernel: no function of it is __global__.")
    counts, counted_by = _counted(prepared, facts, instances, defines)
    texts = [kept.syntax for kept in prepared.kept]
    return [
        (
            signature.qualified_name,
            memories_of(
                ptx,
                entry,
                declared=declared_in(texts, signature).with_macros(defines or {}),
                sources={name: syntax.text for name, syntax in zip(prepared.names, texts, strict=True)},
                resources=counts.get(entry),
                counted_by=counted_by,
            ),
        )
        for entry, signature in wanted.items()
    ]


def _counted(
    prepared: Prepared,
    facts: DeviceFacts,
    instances: Mapping[str, KernelSignature],
    defines: Mapping[str, str] | None,
) -> tuple[dict[str, KernelResources], str]:
    try:
        architecture = cubin_architecture(facts)
    except CompilerMissingError as error:
        return {}, str(error).rstrip(".")
    compiled, _, _ = compile_texts(
        prepared, defines=defines, instances=instances, arch=architecture, limits=None, to_cubin=True
    )
    assert isinstance(compiled.code, bytes)
    return resources_in(compiled.code), f"{compiler_name()} for {architecture}"
