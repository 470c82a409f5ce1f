"""A user's file to PTX: its includes gathered, its device part kept, and NVRTC run on that in a child process."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from tilewright.compile.nvrtc import CompiledProgram, CompileError, package_roots
from tilewright.lab.source.changes import Edit
from tilewright.lab.source.cuda_file import CudaFile, SourceError
from tilewright.lab.source.instances import instances_of, match_entries, without_unknown
from tilewright.lab.source.instrumenting import CheckedSubscripts, compile_instrumented
from tilewright.lab.source.isolation import Limits, compile_in_child
from tilewright.lab.source.preparing import Prepared, prepare
from tilewright.lab.source.signatures import KernelSignature
from tilewright.lab.source.stand_ins import HOST_TYPES, library_of

_DEFINE = re.compile(r"[A-Za-z_]\w*(?:\([\w\s,.]*\))?")
_ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d+[a-z]?)")
_FEATURES = (
    (r"device-side kernel launch", "", "launches in device code (dynamic parallelism)", "launch from host code"),
    (
        r'identifier "cuda(?:DeviceSynchronize|Malloc|Free|Memcpy\w*|Memset\w*|Stream\w+|GetLastError)" is undefined',
        "",
        "CUDA's runtime in device code (dynamic parallelism)",
        "call it in host code",
    ),
    (
        r'identifier "\w+" is undefined|texture',
        r"\btexture\s*<",
        "textures (texture references, which CUDA 12 took out)",
        "read from a plain array",
    ),
    (r"128-bit integer", "", "128-bit integers (__int128)", "use two of 64 bits"),
)
_TAKEN_OUT = re.compile(r'identifier "(__shfl(?:_up|_down|_xor)?|__ballot|__any|__all)" is undefined')
_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined|has no member "(\w+)"')
_MISSING = re.compile(r"is undefined|has no member|no operator|no instance of|no suitable|incomplete type")


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


class UnsupportedSource(CompileError):
    """A source that needs what is not emulated. feature: its name in CUDA's words."""

    def __init__(self, error: CompileError, feature: str, cure: str) -> None:
        said = f"it needs {feature}, which is not emulated: run it on a GPU ({cure})"
        super().__init__(error.file, error.line, said, error.log)
        self.feature = feature


def beyond(error: CompileError, source: str) -> UnsupportedSource | None:
    """Return the error for a feature that is not emulated; None if the cause is another."""
    for message, text, feature, cure in _FEATURES:
        if re.search(message, error.message) and re.search(text, source):
            return UnsupportedSource(error, feature, cure)
    return None


def modern_form(message: str) -> str:
    """Return the replacement of an intrinsic that CUDA has removed; empty for any other message."""
    match = _TAKEN_OUT.search(message)
    return f": CUDA has it no more since Volta; write {match[1]}_sync(0xffffffff, ...)" if match else ""


def explained(error: CompileError, prepared: Prepared) -> CompileError:
    """Return a compiler's error with an explanation, and without text that it may have read from other files."""
    known = {
        prepared.file.name,
        *prepared.names,
        *prepared.headers,
        "__nv_name_map",
        HOST_TYPES,
        "tilewright_subscripts.h",
    }
    roots = tuple(str(root) for root in package_roots())
    if error.file not in known and not (roots and error.file.startswith(roots)):
        return CompileError(prepared.file.name, None, "NVRTC read a file that it was not given", "")
    if found := beyond(error, prepared.kept[0].syntax.code):
        return found
    message = error.message + modern_form(error.message)
    match = _UNDEFINED.search(message)
    name = (match[1] or match[2]) if match else None
    for file_name, kept in zip(prepared.names, prepared.kept, strict=True):
        if name in kept.hidden:
            line, kind = kept.hidden[name]
            what = {"function": "a function", "prototype": "a function", "variable": "a variable"}.get(kind, "a name")
            cure = "put __device__ in front of it" if kind != "variable" else "make it const, or pass it as an argument"
            message += f": it is {what} of the host ({file_name}:{line}); {cure}"
            break
    if _MISSING.search(message) and prepared.included.unknown:
        missing = [include.written for _, include in prepared.included.unknown]
        known_owners = [sentence for name in missing if (sentence := library_of(name))]
        message += f" ({'; '.join(known_owners) or 'not found, so empty: ' + ', '.join(missing)})"
    if error.file == "__nv_name_map":
        return CompileError(prepared.file.name, None, f"the template arguments do not fit: {message}", error.log)
    return CompileError(error.file, error.line, message, error.log, errors=error.errors)
