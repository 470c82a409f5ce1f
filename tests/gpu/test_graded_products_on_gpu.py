"""Graded products of torch's, CuPy's and JAX's arrays on a GPU."""

from __future__ import annotations

import pytest

from tests.call.graded_products import DTYPES, PRODUCTS, check
from tests.gpu.gpu_libraries import NAMES, opened
from tilewright.launch import DeviceUnavailableError
from tilewright.launch.cuda.device import cuda_device


@pytest.fixture(params=NAMES, scope="module")
def library(request):
    """A library on the first GPU."""
    try:
        cuda_device(0)
    except DeviceUnavailableError as unavailable:
        pytest.skip(str(unavailable))
    with opened(request.param) as found:
        yield found


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PRODUCTS)
def test_on_a_gpu(library, name, dtype):
    """By the kernel that is chosen."""
    check(library, name, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PRODUCTS)
def test_into_an_out_of_nan(library, name, dtype):
    """What was there is overwritten, and not read; JAX's arrays are read-only."""
    if library.xp.__name__ == "jax.numpy":
        with pytest.raises(ValueError, match="read-only"):
            check(library, name, dtype, out=True)
        return
    check(library, name, dtype, out=True)
