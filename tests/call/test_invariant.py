"""`matmul(..., invariant=True)` by the libraries of a user: bits on the host, keys and plans on a GPU, refusals."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy
import pytest

import tilewright
from tests.call.test_repeated_product import checks, gpu, tensor
from tests.repeats import repeats

__all__ = ["checks", "gpu"]  # fixtures


def same_bits(found, expected):
    """Whether both have the same numbers, signs of zeros and all."""
    found, expected = (numpy.ascontiguousarray(x) for x in (found, expected))
    assert found.dtype == expected.dtype
    numpy.testing.assert_array_equal(found.view("u1"), expected.view("u1"))


def shifted(random, array):
    """The same numbers at another alignment."""
    room = numpy.empty(array.size + 16, array.dtype)
    begin = int(random.integers(0, 16))
    there = room[begin : begin + array.size].reshape(array.shape)
    there[...] = array
    return there


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_random_splits_of_hosts_rows(dtype):
    """Of any number, wherever they lie, also of column-major B and of vectors; and right. 1,000 in a long run."""
    random, dtype = numpy.random.default_rng(7), numpy.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    for turn in range(repeats(25, 50)):
        m, k, n = (int(extent) for extent in random.integers(1, (60, 1500, 5 if turn % 4 == 0 else 500)))
        a, b = random.standard_normal((m, k)).astype(dtype), random.standard_normal((k, n)).astype(dtype)
        b = numpy.asfortranarray(b) if turn % 3 == 0 else b
        whole = tilewright.matmul(a, b, invariant=True)
        for _ in range(repeats(1, 20)):
            first, last = sorted(int(cut) for cut in random.integers(0, m + 1, 2))
            part = tilewright.matmul(shifted(random, a[first:last]), b, invariant=True)
            same_bits(part, whole[first:last])
        same_bits(tilewright.matmul(a[first % m], b, invariant=True), whole[first % m])
        exact = a.astype("f8") @ b.astype("f8")
        bound = (k + 8) * float(ml_dtypes.finfo(dtype).eps) * (numpy.abs(a).astype("f8") @ numpy.abs(b).astype("f8"))
        assert (numpy.abs(whole - exact) <= bound).all()


def test_batches_and_what_follows_the_sums():
    """A row in a batch is that row alone; the epilogue and `out` are those of any product."""
    random = numpy.random.default_rng(8)
    a, b = random.standard_normal((3, 2, 9, 70)).astype("f4"), random.standard_normal((70, 33)).astype("f4")
    c, bias = random.standard_normal((3, 2, 9, 33)).astype("f4"), random.standard_normal(33).astype("f4")
    for activation in (None, "relu", "gelu", "silu"):
        options: dict[str, Any] = {"alpha": 0.7, "beta": -1.5, "bias": bias, "activation": activation}
        whole = tilewright.matmul(a, b, c=c, invariant=True, **options)
        assert whole.shape == (3, 2, 9, 33)
        for index in numpy.ndindex(3, 2, 9):
            same_bits(tilewright.matmul(a[index], b, c=c[index], invariant=True, **options), whole[index])
        numpy.testing.assert_allclose(whole, tilewright.matmul(a, b, c=c, **options), rtol=1e-3, atol=1e-4)
    out = numpy.zeros((9, 33), "f4")
    assert tilewright.matmul(a[0, 0], b, out, invariant=True) is out
    same_bits(out, tilewright.matmul(a, b, invariant=True)[0, 0])
    batch = random.standard_normal((2, 70, 33)).astype("f4")
    whole = tilewright.matmul(a, batch, invariant=True)
    same_bits(tilewright.matmul(a[1, 1, 4], batch[1], invariant=True), whole[1, 1, 4])
    same_bits(tilewright.matmul(a[1], b[:, 0], invariant=True), tilewright.matmul(a, b[:, 0], invariant=True)[1])


def test_empty():
    """No rows, no columns, nothing to add."""
    for m, k, n in ((0, 3, 4), (3, 0, 4), (3, 4, 0)):
        result = tilewright.matmul(numpy.ones((m, k)), numpy.ones((k, n)), invariant=True)
        numpy.testing.assert_array_equal(result, numpy.zeros((m, n)))


def test_false_is_left_out():
    """And a small product is NumPy's at once."""
    a = numpy.eye(3)
    numpy.testing.assert_array_equal(tilewright.matmul(a, a, invariant=False), a)


@pytest.mark.slow  # with what only `make test-all` installs
@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_libraries_of_the_host(library):
    """In their arrays, with the bits that NumPy's have; bfloat16 is rounded once."""
    pytest.importorskip(library)
    xp: Any = pytest.importorskip("jax.numpy" if library == "jax" else library)
    random = numpy.random.default_rng(9)
    a, b = random.standard_normal((40, 90)).astype("f4"), random.standard_normal((90, 30)).astype("f4")
    left, right = xp.asarray(a), xp.asarray(b)
    same_bits(numpy.asarray(tilewright.matmul(left, right, invariant=True)), tilewright.matmul(a, b, invariant=True))
    to_bfloat16 = (lambda x: x.bfloat16()) if library == "torch" else (lambda x: x.astype("bfloat16"))
    left, right = to_bfloat16(left), to_bfloat16(right)
    whole = tilewright.matmul(left, right, invariant=True)
    assert whole.dtype == left.dtype
    assert bool((tilewright.matmul(left[7:9], right, invariant=True) == whole[7:9]).all())


@pytest.mark.slow
def test_torch_records_nothing():
    """Gradients, compiled code and what computes itself are refused; without gradients it multiplies."""
    torch = pytest.importorskip("torch")
    a, b = torch.randn(4, 5, requires_grad=True), torch.randn(5, 3)
    with pytest.raises(tilewright.DtypeError, match=r"without gradients.*torch\.no_grad\(\) turns gradients off"):
        tilewright.matmul(a, b, invariant=True)
    with torch.no_grad():
        assert torch.allclose(tilewright.matmul(a, b, invariant=True), a @ b, atol=1e-5)
    with pytest.raises(tilewright.DtypeError, match="without gradients"):
        tilewright.matmul(torch.ones(2, 2, device="meta"), torch.ones(2, 2, device="meta"), invariant=True)


@pytest.mark.slow
def test_jax_traces_nothing():
    """What is traced has no values."""
    jax = pytest.importorskip("jax")
    with pytest.raises(tilewright.DtypeError, match="arrays with values"):
        jax.jit(lambda x: tilewright.matmul(x, x, invariant=True))(jax.numpy.ones((2, 2)))


A = numpy.ones((3, 3), "f4")
REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"invariant": 2}, tilewright.PlanError, "invariant is 2 of type int, and True or False"),
    ({"invariant": "yes"}, tilewright.PlanError, "True or False is accepted"),
    ({"memory_limit": "1GiB"}, tilewright.PlanError, "does not go with memory_limit"),
    ({"resume": True}, tilewright.PlanError, "does not go with resume"),
    ({"progress": True}, tilewright.PlanError, "does not go with progress"),
    ({"order": "F"}, tilewright.PlanError, "does not go with order"),
    ({"device": "emulator"}, tilewright.PlanError, "leave kernel, tile and device out"),
    ({"device": "gpu"}, tilewright.PlanError, "leave kernel, tile and device out"),
    ({"kernel": "tiled"}, tilewright.PlanError, "leave kernel, tile and device out"),
    ({"kernel": "numpy", "tile": 8}, tilewright.PlanError, "leave kernel, tile and device out"),
    ({"precision": "tf32"}, tilewright.PlanError, "does not multiply float32 with precision 'tf32'"),
    ({"a": A.astype("i4"), "b": A.astype("i4")}, tilewright.DtypeError, r"invariant=True is for float16, .* int32"),
    ({"b": numpy.ones((4, 3), "f4")}, tilewright.ShapeError, "the inner sizes 3 and 4 differ"),
    ({"out": numpy.ones((4, 3), "f4")}, tilewright.ShapeError, "non-broadcastable"),
]


@pytest.mark.parametrize(("how", "error", "words"), REFUSED)
def test_refused(how, error, words):
    """In a sentence, before anything runs."""
    with pytest.raises(error, match=words):
        tilewright.matmul(**{"a": A, "b": A, "invariant": True} | how)


def test_on_a_gpu_it_is_planned_and_remembered_by_itself(gpu, checks):
    """A product with it and one without are different ones; the second call of each looks at nothing but its key."""
    a, b = tensor(gpu, 5, 7), tensor(gpu, 7, 6, seed=1)
    expected = a.values @ b.values
    for _ in range(2):
        numpy.testing.assert_array_equal(tilewright.matmul(a, b).values, expected)
        numpy.testing.assert_array_equal(tilewright.matmul(a, b, invariant=True).values, expected)
    assert [plan.problem.invariant for plan in gpu.plans] == [False, True]
    assert len(checks) == 2
    out = tensor(gpu, 5, 6)
    assert tilewright.matmul(a, b, out, invariant=True) is out
    numpy.testing.assert_array_equal(out.values, expected)


def test_its_plan(gpu):
    """Says that rows do not depend on each other, and multiplies so."""
    a, b = tensor(gpu, 5, 7), tensor(gpu, 7, 6, seed=1)
    multiply = tilewright.plan(a, b, invariant=True)
    assert "A row's bits do not depend on the other rows" in str(multiply)
    numpy.testing.assert_array_equal(multiply(a, b).values, a.values @ b.values)
    assert all(plan.problem.invariant for plan in gpu.plans)
    with pytest.raises(tilewright.PlanError, match="invariant is 1"):
        tilewright.plan(a, b, invariant=1)  # type: ignore[arg-type]
    with pytest.raises(tilewright.PlanError, match="without a memory limit"):
        tilewright.plan(A, A, invariant=True, memory_limit="1GiB")


def test_a_plan_of_the_hosts():
    """Whose calls are those of matmul."""
    random = numpy.random.default_rng(3)
    a, b = random.standard_normal((20, 300)).astype("f4"), random.standard_normal((300, 40)).astype("f4")
    same_bits(tilewright.plan(a, b, invariant=True)(a, b), tilewright.matmul(a, b, invariant=True))


def test_refused_on_a_gpu(gpu):
    """Types and kernels without the promise."""
    a = tensor(gpu, 4, 4)
    with pytest.raises(tilewright.PlanError, match="a row's bits may depend on the other rows"):
        tilewright.matmul(a, a, kernel="wgmma_split", invariant=True)
    whole = tensor(gpu, 4, 4, dtype="int32")
    with pytest.raises(tilewright.DtypeError, match="invariant=True is for float16"):
        tilewright.matmul(whole, whole, invariant=True)
