"""The rule of .ci/run about skipped tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import conftest

ALLOWED, REFUSED = "3 skipped, 1 xfailed", "1 failed, 1 xfailed, 2 errors"
CONFTEST = Path(__file__).parent / "conftest.py"
SKIPS = {
    "call": "import pytest\ndef test_it():\n    pytest.skip('no browser')\n",
    "mark": "import pytest\n@pytest.mark.skip(reason='no browser')\ndef test_it():\n    pass\n",
    "module": "import pytest\npytest.skip('no browser', allow_module_level=True)\n",
}


@pytest.mark.parametrize(
    ("name", "gpus", "fails"),
    [
        ("test_products_on_gpu.py", "", False),
        ("test_products_on_gpu.py", "1", True),
        ("test_two_gpus.py", "1", False),
        ("test_two_gpus.py", "2", True),
    ],
)
def test_a_machine_has_as_many_gpus_as_it_says(monkeypatch, name, gpus, fails):
    """A skip for want of a second GPU fails only where two are required."""
    assert (conftest.GPU_TESTS / conftest.TWO_GPUS).is_file()
    monkeypatch.setenv("TILEWRIGHT_REQUIRE_GPU", gpus)

    assert conftest.skip_is_failure(conftest.GPU_TESTS / name) == fails


def closing_line(folder: Path, tests: Path, environment: dict[str, str], workers: int) -> str:
    """Run three skipped tests and an expected failure under the project's conftest; how pytest closes."""
    (folder / "conftest.py").write_text(CONFTEST.read_text())
    tests.mkdir(exist_ok=True)
    for way, source in SKIPS.items():
        (tests / f"test_{way}.py").write_text(source)
    expected_failure = "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_it():\n    raise ValueError\n"
    (tests / "test_expected_failure.py").write_text(expected_failure)
    inherited = {key: value for key, value in os.environ.items() if key not in {"CI", "TILEWRIGHT_REQUIRE_GPU"}}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"),
            *("--rootdir", str(folder), "--continue-on-collection-errors", "-n", str(workers), str(folder)),
        ],
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    closing = done.stdout.splitlines()[-1].partition(" in ")[0]
    assert (done.returncode == 0) == (closing == ALLOWED)
    assert done.returncode == 0 or done.stdout.count("no browser") >= len(SKIPS)
    return closing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "environment", "workers", "expected"),
    [
        pytest.param(".", {}, 0, ALLOWED, id="desk"),
        pytest.param(".", {"CI": "true"}, 0, REFUSED, id="CI-alone"),
        pytest.param(".", {"CI": "true"}, 2, REFUSED, id="CI"),
        pytest.param("gpu", {"CI": "true"}, 2, ALLOWED, id="CI-without-GPU"),
        pytest.param("gpu", {"TILEWRIGHT_REQUIRE_GPU": "1"}, 0, REFUSED, id="machine-with-GPU"),
    ],
)
def test_skips_fail_where_they_must(tmp_path, folder, environment, workers, expected):
    """However a test is skipped, it fails under CI unless it needs a GPU, and with a GPU if it needs one."""
    assert closing_line(tmp_path, tmp_path / folder, environment, workers) == expected
