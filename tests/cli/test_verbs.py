"""The verbs besides compare, and how quantities are written."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

import tilewright
from tilewright import cli
from tilewright.choose.quantities import duration, extent, magnitude, three_digits
from tilewright.kernels import TAUGHT, kernels_of
from tilewright.launch import Gpu
from tilewright.launch.cuda import driver


def output(capsys, *arguments):
    """Run; what it printed."""
    assert cli.run(arguments) == cli.PASSED
    return capsys.readouterr().out


def test_kernels_lists_the_catalogue(capsys):
    """Every kernel, with its seeds."""
    text = output(capsys, "kernels")

    for kernel in TAUGHT:
        assert kernel.idea in text
    for operation in ("matmul", "reduced_matmul", "dot"):
        assert operation in text
    for chip_kernel in set(kernels_of("matmul")) - set(TAUGHT):
        (line,) = [line for line in text.splitlines() if line.startswith(f"{chip_kernel.idea} ")]
        assert "gpu, emulator" in line


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 86, 87, 88, 100, 200])
def test_no_terminal_is_too_narrow_for_the_kernels(capsys, monkeypatch, columns):
    """Every word of the catalogue is there at every width."""
    monkeypatch.setenv("COLUMNS", str(columns))
    text = output(capsys, "kernels")

    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    words = set(text.split())
    for kernel in TAUGHT:
        assert {kernel.idea, *kernel.seeds, *kernel.summary.split()} <= words
        assert kernel.tile is None or str(kernel.tile.largest) in words


def test_kernels_prints_a_source(capsys):
    """The text is the file's, unchanged."""
    kernel = TAUGHT[1]

    assert output(capsys, "kernels", kernel.name).rstrip() == kernel.source_text().rstrip()


def test_explain_prints_the_plan(capsys):
    """Kernel, tile, grid and block, and why."""
    text = output(capsys, "explain", "--kernel", "tiled", "--tile", "8", "--device", "emulator")

    assert "matmul/tiled" in text
    assert "8 x 8 x 1" in text
    assert "Tile 8 was asked for" in text


def test_devices_without_a_driver(capsys, monkeypatch):
    """The host is always there, and what is missing has a remedy."""
    report = driver.DriverReport(problem="no NVIDIA driver was found")
    for module in ("tilewright.cli.devices", "tilewright.launch.cuda.gpu"):
        monkeypatch.setattr(f"{module}.driver_report", lambda: report)
    text = output(capsys, "devices")

    for words in ("no NVIDIA driver was found", "tilewright[cuda13]", "emulator", "host", "NumPy"):
        assert words in text


def test_devices_names_the_driver_and_the_gpus(capsys, monkeypatch):
    """Release, newest CUDA, name and memory; and what is missing to use them."""
    gpu = Gpu("NVIDIA H200", (9, 0), 141 * 2**30)
    report = driver.DriverReport("580.159.03", (13, 0), (gpu,), None)
    for module in ("tilewright.cli.devices", "tilewright.launch.cuda.gpu"):
        monkeypatch.setattr(f"{module}.driver_report", lambda: report)
    monkeypatch.setitem(sys.modules, "cuda", SimpleNamespace())
    from tilewright.launch import open_machine

    open_machine.cache_clear()
    text = output(capsys, "devices")

    for words in (
        "580.159.03",
        "CUDA up to 13.0",
        "NVIDIA H200, compute capability 9.0, 141 GiB",
        "tilewright[cuda13]",
    ):
        assert words in text


def test_the_version(capsys):
    """The package's own."""
    assert tilewright.__version__ in output(capsys, "--version")


def test_help_without_arguments(capsys):
    """A newcomer who types only the name sees the verbs."""
    text = output(capsys)

    for verb in ("compare", "explain", "kernels", "devices"):
        assert verb in text


def test_python_dash_m():
    """The command works where no script is on the path."""
    ended = subprocess.run(
        [sys.executable, "-m", "tilewright", "--version"], capture_output=True, text=True, check=True
    )

    assert ended.stdout.strip().endswith(tilewright.__version__)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0, "0us"),
        (2.5e-7, "0.250us"),
        (1.234e-5, "12.3us"),
        (9.996e-4, "1.00ms"),
        (0.25, "250ms"),
        (83, "83.0s"),
    ],
)
def test_durations_have_three_digits_and_a_unit(seconds, text):
    """No exponents, and no digits that mean nothing."""
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (0, "0"), (0.01234, "0.012"), (1.236, "1.24"), (12.36, "12.4"), (12345.6, "12346")]
)
def test_rates_have_three_digits(value, text):
    """GFLOP/s from a slow emulator to a fast GPU."""
    assert three_digits(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (0, "0"), (3.14e-6, "3.1e-6"), (3.83, "3.8"), (float("inf"), "inf")]
)
def test_errors_have_two_digits_and_an_exponent(value, text):
    """Short enough for a table."""
    assert magnitude(value) == text


@pytest.mark.parametrize(
    ("size", "text"), [((4, 4, 1), "4x4"), ((10, 1, 1), "10"), ((1, 7, 1), "1x7"), ((2, 3, 4), "2x3x4"), (None, "-")]
)
def test_extents_leave_out_trailing_ones(size, text):
    """As CUDA's dim3 is written."""
    assert extent(size) == text
