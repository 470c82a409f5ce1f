"""What is asked of a product that streams: types, outputs, who shares memory or a file with whom."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy
import pytest

import tilewright
from tilewright.call.streamed.request import check_plain, check_streamed

SQUARE = (6, 6)


def ones(dtype: Any, shape: tuple[int, ...] = SQUARE):
    """An array of a type."""
    return numpy.ones(shape, dtype)


@pytest.mark.parametrize(
    ("a", "b", "result", "sums"),
    [
        ("float16", "float16", "float16", "float32"),
        ("float32", "float16", "float32", "float32"),
        ("float64", "float32", "float64", "float64"),
        ("int8", "int16", "int16", "int16"),
        (ml_dtypes.bfloat16, ml_dtypes.bfloat16, "bfloat16", "float32"),
        (ml_dtypes.bfloat16, "float16", "float32", "float32"),
        ("float32", ml_dtypes.bfloat16, "float32", "float32"),
        (ml_dtypes.bfloat16, "float64", "float64", "float64"),
    ],
)
def test_types_of_results(a, b, result, sums):
    """As NumPy promotes them, and bfloat16 beside another type as torch does; 16 bits are added in float32."""
    asked = check_streamed("matmul", ones(a), ones(b), None, {})

    assert (asked.dtype, asked.sum_dtype, asked.out.dtype) == (result, sums, result)
    assert asked.result.dtype == (ml_dtypes.bfloat16 if result == "bfloat16" else result)
    assert asked.result_bytes == asked.result.nbytes
    assert check_streamed("dot", ones(a, (6,)), ones(b, (6,)), None, {}).sum_dtype == (
        "float64" if sums == "float32" else sums
    )


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (
            "int32",
            ml_dtypes.bfloat16,
            "^matmul of stored arrays takes floats beside bfloat16, but A is .6, 6. int32 and B",
        ),
        ("bool", "bool", "^matmul of stored arrays takes numbers, but A is .6, 6. bool and B is .6, 6. bool"),
    ],
)
def test_types_that_are_not_multiplied(a, b, said):
    """In a sentence with both."""
    with pytest.raises(tilewright.DtypeError, match=said):
        check_streamed("matmul", ones(a), ones(b), None, {})


@pytest.mark.parametrize(
    ("dtype", "out", "fits"),
    [
        (ml_dtypes.bfloat16, "float32", True),
        (ml_dtypes.bfloat16, "float16", True),
        (ml_dtypes.bfloat16, "int32", False),
        ("float32", ml_dtypes.bfloat16, True),
        ("int32", ml_dtypes.bfloat16, False),
        ("float64", "float32", True),
        ("float32", "int64", False),
        ("int32", "float64", True),
        ("complex64", "float64", False),
    ],
)
def test_what_an_out_can_hold(dtype, out, fits):
    """What NumPy casts within a kind; bfloat16 is a float."""
    a, target = ones(dtype), ones(out)
    if fits:
        assert check_streamed("matmul", a, a, target, {}).result is target
    else:
        with pytest.raises(tilewright.DtypeError, match="which cannot hold the"):
            check_streamed("matmul", a, a, target, {})


@pytest.mark.parametrize("out", [[1.0], (1.0,), 3, 2.5])
def test_an_out_that_is_no_array(out):
    """What is a list or a number holds no result."""
    with pytest.raises(
        tilewright.DtypeError, match=f"^out is a {type(out).__name__}, and an array that can be written"
    ):
        check_streamed("matmul", ones("f4"), ones("f4"), out, {})


@pytest.mark.parametrize(
    ("operation", "a", "b", "said"),
    [
        ("matmul", (6,), (6,), r"\(m, k\) and B \(k, n\), but"),
        ("matmul", (6, 6), (6,), r"\(m, k\) and B \(k, n\), but"),
        (
            "dot",
            (6, 6),
            (6,),
            r"\(m, k\) and B \(k, n\) or two vectors, but A is \(6, 6\) float32 and B is \(6,\) float32",
        ),
        (
            "dot",
            (6,),
            (6, 6),
            r"\(m, k\) and B \(k, n\) or two vectors, but A is \(6,\) float32 and B is \(6, 6\) float32",
        ),
    ],
)
def test_dimensions(operation, a, b, said):
    """Two matrices, or for dot two vectors."""
    with pytest.raises(tilewright.ShapeError, match=said):
        check_streamed(operation, ones("f4", a), ones("f4", b), None, {})


def test_no_memory_is_taken_for_a_plan_alone():
    """The result of a product that only is planned is one element, seen everywhere; of one that runs it is memory."""
    planned = check_streamed("matmul", ones("f4"), ones("f4"), None, {}, runs=False).result
    run = check_streamed("matmul", ones("f4"), ones("f4"), None, {}).result

    assert (planned.shape, planned.strides) == (SQUARE, (0, 0))
    assert run.flags.c_contiguous


def test_the_result_of_vectors_is_a_number():
    """An out of it has no dimensions either."""
    x, out = ones("f4", (6,)), numpy.zeros((), "f4")
    assert check_streamed("dot", x, x, None, {}).result.shape == ()
    assert check_streamed("dot", x, x, out, {}).result is out
    for shape in ((1,), (1, 1)):
        with pytest.raises(tilewright.ShapeError, match=r"but the result is \(\) float32; the shapes must be equal"):
            check_streamed("dot", x, x, numpy.zeros(shape, "f4"), {})
    with pytest.raises(tilewright.ShapeError, match=r"^out is \(\), and a product that streams takes matrices"):
        check_streamed("matmul", ones("f4"), ones("f4"), out, {})


@pytest.mark.parametrize(("first", "is_one"), [(0, True), (143, True), (144, False), (-143, True), (-144, False)])
@pytest.mark.parametrize("is_turned", [False, True])
def test_maps_of_one_file(tmp_path, first, is_one, is_turned):
    """Are one array where they share a byte, however far their rows are apart; not where one begins after the other."""
    path = tmp_path / "both.raw"
    path.write_bytes(bytes(1024))
    a = numpy.memmap(path, "f4", "r+", 400, SQUARE)
    out = numpy.memmap(path, "f4", "r+", 400 + first, SQUARE, order="F" if is_turned else "C")
    if is_one:
        with pytest.raises(tilewright.PlanError, match="are one array; a product that streams needs another"):
            check_streamed("matmul", a, ones("f4"), out, {})
        with pytest.raises(tilewright.PlanError, match="are one array; a product that streams needs another"):
            check_streamed("matmul", ones("f4"), a, out, {})
    else:
        check_streamed("matmul", a, a, out, {})
    other = tmp_path / "other.raw"
    other.write_bytes(bytes(1024))
    check_streamed("matmul", numpy.memmap(other, "f4", "r", 400, SQUARE), ones("f4"), out, {})


def test_arrays_that_share_memory():
    """Elements of one row beside those of another are not shared; nor are an array in memory and one in a file."""
    whole = ones("f4", (6, 12))
    assert check_streamed("matmul", ones("f4"), ones("f4"), whole[:, 6:], {}).result.shape == SQUARE
    with pytest.raises(tilewright.PlanError, match=r"^B and out are one array"):
        check_streamed("matmul", ones("f4"), whole[:, 3:9], whole[:, 6:], {})


def test_chunks_that_are_read_and_shards_that_are_written(tmp_path):
    """A plan reads by chunks, and writes whole shards, which are rewritten otherwise."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    a, b, c = (
        zarr.create_array(tmp_path / f"{name}.zarr", shape=(40, 40), dtype="f4", chunks=(10, 5), shards=(20, 20))
        for name in "abc"
    )
    problem = check_streamed("matmul", a, b, c, {}).problem("host")

    assert (problem.a.chunks, problem.b.chunks, problem.c.chunks) == ((10, 5), (10, 5), (20, 20))


@pytest.mark.parametrize(
    ("types", "machine", "panel", "casts", "is_one_type"),
    [
        (("f4", "f4", "f4"), "host", "float32", False, True),
        (("f4", "f4", "f8"), "host", "float32", False, False),
        (("f2", "f2", "f2"), "host", "float32", True, False),
        (("f2", "f2", "f2"), "gpu", "float16", False, True),
        (("f2", "f2", "f4"), "gpu", "float16", False, False),
        (("f2", "f4", "f4"), "gpu", "float32", True, False),
        (("f4", "f2", "f4"), "gpu", "float32", True, True),
        (("f8", "f4", "f8"), "gpu", "float64", True, True),
        (("i2", "i2", "i2"), "host", "int16", False, True),
    ],
)
def test_panels(types, machine, panel, casts, is_one_type):
    """A GPU multiplies 16-bit floats as they are, the host in float32; what has another type is cast."""
    a, b, c = types
    asked = check_streamed("matmul", ones(a), ones(b), ones(c), {})
    problem = asked.problem(machine, gpus=3)

    assert asked.panel_element(machine) == numpy.dtype(panel)
    assert problem.panel_bytes == numpy.dtype(panel).itemsize
    assert problem.sum_bytes == numpy.dtype(asked.sum_dtype).itemsize
    assert (problem.casts, problem.is_one_type, problem.gpus) == (casts, is_one_type, 3)
    reduced = check_streamed("reduced_matmul", ones(a), ones(b), ones(c, (3, 3)), {})
    assert reduced.problem(machine).casts
    assert reduced.panel_element(machine) == (numpy.float32 if panel == "float16" else numpy.dtype(panel))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": 1.0, "beta": 0.0, "kernel": "numpy", "bias": None}, None),
        ({"alpha": 2}, "takes no alpha, which was given; leave it out"),
        ({"beta": 1}, "takes no beta"),
        ({"c": numpy.ones(3)}, "takes no c,"),
        ({"out_dtype": "float32"}, "takes no out_dtype"),
        ({"activation": "relu"}, "takes no activation"),
        ({"tile": 0}, "takes no tile"),
        ({"stream": 0}, "takes no stream"),
        ({"kernel": "tiled"}, "chooses its kernel, so kernel = 'tiled' cannot be used"),
        ({"unknown": 3}, None),
    ],
)
def test_options(options, said):
    """Those that change the product are refused unless they change nothing."""
    if said is None:
        check_plain(options)
    else:
        with pytest.raises(tilewright.PlanError, match=f"A product that streams .*{said}"):
            check_plain(options)


def test_a_result_that_takes_the_whole_limit():
    """What is left is for tiles and panels; an out on the caller's side takes none of it."""
    asked = check_streamed("matmul", ones("f4"), ones("f4"), None, {})
    assert asked.limit(145) == 1
    with pytest.raises(
        tilewright.PlanError, match="memory_limit is 144 bytes, and the result takes 144 bytes of memory"
    ):
        asked.limit(144)
    assert check_streamed("matmul", ones("f4"), ones("f4"), ones("f4"), {}).limit(144) == 144
