"""The kernels of a plan, compiled for a chip or to PTX: from memory, from disk, by NVRTC, or from the package."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import tilewright
from tilewright import kernels
from tilewright.compile.kept_code import Code, keep_code, read_code
from tilewright.compile.nvrtc import (
    OPTIONS,
    CompilerMissingError,
    compile_with_headers,
    nvrtc_version,
    supported_architectures,
)
from tilewright.compile.shipped import ARCHITECTURE, file_name, ptx_in, shipped_instead
from tilewright.kernels.launch import Launch

Target = str | tuple[int, int]
"""A chip's compute capability, or an architecture as NVRTC calls it: compute_90 for PTX."""

FIRST_WITH_OWN_INSTRUCTIONS = 90
"""From compute capability 9.0 on, a chip has instructions (wgmma) that only code for it alone may use: sm_90a."""

KERNELS = Path(kernels.__file__).parent
COMPILER_PACKAGES = ("cuda-bindings", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime", "nvidia-cuda-crt", "nvidia-cuda-cccl")

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
_codes: dict[bytes, Code] = {}
_lock = threading.Lock()


def compile_launches(launches: Sequence[Launch], target: Target) -> list[Code]:
    """Compile the kernel of each launch, several at a time. Without NVRTC, PTX comes from the package where it ships.

    Raises:
        CompileError: NVRTC refused a source.
        CompilerMissingError: there is no NVRTC, and the package has no such PTX, or NVRTC makes no code for this chip.
    """
    keys = [_key(launch, target) for launch in launches]
    missing = [(key, launch) for key, launch in dict(zip(keys, launches, strict=True)).items() if not _is_loaded(key)]
    if len(missing) == 1:
        _compile(missing[0][0], missing[0][1], target)
    elif missing:
        from concurrent.futures import ThreadPoolExecutor  # with logging; a product on the host needs neither

        with ThreadPoolExecutor(len(missing)) as pool:
            list(pool.map(lambda item: _compile(item[0], item[1], target), missing))
    return [_codes[key] for key in keys]


def ptx_of(launch: Launch, architecture: str = ARCHITECTURE) -> str:
    """Return a launch's kernel as PTX. Raises as `compile_launches`."""
    return compile_launches([launch], architecture)[0].ptx


def own_headers(source: str) -> dict[str, str]:
    """Return the headers of the package that a source includes, theirs too, by name.

    ``source`` and the names are relative to `kernels/`, as `Launch.source` and every include in quotes are.
    """
    found: dict[str, str] = {}
    texts = [(KERNELS / source).read_text(encoding="utf-8")]
    while texts:
        for name in _INCLUDE.findall(texts.pop()):
            if name not in found:
                found[name] = (KERNELS / name).read_text(encoding="utf-8")
                texts.append(found[name])
    return found


def architecture_of(capability: tuple[int, int]) -> str:
    """Return what to ask NVRTC for: `sm_90a` for a chip that it knows, `compute_90` (PTX) for one that is newer.

    Raises:
        CompilerMissingError: there is no NVRTC, or it has dropped the chip.
    """
    number = 10 * capability[0] + capability[1]
    supported = supported_architectures()
    if number in supported:
        return f"sm_{number}a" if number >= FIRST_WITH_OWN_INSTRUCTIONS else f"sm_{number}"
    older = [known for known in supported if known < number]
    if not older:
        release = ".".join(map(str, nvrtc_version()))
        raise CompilerMissingError(
            f"NVRTC {release} makes no code for compute capability {capability[0]}.{capability[1]}; an older one does: "
            'pip install "tilewright[cuda12]".'
        )
    return f"compute_{max(older)}"


def _is_loaded(key: bytes) -> bool:
    """Whether the code is in memory, or on disk and now in memory."""
    if key in _codes:
        return True
    code = read_code(key)
    if code is None:
        return False
    with _lock:
        _codes.setdefault(key, code)
    return True


def _compile(key: bytes, launch: Launch, target: Target) -> None:
    try:
        code = fresh_code(launch, target if isinstance(target, str) else architecture_of(target))
    except CompilerMissingError as missing:
        code = _from_package(launch, target, missing)
    with _lock:
        _codes[key] = code
    if not code.from_package:
        keep_code(key, code)


def fresh_code(launch: Launch, architecture: str) -> Code:
    """Compile a launch's kernel, whatever is kept of it. Raises as `compile_launches`, without PTX from the package."""
    program = compile_with_headers(
        _text(launch),
        launch.source_name,
        architecture=architecture,
        macros=dict(launch.macros),
        headers=own_headers(launch.source),
    ).code
    return Code(program.encode() + b"\0", is_ptx=True) if isinstance(program, str) else Code(program)


def _from_package(launch: Launch, target: Target, missing: CompilerMissingError) -> Code:
    """The PTX that ships, which the driver compiles for chips from the architecture on that it is for."""
    if not (target >= (9, 0) if isinstance(target, tuple) else target == ARCHITECTURE):
        what = target if isinstance(target, str) else f"sm_{target[0]}{target[1]}"
        raise CompilerMissingError(f"{launch.kernel} cannot be compiled for {what}. {missing}") from missing
    ptx = ptx_in(file_name(launch))
    if ptx is None:
        tile = dict(launch.macros).get("TILE")
        raise CompilerMissingError(
            f"{launch.kernel}{f' with tile {tile}' if tile else ''} is not among the programs that ship with the "
            f"package: {shipped_instead(launch)}, or install NVRTC. {missing}"
        ) from missing
    return Code(ptx.encode() + b"\0", is_ptx=True, from_package=True)


def _key(launch: Launch, target: Target) -> bytes:
    """The hash of all that decides what the compiler makes; each part is preceded by its length."""
    parts = [tilewright.__version__, _compiler(), str(target), launch.source, _text(launch), *OPTIONS]
    for name, value in (*launch.macros, *sorted(own_headers(launch.source).items())):
        parts += [name, value]
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.digest()


def _text(launch: Launch) -> str:
    return (KERNELS / launch.source).read_text(encoding="utf-8")


@cache
def _compiler() -> str:
    """NVRTC and the CUDA headers by the versions of their packages: loading NVRTC to ask it takes longer than a start.

    Where NVRTC comes from no package, it is asked.
    """
    from importlib import metadata

    found = []
    for name in COMPILER_PACKAGES:
        for package in (name, f"{name}-cu12"):
            try:
                found.append(f"{package} {metadata.version(package)}")
            except metadata.PackageNotFoundError:
                continue
    if not any("nvrtc" in package for package in found):
        try:
            found.append(f"NVRTC {nvrtc_version()}")
        except CompilerMissingError:
            found.append("none")
    return ", ".join(found)
