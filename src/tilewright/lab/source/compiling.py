"""A user's file to PTX: its includes gathered, its device part kept, and NVRTC run on that in a child process."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from tilewright.compile.nvrtc import CompiledProgram, CompileError
from tilewright.lab.source.changes import Edit
from tilewright.lab.source.cuda_file import CudaFile, SourceError
from tilewright.lab.source.explaining import explained
from tilewright.lab.source.instances import instances_of, match_entries, without_unknown
from tilewright.lab.source.instrumenting import CheckedSubscripts, compile_instrumented
from tilewright.lab.source.isolation import Limits, compile_in_child
from tilewright.lab.source.preparing import Prepared, prepare
from tilewright.lab.source.signatures import KernelSignature
from tilewright.lab.source.stand_ins import HOST_TYPES

_DEFINE = re.compile(r"[A-Za-z_]\w*(?:\([\w\s,.]*\))?")
_ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d+[a-z]?)")


@dataclass(frozen=True)
class CompiledUserFile:
    """A file's kernels as PTX.

    kernels: mangled name -> signature. log: NVRTC's warnings. notes: sentences on what was done to compile the file.
    was_rewritten: whether host code was blanked.
    subscripts: what an instrumented file checks.
    """

    ptx: str
    kernels: dict[str, KernelSignature]
    log: str
    notes: list[str] = field(default_factory=list)
    was_rewritten: bool = False
    subscripts: CheckedSubscripts | None = None


def compile_user_file(
    file: CudaFile,
    *,
    defines: Mapping[str, str] | None = None,
    template_arguments: Sequence[str] = (),
    symbol: str | None = None,
    arch: str = "sm_90",
    limits: Limits | None = None,
    instrument: bool = False,
) -> CompiledUserFile:
    """Compile a file's device part to PTX, in a child process.

    Args:
        file: what `read_cuda_file` returned.
        defines: macros, name to value.
        template_arguments: those of `symbol`, as written in C++; without any, those of the file's own launches.
        symbol: the kernel that is wanted, with or without its namespaces; None for all.
        arch: the GPU's architecture, `sm_90`.
        limits: of the child process.
        instrument: whether each subscript is to look at its own dimension, for `findings_of_instrumented_run`.

    Raises:
        SourceError: the file is refused, holds no kernel or none called `symbol`, or a template lacks arguments.
        CompileError: NVRTC refused the file, or did not end within the limits.
        CompilerMissingError: NVRTC is not installed.
    """
    prepared = prepare(file, defines)
    instances = instances_of(prepared, symbol, template_arguments)
    compile_it = partial(
        compile_texts,
        prepared,
        defines=defines,
        instances=instances,
        arch=arch,
        limits=limits,
        are_guesses=not template_arguments,
    )
    subscripts = None
    if instrument:
        compiled, notes, was_rewritten, subscripts = compile_instrumented(prepared, compile_it)
    else:
        compiled, notes, was_rewritten = compile_it()
    ptx = str(compiled.code)
    of_instances = {name: instances[each] for each, name in compiled.lowered_names.items()}
    found = match_entries(ptx, prepared.signatures, of_instances)
    if not any(symbol in (None, signature.name, signature.qualified_name) for signature in found.values()):
        _refuse_none(prepared, symbol)
    return CompiledUserFile(
        ptx,
        found,
        compiled.log,
        [*prepared.included.notes, *notes],
        was_rewritten,
        subscripts,
    )


def compile_user_code(
    file: CudaFile,
    *,
    defines: Mapping[str, str],
    symbol: str,
    template_arguments: Sequence[str],
    architecture: str,
) -> bytes | str:
    """Compile as `compile_user_file` does, and raise what it raises; return what a GPU takes.

    architecture: `sm_90` for a cubin, `compute_90` for PTX.
    """
    prepared = prepare(file, defines)
    compiled, _, _ = compile_texts(
        prepared,
        defines=defines,
        instances=instances_of(prepared, symbol, template_arguments),
        arch=architecture,
        limits=None,
        to_cubin=architecture.startswith("sm_"),
        are_guesses=not template_arguments,
    )
    return compiled.code


def compile_texts(
    prepared: Prepared,
    *,
    defines: Mapping[str, str] | None,
    instances: Mapping[str, KernelSignature],
    arch: str,
    limits: Limits | None,
    edits: Mapping[str, Sequence[Edit]] | None = None,
    extra_headers: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    to_cubin: bool = False,
    are_guesses: bool = False,
) -> tuple[CompiledProgram, list[str], bool]:
    """Compile a prepared file; return the program, notes, and whether host code was blanked.

    The program is PTX, or with `to_cubin` a cubin. A file that the parser can't read for certain, and that does not
    compile as it was kept, is tried as it is. Instances that are guesses are left out where they make no sense.
    """

    def compile_one(instances: Mapping[str, KernelSignature], *, as_it_is: bool) -> CompiledProgram:
        source, headers = prepared.texts(edits or {}, as_it_is=as_it_is)
        of_device = ["--device-as-default-execution-space"] if prepared.needs_default_device else []
        return compile_in_child(
            source,
            prepared.file.name,
            architecture=_architecture(arch, to_cubin=to_cubin),
            macros=_checked_defines(defines or {}),
            headers={**headers, **(extra_headers or {})},
            options=[f"--pre-include={HOST_TYPES}", *options, *of_device],
            instances=list(instances),
            limits=limits,
        )

    try:
        try:
            return compile_one(instances, as_it_is=False), [], prepared.was_rewritten
        except CompileError as error:
            fewer = without_unknown(error, instances)
            if not are_guesses or len(fewer) == len(instances):
                raise
            return compile_one(fewer, as_it_is=False), [], prepared.was_rewritten
    except CompileError as error:
        if prepared.was_guessed and prepared.was_rewritten:
            with contextlib.suppress(CompileError):
                return compile_one(instances, as_it_is=True), [f"{prepared.file.name} was compiled as it is."], False
        raise explained(error, prepared) from error


def _refuse_none(prepared: Prepared, symbol: str | None) -> None:
    name = prepared.file.name
    wanted = [each for each in prepared.signatures if symbol in (None, each.name, each.qualified_name)]
    templates = ", ".join(each.qualified_name for each in wanted if each.is_template)
    if templates:
        raise SourceError(f"{templates}: a template, and no launch in {name} says which: give its arguments.")
    if wanted:
        raise SourceError(f"{wanted[0].qualified_name} is not compiled: an #if in {name} leaves it out.")
    raise SourceError(f"{name} has no kernel: no function of it is __global__.")


def _architecture(arch: str, *, to_cubin: bool) -> str:
    match = _ARCHITECTURE.fullmatch(arch)
    if match is None:
        raise SourceError(f"an architecture is sm_NN, such as sm_90, not {arch!r}.")
    return f"{'sm' if to_cubin else 'compute'}_{match[1]}"


def _checked_defines(defines: Mapping[str, str]) -> dict[str, str]:
    for name, value in defines.items():
        if not _DEFINE.fullmatch(name) or any(ord(character) < 32 for character in value):
            raise SourceError(f"-D takes NAME or NAME=VALUE in one line, not {name + '=' + value!r}.")
        if name.startswith("__has_"):
            raise SourceError(f"{name} can't be defined.")
        if "##" in value or "__has_" in value:
            raise SourceError(f"the value of {name} can't hold ## or __has_...")
    return dict(defines)
