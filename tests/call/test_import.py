"""The package's face: what it offers, and what importing it does not load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tilewright


def test_importing_loads_neither_numpy_nor_cuda_nor_numba():
    """Every name is loaded when it is first used."""
    code = "import sys, tilewright; sys.exit(sum(name in sys.modules for name in ('numpy', 'cuda', 'numba', 'typer')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_multiplying_on_the_host_loads_neither_cuda_nor_numba():
    """NumPy is enough for real work on the host."""
    code = (
        "import sys, tilewright; tilewright.matmul([[1.0]], [[2.0]]);"
        "sys.exit('numba' in sys.modules or 'cuda' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_multiplying_on_the_host_loads_nothing_of_compiling():
    """Neither lists of installed packages nor pools of threads: 18 ms of a first call."""
    code = (
        "import sys, numpy, tilewright; known = set(sys.modules); tilewright.matmul(numpy.eye(2), numpy.eye(2));"
        "print({'importlib.metadata', 'concurrent.futures', 'email.message'} & (set(sys.modules) - known))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", tilewright.__all__)
def test_every_exported_name_exists(name):
    """No name in __all__ is a promise without a thing."""
    assert getattr(tilewright, name) is not None
    assert name in dir(tilewright)


def test_type_checkers_see_the_same_names():
    """What is imported for type checkers is what is loaded on first use, name by name from the same module."""
    tree = ast.parse(Path(tilewright.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]

    assert {name.asname: node.module for node in imports for name in node.names} == {
        name: f"tilewright.{module}" for module, names in tilewright._NAMES.items() for name in names
    }


def test_an_unknown_name_is_an_attribute_error():
    """The lazy exports leave Python's own error alone."""
    with pytest.raises(AttributeError, match="no attribute 'matmull'"):
        _ = tilewright.matmull
