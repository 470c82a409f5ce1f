"""Where Numba is missing or broken, whatever needs it names the extra that brings it."""

import subprocess
import sys

import pytest

CODE = """
from tilewright.launch import DeviceUnavailableError, host, open_machine

for use in (host.load_twins, lambda: open_machine("emulator")):
    try:
        use()
    except DeviceUnavailableError as error:
        print(error)
import tilewright.emulate
"""


@pytest.mark.parametrize(
    ("numba", "words"),
    [
        ("raise ModuleNotFoundError('No module named numba', name='numba')", "Numba, which is not installed: pip"),
        ("raise ImportError('Numba needs NumPy 2.3 or less')", "cannot be imported (Numba needs NumPy 2.3 or less)"),
    ],
)
def test_the_extra_is_named(tmp_path, numba, words):
    """The sequential kernels and the emulator say what is the matter; neither mentions llvmlite."""
    (tmp_path / "numba.py").write_text(numba)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{CODE}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert ended.stdout.count(words) == 2
    assert ended.stdout.count('pip install "tilewright[emulator]"') == 2
    assert "llvmlite" not in ended.stdout


def test_importing_the_emulator_names_the_extra():
    """The last line of the traceback is the remedy."""
    code = "import sys; sys.modules['numba'] = None; from tilewright.emulate import Emulator"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: The emulator runs through Numba")
    assert last.endswith('pip install "tilewright[emulator]".')
