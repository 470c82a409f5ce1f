"""A double in the place of the driver, which notes what it is asked."""

from __future__ import annotations

import pytest

from tests.launch import fake_driver
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import planned

from .launched_plan import FIRST_KINDS, SECOND_KINDS


@pytest.fixture
def fake(monkeypatch):
    """A driver that notes what it is asked."""
    driver = fake_driver.install(monkeypatch)
    monkeypatch.setattr(planned, "check_signature", lambda *_: None)  # PLAN passes what no such kernel takes
    driver.kinds = {"matmul_tiled": FIRST_KINDS, "matmul_naive": SECOND_KINDS}
    yield driver
    cuda_device.cuda_device.cache_clear()
