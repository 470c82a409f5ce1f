"""What a call refuses, in words that name both shapes and both types, before anything runs."""

from typing import Any

import numpy
import pytest

import tilewright
from tests.call.machines import EVERYWHERE, PIPELINES
from tilewright.choose import HOST_FACTS, Problem, choose_plan
from tilewright.launch import DriverReport, emulator, host, open_machine


@pytest.fixture
def nothing_runs(monkeypatch):
    """Fail the test when any machine is asked to run something."""

    def run(*_, **__):
        pytest.fail("something ran before the refusal")

    monkeypatch.setattr(host.HostRun, "run", run)
    monkeypatch.setattr(host, "matmul", run)
    monkeypatch.setattr(emulator.EmulatorMachine, "allocate", run)


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("how", EVERYWHERE)
@pytest.mark.parametrize(
    ("a_shape", "b_shape", "words"),
    [
        ((2, 3), (4, 5), "inner sizes 3 and 4 differ"),
        ((3,), (4, 5), "inner sizes 3 and 4 differ"),
        ((), (2, 2), "one or more dimensions"),
        ((7, 2, 3), (5, 3, 2), "broadcasts"),
    ],
)
def test_shapes_that_do_not_fit(how, a_shape, b_shape, words):
    """The sentence names both shapes and both types; users of torch catch a RuntimeError."""
    a, b = numpy.ones(a_shape, "f4"), numpy.ones(b_shape)

    with pytest.raises(tilewright.ShapeError, match=words) as refusal:
        tilewright.matmul(a, b, **how)

    for part in (str(a_shape), str(b_shape), "float32", "float64"):
        assert part in str(refusal.value)
    assert isinstance(refusal.value, ValueError)
    assert isinstance(refusal.value, RuntimeError)


@pytest.mark.parametrize(("a_shape", "b_shape"), [((3, 4), (4, 2)), ((2, 4), (4, 3)), ((4,), (4, 2))])
def test_reduced_matmul_needs_pairs(a_shape, b_shape):
    """Odd rows of A or columns of B have no partner, and a vector has no rows."""
    with pytest.raises(tilewright.ShapeError, match="float64"):
        tilewright.reduced_matmul(numpy.ones(a_shape), numpy.ones(b_shape))


@pytest.mark.parametrize(("a_shape", "b_shape"), [((3,), (4,)), ((3, 1), (3, 1)), ((3, 2), (2, 3, 1))])
def test_dot_needs_one_inner_size(a_shape, b_shape):
    """As NumPy's: the last axis of A meets the last but one of B."""
    with pytest.raises(tilewright.ShapeError, match="dot sums over the last axis of A") as refusal:
        tilewright.dot(numpy.ones(a_shape), numpy.ones(b_shape, "f4"))
    assert all(part in str(refusal.value) for part in (str(a_shape), str(b_shape), "float32", "float64"))


@pytest.mark.parametrize("how", PIPELINES)
@pytest.mark.parametrize(("a_shape", "b_shape"), [((3,), (4,)), ((3, 1), (1, 3)), ((), ())])
def test_dots_kernels_need_two_vectors_of_one_length(how, a_shape, b_shape):
    """Whoever asks for one of them with matrices is told where to go."""
    with pytest.raises(tilewright.ShapeError, match="dot takes two vectors"):
        tilewright.dot(numpy.ones(a_shape), numpy.ones(b_shape), **how)


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("how", PIPELINES)
@pytest.mark.parametrize("dtype", ["int64", "float16", "complex128", "bool"])
def test_kernels_name_the_types_they_take(how, dtype):
    """Integers and the like are refused by a kernel with both types and the accepted ones."""
    with pytest.raises(tilewright.DtypeError, match=f"float32 and float64, but .*{dtype}") as refusal:
        tilewright.matmul(numpy.ones((2, 2), dtype), numpy.ones((2, 2)), **how)
    assert isinstance(refusal.value, TypeError)


@pytest.mark.parametrize("given", [numpy.array([["a"]]), numpy.array([["2026-11-21"]], "M8[D]"), [[None]]])
def test_what_numpy_cannot_multiply(given):
    """Text, dates and None are no numbers."""
    with pytest.raises(tilewright.DtypeError, match="takes numbers"):
        tilewright.matmul(given, given)


@pytest.mark.parametrize("given", ["text", None, {1: 2}, iter([1])])
def test_what_is_no_array(given):
    """The sentence names the type and what is accepted."""
    with pytest.raises(tilewright.DtypeError, match="NumPy arrays, nested lists and what has __array__ or a buffer"):
        tilewright.matmul(given, [[1.0]])


def test_a_masked_array_would_lose_its_mask():
    """Multiplying what lies under the mask would be wrong without a word."""
    with pytest.raises(tilewright.DtypeError, match="filled"):
        tilewright.matmul(numpy.ma.ones((2, 2)), numpy.ones((2, 2)))


def test_ragged_lists():
    """Rows of different lengths are no matrix."""
    with pytest.raises(tilewright.ShapeError, match="rows differ"):
        tilewright.matmul([[1.0, 2.0], [3.0]], [[1.0], [2.0]])


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("how", EVERYWHERE)
@pytest.mark.parametrize(
    ("out", "error"),
    [
        (numpy.zeros((2, 3)), tilewright.ShapeError),
        (numpy.zeros((2, 1, 2)), tilewright.ShapeError),
        (numpy.zeros((2, 2), "i8"), tilewright.DtypeError),
        ([[0.0, 0.0], [0.0, 0.0]], tilewright.DtypeError),
        (numpy.broadcast_to(numpy.zeros(2), (2, 2)), ValueError),
    ],
)
def test_an_out_that_cannot_take_the_result(how, out, error):
    """Wrong shape, a type that would lose the values, no array, read-only."""
    with pytest.raises(error, match="out is"):
        tilewright.matmul(numpy.ones((2, 2)), numpy.ones((2, 2)), out=out, **how)


@pytest.mark.parametrize("device", ["emulator", "auto"])
def test_an_unknown_kernel_lists_the_known(device):
    """Also for empty matrices, where nothing would run."""
    for m in (2, 0):
        with pytest.raises(tilewright.UnknownKernelError, match="'tlied' for matmul; there are auto, numpy, seq"):
            tilewright.matmul(numpy.ones((m, 2)), numpy.ones((2, 2)), kernel="tlied", device=device)


def test_an_unknown_device_lists_the_known():
    """A misspelled device is told what there is."""
    with pytest.raises(tilewright.PlanError, match="auto, gpu, emulator, host"):
        tilewright.matmul([[1.0]], [[1.0]], device="cuda")


def test_a_kernel_of_another_operation():
    """dot/tiled multiplies no matrices."""
    for call in (tilewright.matmul, tilewright.explain):
        with pytest.raises(tilewright.UnknownKernelError, match="dot/tiled is no kernel for matmul"):
            call([[1.0]], [[1.0]], kernel="dot/tiled")


def test_a_tile_that_a_kernel_does_not_take():
    """The limits and their reason are in the sentence, for empty matrices too."""
    for m in (2, 0):
        with pytest.raises(tilewright.PlanError, match=r"from 1 to 32, not 33.*1,024"):
            tilewright.matmul(numpy.ones((m, 2)), numpy.ones((2, 2)), kernel="tiled", tile=33, device="emulator")


def test_a_tile_for_numpy():
    """A tile without a kernel would be silently ignored."""
    with pytest.raises(tilewright.PlanError, match="NumPy has no tile"):
        tilewright.matmul([[1.0]], [[1.0]], tile=8)


def test_sizes_that_the_tile_does_not_divide():
    """tiled_exact refuses with a sentence that says which sizes would do."""
    with pytest.raises(tilewright.PlanError, match=r"multiples of its tile 16, not m = 64, n = 64, k = 62"):
        tilewright.matmul(numpy.ones((64, 62)), numpy.ones((62, 64)), kernel="tiled_exact", device="emulator")


def test_a_gpu_that_is_not_there(monkeypatch):
    """device="gpu" never falls back in silence."""
    report = DriverReport(problem="no NVIDIA driver was found")
    monkeypatch.setattr("tilewright.launch.cuda.gpu.driver_report", lambda: report)

    open_machine.cache_clear()
    with pytest.raises(tilewright.DeviceUnavailableError, match="no NVIDIA driver was found"):
        tilewright.matmul([[1.0]], [[1.0]], device="gpu")


@pytest.mark.parametrize("call", [tilewright.matmul, tilewright.explain])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kernel": None}, "kernel is None, and a name such as 'tiled'"),
        ({"kernel": 5}, "kernel is 5 of type int"),
        ({"kernel": ["tiled"]}, "kernel is of type list"),
        ({"kernel": b"tiled"}, "kernel is b'tiled' of type bytes"),
        ({"device": None}, "device is None, and one of auto, gpu, emulator, host"),
        ({"device": numpy.ones(2)}, "device is of type ndarray"),
        ({"tile": "4"}, "tile is '4' of type str, and a whole number or None is accepted"),
        ({"tile": 4.0}, "tile is 4.0 of type float"),
        ({"tile": True}, "tile is True of type bool"),
        ({"tile": numpy.True_}, "tile is .* of type bool"),
        ({"tile": [4]}, r"tile is \[4\], and one whole number, a pair of them"),
        ({"tile": 10**50}, "from 1 to 32, not 1000"),
    ],
)
def test_arguments_of_a_wrong_kind(call, wrong, words):
    """A sentence of the project's own, also where nothing would be launched, and never an error from within."""
    for m in (2, 0):
        with pytest.raises(tilewright.PlanError, match=words) as refusal:
            call(numpy.ones((m, 2)), numpy.ones((2, 2)), **{"kernel": "tiled", "device": "emulator", **wrong})
        assert str(refusal.value).endswith(".")


@pytest.mark.parametrize("operation", [None, 5, numpy.ones(2), "division"])
def test_an_operation_that_is_none(operation):
    """Explain takes the operation by name."""
    with pytest.raises(tilewright.PlanError, match="operation"):
        tilewright.explain([[1.0]], [[1.0]], operation=operation)


def test_integers_of_numpy_are_tiles():
    """A tile out of numpy.arange is a whole number too, and the plan holds Python's own."""
    tile: Any = numpy.int64(4)
    plan = tilewright.explain([[1.0]], [[1.0]], kernel="tiled", tile=tile, device="emulator")

    assert (plan.tile, type(plan.tile)) == (4, int)


@pytest.mark.parametrize("kernel", ["tlied", "matmul/tlied", "dot/tiled", ""])
def test_a_call_and_its_explanation_refuse_alike(kernel):
    """The same class and the same words; what plans without a call says them too."""
    said = []
    for call in (tilewright.matmul, tilewright.explain):
        with pytest.raises(tilewright.UnknownKernelError) as refusal:
            call([[1.0]], [[1.0]], kernel=kernel)
        said.append(str(refusal.value))
    with pytest.raises(tilewright.PlanError) as refused_plan:
        choose_plan(Problem.of("matmul", 1, 1, 1, "float32"), HOST_FACTS, kernel)

    assert said == [str(refused_plan.value)] * 2


@pytest.mark.parametrize("name", ["matmul", "reduced_matmul", "dot", "vecdot", "tensordot", "plan", "explain"])
def test_none_is_no_array(name):
    """Neither in the place of A nor of both."""
    for a, b in ((None, None), (None, numpy.ones((2, 2)))):
        with pytest.raises(tilewright.DtypeError, match=r"A is a builtins\.NoneType, and NumPy arrays"):
            getattr(tilewright, name)(a, b)


@pytest.mark.parametrize("size", [64, (64, 64), (64, 64, 64.0), "888"])
@pytest.mark.parametrize("ask", [tilewright.compare, tilewright.sweep, tilewright.report, tilewright.watch])
def test_sizes_that_are_not_three_whole_numbers(ask, size):
    """Refused in a sentence by all that make matrices themselves."""
    named = ("matmul/tiled",) if ask in (tilewright.sweep, tilewright.watch) else ()

    with pytest.raises(ValueError, match=r"size is .* three whole numbers \(m, n, k\) are accepted"):
        ask(*named, size=size)
