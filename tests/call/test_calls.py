"""How many of our functions a product calls: a detour that comes back is seen here before anybody times it.

Counted are calls of functions whose file is in the package, but for the emulator's inside. A comprehension is part of
the function that it stands in, a generator counts once, and what an import runs does not count.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import FrameType

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu, fake_torch
from tests.arrays.fake_torch import Tensor
from tilewright.arrays.torch import TorchMemory
from tilewright.call import cuda_product, repeated_product
from tilewright.kernels.catalogue import kernels_of
from tilewright.kernels.launch import ceil_divide
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import native

PACKAGE = Path(tilewright.__file__).parent
COMPREHENSIONS = ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")
EMULATED, AGAIN_ON_GPU, SMALL = 60, 7, 3
FIRST_ON_GPU = {1024: 168, 4096: 174}
"""The most calls, on a GPU by the sides of a square product, of one wave of tiles and of several;
docs/decisions/0012-the-way-of-an-array.md lists those of today."""


def calls_of(work):
    """The calls, each as ``folder/file function``."""
    begun: dict[FrameType, None] = {}
    importing = 0

    def noted(frame, event, _):
        nonlocal importing
        if not frame.f_code.co_filename.startswith(str(PACKAGE)):
            return
        if frame.f_code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not importing:
            begun[frame] = None  # a generator that goes on is the same frame

    sys.setprofile(noted)
    try:
        work()
    finally:
        sys.setprofile(None)
    where = [(Path(inspect.getfile(frame.f_code)).relative_to(PACKAGE), frame.f_code.co_qualname) for frame in begun]
    return [
        f"{path.with_suffix('').as_posix()} {name}"
        for path, name in where
        if path.parts[0] != "emulate" and not name.endswith(COMPREHENSIONS)
    ]


@pytest.fixture
def _numpy_alone(monkeypatch):
    """As in a process that has imported none of these libraries, which would be asked whether a call is theirs."""
    for library in ("torch", "jax", "dask", "dask.array"):
        monkeypatch.delitem(sys.modules, library, raising=False)


@pytest.fixture
def gpu(monkeypatch):
    """A GPU with torch's tensors in its memory, which runs nothing, without the compiled extra."""
    found = emulated_gpu.install(monkeypatch)
    monkeypatch.setattr(native, "extra", lambda: None)
    for library in ("jax", "dask", "dask.array"):  # which would be asked whether a call is theirs
        monkeypatch.delitem(sys.modules, library, raising=False)
    native.reader.cache_clear()
    monkeypatch.setattr(emulated_gpu, "run_on_emulator", lambda *_: None)
    monkeypatch.setattr(cuda_product, "memory", lambda _: TorchMemory())
    monkeypatch.setattr(repeated_product, "_products", {})
    found.torch = fake_torch.install(monkeypatch, found)
    yield found
    native.reader.cache_clear()
    cuda_device.cuda_device.cache_clear()


def tensor(gpu, side):
    """A square of zeros."""
    return Tensor(gpu.array(numpy.zeros((side, side)), "bfloat16"))


@pytest.mark.usefixtures("_numpy_alone")
def test_an_emulated_product():
    """Up to and including delivery, once its kernel is compiled."""
    a = numpy.ones((16, 16), numpy.float32)
    tilewright.matmul(a, a, device="emulator")

    found = calls_of(lambda: tilewright.matmul(a, a, device="emulator"))

    assert found[1] == "call/matmul matmul"
    assert "arrays/numpy deliver" in found
    assert len(found) <= EMULATED, "\n".join(found)


@pytest.mark.usefixtures("_numpy_alone")
def test_a_small_product_of_numpys():
    """What is as small as this is NumPy's at once."""
    a = numpy.ones((4, 4), numpy.float32)
    assert len(calls_of(lambda: tilewright.matmul(a, a))) == SMALL


@pytest.mark.parametrize("side", FIRST_ON_GPU)
def test_a_product_on_a_gpu(gpu, side):
    """The first for tensors that lie so is planned; the second looks at where they lie alone."""
    tilewright.matmul(tensor(gpu, 512), tensor(gpu, 512))  # opens the device
    a = tensor(gpu, side)

    first, again = (calls_of(lambda: tilewright.matmul(a, a)) for _ in range(2))

    assert "choose/choice choose_plan" in first
    assert len(first) <= FIRST_ON_GPU[side], "\n".join(first)
    assert "choose/choice choose_plan" not in again
    assert len(again) <= AGAIN_ON_GPU, "\n".join(again)


def test_calls_are_counted():
    """Each call of a function of ours; none of another's, and no comprehension or generator expression."""
    assert calls_of(lambda: [ceil_divide(7, 2) for _ in range(3)]) == ["kernels/launch ceil_divide"] * 3
    assert calls_of(lambda: kernels_of("dot")) == ["kernels/catalogue kernels_of"]
    assert calls_of(lambda: sorted([3, 1], key=lambda value: -value)) == []
