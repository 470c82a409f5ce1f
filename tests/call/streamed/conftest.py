"""A GPU for tests without one: the emulator in its place."""

from __future__ import annotations

import threading

import pytest

from tests.arrays import emulated_gpu
from tests.launch import memory_driver
from tilewright.call import trip_rates
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import planned


@pytest.fixture
def gpu(monkeypatch):
    """An empty GPU whose copies happen as late as they may, for several threads."""
    found = emulated_gpu.install(monkeypatch)
    driver = memory_driver.install(monkeypatch, found.emulator)
    turn = threading.RLock()
    for name in ("run_until", "_queue", "cuMemAllocAsync", "cuEventRecord", "cuEventSynchronize"):
        monkeypatch.setattr(driver, name, _in_turn(getattr(driver, name), turn))

    def planned_run(plan, device):
        run = found.planned_run(plan, device)
        at_once = run.run

        def in_order(addresses, stream):
            with turn:
                driver.run_until(driver.queued)
                at_once(addresses, stream)

        run.run = in_order
        return run

    monkeypatch.setattr(planned, "PlannedRun", planned_run)
    monkeypatch.setattr(trip_rates, "measured_rates", lambda _: None)
    found.driver = driver
    yield found
    cuda_device.cuda_device.cache_clear()


def _in_turn(call, turn):
    def locked(*arguments):
        with turn:
            return call(*arguments)

    return locked
