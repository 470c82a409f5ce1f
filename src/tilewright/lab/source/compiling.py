"""A user's file to PTX: its includes gathered, its device part kept, and NVRTC run on that in a child process."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from tilewright.compile.nvrtc import CompiledProgram, CompileError
from tilewright.compile.packages import package_roots
from tilewright.lab.source.cuda_file import CudaFile, SourceError
from tilewright.lab.source.includes import Included, gather
from tilewright.lab.source.isolation import Limits, compile_in_child
from tilewright.lab.source.keeping import Kept, keep_device_part
from tilewright.lab.source.launches import LaunchSite, launches, resolve_number
from tilewright.lab.source.lexing import words
from tilewright.lab.source.macros import Macros
from tilewright.lab.source.matching import entries, match_entries
from tilewright.lab.source.signatures import KernelSignature, kernels
from tilewright.lab.source.syntax import Syntax

_DEFINE = re.compile(r"[A-Za-z_]\w*(?:\([\w\s,.]*\))?")
_ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d+[a-z]?)")
_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined|has no member "(\w+)"')
_INSTANCE = re.compile(r"[\w\s:<>,*&()+\-/%.\[\]]+")


@dataclass(frozen=True)
class CompiledUserFile:
    """A file's kernels as PTX.

    kernels: mangled name -> signature. log: NVRTC's warnings. notes: sentences on what was done to compile the file.
    was_rewritten: whether host code was blanked.
    """

    ptx: str
    kernels: dict[str, KernelSignature]
    log: str
    notes: list[str] = field(default_factory=list)
    was_rewritten: bool = False


@dataclass(frozen=True)
class Prepared:
    """A file and its headers, read and parsed; `kept` is in the order of `names`, the file itself first."""

    file: CudaFile
    included: Included
    names: list[str]
    kept: list[Kept]
    signatures: list[KernelSignature]
    launches: list[LaunchSite]
    headers: dict[str, str]

    @property
    def needs_default_device(self) -> bool:
        """Whether some `constexpr` function without annotations is the device's."""
        return any(kept.needs_default_device for kept in self.kept)

    def texts(self, replaced: Mapping[str, str] | None = None) -> tuple[str, dict[str, str]]:
        """Return the file's text and its headers', some of them replaced by name."""
        of_files = {name: kept.text for name, kept in zip(self.names, self.kept, strict=True)} | dict(replaced or {})
        return of_files.pop(self.names[0]), self.headers | of_files


def prepare(file: CudaFile) -> Prepared:
    """Read and parse a file and what it includes.

    Raises:
        SourceError: an include is refused, or a text can't be parsed within its limits.
    """
    included = gather(file, cuda_major())
    names = [file.name, *included.files]
    texts = [file.text, *(header.text for header in included.files.values())]
    macros = Macros(texts)
    syntaxes = [Syntax(text, macros, name) for text, name in zip(texts, names, strict=True)]
    kept = keep_device_part(syntaxes)
    device_words = set().union(*(words(_device_code(each)) for each in kept))
    headers = included.stand_ins(uses_std=_uses_std(kept, device_words), cuda_major=cuda_major())
    signatures = [signature for each in kept for signature in kernels(each.syntax, each.items)]
    return Prepared(file, included, names, kept, signatures, launches(syntaxes[0]), headers)


def compile_user_file(
    file: CudaFile,
    *,
    defines: Mapping[str, str] | None = None,
    template_arguments: Sequence[str] = (),
    symbol: str | None = None,
    arch: str = "sm_90",
    limits: Limits | None = None,
) -> CompiledUserFile:
    """Compile a file's device part to PTX, in a child process.

    Args:
        file: what `read_cuda_file` returned.
        defines: macros, name to value.
        template_arguments: those of `symbol`, as written in C++; without any, those of the file's own launches.
        symbol: the kernel that is wanted, with or without its namespaces; None for all.
        arch: the GPU's architecture, `sm_90`.
        limits: of the child process.

    Raises:
        SourceError: the file is refused, holds no kernel or none called `symbol`, or a template lacks arguments.
        CompileError: NVRTC refused the file, or did not end within the limits.
        CompilerMissingError: NVRTC is not installed.
    """
    prepared = prepare(file)
    instances = instances_of(prepared, symbol, template_arguments)
    compiled, notes, was_rewritten = compile_texts(
        prepared, defines=defines, instances=instances, arch=arch, limits=limits
    )
    ptx = str(compiled.code)
    if not entries(ptx):
        raise SourceError(f"{file.name} has no kernel: no function of it is __global__.")
    return CompiledUserFile(
        ptx,
        match_entries(ptx, prepared.signatures, {compiled.lowered_names[i]: s for i, s in instances.items()}),
        compiled.log,
        [*prepared.included.notes, *notes],
        was_rewritten,
    )


def compile_texts(
    prepared: Prepared,
    *,
    defines: Mapping[str, str] | None,
    instances: Mapping[str, KernelSignature],
    arch: str,
    limits: Limits | None,
    replaced: Mapping[str, str] | None = None,
    extra_headers: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    to_cubin: bool = False,
) -> tuple[CompiledProgram, list[str], bool]:
    """Compile a prepared file; return the program, notes, and whether host code was blanked.

    The program is PTX, or with `to_cubin` a cubin. A file that the parser can't read for certain, and that does not
    compile as it was kept, is tried as it is.
    """
    source, headers = prepared.texts(replaced)
    if prepared.needs_default_device:
        options = [*options, "--device-as-default-execution-space"]

    def compile_one(text: str, of_headers: Mapping[str, str]) -> CompiledProgram:
        return compile_in_child(
            text,
            prepared.file.name,
            architecture=_architecture(arch, to_cubin=to_cubin),
            macros=_checked_defines(defines or {}),
            headers={**of_headers, **(extra_headers or {})},
            options=options,
            instances=list(instances),
            limits=limits,
        )

    was_rewritten = any(kept.was_rewritten for kept in prepared.kept)
    try:
        return compile_one(source, headers), [], was_rewritten
    except CompileError as error:
        guessed = any(kept.syntax.has_errors for kept in prepared.kept)
        if guessed and was_rewritten and replaced is None:
            as_it_is = {name: header.text for name, header in prepared.included.files.items()}
            try:
                program = compile_one(prepared.file.text, {**prepared.headers, **as_it_is})
            except CompileError:
                pass
            else:
                return program, [f"{prepared.file.name} was compiled as it is."], False
        raise explained(error, prepared) from error


def instances_of(
    prepared: Prepared, symbol: str | None, template_arguments: Sequence[str]
) -> dict[str, KernelSignature]:
    """Return the instances of kernel templates to compile, `tiled<16>` -> signature.

    Raises:
        SourceError: there is no kernel called `symbol`, or it is a template and its arguments are not known, or it is
            none and gets some.
    """
    wanted = [s for s in prepared.signatures if symbol is None or symbol in (s.name, s.qualified_name)]
    if symbol is not None and not wanted and prepared.signatures:
        known = ", ".join(dict.fromkeys(s.qualified_name for s in prepared.signatures))
        raise SourceError(f"{prepared.file.name} has no kernel called {symbol}; it has {known}.")
    found: dict[str, KernelSignature] = {}
    for signature in wanted:
        if not signature.is_template:
            if template_arguments and symbol is not None:
                raise SourceError(f"{signature.qualified_name} is no template, and takes no template arguments.")
            continue
        lists = [list(template_arguments)] if template_arguments else _arguments_of_launches(prepared, signature)
        if not lists and symbol is not None and not _is_instantiated(prepared, signature):
            parameters = ", ".join(signature.template_parameters)
            raise SourceError(
                f"{signature.qualified_name} is a template of <{parameters}>, and no launch in {prepared.file.name} "
                "says which: give its template arguments."
            )
        for arguments in lists:
            text = ", ".join(arguments)
            if not _INSTANCE.fullmatch(text):
                raise SourceError(f"{text!r} are no template arguments: types and numbers are expected.")
            found[f"{signature.qualified_name}<{text}>"] = signature
    return found


def explained(error: CompileError, prepared: Prepared) -> CompileError:
    """Return a compiler's error with what is known about it here, and without what it may have read elsewhere."""
    known = {prepared.file.name, *prepared.names, *prepared.headers, "__nv_name_map"}
    roots = tuple(str(root) for root in package_roots())
    if error.file not in known and not (roots and error.file.startswith(roots)):
        return CompileError(prepared.file.name, None, "NVRTC read a file that it was not given", "")
    message = error.message
    match = _UNDEFINED.search(message)
    name = (match[1] or match[2]) if match else None
    for file_name, kept in zip(prepared.names, prepared.kept, strict=True):
        if name in kept.hidden:
            line, kind = kept.hidden[name]
            what = {"function": "a function", "prototype": "a function", "variable": "a variable"}.get(kind, "a name")
            cure = "put __device__ in front of it" if kind != "variable" else "make it const, or pass it as an argument"
            message += f": it is {what} of the host ({file_name}:{line}); {cure}"
            break
    if name is not None and prepared.included.unknown:
        missing = ", ".join(include.written for _, include in prepared.included.unknown)
        message += f" (not found, so empty: {missing})"
    if error.file == "__nv_name_map":
        return CompileError(prepared.file.name, None, f"the template arguments do not fit: {message}", error.log)
    return CompileError(error.file, error.line, message, error.log, errors=error.errors)


def cuda_major() -> int:
    """Return the major version of CUDA whose compiler is installed; 13 when none is."""
    try:
        return int(version("cuda-bindings").partition(".")[0])
    except (PackageNotFoundError, ValueError):
        return 13


def _arguments_of_launches(prepared: Prepared, signature: KernelSignature) -> list[list[str]]:
    """Return the template arguments of a kernel's launches, where what they name is known."""
    found: list[list[str]] = []
    for site in prepared.launches:
        if site.kernel != signature.name or not site.template_arguments:
            continue
        arguments = []
        for text in site.template_arguments:
            value = resolve_number(site, text, {})
            arguments.append(str(value) if isinstance(value, int) else text)
        if arguments not in found:
            found.append(arguments)
    return found


def _is_instantiated(prepared: Prepared, signature: KernelSignature) -> bool:
    return any(
        item.kind == "instantiation" and signature.name in words(kept.syntax.code[item.start : item.end])
        for kept in prepared.kept
        for item in kept.items
    )


def _uses_std(kept: Sequence[Kept], device_words: set[str]) -> bool:
    return "numeric_limits" in device_words or any(
        re.search(r"\bstd\s*::", each.syntax.code[item.start : item.end]) for each in kept for item in each.items
    )


def _device_code(kept: Kept) -> str:
    return "".join(kept.syntax.code[item.start : item.end] + "\n" for item in kept.items)


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
