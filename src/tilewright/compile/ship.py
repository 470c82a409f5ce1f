"""Write the PTX that ships with the package: ``python -m tilewright.compile.ship``.

The files are the same bytes whenever the sources, the options and NVRTC are the same: comments are stripped, and
the compressed files carry neither a name nor a time. ``manifest.json`` says what they were compiled from.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from tilewright.compile.nvrtc import OPTIONS, CompilerMissingError, nvrtc_version
from tilewright.compile.planned import fresh_code, own_headers
from tilewright.compile.shipped import ARCHITECTURE, FOLDER, file_name, shipped_variants, usual_launch

MANIFEST = "manifest.json"


def fresh_programs() -> dict[str, str]:
    """Compile everything that ships; return file name to PTX without comments."""
    launches = [usual_launch(*variant) for variant in shipped_variants()]
    codes = {file_name(launch): fresh_code(launch, ARCHITECTURE) for launch in launches}
    return {name: without_comments(code.ptx) for name, code in codes.items()}


def without_comments(ptx: str) -> str:
    """Return PTX without its ``//`` lines, which name the compiler's build, and without blank lines."""
    lines = (line.rstrip() for line in ptx.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.lstrip().startswith("//"))


def fresh_manifest() -> dict[str, Any]:
    """Return what the shipped files are compiled from: compiler, options, and a digest of each source."""
    major, minor = nvrtc_version()
    return {
        "nvrtc": f"{major}.{minor}",
        "architecture": ARCHITECTURE,
        "options": list(OPTIONS),
        "sources": source_digests(),
    }


def source_digests() -> dict[str, str]:
    """Return the SHA-256 of each kernel file that ships as PTX, with the headers of ours that it includes."""
    kernels = {kernel.source: kernel for kernel, _, _ in shipped_variants()}
    texts = {
        source: kernel.source_text() + "".join(text for _, text in sorted(own_headers(source).items()))
        for source, kernel in kernels.items()
    }
    return {source: hashlib.sha256(text.encode()).hexdigest() for source, text in texts.items()}


def ship(folder: Path = FOLDER) -> int:
    """Write the files, remove those that no longer ship; return how many were written."""
    programs = fresh_programs()
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.ptx.gz"):
        if old.name not in programs:
            old.unlink()
    for name, ptx in programs.items():
        (folder / name).write_bytes(gzip.compress(ptx.encode("ascii"), compresslevel=9, mtime=0))
    (folder / MANIFEST).write_text(json.dumps(fresh_manifest(), indent=2) + "\n", encoding="utf-8", newline="\n")
    return len(programs)


def main() -> int:
    """Ship, and say what was written; 2 where there is no NVRTC."""
    try:
        count = ship()
    except CompilerMissingError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    size_bytes = sum(path.stat().st_size for path in FOLDER.iterdir())
    sys.stdout.write(f"{count} programs, {size_bytes:,} bytes, in {FOLDER}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
