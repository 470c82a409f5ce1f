"""JAX's sharded arrays under jit keep their sharding, and nothing is gathered that need not be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # JAX takes a second to import, and only `make test-all` installs it

WORKS = (
    *("every_sharding", "no_more_than_jax_sends", "epilogues", "sums_are_rounded_once"),
    *("batches_vectors_and_gradients", "named_kernels_and_refusals", "older_partitioner"),
)


@pytest.mark.parametrize("work", WORKS)
def test_on_four_devices_of_the_host(work):
    """In a process of its own, which asserts."""
    pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    done = subprocess.run(
        [sys.executable, "-m", "tests.call.jax.sharded_products", work],
        cwd=Path(__file__).parents[3],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
