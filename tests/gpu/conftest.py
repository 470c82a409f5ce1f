"""A GPU for the tests that need one; without it they are skipped with the reason."""

from __future__ import annotations

import pytest

from tilewright.launch.cuda.machine import CudaMachine
from tilewright.launch.machine import DeviceUnavailableError


@pytest.fixture(scope="session")
def gpu():
    """The GPU that the driver lists first."""
    try:
        return CudaMachine()
    except DeviceUnavailableError as unavailable:
        pytest.skip(str(unavailable))
