"""Kernels that are no products, run with arrays and held against a result: planted mistakes and their mended twins."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from tilewright.lab.check.find import other_kinds
from tilewright.lab.check.find.other_kinds import _families, _may_be_meant, _near
from tilewright.lab.check.judge.other_kinds import check_other
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.other_inputs import load_reference, read_array_argument, read_request, read_scalar
from tilewright.lab.check.report.result import CheckResult
from tilewright.lab.check.run.tolerances import nearness
from tilewright.lab.check.statuses import FAULT, RIGHT, WRONG

PLANTED = Path(__file__).parents[1] / "planted"
RNG = numpy.random.default_rng(7)
TRANSPOSE = Options(block="16,16", grid="ceil(m/16),ceil(n/16)")
MATRIX = RNG.standard_normal((40, 24)).astype(numpy.float32)
BYTES = RNG.integers(0, 256, 512).astype(numpy.uint8)


def one(results: list[CheckResult]) -> CheckResult:
    """The only result."""
    (result,) = results
    return result


def transposed(name: str, options: Options = TRANSPOSE) -> CheckResult:
    """A transpose of the planted kernels, against NumPy's."""
    path = PLANTED / "bad" / f"{name}.cu"
    given: dict[str, Any] = {"arrays": {"in": MATRIX}, "scalars": {"n": 40, "m": 24}}
    return one(check_other(path, options, **given, expect={"out": MATRIX.T}))


def test_a_right_kernel() -> None:
    """The launch follows from the scalars, and nothing is found."""
    result = transposed("transpose_wrong_guard_mended")
    assert result.is_well()
    assert result.kernel == "transpose"
    assert result.cases[0].sizes == {"n": 40, "m": 24}
    assert result.cases[0].grid == (2, 3, 1)
    assert result.cases[0].counts["global_stores"] == MATRIX.size


def test_a_kernel_that_leaves_its_array() -> None:
    """The fault is a finding at its line."""
    result = transposed("transpose_wrong_guard")
    assert result.cases[0].status == FAULT
    found = [finding for finding in result.findings if finding.kind == "out of bounds"]
    assert found[0].place == ("transpose_wrong_guard.cu", 9)


@pytest.mark.slow
def test_the_first_wrong_element_and_its_writer(tmp_path: Path) -> None:
    """Integers must be equal; who wrote the first wrong one is said, or that nobody did."""
    path = tmp_path / "add.cu"
    path.write_text(
        "__global__ void add(const int *x, int *y, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n - 1)\n        y[i] = i == 70 ? 0 : x[i] + 1;\n}\n"
        "int main() { int count = 9; int *a, *b; add<<<(count + 63) / 64, 64>>>(a, b, count); }\n"
    )
    x = numpy.arange(1000, 1100, dtype=numpy.int32)
    result = one(check_other(path, Options(), arrays={"x": x}, scalars={"n": 100}, expect={"y": x + 1}))
    assert result.cases[0].status == WRONG
    assert result.cases[0].grid == (2, 1, 1)  # the file's own launch, at the given size
    finding = next(finding for finding in result.findings if finding.kind == "wrong result")
    assert finding.message == (
        "y[70] is 0 and should be 1071; thread (6, 0, 0) of block (1, 0, 0) wrote it in line 5. "
        "2 of 100 elements are wrong."
    )
    x[70] = -1
    result = one(check_other(path, Options(), arrays={"x": x}, scalars={"n": 100}, expect={"y": x + 1}))
    assert "y[99] is -1111638595 and should be 1100; nobody wrote it" in result.cases[0].message


@pytest.mark.slow
def test_a_histogram_against_a_reference(tmp_path: Path) -> None:
    """An array that is given and expected is read and written; a race is found though the launch may be right."""
    function = tmp_path / "bins.py"
    function.write_text("import numpy\n\ndef count(x, bins):\n    return numpy.bincount(x // 4, minlength=len(bins))\n")
    arrays: dict[str, Any] = {"x": BYTES, "bins": numpy.zeros(64, numpy.uint32)}
    options = Options(block="256", grid="2")
    results = {
        name: one(
            check_other(
                PLANTED / "bad" / f"{name}.cu",
                options,
                arrays=arrays,
                scalars={"n": 512},
                reference=load_reference(f"{function}:count"),
            )
        )
        for name in ("histogram_no_atomic", "histogram_no_atomic_mended")
    }
    assert results["histogram_no_atomic_mended"].is_well()
    assert results["histogram_no_atomic_mended"].cases[0].status == RIGHT
    races = [finding for finding in results["histogram_no_atomic"].findings if finding.kind == "race"]
    assert races[0].place[1] == 13


@pytest.mark.slow
def test_an_output_that_is_added_into_was_never_set(tmp_path: Path) -> None:
    """Outputs hold nothing before, or zeros if asked for."""
    path = tmp_path / "sum.cu"
    path.write_text("__global__ void sum(const double *x, double *s) { atomicAdd(s, x[threadIdx.x]); }")
    x = RNG.standard_normal(32)
    given: dict[str, Any] = {"arrays": {"x": x}, "scalars": {}, "expect": {"s": x.sum(keepdims=True)}}
    unset = one(check_other(path, Options(block="32", grid="1"), **given))
    assert unset.cases[0].status == WRONG
    assert "uninitialised read" in [finding.kind for finding in unset.findings]
    assert one(check_other(path, Options(block="32", grid="1", zero_output=True), **given)).is_right


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"arrays": {"in": MATRIX.astype(numpy.float64)}}, "holds float64, and in of transpose points to float32"),
        ({"scalars": {"n": 40}}, "give --scalar m=NUMBER"),
        ({"scalars": {"n": 40, "m": 24, "k": 1}}, "takes the numbers n, m, not k"),
        ({"scalars": {"n": 40, "m": 2.5}}, "m is 2.5, and a whole number is accepted"),
        ({"expect": {"c": MATRIX}}, "the pointers of transpose are in, out"),
        ({"expect": {"in": MATRIX}}, "Nothing says what out of transpose points to"),
        ({"reference": lambda _: None, "expect": None}, "returns None"),
        ({"reference": lambda _: (MATRIX, MATRIX), "expect": None}, "returns 2 arrays"),
    ],
)
def test_refusals(change: dict[str, Any], sentence: str) -> None:
    """What lacks, is too much or has another type is refused before anything runs."""
    given: dict[str, Any] = {
        "arrays": {"in": MATRIX},
        "scalars": {"n": 40, "m": 24},
        "expect": {"out": MATRIX.T},
    } | change
    with pytest.raises(CheckError, match=sentence):
        check_other(PLANTED / "bad" / "transpose_wrong_guard.cu", TRANSPOSE, **given)


def test_no_launch() -> None:
    """A launch comes from the file or from both formulas."""
    with pytest.raises(CheckError, match="launched nowhere"):
        transposed("transpose_wrong_guard", Options())
    with pytest.raises(CheckError, match="names q"):
        transposed("transpose_wrong_guard", Options(block="16", grid="q"))


def test_what_is_read(tmp_path: Path) -> None:
    """Names, files, numbers and functions, and a sentence for what is none."""
    numpy.save(tmp_path / "a.npy", MATRIX)
    function = tmp_path / "f.py"
    function.write_text("def f(a, n=3):\n    return a + n\n\ndef bad(q):\n    pass\n\ndef fails():\n    return 1 / 0\n")
    name, array = read_array_argument(f"a={tmp_path / 'a.npy'}")
    assert name == "a"
    assert (array == MATRIX).all()
    assert read_scalar("n=-5") == ("n", -5)
    assert read_scalar("alpha=0.5") == ("alpha", 0.5)
    request = {"arrays": {"a": tmp_path / "a.npy"}, "scalars": {"n": "2"}, "expected": {}, "reference": f"{function}:f"}
    read = read_request(request)
    assert read["scalars"] == {"n": 2}
    assert read["expect"] is None
    assert read["reference"]({"a": 1, "x": 2}) == 4
    for text, sentence in (("bad", "takes q, and what is given is a"), ("fails", "failed with ZeroDivisionError")):
        with pytest.raises(CheckError, match=sentence):
            load_reference(f"{function}:{text}")({"a": 1})
    for wrong in (f"{function}:g", f"{tmp_path}/none.py:f", "f"):
        with pytest.raises(CheckError):
            load_reference(wrong)
    for wrong in ("n", "n=1_0", "n=five"):
        with pytest.raises(CheckError):
            read_scalar(wrong)
    with pytest.raises(CheckError, match="does not exist"):
        read_array_argument("a=none.npy")


def test_a_subscript_beyond_its_dimension_and_a_variable(tmp_path: Path) -> None:
    """A shared row that runs into the next one is found though the result is right; constant memory can be given."""
    path = tmp_path / "rows.cu"
    path.write_text(
        "__constant__ float weight[1];\n__global__ void scale(const float *x, float *y) {\n"
        "    __shared__ float tile[2][16];\n    int t = threadIdx.x;\n    tile[0][t] = x[t];\n"
        "    y[t] = weight[0] * tile[0][t];\n}\n"
    )
    x = RNG.standard_normal(32).astype(numpy.float32)
    arrays: dict[str, Any] = {"x": x, "weight": numpy.array([2], numpy.float32)}
    result = one(check_other(path, Options(block="32", grid="1"), arrays=arrays, scalars={}, expect={"y": 2 * x}))
    assert result.is_right
    lines = {finding.place[1] for finding in result.findings if finding.kind == "inner dimension"}
    assert lines == {5, 6}


def test_nan_where_a_number_should_be() -> None:
    """It is the error that is shown, whatever the other elements are off by."""
    near = nearness(numpy.array([1.5, numpy.nan], numpy.float32), numpy.array([1.5, 2.0]))

    assert not near.passed
    assert numpy.isnan(near.error)
    assert near.share == numpy.inf


@pytest.mark.parametrize(("dtype", "most"), [("float16", 7e4), ("float32", 1e39)])
def test_numbers_beyond_the_type(dtype: str, most: float) -> None:
    """They are infinite in it, of their sign, and loosen the bound of no other element."""
    expected = numpy.array([most, -most, 1.0])

    assert nearness(numpy.array([numpy.inf, -numpy.inf, 1], dtype), expected).passed
    for wrong in ([1, -numpy.inf, 1], [numpy.inf, numpy.inf, 1], [numpy.inf, -numpy.inf, 1.1]):
        assert not nearness(numpy.array(wrong, dtype), expected).passed


def test_fields_of_structs_are_given_by_name(tmp_path: Path) -> None:
    """As `x.data` and `x.count`, and the command line takes such names."""
    assert read_scalar("x.count=5") == ("x.count", 5)
    path = tmp_path / "scale.cu"
    path.write_text(
        "struct Span { float* data; int count; };\n"
        "__global__ void scale(Span x, Span y, float by)\n"
        "{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < x.count) y.data[i] = by * x.data[i];\n"
        "}\n"
    )
    x = numpy.arange(40, dtype=numpy.float32)
    scalars = {"x.count": 40, "y.count": 40, "by": 3.0}
    for factor in (3, 2):
        expected = {"y.data": factor * x}
        given: dict[str, Any] = {"arrays": {"x.data": x}, "scalars": scalars}
        result = one(check_other(path, Options(block="32", grid="2"), **given, expect=expected))

        assert result.is_well() == (factor == 3)


def test_a_filter_has_a_middle():
    """The numbers of a kernel that may be its weights are odd: themselves, or one more than twice a radius."""
    kind: Any = SimpleNamespace(name="filter", sides=("inner", "cols"), b=("cols",), is_filter=True)
    candidate: Any = SimpleNamespace(numbers=[1, 4, 11, 40])

    families = [family for family, _ in _families(kind, candidate, 1)]

    assert families == ["cols=3", "cols=9", "cols=11", "cols=23", "cols=5", "cols=7"]


@dataclass(frozen=True)
class Meaning:
    """Roles of a kernel of some kind."""

    operation: str
    arguments: tuple[str, ...] = ("A", "C")
    constants: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """One launch, under which most results were right."""

    roles: Meaning
    score: float = 1.0
    refusal: str = ""
    fault: None = None
    always_stops: bool = False


def test_what_a_wrong_kernel_may_be_meant_for(monkeypatch):
    """Kinds of the family that comes near, of which its name or a comment speaks, each once."""
    monkeypatch.setattr(other_kinds, "_is_near", lambda *_: True)
    monkeypatch.setattr(other_kinds, "_mistakes", lambda *_: 0)
    monkeypatch.setattr(other_kinds, "found_by", lambda _, attempt, **_how: attempt)
    title = "the sum of each row, transposed; softmax"
    candidate: Any = SimpleNamespace(name="sums", title=title, about=title, operation="", text=title, is_guessed=False)
    attempts: Any = [Attempt(Meaning("row_sum")), Attempt(Meaning("row_sum")), Attempt(Meaning("histogram"))]

    found: Any = list(_near(candidate, attempts))

    names = [each.roles.operation for each in found]
    assert names[0] == "row_sum"
    assert len(set(names)) == len(names)
    assert {KINDS[name].family for name in names} == {KINDS["row_sum"].family}
    assert all(_may_be_meant(KINDS[name], candidate) for name in names)
