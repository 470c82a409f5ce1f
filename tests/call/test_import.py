"""The package's face: what it offers, and what importing it does not load."""

import subprocess
import sys

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


@pytest.mark.parametrize("name", tilewright.__all__)
def test_every_exported_name_exists(name):
    """No name in __all__ is a promise without a thing."""
    assert getattr(tilewright, name) is not None
    assert name in dir(tilewright)


def test_an_unknown_name_is_an_attribute_error():
    """The lazy exports leave Python's own error alone."""
    with pytest.raises(AttributeError, match="no attribute 'matmull'"):
        _ = tilewright.matmull
