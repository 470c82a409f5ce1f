"""The kernels of a GPU's plan, compiled for the chip at hand: from memory, from disk, or by NVRTC."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import PackageNotFoundError, version
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
from tilewright.kernels.launch import Launch

FIRST_WITH_OWN_INSTRUCTIONS = 90
"""From compute capability 9.0 on, a chip has instructions (wgmma) that only code for it alone may use: sm_90a."""

KERNELS = Path(kernels.__file__).parent
COMPILER_PACKAGES = ("cuda-bindings", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime", "nvidia-cuda-crt", "nvidia-cuda-cccl")

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
_codes: dict[bytes, Code] = {}
_lock = threading.Lock()


def compile_launches(launches: Sequence[Launch], capability: tuple[int, int]) -> list[Code]:
    """Compile the kernel of each launch, several at a time, for a chip of this compute capability.

    Raises:
        CompileError: NVRTC refused a source.
        CompilerMissingError: there is no NVRTC, or it makes no code for this chip.
    """
    keys = [_key(launch, capability) for launch in launches]
    missing = [(key, launch) for key, launch in dict(zip(keys, launches, strict=True)).items() if not _is_loaded(key)]
    if len(missing) == 1:
        _compile(missing[0][0], missing[0][1], capability)
    elif missing:
        with ThreadPoolExecutor(len(missing)) as pool:
            list(pool.map(lambda item: _compile(item[0], item[1], capability), missing))
    return [_codes[key] for key in keys]


def own_headers(source: str) -> dict[str, str]:
    """Return the headers of the package that a source includes, theirs too, by the names that it and they use.

    ``source`` is relative to `kernels/`, as `Launch.source` is; names are relative to the file that
    includes, or to the source's folder.
    """
    found: dict[str, str] = {}
    waiting = [KERNELS / source]
    while waiting:
        path = waiting.pop()
        for name in _INCLUDE.findall(path.read_text(encoding="utf-8")):
            for folder in (path.parent, (KERNELS / source).parent):
                header = folder / name
                if name not in found and header.is_file():
                    found[name] = header.read_text(encoding="utf-8")
                    waiting.append(header)
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


def _compile(key: bytes, launch: Launch, capability: tuple[int, int]) -> None:
    architecture = architecture_of(capability)
    program = compile_with_headers(
        _text(launch),
        f"tilewright/kernels/{launch.source}",
        architecture=architecture,
        macros=dict(launch.macros),
        headers=own_headers(launch.source),
    ).code
    code = Code(program.encode() + b"\0", is_ptx=True) if isinstance(program, str) else Code(program)
    with _lock:
        _codes[key] = code
    keep_code(key, code)


def _key(launch: Launch, capability: tuple[int, int]) -> bytes:
    """The hash of all that decides what the compiler makes; each part is preceded by its length."""
    parts = [tilewright.__version__, _compiler(), str(capability), launch.source, _text(launch), *OPTIONS]
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
    found = []
    for name in COMPILER_PACKAGES:
        for package in (name, f"{name}-cu12"):
            try:
                found.append(f"{package} {version(package)}")
            except PackageNotFoundError:
                continue
    if not any("nvrtc" in package for package in found):
        found.append(f"NVRTC {nvrtc_version()}")
    return ", ".join(found)
