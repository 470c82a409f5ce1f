"""Arrays on the second GPU of a machine: the product runs there, whichever GPU is the current one, which stays so."""

from __future__ import annotations

import numpy
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402  (torch decides whether there is anything to test)
from tests.gpu.test_reproducible_on_gpu import DTYPES, digest  # noqa: E402
from tests.gpu.threads import at_once  # noqa: E402
from tilewright.launch.cuda import native  # noqa: E402

SHAPES = [
    ("float16", 64, 64, 64),
    ("bfloat16", 511, 257, 253),
    ("float16", 1000, 2048, 1536),
    ("bfloat16", 64, 65536, 64),
    ("float32", 70, 80, 90),
    ("float64", 33, 65, 17),
]


@pytest.fixture(autouse=True, scope="module")
def second():
    """The second GPU; the first is the current one throughout."""
    if not torch.cuda.is_available() or torch.cuda.device_count() < 2:
        pytest.skip("this machine has no second GPU that torch can use")
    torch.cuda.set_device(0)
    return torch.device("cuda", 1)


@pytest.fixture(autouse=True)
def _first_stays_the_current_one(second):
    torch.cuda.set_device(0)
    yield
    assert torch.cuda.current_device() == 0, f"{second} is the current one now"


def integers(device, dtype, *shape):
    """Small whole numbers, so that sums are exact."""
    return torch.randint(-2, 3, shape, device=device).to(getattr(torch, dtype))


def exact(a, b):
    """The product, rounded once."""
    return (a.double() @ b.double()).to(a.dtype)


@pytest.mark.parametrize(("dtype", "m", "k", "n"), SHAPES)
def test_a_product_there(second, dtype, m, k, n):
    """By a call, a call again, a call into `out`, and a plan: all on the arrays' GPU."""
    a, b = integers(second, dtype, m, k), integers(second, dtype, k, n)
    expected = exact(a, b)
    out = torch.full_like(expected, torch.nan)
    plan = tilewright.plan(a, b)
    for multiply in (tilewright.matmul, tilewright.matmul, plan, plan):
        result = multiply(a, b)
        assert result.device == second
        assert torch.equal(result, expected)
        assert multiply(a, b, out=out.fill_(torch.nan)) is out
        assert torch.equal(out, expected)
    assert torch.cuda.current_device() == 0


@pytest.mark.parametrize(("dtype", "m", "k", "n"), SHAPES)
def test_both_in_turn(second, dtype, m, k, n):
    """The same product on both, call by call: what is remembered of one is not taken for the other."""
    pairs = [(integers(at, dtype, m, k), integers(at, dtype, k, n)) for at in (torch.device("cuda", 0), second)]
    for _ in range(3):
        for a, b in pairs:
            result = tilewright.matmul(a, b)
            assert result.device == a.device
            assert torch.equal(result, exact(a, b))
    with pytest.raises(tilewright.PlanError, match="cuda:1"):
        tilewright.plan(*pairs[0])(*pairs[1])


def test_in_turn_while_the_other_is_the_current_one(second):
    """Contexts are entered and left: torch's current GPU is what the caller made it."""
    first = torch.device("cuda", 0)
    a, b = integers(first, "float16", 100, 80), integers(first, "float16", 80, 60)
    expected = tilewright.matmul(a, b)
    with torch.cuda.device(second):
        assert torch.equal(tilewright.matmul(a, b), expected)
        assert torch.cuda.current_device() == 1
        assert torch.empty(1, device="cuda").device == second


def test_streams_there(second):
    """The current stream is that of the arrays' GPU, and `stream=` may be another of it."""
    a, b = integers(second, "bfloat16", 96, 80), integers(second, "bfloat16", 80, 72)
    tilewright.matmul(a + 0, b)  # loads what is used below, for which the GPU is waited for
    torch.cuda.synchronize(second)
    stream = torch.cuda.Stream(second)
    with torch.cuda.device(second), torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        later = a + 0
        result = tilewright.matmul(later, b)
        assert not stream.query(), "the call waited for its stream"
    by_keyword = tilewright.matmul(a, b, stream=stream)
    stream.synchronize()
    assert torch.equal(result, exact(a, b))
    assert torch.equal(by_keyword, exact(a, b))


def test_a_graph_there(second):
    """Captured on the second GPU and replayed with other numbers."""
    a, b = integers(second, "float16", 130, 70), integers(second, "float16", 70, 50)
    out = tilewright.matmul(a, b)
    torch.cuda.synchronize(second)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.device(second), torch.cuda.graph(graph):
        tilewright.matmul(a, b, out=out)
    a.copy_(integers(second, "float16", 130, 70))
    graph.replay()
    torch.cuda.synchronize(second)
    assert torch.equal(out, exact(a, b))


def test_a_thread_for_each(second):
    """Two threads, each with a GPU of its own."""
    wrong = []

    def work(at):
        with torch.cuda.device(at):
            for size in range(40, 80):
                a, b = integers(at, "float16", size, 64), integers(at, "float16", 64, size)
                if not torch.equal(tilewright.matmul(a, b), exact(a, b)):
                    wrong.append((at, size))

    at_once(work, (torch.device("cuda", 0), second))
    assert not wrong


def test_the_other_functions_there(second):
    """dot, vecdot, tensordot, reduced_matmul, and gradients."""
    x, y = integers(second, "float32", 300), integers(second, "float32", 300)
    a, b = integers(second, "float32", 30, 40), integers(second, "float32", 40, 50)
    assert torch.equal(tilewright.dot(x, y), (x * y).sum())
    assert torch.equal(tilewright.vecdot(a, a), (a * a).sum(-1))
    assert torch.equal(tilewright.tensordot(a, b, axes=1), exact(a, b))
    reduced = tilewright.reduced_matmul(a, b)
    assert torch.equal(reduced.cpu(), tilewright.reduced_matmul(a.cpu(), b.cpu()))
    assert reduced.device == second
    left = a.clone().requires_grad_()
    tilewright.matmul(left, b).sum().backward()
    assert torch.equal(left.grad, torch.ones(30, 50, device=second) @ b.T)
    assert left.grad.device == second


def test_one_on_each_is_refused(second):
    """Before anything runs, and the sentence names both."""
    a, b = torch.ones(4, 4, device="cuda:0"), torch.ones(4, 4, device=second)
    with pytest.raises(tilewright.DtypeError, match=r"GPU 0.*GPU 1"):
        tilewright.matmul(a, b)
    with pytest.raises(tilewright.DtypeError, match=r"GPU 0.*GPU 1"):
        tilewright.matmul(a, a, out=b)


@pytest.mark.usefixtures("second")
def test_cupy_there():
    """CuPy allocates on its current device: the result is on the arrays' all the same."""
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    with cupy.cuda.Device(1):
        a, b = (cupy.asarray(numpy.arange(12.0).reshape(shape)) for shape in ((3, 4), (4, 3)))
    with cupy.cuda.Device(0):
        for dtype in ("float64", "float16"):
            with cupy.cuda.Device(1):
                left, right = a.astype(dtype), b.astype(dtype)
            result = tilewright.matmul(left, right)
            assert result.device.id == 1
            assert cupy.asnumpy(result).tolist() == (cupy.asnumpy(a) @ cupy.asnumpy(b)).tolist()


@pytest.fixture
def jax_gpus(second):
    """JAX's first two GPUs. It makes the one that it works on the current one, and leaves it so."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    try:
        devices = jax.devices("gpu")[:2]
    except RuntimeError:
        devices = []
    if len(devices) < 2:
        pytest.skip("this JAX has no second GPU")
    yield devices
    torch.cuda.set_device(second.index - 1)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_jax_there(jax_gpus, dtype):
    """Eager and by a plan: on the device that JAX put the arrays on, and the current one is what JAX makes it."""
    import jax

    a, b = (
        jax.device_put(jax.numpy.asarray(integers("cpu", dtype, *shape).numpy()), jax_gpus[1])
        for shape in ((96, 80), (80, 72))
    )
    expected = (numpy.asarray(a, "f8") @ numpy.asarray(b, "f8")).tolist()
    jax.numpy.matmul(a, b).block_until_ready()
    left_by_jax = torch.cuda.current_device()
    for multiply in (tilewright.matmul, tilewright.plan(a, b)):
        result = multiply(a, b)
        assert torch.cuda.current_device() in {0, left_by_jax}
        assert result.devices() == {jax_gpus[1]}
        assert numpy.asarray(result).tolist() == expected


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_jax_on_both(jax_gpus, dtype):
    """One compiled function with each GPU's arrays in turn, and one over a mesh of both, each with its rows."""
    import jax

    if native.extra() is None:
        pytest.skip("the compiled extra is not installed: pip install ./native")
    a, b = (jax.numpy.asarray(integers("cpu", dtype, *shape).numpy()) for shape in ((192, 80), (80, 72)))
    expected = numpy.asarray(a, "f8") @ numpy.asarray(b, "f8")
    compiled = jax.jit(lambda a, b: tilewright.matmul(a, b) * 2)
    for device in (jax_gpus[1], jax_gpus[0], jax_gpus[1]):
        result = compiled(jax.device_put(a, device), jax.device_put(b, device))
        assert result.devices() == {device}
        numpy.testing.assert_array_equal(numpy.asarray(result, "f8"), 2 * expected)
    mesh = jax.sharding.Mesh(numpy.array(jax_gpus), "rows")
    rows, whole = jax.sharding.PartitionSpec("rows"), jax.sharding.PartitionSpec()
    multiply = jax.shard_map(tilewright.matmul, mesh=mesh, in_specs=(rows, whole), out_specs=rows)
    result = jax.jit(multiply)(a, b)
    assert result.devices() == set(jax_gpus)
    numpy.testing.assert_array_equal(numpy.asarray(result, "f8"), expected)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", ["matmul", "reduced_matmul", "dot"])
def test_jax_keeps_shards_where_they_are(jax_gpus, name, dtype):
    """Under jit, by partition rules: rows, columns, and a sum over both GPUs."""
    import jax

    if native.extra() is None:
        pytest.skip("the compiled extra is not installed: pip install ./native")
    function = getattr(tilewright, name)
    a, b = (jax.numpy.asarray(integers("cpu", "float32", *shape).numpy(), dtype) for shape in ((192, 80), (80, 72)))
    left, right = numpy.asarray(a, "f8"), numpy.asarray(b, "f8")
    expected = left @ right
    if name == "reduced_matmul":
        expected = (left[0::2] + left[1::2]) @ (right[:, 0::2] + right[:, 1::2])
    mesh = jax.sharding.Mesh(numpy.array(jax_gpus), "x")
    for of_a, of_b, of_c in ((("x",), (), ("x", None)), ((), (None, "x"), (None, "x")), ((None, "x"), ("x",), ())):
        put = (
            jax.device_put(each, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*at)))
            for each, at in ((a, of_a), (b, of_b))
        )
        result = jax.jit(function)(*put)
        wanted = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*of_c))
        assert result.sharding.is_equivalent_to(wanted, 2), (of_a, of_b, result.sharding)
        numpy.testing.assert_array_equal(
            numpy.asarray(result, "f8"), numpy.asarray(jax.numpy.asarray(expected, dtype), "f8")
        )


WORKS = ("pairs_of_placements", "many_in_a_row", "large_ones", "epilogues", "other_operations", "types_and_bits")


@pytest.mark.usefixtures("second")
@pytest.mark.parametrize(("work", "copies"), [*((work, "1") for work in WORKS), (WORKS[0], "0"), (WORKS[1], "0")])
def test_dtensors_by_nccl(tmp_path, monkeypatch, work, copies):
    """A process for each of two GPUs, operands by copy engines and by messages: against one process, with gradients."""
    if not torch.distributed.is_nccl_available():
        pytest.skip("this torch has no NCCL")
    from tests.call.torch import processes

    monkeypatch.setenv("TILEWRIGHT_PEER_MEMORY", copies)
    processes.run(work, 2, tmp_path, backend="nccl")


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bits_of_both_gpus(second, dtype):
    """Two GPUs of one kind give the same."""
    if torch.cuda.get_device_name(0) != torch.cuda.get_device_name(second):
        pytest.skip("this machine has no two GPUs of one kind")
    assert digest(dtype, second) == digest(dtype, "cuda:0")
