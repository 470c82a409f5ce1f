"""The emulator's compiled code while its sources are changed: what a change cannot reach is not compiled again.

The code is kept by a hash of all sources and of their place, so that each copy of the repository would compile all of
it, and so would each mutant. Units of sources that are the same, of modules that import nothing of the mutant's,
themselves or by others, are what they were: they are taken over.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

EMULATOR = "tilewright.emulate"
FOLDER = "from tilewright.emulate.compiled import cache_folder; print(cache_folder())"
MOST_SECONDS = 1200
"""A mutant may be endless where it is compiled."""
COMPILE_ALL = """
import importlib, pathlib, pkgutil, sys, tilewright.emulate
for module in pkgutil.walk_packages(tilewright.emulate.__path__, "tilewright.emulate."):
    importlib.import_module(module.name)
from tilewright.emulate.compiled import units
from tilewright.emulate.kept_unit import KeptUnit
folder, *taken_over = sys.argv[1:]
for unit in units():
    name, kept = f"{unit.function.__module__}.{unit.function.__name__}", unit.kept
    if name in taken_over and not kept.is_whole():
        code = KeptUnit(pathlib.Path(folder), name, kept._signature).take()
        if code is not None:
            kept.write(code)  # under a key of its own folder
    unit.compiled
"""


class KeptUnits:
    """Compiled code of one copy of the repository, in a folder of its own."""

    def __init__(self, copy: Path) -> None:
        self._environment = variables(copy)
        self._imports = imports_of(copy / "src" / "tilewright")
        self._original: Path | None = None

    def reuse(self, file: str) -> Path | None:
        """Take over what a change of ``file`` leaves as it is, once it is made, and compile the rest, within no test's
        time.

        Returns the changed sources' folder.
        """
        if not file.startswith("emulate/") or self._original is None:
            return None
        said = _said(FOLDER, self._environment)
        if said is None:
            return None
        changed = _module(Path(file))
        same = {unit for unit in _units_in(self._original) if changed not in imported(_module_of(unit), self._imports)}
        self._compile(self._original, same)
        return Path(said)

    def compile(self, tree: Path | None = None) -> None:
        """Compile all of the unchanged sources, but what a tree with the same sources keeps in the user's folder."""
        there = None if tree is None else _said(FOLDER, {**os.environ, "PYTHONPATH": str(tree / "src")})
        of_tree = Path(there or os.devnull)
        self._compile(of_tree, _units_in(of_tree))
        said = _said(FOLDER, self._environment)
        self._original = None if said is None else Path(said)

    def _compile(self, folder: Path, taken_over: Iterable[str]) -> None:
        _said(COMPILE_ALL, self._environment, str(folder), *sorted(taken_over))


def _said(code: str, environment: Mapping[str, str], *arguments: str) -> str | None:
    command = [sys.executable, "-c", code, *arguments]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else done.stdout.strip()


def _units_in(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob(f"{EMULATOR}.*.unit")}


def _module_of(unit: str) -> str:
    return unit.rpartition(".")[0]


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
