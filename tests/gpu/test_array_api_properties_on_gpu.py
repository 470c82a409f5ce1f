"""matmul, vecdot and tensordot as the array API standard states them, for torch, CuPy and JAX on a GPU."""

from __future__ import annotations

import pytest

from tests.call import array_api_properties as properties
from tests.call.array_api_properties import drawn
from tests.gpu.gpu_libraries import NAMES, opened
from tilewright.launch import DeviceUnavailableError
from tilewright.launch.cuda.device import cuda_device

EXAMPLES = 6
"""JAX compiles each shape anew."""


@pytest.fixture(params=NAMES, scope="module")
def library(request):
    """A library on the first GPU."""
    try:
        cuda_device(0)
    except DeviceUnavailableError as unavailable:
        pytest.skip(str(unavailable))
    with opened(request.param) as found:
        yield found


test_matmul = drawn(EXAMPLES, properties.MATMUL)(properties.check_matmul)
test_vecdot = drawn(EXAMPLES, properties.VECDOT)(properties.check_vecdot)
test_tensordot = drawn(EXAMPLES, properties.TENSORDOT)(properties.check_tensordot)
test_refusals = drawn(EXAMPLES, properties.SHAPES, properties.NUMBERS_AND_ARRAYS)(
    properties.check_what_numpy_refuses_is_refused
)
