"""Where the variables of a user's file live, as a task in a process of its own; results as data, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tilewright.choose import DeviceFacts
from tilewright.compile import CompilerMissingError
from tilewright.compile.cubin import KernelResources, resources_in
from tilewright.compile.resources import compiler_name, cubin_architecture
from tilewright.lab.declared_variables import declared_in
from tilewright.lab.limited.refusals import with_refusals
from tilewright.lab.memories import Memories, memories_of
from tilewright.lab.memory_kinds import KINDS, LocatedVariable
from tilewright.lab.source import SourceError, read_cuda_file
from tilewright.lab.source.compiling import compile_texts
from tilewright.lab.source.instances import instances_of
from tilewright.lab.source.matching import match_entries
from tilewright.lab.source.preparing import Prepared, prepare
from tilewright.lab.source.signatures import KernelSignature

if TYPE_CHECKING:
    from tilewright.lab.limited.messages import Message
    from tilewright.lab.limited.task import Parent

TASK = "tilewright.lab.memories_of_file:locate"
_KINDS = {kind.name: kind for kind in KINDS}


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
