"""Torch's tensors on the CPU as stores: regions where they lie, 16 bits, vectors; and what is no tensor of the host."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from tilewright.arrays.errors import DtypeError
from tilewright.arrays.stores import opened
from tilewright.arrays.stores.opened import store_of

pytestmark = pytest.mark.slow


@pytest.fixture
def torch():
    """Torch itself."""
    return pytest.importorskip("torch", reason="torch is not installed: make test-all brings it")


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "int32"])
def test_regions(torch, name):
    """They are read and written in place, and cast as they are written."""
    tensor = torch.arange(30).reshape(5, 6).to(getattr(torch, name))
    store: Any = store_of(tensor, "A")
    assert (store.shape, store.dtype, store.element, store.is_writable) == ((5, 6), name, name, True)

    part = numpy.empty((2, 3), name)
    store.read(slice(1, 3), slice(2, 5), part)
    assert part.tolist() == [[8, 9, 10], [14, 15, 16]]
    found = store.view(slice(1, 3), slice(2, 5))
    assert found is not None
    assert found.tolist() == part.tolist()

    store.write(slice(0, 1), slice(0, 2), numpy.array([[7, 9]], "float32"))
    assert tensor[0].tolist() == [7, 9, 2, 3, 4, 5]


def test_bfloat16(torch):
    """It is read as its bits; bits are written as they are, and numbers rounded."""
    tensor = torch.tensor([[1.0, -2.0, 0.5]], dtype=torch.bfloat16)
    store: Any = store_of(tensor, "A")
    assert (store.dtype, store.element) == ("bfloat16", "uint16")

    bits = numpy.empty((1, 3), numpy.uint16)
    store.read(slice(0, 1), slice(0, 3), bits)
    assert bits.tolist() == [[0x3F80, 0xC000, 0x3F00]]

    store.write(slice(0, 1), slice(0, 1), numpy.array([[0x4040]], numpy.uint16))
    store.write(slice(0, 1), slice(1, 3), numpy.array([[1.00390625, 5]], numpy.float32))
    assert tensor.tolist() == [[3, 1, 5]]


def test_vectors(torch):
    """A is a row and B a column; whatever records gradients is written without them."""
    tensor = torch.arange(4.0, requires_grad=True)
    assert [store_of(tensor, "A").shape, store_of(tensor, "B", is_column=True).shape] == [(1, 4), (4, 1)]
    store_of(tensor, "B", is_column=True).write(slice(1, 3), slice(0, 1), numpy.array([[8], [9]], "float32"))
    assert tensor.tolist() == [0, 8, 9, 3]


def test_a_tensor_elsewhere(monkeypatch):
    """One of a GPU does not stream."""
    monkeypatch.setattr(opened, "is_tensor", lambda _: True)
    given: Any = SimpleNamespace(device=SimpleNamespace(type="cuda"))
    with pytest.raises(DtypeError, match="A is a torch tensor on"):
        store_of(given, "A")
