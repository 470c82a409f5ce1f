"""The host's arrays by way of the GPU: right, in every type and layout, from many threads, and as the rule says."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tilewright
from tests.gpu.threads import at_once
from tilewright.call import trip_rates
from tilewright.launch import DeviceUnavailableError
from tilewright.launch.cuda.device import cuda_device


@pytest.fixture(autouse=True, scope="module")
def device():
    """The first GPU."""
    try:
        return cuda_device(0)
    except DeviceUnavailableError as unavailable:
        pytest.skip(str(unavailable))


def numbers(*shape, dtype="float32", seed=0):
    """Small integers, so that sums are exact."""
    return numpy.random.default_rng(seed + sum(shape)).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f4"])
@pytest.mark.parametrize("sizes", [(1, 1, 1), (65, 33, 70), (3000, 2100, 1500)])
def test_matrices(dtype, sizes):
    """Pieces of the pinned buffers, whole and in part; exact."""
    m, n, k = sizes
    a, b = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype)

    result = tilewright.matmul(a, b, device="gpu")

    numpy.testing.assert_array_equal(result, a.astype("f4") @ b.astype("f4"))
    assert result.dtype == (a @ b[:, :1]).dtype


def test_layouts():
    """Transposed, sliced, reversed, repeated, batches."""
    a, b = numbers(40, 600, 500), numbers(40, 300, 500)
    for x, y in (
        (a, b.transpose(0, 2, 1)),
        (a[0].T, numbers(600, 90)),
        (a[:, ::2, ::-1], b[:1].transpose(0, 2, 1)),
        (numpy.broadcast_to(a[0], (7, 600, 500)), b[3].T),
        (a[0, 0], b[0].T),
        (a[0], b[0, 0]),
    ):
        numpy.testing.assert_array_equal(tilewright.matmul(x, y, device="gpu"), x @ y)


def test_other_libraries_of_the_host():
    """Torch's tensors and JAX's arrays of the host go and come back as what they are."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    a, b = numbers(300, 200), numbers(200, 100)

    c = tilewright.matmul(torch.from_numpy(a), torch.from_numpy(b), device="gpu")

    assert isinstance(c, torch.Tensor)
    assert not c.is_cuda
    numpy.testing.assert_array_equal(c.numpy(), a @ b)


def test_threads():
    """Eight at once, each with shapes of its own."""
    wrong = []

    def work(number):
        for turn in range(5):
            a, b = numbers(100 + number, 90 + turn), numbers(90 + turn, 80, seed=number)
            if not numpy.array_equal(tilewright.matmul(a, b, device="gpu"), a @ b):
                wrong.append((number, turn))

    at_once(work, range(8))
    assert wrong == []


def test_auto_does_what_the_plan_says():
    """Rates are measured here; what uses each byte often goes, a thin product stays; both are right."""
    rates = trip_rates.measured_rates("float32")
    assert rates is not None
    assert all(rate > 0 for rate in vars(rates).values())
    thick, thin = numbers(4096, 4096), numbers(4096, 4)
    for a, b in ((thick, thick), (thick, thin)):
        plan: Any = tilewright.explain(a, b)
        assert ("GPU and back" in plan.reasons[0]) == (plan.reasons[0].startswith("The arrays go"))
        numpy.testing.assert_array_equal(tilewright.matmul(a, b)[:64], a[:64] @ b)
    assert plan.machine == "host"
