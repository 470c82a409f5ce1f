"""Packages whose names are loaded when they are first used, and what `from package import *` brings of each package."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

LAZY = ("tilewright", "tilewright.emulate", "tilewright.emulate.observers")
EAGER = (
    *("tilewright.choose", "tilewright.compile", "tilewright.kernels", "tilewright.launch"),
    *("tilewright.lab.compare", "tilewright.lab.limited", "tilewright.lab.plots", "tilewright.lab.report"),
    *("tilewright.lab.source", "tilewright.lab.sweep"),
)


def offered(package: str) -> set[str]:
    """Return the names that a package's text imports for others, where it imports from itself or another of ours."""
    module = import_module(package)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    if package in LAZY:
        block = next(node for node in tree.body if isinstance(node, ast.If))
        return {name.name for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names}
    return set(getattr(module, "__all__", ())) or {
        name.name for node in tree.body if isinstance(node, ast.ImportFrom) and is_own(node) for name in node.names
    } - {"renamed"}


def is_own(node: ast.ImportFrom) -> bool:
    """Return whether an import is from this package."""
    return node.level > 0 or (node.module or "").startswith("tilewright")


def starred(package: str) -> set[str]:
    """Return the names that a star import brings."""
    names: dict[str, object] = {}
    exec(f"from {package} import *", names)  # noqa: S102  (our own text)
    return set(names) - {"__builtins__"}


@pytest.mark.parametrize("package", LAZY + EAGER)
def test_a_star_import_brings_a_package_s_names(package):
    """Those that are loaded when they are first used are loaded then."""
    assert len(offered(package)) >= 2
    assert offered(package) <= starred(package)


@pytest.mark.parametrize("package", LAZY)
def test_a_star_import_brings_nothing_else(package):
    """Not `annotations`, nor what the package itself is made with."""
    assert starred(package) - offered(package) <= {"__version__"}


def test_no_star_import_loads_a_gpu_library():
    """Nor does a plain import of a lazy package load NumPy or Numba."""
    stars = "\n".join(f"from {package} import *" for package in LAZY + EAGER)
    code = f"""import sys, {", ".join(LAZY)}
loaded = [name for name in ("numpy", "numba") if name in sys.modules]
{stars}
loaded += [name for name in ("cuda", "cupy", "jax", "torch", "matplotlib") if name in sys.modules]
print(*loaded)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
