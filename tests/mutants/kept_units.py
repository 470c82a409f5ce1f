"""The emulator's compiled code while its sources are changed: what a change cannot reach is not compiled again.

The code is kept by a hash of all sources, so that each mutant would compile all of it. Units of modules that import
nothing of the mutant's, themselves or by others, are what they were: they are copied.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

EMULATOR = "tilewright.emulate"
FOLDER = "from tilewright.emulate.compiled import cache_folder; print(cache_folder())"
MOST_SECONDS = 1200
"""A mutant may be endless where it is compiled."""
COMPILE_ALL = """
import importlib, pkgutil, tilewright.emulate
for module in pkgutil.walk_packages(tilewright.emulate.__path__, "tilewright.emulate."):
    importlib.import_module(module.name)
from tilewright.emulate.compiled import units
for unit in units():
    unit.compiled
"""


class KeptUnits:
    """Compiled code of one copy of the repository, in a folder of its own."""

    def __init__(self, copy: Path) -> None:
        self._environment = variables(copy)
        self._imports = imports_of(copy / "src" / "tilewright")
        self._original: Path | None = None

    def reuse(self, file: str) -> Path | None:
        """Copy what a change of ``file`` leaves as it is, once it is made, and compile the rest, within no test's time.

        Returns the changed sources' folder.
        """
        if not file.startswith("emulate/") or self._original is None:
            return None
        said = self._said(FOLDER)
        if said is None:
            return None
        folder, changed = Path(said), _module(Path(file))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for unit in self._original.glob(f"{EMULATOR}.*.unit"):
            if changed not in imported(unit.name.rsplit(".", 2)[0], self._imports):
                shutil.copy2(unit, folder / unit.name)
        self._said(COMPILE_ALL)
        return folder

    def compile(self) -> None:
        """Compile all of the unchanged sources."""
        self._said(COMPILE_ALL)
        said = self._said(FOLDER)
        self._original = None if said is None else Path(said)

    def _said(self, code: str) -> str | None:
        command = [sys.executable, "-c", code]
        try:
            done = subprocess.run(
                command, env=self._environment, capture_output=True, text=True, check=False, timeout=MOST_SECONDS
            )
        except subprocess.TimeoutExpired:
            return None
        return None if done.returncode else done.stdout.strip()


def imports_of(package: Path) -> dict[str, set[str]]:
    """Return which modules of the emulator each one names in its imports; packages' own files hold no code."""
    files = {_module(path.relative_to(package)): path for path in (package / "emulate").rglob("*.py")}
    return {module: _named_in(path, module) & files.keys() for module, path in files.items()}


def imported(module: str, imports: Mapping[str, set[str]]) -> set[str]:
    """Return a module and all that it imports, itself or by others."""
    found: set[str] = set()
    left = [module]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += imports.get(each, ())
    return found


def _module(file: Path) -> str:
    """A file's module; that of a package is named with ``__init__``, and imported by nobody under that name."""
    return ".".join(("tilewright", *file.with_suffix("").parts))


def _named_in(path: Path, module: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: -node.level] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            found |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
    return found


def without(folder: Path | None) -> None:
    """Remove a mutant's code."""
    if folder is not None and folder.name:
        shutil.rmtree(folder, ignore_errors=True)


def variables(copy: Path) -> dict[str, str]:
    """Environment variables for processes that run a copy's sources, with folders of its own."""
    paths = os.pathsep.join([str(copy / "src"), str(copy), *filter(None, [os.environ.get("PYTHONPATH")])])
    changed = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "TILEWRIGHT_CACHE": str(copy / ".cache")}
    return {**os.environ, **changed}
