"""Plans with a constant operand on a GPU: the bits of those without, on any stream, in graphs, and for weights."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.torch_tensors import CYCLES, first_hopper, is_right, random  # noqa: E402

SPLIT = ("bf16x6", "fp16x3")


@pytest.fixture(scope="module", autouse=True)
def device():
    """A Hopper: on others nothing is kept."""
    return first_hopper()


@pytest.mark.parametrize("constant", ["a", "b"])
@pytest.mark.parametrize(
    ("m", "k", "n", "dtype", "options"),
    [
        (1025, 1023, 1027, torch.float32, {"precision": "bf16x6"}),
        (1025, 1023, 1027, torch.float32, {"precision": "fp16x3"}),
        (300, 5000, 200, torch.float32, {"precision": "fp16x3"}),
        (1536, 1536, 1536, torch.float32, {}),
        (1025, 1023, 1027, torch.float32, {"precision": "tf32"}),
        (511, 511, 511, torch.bfloat16, {}),
        (512, 512, 512, torch.float16, {}),
    ],
)
def test_the_same_bits(m, k, n, dtype, options, constant):
    """For several other operands, with a new result and into `out`."""
    a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
    multiply = tilewright.plan(a, b, **options, constant=constant)
    for _ in range(3):
        if constant == "b":
            a = random(m, k, dtype=dtype)
        else:
            b = random(k, n, dtype=dtype)
        expected, out = tilewright.matmul(a, b, **options), torch.empty(m, n, dtype=dtype, device="cuda")
        assert torch.equal(multiply(a) if constant == "b" else multiply(b=b), expected)
        assert multiply(a, b, out=out) is out
        assert torch.equal(out, expected)


@pytest.mark.parametrize("precision", SPLIT)
def test_numbers_that_parts_do_not_hold(precision):
    """Infinities and NaN of the constant operand, and of the other."""
    a, b = random(700, 600, dtype=torch.float32), random(600, 500, dtype=torch.float32)
    b[3, 5], b[9, 400], a[650, 1] = float("inf"), float("nan"), float("-inf")
    expected, found = (
        tilewright.matmul(a, b, precision=precision),
        tilewright.plan(a, b, precision=precision, constant="b")(a),
    )
    assert torch.equal(found.isnan(), expected.isnan())
    assert torch.equal(found.nan_to_num(), expected.nan_to_num())


@pytest.mark.parametrize("precision", SPLIT)
def test_another_stream_waits(precision):
    """The plan's own stream is busy when it is made: products there and elsewhere are right, and the host is free."""
    a, b = random(1024, 1024, dtype=torch.float32), random(1024, 1024, dtype=torch.float32)
    expected = tilewright.matmul(a, b, precision=precision)
    tilewright.plan(a, b, precision=precision, constant="b")(a)  # loads all that is launched below
    torch.cuda.synchronize()
    home, other = torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(home):
        torch.cuda._sleep(CYCLES)
        multiply = tilewright.plan(a, b, precision=precision, constant="b")
        here = multiply(a)
    there = multiply(a, stream=other)
    assert not home.query(), "the plan or a call waited"
    assert not other.query(), "the product did not wait for what is kept"
    del multiply
    with torch.cuda.stream(home):
        for _ in range(8):  # what takes the memory of a plan that is gone
            torch.full((8 * 1024 * 1024,), float("nan"), device="cuda")
    torch.cuda.synchronize()
    assert torch.equal(here, expected)
    assert torch.equal(there, expected)


@pytest.mark.parametrize("precision", SPLIT)
def test_graphs(precision):
    """A call in a graph splits nothing of B at its replays; the plan is made before the capture."""
    a, b = random(1024, 1024, dtype=torch.float32), random(1024, 1024, dtype=torch.float32)
    multiply = tilewright.plan(a, b, precision=precision, constant="b")
    out = torch.empty(1024, 1024, device="cuda")
    tilewright.matmul(a, b, precision=precision)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # the first call of all, on a stream of the graph's
        multiply(a, out=out)
        with pytest.raises(tilewright.PlanError, match="make the plan before the capture"):
            tilewright.plan(a, b, precision=precision, constant="b")
    for _ in range(2):
        a.copy_(random(1024, 1024, dtype=torch.float32))
        graph.replay()
        assert torch.equal(out, tilewright.matmul(a, b, precision=precision))


def test_weights_of_a_layer():
    """A parameter's transpose, made anew for every call, under no_grad; another parameter is refused."""
    layer = torch.nn.Linear(768, 1000, bias=False, device="cuda")
    with torch.no_grad():
        x = random(4, 96, 768, dtype=torch.float32)
        multiply = tilewright.plan(x, layer.weight.T, precision="bf16x6", constant="b")
        assert multiply.plan.kept_bytes > 6 * 768 * 1000
        assert torch.equal(multiply(x, layer.weight.T), tilewright.matmul(x, layer.weight.T, precision="bf16x6"))
        assert is_right(multiply(x), x, layer.weight.T)
        with pytest.raises(tilewright.PlanError, match="B is constant in this plan"):
            multiply(x, layer.weight.T.contiguous())
