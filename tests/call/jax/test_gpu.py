"""What JAX compiles for a GPU, on the CPU: XLA calls the compiled extra's handler, and that a function of NumPy's.

That the handler launches on a GPU, on XLA's stream, is tested in tests/gpu.
"""

from __future__ import annotations

import ctypes
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import tilewright
from tests.call.compiled_calls import Configuration, LaunchKernel, OneAddress, OneHandle
from tests.launch.cuda.test_native import fake
from tests.launch.fake_driver import PRIMARY
from tilewright.kernels.launch import BUFFERS
from tilewright.launch.cuda.planned import PlannedRun

__all__ = ["fake"]  # a fixture

pytestmark = pytest.mark.slow  # make test-all installs JAX and builds the extra


@pytest.fixture
def jax(monkeypatch):
    """The real library, which takes the CPU for a GPU."""
    module = pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    pytest.importorskip("tilewright_native", reason="the extra is not installed: make test-all builds it")
    from tilewright.call.jax import gpu as jax_gpu
    from tilewright.launch.cuda import native

    native.extra.cache_clear()
    jax_gpu.register("cpu")
    monkeypatch.setattr(jax_gpu, "is_there", lambda: True)
    monkeypatch.setattr(jax_gpu, "PLATFORM", "cpu")
    monkeypatch.setattr(jax_gpu, "prepared", prepared)
    module.clear_caches()  # of what was traced for a machine without a GPU
    yield module
    module.clear_caches()


kept: list[Any] = []
runs: list[Any] = []
ordinals: list[int] = []
"""The devices for which launches were made."""


class Device:
    """A device that no fork has cut off."""

    inherited = False


def at(address, shape, dtype):
    """NumPy's array of what lies there."""
    memory = (ctypes.c_char * (prod(shape) * numpy.dtype(dtype).itemsize)).from_address(address)
    return numpy.frombuffer(memory, dtype).reshape(shape)


def prepared(lying, out_dtype, numbers, operation="matmul", **_options):
    """Launches of one kernel, the same on all devices, which wants some working memory."""
    import tilewright_native

    def launches_on(ordinal):
        ordinals.append(ordinal)
        return launches_of(lying, out_dtype, numbers, getattr(tilewright, operation))

    programs = tilewright_native.Programs(0, launches_on(0), launches_on)
    kept.append(programs)
    return programs, 64, "cpu"


def launches_of(lying, out_dtype, numbers, function):
    """A kernel that computes with NumPy."""
    import tilewright_native

    extents = {place: (shape, dtype) for place, shape, dtype in lying}

    @LaunchKernel
    def launch(_configuration, _function, parameters, _extra):
        addresses = [ctypes.c_uint64.from_address(parameters[index]).value for index in range(len(BUFFERS))]
        a, b = at(addresses[0], *extents[0]), at(addresses[1], *extents[1])
        c, bias = (at(addresses[place], *extents[place]) if place in extents else None for place in (3, 4))
        more = {"c": c, "bias": bias, **vars(numbers)} if function is tilewright.matmul else {}
        result = function(a, b, **more)
        at(addresses[2], numpy.shape(result), out_dtype)[...] = result
        at(addresses[5], (64,), "u1")[...] = 1
        runs.append(a.shape)
        return 7 if numbers.alpha == 13 else 0

    @OneAddress
    def current(found):
        found[0] = PRIMARY
        return 0

    @OneHandle
    def never(_context):
        return 999

    configuration, functions = Configuration(), (launch, never, current, never, never)
    driver = tuple(ctypes.cast(function, ctypes.c_void_p).value for function in functions)
    offsets = [8 * index for index in range(len(BUFFERS))]
    launches = tilewright_native.Launches(
        driver,
        PRIMARY,
        bytes(8 * len(BUFFERS)),
        [(index, 0) for index in range(len(BUFFERS))],
        [],
        [(ctypes.addressof(configuration), 1, offsets)],
        None,
        (configuration, functions),
        Device(),
    )
    kept.append(launches)
    return launches


def drawn(jax, *shape, seed=0, dtype="float32"):
    """Small whole numbers, whose sums are exact."""
    return jax.numpy.asarray(numpy.random.default_rng(seed).integers(-3, 4, shape), dtype)


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_plan_for_what_is_compiled(monkeypatch, dtype):
    """Of arrays without addresses, on JAX's GPU: launches of the extra, made once."""
    jax = pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    import tilewright_native

    from tilewright.call.epilogue import EpilogueNumbers
    from tilewright.call.jax import gpu as jax_gpu

    monkeypatch.setattr(PlannedRun, "as_numbers", with_numbered_kernels)
    monkeypatch.setattr(jax, "local_devices", lambda backend: [SimpleNamespace(local_hardware_id=0, kind=backend)])
    monkeypatch.setattr(jax_gpu, "register", lambda _platform: None)
    lying = ((0, (257, 129), dtype), (1, (129, 255), dtype), (3, (255,), "float32"), (4, (255,), "float32"))
    numbers = EpilogueNumbers(2, 3, "relu")
    kernel = "wgmma" if dtype == "bfloat16" else "auto"  # which repacks such rows
    given = {"kernel": kernel, "tile": None, "device": "auto", "precision": "auto"}
    programs, workspace_bytes, platform = jax_gpu.prepared(lying, "float32", numbers, **given)
    assert isinstance(programs, tilewright_native.Programs)
    assert (workspace_bytes > 0) == (dtype == "bfloat16")
    assert platform == "CUDA"
    assert jax_gpu.prepared(lying, "float32", numbers, **given)[0] is programs


def with_numbered_kernels(run):
    """What the extra is given, with numbers for kernels that the fake driver has by name."""
    launches = [
        (configuration.getPtr(), number, offsets)
        for number, ((configuration, *_), offsets) in enumerate(zip(run._launches, run._arguments.offsets, strict=True))
    ]
    return run.device.context_handle, *run._arguments.as_numbers(), launches


def test_the_handler_is_given_every_buffer(jax):
    """A, B, c, bias, C and working memory, each in its place; more than once, with other numbers."""
    multiply = jax.jit(lambda a, b, c, bias: tilewright.matmul(a, b, alpha=2, beta=3, c=c, bias=bias) + 1)
    for seed in range(3):
        shapes = ((5, 4), (4, 6), (5, 6), (6,))
        a, b, c, bias = (drawn(jax, *shape, seed=seed + index) for index, shape in enumerate(shapes))
        numpy.testing.assert_array_equal(multiply(a, b, c, bias), 2 * a @ b + 3 * c + bias + 1)
    assert runs[-3:] == [(5, 4)] * 3


def test_all_three_and_their_gradients(jax):
    """Reduced products run kernels of their own, dots are JAX's sums; gradients are products as well."""

    def loss(a, b):
        reduced = tilewright.reduced_matmul(a, b)
        return (reduced**2).sum() + tilewright.dot(a[0], b[:, 1]) + tilewright.dot(a, b).sum()

    def same(a, b):
        reduced = (a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2])
        return (reduced**2).sum() + a[0] @ b[:, 1] + (a @ b).sum()

    a, b = drawn(jax, 4, 3), drawn(jax, 3, 6, seed=1)
    for mine, its in zip(jax.jit(jax.grad(loss, (0, 1)))(a, b), jax.grad(same, (0, 1))(a, b), strict=True):
        numpy.testing.assert_array_equal(mine, its)


def test_vmap_and_other_types(jax):
    """Whole numbers are JAX's own matter; two types are promoted."""
    a, b = drawn(jax, 3, 2, 4), drawn(jax, 4, 5, seed=1)
    numpy.testing.assert_array_equal(jax.jit(jax.vmap(tilewright.matmul, (0, None)))(a, b), a @ b)
    before = len(runs)
    whole = a[0].astype("int32"), b.astype("int32")
    numpy.testing.assert_array_equal(jax.jit(tilewright.matmul)(*whole), whole[0] @ whole[1])
    assert len(runs) == before
    mixed = jax.jit(tilewright.matmul)(a[0].astype("bfloat16"), b)
    assert mixed.dtype == "float32"
    numpy.testing.assert_array_equal(mixed, a[0] @ b)


def test_a_batch_is_one_launch(jax):
    """Under vmap, also of the derivatives, each of which is a product."""
    a, b = drawn(jax, 3, 2, 4), drawn(jax, 3, 4, 5, seed=1)
    before = len(runs)
    numpy.testing.assert_array_equal(jax.jit(jax.vmap(tilewright.matmul))(a, b), a @ b)
    assert runs[before:] == [(3, 2, 4)]
    found = jax.jit(jax.vmap(lambda a, b: jax.jvp(tilewright.matmul, (a, b), (2 * a, b))[1]))(a, b)
    numpy.testing.assert_array_equal(found, 3 * (a @ b))
    assert runs[before + 1 :] == [(3, 2, 4)] * 2  # the product itself is not needed
    found = jax.jit(jax.vmap(tilewright.dot))(a, b)
    numpy.testing.assert_array_equal(found, a @ b)
    assert runs[before + 3 :] == [(3, 2, 4)]


def test_what_the_driver_refuses_is_said(jax):
    """As an error of XLA's, with the status."""
    a = drawn(jax, 4, 4)
    with pytest.raises(jax.errors.JaxRuntimeError, match="launch 0 was refused by the driver with CUDA error 7"):
        jax.block_until_ready(jax.jit(lambda a: tilewright.matmul(a, a, alpha=13))(a))


def test_without_the_extra(jax, monkeypatch):
    """A sentence, while JAX traces; nothing is computed on the host in silence."""
    from tilewright.call.jax import gpu as jax_gpu
    from tilewright.launch.cuda import native

    jax_gpu.register.cache_clear()
    monkeypatch.setattr(native, "extra", lambda: None)
    monkeypatch.setattr(jax_gpu, "prepared", lambda *_given, **_options: jax_gpu.register("cpu"))
    a = drawn(jax, 3, 3)
    with pytest.raises(tilewright.DtypeError, match="Nothing is computed on the host in silence"):
        jax.jit(tilewright.matmul)(a, a)
    jax_gpu.register.cache_clear()
