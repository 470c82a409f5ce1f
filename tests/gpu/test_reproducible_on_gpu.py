"""What docs/reproducible.md promises of a GPU: run to run, stream to stream, and rows in any batch."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402  (torch decides whether there is anything to test)
from benchmarks.measure import bench_invariant  # noqa: E402
from tests.gpu.torch_tensors import first_gpu  # noqa: E402

DTYPES = ("float16", "bfloat16", "float32", "float64")
SIZES = ((5, 3000, 64), (700, 515, 333), (64, 65536, 64), (2048, 1024, 1024))
"""Rows, inner size and columns: among them products whose k is split."""


@pytest.fixture(scope="module", autouse=True)
def device():
    """The first GPU, as torch has it."""
    return first_gpu()


def normal(dtype, m, k, n, device="cuda"):
    """The same random A and B each time, on any device."""
    generator = torch.Generator().manual_seed(m + k + n)
    a, b = torch.randn((m, k), generator=generator), torch.randn((k, n), generator=generator)
    return a.to(device, getattr(torch, dtype)), b.to(device, getattr(torch, dtype))


def digest(dtype, device="cuda"):
    """A number for the bits of all products of a type."""
    found = hashlib.sha256()
    for sizes in SIZES:
        a, b = normal(dtype, *sizes, device=device)
        found.update(tilewright.matmul(a, b).cpu().view(torch.uint8).numpy().tobytes())
    return found.hexdigest()


@pytest.mark.parametrize("dtype", DTYPES)
def test_run_to_run(dtype):
    """Again here, and in another process."""
    here = digest(dtype)
    assert digest(dtype) == here
    program = f"from tests.gpu.test_reproducible_on_gpu import digest; print(digest({dtype!r}))"
    there = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert there.stdout.split()[-1] == here


@pytest.mark.parametrize("dtype", DTYPES)
def test_stream_to_stream(dtype):
    """While others run beside it."""
    streams = [torch.cuda.Stream() for _ in range(4)]
    for sizes in SIZES:
        a, b = normal(dtype, *sizes)
        expected = tilewright.matmul(a, b)
        torch.cuda.synchronize()
        results = []
        for stream in streams:
            with torch.cuda.stream(stream):
                results.append(tilewright.matmul(a, b))
        torch.cuda.synchronize()
        assert all(torch.equal(result, expected) for result in results)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_in_any_batch(dtype):
    """Alone, some of them, at any alignment, in batches, with an epilogue."""
    for m, k, n in SIZES:
        a, b = normal(dtype, m, k, n)
        options = {"bias": b[0].contiguous(), "activation": "silu"}
        whole = tilewright.matmul(a, b, invariant=True, **options)
        for first, last in ((0, 1), (m - 1, m), (1, m), (m // 3, m // 2 + 1), (0, min(m, 17))):
            part = tilewright.matmul(a[first:last], b, invariant=True, **options)
            assert torch.equal(part.view(torch.uint8), whole[first:last].view(torch.uint8)), (m, k, n, first, last)
        batch = tilewright.matmul(a.expand(3, m, k), b, invariant=True, **options)
        assert torch.equal(batch, whole.expand(3, m, n))
        plan = tilewright.plan(a[:3], b, invariant=True, **options)
        assert torch.equal(plan(a[:3], b, bias=options["bias"]), whole[:3])


@pytest.mark.parametrize("dtype", bench_invariant.DTYPES)
def test_a_thousand_random_splits(dtype):
    """Of random products in all sizes, a part of them with an epilogue or with B as columns: all bits are compared."""
    found = bench_invariant.prove(dtype, splits=1000, seed=1)
    assert (found["splits"], found["other_bits"]) == (1000, 0)
    assert found["products"] >= 50
