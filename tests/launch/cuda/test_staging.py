"""Copies through pinned memory: every byte, in pieces, with no buffer filled while it is read."""

from __future__ import annotations

import numpy
import pytest

from tests.launch import memory_driver
from tilewright.emulate import Emulator
from tilewright.launch import OutOfMemoryError
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import staging


@pytest.fixture
def copies(monkeypatch):
    """Copies in pieces of 64 bytes."""
    monkeypatch.setattr(staging, "PIECE_BYTES", 64)
    memory_driver.install(monkeypatch, Emulator())
    yield staging.staged_copies(0)
    cuda_device.cuda_device.cache_clear()
    staging.staged_copies.cache_clear()


@pytest.mark.parametrize("nbytes", [0, 1, 63, 64, 65, 128, 129, 1000])
def test_there_and_back(copies, nbytes):
    """Two arrays one after the other, read back in between; no byte is lost or taken from another piece."""
    rng = numpy.random.default_rng(nbytes)
    first, second = (rng.integers(0, 256, nbytes, "u1") for _ in range(2))
    with copies.lock, copies.device.entered():
        addresses = [copies.allocate(nbytes) for _ in range(2)]
        for array, address in zip((first, second), addresses, strict=True):
            sent = array.copy()
            copies.to_gpu(sent, address)
            sent[...] = 0  # the caller may do that
        for array, address in zip((second, first), reversed(addresses), strict=True):
            back = numpy.empty_like(array)
            copies.to_host(address, back)
            numpy.testing.assert_array_equal(back, array)
        for address in addresses:
            copies.free(address)
        copies.wait()
    assert copies.device.driver.allocations == {}


def test_arrays_of_any_type_and_shape(copies):
    """The elements in their order."""
    array = numpy.random.default_rng().standard_normal((3, 5, 7))
    back = numpy.zeros_like(array)
    with copies.lock, copies.device.entered():
        address = copies.allocate(array.nbytes)
        copies.to_gpu(array, address)
        copies.to_host(address, back)
    numpy.testing.assert_array_equal(back, array)


def test_the_next_piece_is_filled_while_one_is_under_way(copies):
    """No copy is waited for before the second one has been started."""
    driver = copies.device.driver
    with copies.lock, copies.device.entered():
        address = copies.allocate(128)
        copies.to_gpu(numpy.zeros(128, "u1"), address)
        assert driver.done == 0
        assert driver.steps.count("cuMemcpyHtoDAsync") == 2


def test_too_much(copies):
    """The driver's refusal is one of ours."""
    copies.device.driver.most_bytes = 1000
    with copies.lock, copies.device.entered(), pytest.raises(OutOfMemoryError, match="2,000 bytes on GPU 0"):
        copies.allocate(2000)


def test_what_was_reserved_is_given_back_if_not_all_can_be(monkeypatch):
    """A stream that cannot be made leaves no pinned memory and no events behind."""
    driver = memory_driver.install(monkeypatch, Emulator())
    driver.fail["cuStreamCreate"] = driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY

    with pytest.raises(OutOfMemoryError, match="Reserving 16,777,216 bytes of pinned memory failed"):
        staging.StagedCopies(cuda_device.cuda_device(0))
    assert driver.pinned == []
    assert driver.steps.count("cuEventDestroy") == driver.steps.count("cuEventCreate") == 2
    cuda_device.cuda_device.cache_clear()


def test_it_is_made_once(copies):
    """Pinned memory is two pieces, for all products."""
    assert staging.staged_copies(0) is copies
    assert len(copies.device.driver.pinned) == 2
