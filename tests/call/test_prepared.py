"""`tilewright.plan`: checked and chosen once, called with what lies alike; anything else is refused or takes longer."""

from __future__ import annotations

import sys
from typing import Any

import numpy
import pytest

import tilewright
from tests.arrays.emulated_gpu import EmulatedArray
from tests.arrays.fake_torch import Tensor
from tests.call.test_repeated_product import checks, gpu, numbers, tensor
from tests.launch import fake_driver
from tilewright.call import prepared
from tilewright.launch import DeviceUnavailableError

__all__ = ["checks", "gpu"]  # fixtures


def test_only_the_plan_looks(gpu, checks):
    """Nothing runs when it is made; its calls have their own addresses and results, into `out` or anew."""
    a, b = tensor(gpu, 5, 7), tensor(gpu, 7, 6, seed=1)
    multiply = tilewright.plan(a, b)
    assert gpu.runs == []
    assert "matmul/cuda_cores_float32" in str(multiply)
    assert str(multiply) == str(tilewright.explain(a, b))
    del checks[:]

    for seed in range(3):
        left, right, out = tensor(gpu, 5, 7, seed=seed), tensor(gpu, 7, 6, seed=seed + 5), tensor(gpu, 5, 6)
        expected = left.values @ right.values
        result = multiply(left, right)
        assert result.data_ptr() != out.data_ptr()
        numpy.testing.assert_array_equal(result.values, expected)
        assert multiply(left, right, out=out) is out
        numpy.testing.assert_array_equal(out.values, expected)
    assert checks == []
    assert len(gpu.plans) == 1


def test_options_stay_the_plans(gpu, checks):
    """Numbers are fixed; c and bias are each call's own."""
    shapes = ((4, 4), (4, 6), (4, 6), (6,))
    a, b, c, bias = (tensor(gpu, *shape, seed=seed) for seed, shape in enumerate(shapes))
    multiply = tilewright.plan(a, b, alpha=2, beta=3, c=c, bias=bias, activation="relu")
    del checks[:]
    for seed in range(2):
        a, b, c, bias = (tensor(gpu, *shape, seed=seed + 9) for shape in shapes)
        expected = numpy.maximum(2 * a.values @ b.values + 3 * c.values + bias.values, 0)
        numpy.testing.assert_array_equal(multiply(a, b, c=c, bias=bias).values, expected)
        assert multiply(a, b, c=c, bias=bias, out=c) is c
        numpy.testing.assert_array_equal(c.values, expected)
    assert checks == []


@pytest.mark.parametrize("gpu", ["guards"], indirect=True)
@pytest.mark.parametrize("beside", [(), ("c",), ("bias",), ("c", "bias")])
def test_guards_alone_let_a_call_pass(gpu, monkeypatch, beside):
    """Of all arrays that the plan was made with: no key is made of tensors that its guards know."""
    arrays = {"c": tensor(gpu, 4, 6, seed=2), "bias": tensor(gpu, 6, seed=3)}
    given = {name: arrays[name] for name in beside}
    a, b = tensor(gpu, 4, 4), tensor(gpu, 4, 6, seed=1)
    multiply = tilewright.plan(a, b, beta=int("c" in beside), **given)
    expected = a.values @ b.values + sum(array.values for array in given.values())
    with monkeypatch.context() as patch:
        patch.setattr(prepared, "key_of", lambda *_: pytest.fail("A key was made."))
        numpy.testing.assert_array_equal(multiply(a, b, **given).values, expected)
        out = tensor(gpu, 4, 6)
        assert multiply(a, b, **given, out=out) is out
    numpy.testing.assert_array_equal(out.values, expected)
    for name, array in arrays.items():
        more = {each: value for each, value in given.items() if each != name}
        more |= {} if name in given else {name: array}
        with pytest.raises(tilewright.PlanError, match=f"{name}, and the plan was made with"):
            multiply(a, b, **more)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"shape": (5, 4)}, r"A is a .*Tensor \(5, 4\) float32.*this plan is for a .*Tensor \(4, 4\) float32"),
        ({"strides": (1, 4)}, r"strides \(1, 4\).*strides \(4, 1\)"),
        ({"dtype": "float64"}, r"A is .*float64.*plan is for .*float32"),
        ({"offset": 1}, r"4 bytes past a multiple of 16"),
    ],
)
def test_what_lies_otherwise_is_refused(gpu, change, sentence):
    """In one sentence that says how both lie; nothing runs."""
    a, b = tensor(gpu, 4, 4), tensor(gpu, 4, 4, seed=1)
    multiply = tilewright.plan(a, b)
    lies = {"shape": (4, 4), "dtype": "float32", **change}
    other = Tensor(EmulatedArray(gpu, **lies))

    with pytest.raises(tilewright.PlanError, match=sentence) as caught:
        multiply(other, b)
    assert "\n" not in str(caught.value)
    assert gpu.runs == []


def test_c_and_bias_come_with_the_plan_or_not_at_all(gpu):
    """A plan with a bias launches a kernel that reads one."""
    a, bias = tensor(gpu, 4, 4), tensor(gpu, 4)
    with pytest.raises(tilewright.PlanError, match="has a bias, and the plan was made without one"):
        tilewright.plan(a, a)(a, a, bias=bias)
    with pytest.raises(tilewright.PlanError, match="has no c, and the plan was made with one"):
        tilewright.plan(a, a, c=a, beta=1)(a, a)


def test_out_that_is_an_input_or_lies_otherwise(gpu):
    """Right all the same: by way of a copy, or of a plan for that `out`."""
    a, b = tensor(gpu, 6, 6), tensor(gpu, 6, 6, seed=1)
    expected = a.values @ b.values
    multiply = tilewright.plan(a, b)
    columns = Tensor(EmulatedArray(gpu, (6, 6), "float32", (1, 6)))
    assert multiply(a, b, out=columns) is columns
    numpy.testing.assert_array_equal(columns.values, expected)
    assert multiply(a, b, out=a) is a
    numpy.testing.assert_array_equal(a.values, expected)


def test_a_plan_for_an_out_with_strides(gpu, checks):
    """Its calls take such an `out` at once, refuse another, and make a packed result where none is given."""
    a, b = tensor(gpu, 6, 6), tensor(gpu, 6, 6, seed=1)
    columns = Tensor(EmulatedArray(gpu, (6, 6), "float32", (1, 6)))
    multiply = tilewright.plan(a, b, out=columns)
    del checks[:]
    multiply(a, b, out=columns)
    assert checks == []
    numpy.testing.assert_array_equal(columns.values, a.values @ b.values)
    assert multiply(a, b).stride() == (6, 1)
    with pytest.raises(tilewright.PlanError, match=r"out is a .*strides \(6, 1\)"):
        multiply(a, b, out=tensor(gpu, 6, 6))


def test_what_matmul_refuses(gpu):
    """Is refused when the plan is made, in the same words."""
    a = tensor(gpu, 4, 4)
    refused: list[dict[str, Any]] = [{"alpha": "2"}, {"kernel": "none"}, {"activation": "tanh"}, {"device": "host"}]
    for options in refused:
        with pytest.raises(ValueError, match=r".") as by_matmul:
            tilewright.matmul(a, a, **options)
        with pytest.raises(ValueError, match=r".") as by_plan:
            tilewright.plan(a, a, **options)
        assert str(by_plan.value) == str(by_matmul.value)
    with pytest.raises(tilewright.ShapeError):
        tilewright.plan(a, tensor(gpu, 3, 4))


def test_a_forked_child_is_told(gpu):
    """As by matmul."""
    a = tensor(gpu, 4, 4)
    multiply = tilewright.plan(a, a)
    fake_driver.fork()
    with pytest.raises(DeviceUnavailableError, match="spawn"):
        multiply(a, a)


def test_gradients_are_not_lost_to_a_plan_made_without(gpu, monkeypatch):
    """One made under no_grad, called where gradients are recorded: matmul decides, whatever a guard would say."""
    torch = sys.modules["torch"]
    monkeypatch.setattr(prepared, "guard_of", lambda _: lambda _: True)
    monkeypatch.setattr(torch, "grad", False)
    a, weight = tensor(gpu, 4, 4), tensor(gpu, 4, 4)
    weight.requires_grad = True
    multiply = tilewright.plan(a, weight)
    assert isinstance(multiply(a, weight), Tensor)
    monkeypatch.setattr(torch, "grad", True)
    monkeypatch.setattr(prepared, "matmul", lambda *_, **__: "recorded")
    assert multiply(a, weight) == "recorded"


def test_an_empty_product(gpu):
    """Nothing is launched, and the result has its shape."""
    a, b = Tensor(EmulatedArray(gpu, (0, 4), "float32")), tensor(gpu, 4, 3)
    assert tilewright.plan(a, b)(a, b).shape == (0, 3)


def test_other_arrays_on_a_gpu(gpu):
    """Arrays by `__cuda_array_interface__` take matmul's way, with the same refusals."""
    a, b = (gpu.array(numbers(4, 4, seed=seed), "float32") for seed in range(2))
    multiply = tilewright.plan(a, b)
    numpy.testing.assert_array_equal(multiply(a, b).values, a.values @ b.values)
    with pytest.raises(tilewright.PlanError, match=r"B is .*\(4, 5\)"):
        multiply(a, gpu.array(numbers(4, 5), "float32"))


@pytest.mark.parametrize(
    "options",
    [
        {"bias": numpy.ones(3)},
        {"c": numpy.ones(3), "beta": 1},
        {"out": numpy.empty((2, 2))},
        {"out": numpy.empty((3, 2), int)},
        {"out_dtype": "none"},
        {"out_dtype": "float32"},
    ],
)
def test_what_matmul_refuses_on_the_host(options):
    """Is refused when the plan is made, in the same words."""
    a, b = numpy.ones((3, 4)), numpy.ones((4, 2))
    with pytest.raises((TypeError, ValueError)) as by_matmul:
        tilewright.matmul(a, b, **options)
    with pytest.raises((TypeError, ValueError)) as by_plan:
        tilewright.plan(a, b, **options)
    assert str(by_plan.value) == str(by_matmul.value)


def test_arrays_of_the_host():
    """NumPy's arrays and lists: the same object, the same refusals, NumPy's results."""
    a, b = numpy.arange(12.0).reshape(3, 4), numpy.arange(8.0).reshape(4, 2)
    multiply = tilewright.plan(a, b, alpha=2)
    out = numpy.empty((3, 2))
    numpy.testing.assert_array_equal(multiply(a + 1, b), 2 * (a + 1) @ b)
    assert multiply(a, b, out=out) is out
    assert "numpy" in str(multiply)
    with pytest.raises(tilewright.PlanError, match=r"A is a numpy.ndarray \(4, 3\)"):
        multiply(a.T, b)
    with pytest.raises(tilewright.PlanError, match="alpha"):
        tilewright.plan(a, b, alpha="2")  # type: ignore[arg-type]
    numpy.testing.assert_array_equal(tilewright.plan([[1.0]], [[2.0]])([[3.0]], [[4.0]]), [[12.0]])


def test_a_plan_of_numpys_arrays_looks_at_a_few_properties(monkeypatch):
    """Layouts are described only for those that differ, which are refused, and for other arrays and `out`."""
    a, b = numpy.arange(12.0).reshape(3, 4), numpy.arange(20.0).reshape(4, 5)
    multiply, expected = tilewright.plan(a, b), a @ b
    out = numpy.empty((3, 5))
    assert multiply(a, b, out=out) is out
    for given in ((a[:2], b), (a.astype("float32"), b), (numpy.asfortranarray(a), b), (a.tolist(), b)):
        with pytest.raises(tilewright.PlanError, match=r"A is a .* this plan is for"):
            multiply(*given)

    monkeypatch.setattr("tilewright.call.prepared.layout_of", lambda *_: pytest.fail("it was described"))

    numpy.testing.assert_array_equal(multiply(a, b), expected)
    with pytest.raises(pytest.fail.Exception):
        multiply(a[:2], b)
