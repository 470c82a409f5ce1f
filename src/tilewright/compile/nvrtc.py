"""CUDA C++ to PTX or to a cubin by NVRTC, which needs neither a driver nor a GPU."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tilewright.choose.printable import printable

OPTIONS = ("-lineinfo", "--std=c++17")

_ERROR = re.compile(
    r"^(?P<file>.+?)\((?P<line>\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (?P<message>.+)$", re.MULTILINE
)
_AT_END = re.compile(
    r"^At end of source: (?:catastrophic )?error(?: #[\w-]+)?: (?P<message>.+)$"
    r"(?:\n(?P<file>.+?)\((?P<line>\d+)\): note(?: #[\w-]+)?: (?P<note>.+)$)?",
    re.MULTILINE,
)
_FILE = re.compile(r'^(?P<start>\s*\.file\s+\d+ )"(?P<path>[^"]*)"', re.MULTILINE)
_OCTAL = re.compile(r"(?:\\[0-3][0-7]{2})+")
_PLAIN_NAME = re.compile(r"(?!-)(?:(?![\"\\])[ -~])+")
_ARCHITECTURE = re.compile(r"(compute|sm)_\d+[a-z]?")


@cache
def header_folders(cuda_major: int) -> tuple[Path, ...]:
    """Return the folders with CUDA's headers for CUDA ``cuda_major``, as far as they are installed.

    The packages of CUDA 13 share ``nvidia/cu13/include``; those of CUDA 12 have a folder each. Both may be
    installed side by side, so the folders of another major version are left out.
    """
    folders: list[Path] = []
    for root in package_roots():
        if cuda_major >= 13:
            packages = [root / f"cu{cuda_major}"]
        else:
            packages = [root / name for name in ("cuda_runtime", "cuda_nvcc", "cuda_cccl", "curand")]
        for package in packages:
            folders += [package / "include", package / "include" / "cccl"]
    return tuple(folder for folder in folders if folder.is_dir())


def load_nvrtc_of_the_binding() -> None:
    """Load NVRTC 12 for a CUDA 12 binding, before that looks for one itself.

    With the extras ``emulator`` and ``cuda12`` both installed there are two, and the binding would take NVRTC 13,
    whose code a CUDA 12 driver cannot load.
    """
    from importlib import metadata  # takes 15 ms, which a first product on the host need not wait for

    try:
        major = metadata.version("cuda-bindings").partition(".")[0]
    except metadata.PackageNotFoundError:
        return
    if major != "12":
        return
    pattern = "bin/nvrtc64_120_0.dll" if sys.platform == "win32" else "lib/libnvrtc.so.12"
    for root in package_roots():
        library = root / "cuda_nvrtc" / pattern
        if library.is_file():
            ctypes.CDLL(str(library))
            return


def package_roots() -> list[Path]:
    """Return the folders that hold NVIDIA's packages; none when none is installed."""
    spec = importlib.util.find_spec("nvidia")
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []


class CompileError(RuntimeError):
    """NVRTC refused a source.

    ``file``, ``line`` and ``message`` are those of the first error (``line`` is None when NVRTC names none, as for
    a wrong option); ``log`` is all that NVRTC said, ``errors`` how many there are.
    """

    def __init__(self, file: str, line: int | None, message: str, log: str, *, errors: int = 1) -> None:
        self.file = file
        self.line = line
        self.message = message
        self.log = log
        self.errors = errors
        place = file if line is None else f"{file}:{line}"
        more = f" (and {errors - 1} more)" if errors > 1 else ""
        super().__init__(printable(f"{place}: {message}{more}"))


class CompilerMissingError(RuntimeError):
    """NVRTC is not installed, or does not exist for this system; the message says what to do."""


@dataclass(frozen=True)
class CompiledProgram:
    """The result of a compile: PTX (text) or a cubin (bytes), the warnings, and the mangled names of instances."""

    code: str | bytes
    log: str
    lowered_names: dict[str, str] = field(default_factory=dict)


def nvrtc_version() -> tuple[int, int]:
    """Return NVRTC's version, such as ``(13, 0)``.

    Raises:
        CompilerMissingError: NVRTC is not installed.
    """
    return _library()[1]


def options_for_quick_compiles() -> tuple[str, ...]:
    """Options for code that runs a few times at small sizes; none before NVRTC 12.8. Raises CompilerMissingError.

    41 kernels of a file compile in 0.2 s, where 0.8 are needed without, and their PTX is a third shorter.
    """
    return ("--Ofast-compile=mid",) if nvrtc_version() >= (12, 8) else ()


def supported_architectures() -> tuple[int, ...]:
    """Return the chips that NVRTC compiles for, as ``90`` for sm_90, in ascending order.

    Raises:
        CompilerMissingError: NVRTC is not installed.
    """
    nvrtc, _ = _library()
    return tuple(sorted(_checked(nvrtc, nvrtc.nvrtcGetSupportedArchs())))


def compile_source(
    source: str,
    name: str,
    *,
    architecture: str,
    macros: Mapping[str, str] | None = None,
    extra_options: Iterable[str] = (),
) -> str | bytes:
    """Compile CUDA C++.

    Args:
        source: the text.
        name: the file's name, as errors and the PTX's line table give it; a relative name stays relative.
        architecture: ``compute_90`` and the like for PTX, ``sm_90`` and the like for a cubin.
        macros: name to value, as in ``{"TILE": "16"}``.
        extra_options: NVRTC options after our own (line information and C++17).

    Returns:
        The PTX as text for ``compute_*``, the cubin as bytes for ``sm_*``.

    Raises:
        CompileError: NVRTC refused the source or an option.
        CompilerMissingError: NVRTC is not installed.
        ValueError: the architecture is neither ``compute_*`` nor ``sm_*``.
    """
    return compile_with_headers(
        source, name, architecture=architecture, macros=macros, extra_options=extra_options
    ).code


def compile_with_headers(
    source: str,
    name: str,
    *,
    architecture: str,
    macros: Mapping[str, str] | None = None,
    extra_options: Iterable[str] = (),
    headers: Mapping[str, str] | None = None,
    instances: Iterable[str] = (),
) -> CompiledProgram:
    """Compile CUDA C++ as `compile_source` does, and return NVRTC's warnings too.

    Args:
        source: as for `compile_source`, and so is what is raised.
        name: as for `compile_source`.
        architecture: as for `compile_source`.
        macros: as for `compile_source`.
        extra_options: as for `compile_source`.
        headers: texts by the name that ``#include`` gives them; NVRTC takes these before it looks for a file.
        instances: kernels and their template arguments, ``tiled<16, float>``, to instantiate and to look up.
    """
    if not _ARCHITECTURE.fullmatch(architecture):
        raise ValueError(f"The architecture is compute_NN (PTX) or sm_NN (cubin), not {architecture!r}.")
    nvrtc, (major, _) = _library()
    options = [f"--gpu-architecture={architecture}", *OPTIONS]
    options += [f"-D{macro}={value}" for macro, value in (macros or {}).items()]
    options += [f"-I{folder}" for folder in header_folders(major)]
    options += extra_options
    # NVRTC takes a name that opens with a dash for an option of its own, and does not return others as they were.
    called = name if _PLAIN_NAME.fullmatch(name) else "source.cu"
    names = [header.encode() for header in headers or {}]
    texts = [text.encode() for text in (headers or {}).values()]
    wanted = list(instances)

    program = _checked(nvrtc, nvrtc.nvrtcCreateProgram(source.encode(), called.encode(), len(names), texts, names))
    try:
        for instance in wanted:
            _checked(nvrtc, nvrtc.nvrtcAddNameExpression(program, instance.encode()))
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [os.fsencode(option) for option in options])
        size = _checked(nvrtc, nvrtc.nvrtcGetProgramLogSize(program))
        log = _text(nvrtc, nvrtc.nvrtcGetProgramLog, program, size)
        if called != name:
            log = log.replace(f"{called}(", f"{name}(")
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise _error(name, log or _checked(nvrtc, nvrtc.nvrtcGetErrorString(status)).decode())
        lowered = {
            instance: _checked(nvrtc, nvrtc.nvrtcGetLoweredName(program, instance.encode())).decode()
            for instance in wanted
        }
        if architecture.startswith("compute_"):
            size = _checked(nvrtc, nvrtc.nvrtcGetPTXSize(program))
            ptx = _with_names_as_given(_text(nvrtc, nvrtc.nvrtcGetPTX, program, size), name, called)
            return CompiledProgram(ptx, log, lowered)
        cubin = bytes(_checked(nvrtc, nvrtc.nvrtcGetCUBINSize(program)))
        _checked(nvrtc, nvrtc.nvrtcGetCUBIN(program, cubin))
        return CompiledProgram(cubin, log, lowered)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


@cache
def _library() -> tuple[Any, tuple[int, int]]:
    try:
        # Here, because nothing of CUDA is imported before something is compiled.
        from cuda.bindings import nvrtc

        # The binding loads the library at the first call, and raises RuntimeError when there is none.
        load_nvrtc_of_the_binding()
        status, major, minor = nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError, OSError) as error:
        raise CompilerMissingError(_missing(error)) from error
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompilerMissingError(_missing(RuntimeError(f"nvrtcVersion answered {status}")))
    return nvrtc, (int(major), int(minor))


def _missing(error: Exception) -> str:
    if sys.platform == "darwin":
        return (
            "NVRTC, CUDA's compiler, does not exist for macOS. The catalogue's kernels run there with the tiles whose "
            "PTX ships with the package; compile files of your own on Linux or Windows."
        )
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return (
        "NVRTC, CUDA's compiler, is not installed (the packages cuda-bindings and nvidia-cuda-nvrtc): "
        f'pip install "tilewright[emulator]", or tilewright[cuda12] or [cuda13] to match a GPU\'s driver. ({reason})'
    )


def _checked(nvrtc: Any, answer: tuple[Any, ...]) -> Any:
    status, *values = answer
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(f"NVRTC answered {status!r}.")
    return values[0] if values else None


def _text(nvrtc: Any, get: Any, program: Any, size: int) -> str:
    buffer = bytes(size)
    _checked(nvrtc, get(program, buffer))
    return buffer.rstrip(b"\0").decode(errors="replace").rstrip()


def _error(name: str, log: str) -> CompileError:
    errors = list(_ERROR.finditer(log))
    if not errors and (end := _AT_END.search(log)):
        line, note = int(end["line"]) if end["line"] else None, end["note"]
        said = f"{end['message']} at the end of the file" + (f", {note}" if note else "")
        return CompileError(end["file"] or name, line, said, log)
    if not errors:
        return CompileError(name, None, " ".join(log.split()) or "NVRTC gives no reason", log)
    first = errors[0]
    return CompileError(first["file"], int(first["line"]), first["message"].strip(), log, errors=len(errors))


def _with_names_as_given(ptx: str, name: str, called: str) -> str:
    """Undo what NVRTC does to relative names in the table of files: the working folder before them, other letters.

    called: what the program was called in place of its name.
    """
    folder = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118  (text as NVRTC has it, not a normalized path)

    def as_given(match: re.Match[str]) -> str:
        path = _OCTAL.sub(_letters, match["path"]).replace("\\\\", "\\")
        if path.startswith(folder) and not name.startswith(folder):
            path = path[len(folder) :].replace("\\", "/")
        if path == called:
            path = name
        return f'{match["start"]}"{path}"'

    return _FILE.sub(as_given, ptx)


def _letters(match: re.Match[str]) -> str:
    return bytes(int(each, 8) for each in match[0].split("\\")[1:]).decode(errors="replace")
