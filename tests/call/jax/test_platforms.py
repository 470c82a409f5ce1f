"""What JAX compiles where the arrays are: on the host a call back, on a GPU our launches, each device's its own."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy
import pytest

import tilewright
from tests.call.jax import test_gpu as test_jax_gpu

pytestmark = pytest.mark.slow  # make test-all installs JAX and builds the extra


@pytest.fixture
def jax(monkeypatch):
    """The real library on the CPU, which is told that there is a GPU, too."""
    module = pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    pytest.importorskip("tilewright_native", reason="the extra is not installed: make test-all builds it")
    from tilewright.call.jax import gpu as jax_gpu

    monkeypatch.setattr(jax_gpu, "is_there", lambda: True)
    monkeypatch.setattr(jax_gpu, "prepared", test_jax_gpu.prepared)
    module.clear_caches()
    yield module
    module.clear_caches()


def lowered(jax, platform, function, *arrays):
    """What JAX compiles for a platform, as text."""
    return jax.jit(function).trace(*arrays).lower(lowering_platforms=(platform,)).as_text()


def test_each_platform_has_its_way(jax):
    """Whichever is JAX's default: arrays on the host are not sent to a GPU, nor those on a GPU to the host."""
    a = jax.numpy.ones((4, 4), "float32")
    for platform, ours in (("cpu", False), ("cuda", True)):
        text = lowered(jax, platform, tilewright.matmul, a, a)
        assert ("tilewright_launch" in text) == ours
        assert ("dot_general" in text) != ours
        assert "callback" not in text
    assert "callback" in lowered(jax, "cpu", lambda x: tilewright.matmul(x, x, kernel="numpy"), a)
    mapped = lowered(jax, "cuda", jax.vmap(lambda x: tilewright.dot(x, a)), a)
    assert "tilewright_launch" in mapped
    assert jax.jit(jax.grad(lambda x: tilewright.matmul(x, a).sum()))(a).tolist() == [[4.0] * 4] * 4
    numpy.testing.assert_array_equal(jax.vmap(tilewright.matmul, (0, None))(a, a), a @ a)


def test_what_one_refuses_the_other_may_do(jax, monkeypatch):
    """A kernel that the host alone has; and a sentence where the way is refused that is compiled."""
    from tilewright.call.jax import gpu as jax_gpu

    a = jax.numpy.ones((4, 4), "float32")

    def refuse(*_given, **_options):
        raise jax_gpu.refusal()

    monkeypatch.setattr(jax_gpu, "prepared", refuse)
    numpy.testing.assert_array_equal(jax.jit(lambda x: tilewright.matmul(x, x, kernel="sequential"))(a), a @ a)
    with pytest.raises(tilewright.DtypeError, match="Nothing is computed on the host in silence"):
        lowered(jax, "cuda", tilewright.matmul, a, a)
    with pytest.raises(tilewright.UnknownKernelError, match="nonsense"):
        lowered(jax, "cpu", lambda x: tilewright.matmul(x, x, kernel="nonsense"), a)


def test_launches_on_a_gpu_that_is_not_the_first(monkeypatch):
    """They are planned for that GPU, when the product is called there."""
    jax = pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    from tilewright.call import cuda_product
    from tilewright.call.epilogue import EpilogueNumbers
    from tilewright.call.jax import gpu as jax_gpu
    from tilewright.launch.cuda import native

    monkeypatch.setattr(jax, "local_devices", lambda backend: [SimpleNamespace(local_hardware_id=2, kind=backend)])
    monkeypatch.setattr(jax_gpu, "register", lambda _platform: None)
    working = {2: 64, 3: 64, 5: 65}
    planned = []

    def prepare(a, b, _place, **_options):
        planned.append((a.device, b.device))
        return SimpleNamespace(workspace_bytes=working[a.device], ordinal=a.device)

    monkeypatch.setattr(cuda_product, "prepare_described", prepare)
    monkeypatch.setattr(native, "extra", lambda: SimpleNamespace(Programs=lambda *given: given))
    monkeypatch.setattr(native, "compiled_launches", lambda run: run)
    lying = ((0, (61, 33), "float32"), (1, (33, 17), "float32"))
    given = {"kernel": "auto", "tile": None, "device": "auto", "precision": "auto"}
    (ordinal, first, make), working_bytes, _ = jax_gpu.prepared(lying, "float32", EpilogueNumbers(), **given)
    assert (ordinal, first.ordinal, working_bytes, planned) == (2, 2, 64, [(2, 2)])
    assert make(3).ordinal == 3
    assert planned[1:] == [(3, 3)]
    with pytest.raises(tilewright.PlanError, match=r"the 64 bytes .* GPU 2, and on GPU 5, .* it takes 65"):
        make(5)
    jax_gpu.prepared.cache_clear()


TWO_DEVICES = """
import jax, numpy, sys
from tilewright.call.jax import gpu as jax_gpu
from tests.call.jax import test_gpu as fake
from jax.sharding import Mesh, PartitionSpec as P
import tilewright

jax_gpu.register("cpu")
jax_gpu.is_there, jax_gpu.PLATFORM, jax_gpu.prepared = lambda: True, "cpu", fake.prepared
first, second = jax.devices()
a = jax.numpy.arange(12.0).reshape(3, 4)
multiply = jax.jit(lambda a, b: tilewright.matmul(a, b) + 1)
for device in (second, first, second):
    x = jax.device_put(a, device)
    result = multiply(x, x.T)
    assert result.devices() == {device}
    numpy.testing.assert_array_equal(result, a @ a.T + 1)
assert fake.ordinals == [0, 1], fake.ordinals
mesh = Mesh(numpy.array([first, second]), "rows")
rows = jax.numpy.arange(24.0).reshape(6, 4)
specs = {"in_specs": (P("rows"), P()), "out_specs": P("rows")}
each = jax.jit(jax.shard_map(lambda x, y: tilewright.matmul(x, y), mesh=mesh, **specs))
before = len(fake.runs)
numpy.testing.assert_array_equal(each(rows, a.T), rows @ a.T)
assert len(fake.runs) == before + 2 and fake.ordinals == [0, 1, 0, 1], fake.ordinals
"""


def test_two_devices(monkeypatch):
    """Each device launches what was made for it, and a mesh of both does its part on each."""
    pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    pytest.importorskip("tilewright_native", reason="the extra is not installed: make test-all builds it")
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
    subprocess.run([sys.executable, "-c", TWO_DEVICES], check=True)


BOTH_PLATFORMS = """
import jax, numpy
from tilewright.call.jax import gpu as jax_gpu
from tests.call.jax import test_gpu as fake
from jax.sharding import Mesh, PartitionSpec as P
import tilewright

jax_gpu.is_there, jax_gpu.register, jax_gpu.prepared = lambda: True, lambda platform: None, fake.prepared
mesh = Mesh(numpy.array(jax.devices()), "rows")
a, b = jax.numpy.arange(24.0).reshape(6, 4), jax.numpy.ones((4, 3))
each = jax.shard_map(tilewright.matmul, mesh=mesh, in_specs=(P("rows"), P()), out_specs=P("rows"))
numpy.testing.assert_array_equal(jax.jit(each)(a, b), a @ b)
"""


def test_platforms_have_one_type_in_a_mesh(monkeypatch):
    """What is compiled for the host and for a GPU varies over the same axes, though only one of them runs."""
    pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
    subprocess.run([sys.executable, "-c", BOTH_PLATFORMS], check=True)
