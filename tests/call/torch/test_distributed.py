"""Products of DTensors in several processes of one machine, by gloo: every pair of placements against one process."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow  # torch alone takes seconds to import, and only `make test-all` installs it

WORKS = (
    "pairs_of_placements",
    "many_in_a_row",
    "epilogues",
    "other_operations",
    "types_and_bits",
    "refusals",
    "others_of_torchs",
)


@pytest.fixture(scope="module")
def processes():
    """The functions that run in processes."""
    torch = pytest.importorskip("torch", reason="torch is not installed: make test-all brings it")
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("this torch has no gloo")
    from tests.call.torch import processes

    return processes


@pytest.mark.parametrize(
    ("work", "count"),
    [*((work, 2) for work in WORKS), ("pairs_of_placements", 4)],
)
def test_in_processes(processes, tmp_path, work, count):
    """Each process asserts; one that fails ends all, with its traceback."""
    processes.run(work, count, tmp_path)


def test_a_mesh_of_two_dimensions(processes, tmp_path):
    """Pairs of placements over both."""
    processes.run("pairs_on_a_mesh_of_two_dimensions", 4, tmp_path)


def test_torch_is_not_imported():
    """Nor torch.distributed.tensor by a product of plain tensors, gradients or not."""
    code = (
        "import sys, tilewright; assert 'torch' not in sys.modules; import torch; "
        "x = torch.ones(3, 3, requires_grad=True); tilewright.matmul(x, x).sum().backward(); "
        "assert 'tilewright.call.torch.distributed' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
