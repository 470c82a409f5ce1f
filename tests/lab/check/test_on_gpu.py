"""What comes of a kernel's problems on a GPU, with a stand-in for the process that has it."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest

from tests.lab.check.results import case, race, refused, result
from tilewright.lab.check.course import check_files
from tilewright.lab.check.gpu import on_gpu, watchdog
from tilewright.lab.check.gpu.on_gpu import Card, judged, run_on_gpu
from tilewright.lab.check.gpu.preparing import GpuFolder, why_not
from tilewright.lab.check.gpu.problems import GpuAnswer, GpuProblem, read_problems, write_problems
from tilewright.lab.check.gpu.watchdog import WatchLimits
from tilewright.lab.check.options import Options
from tilewright.lab.check.report.result import CheckResult, GpuResult
from tilewright.lab.source import CompileError

CARD = Card("A card", "sm_90")
STAND_IN = Path(__file__).with_name("gpu_stand_in.py")


def problem(number: int = 0) -> GpuProblem:
    """A product with sizes of its own."""
    rng = numpy.random.default_rng(number)
    rows, inner, cols = 4 + number, 5, 6
    a = rng.standard_normal((rows, inner)).astype("float32")
    b = rng.standard_normal((inner, cols)).astype("float32")
    return GpuProblem(
        sizes={"rows": rows, "inner": inner, "cols": cols},
        operation="matmul",
        entry="mul",
        code=b"\x7fELF",
        grid=(1, 2, 3),
        block=(32, 1, 1),
        shared_bytes=64,
        arguments=("A", "B", "C", numpy.int32(rows), numpy.float16(0.5), numpy.uint64(2**63)),
        arrays={"A": a, "B": b, "C": numpy.full((rows, cols), numpy.nan, "float32")},
        variables={"filter": numpy.arange(3.0)},
    )


def gpu_of(there: CheckResult) -> GpuResult:
    """What the GPU said."""
    assert there.gpu is not None
    return there.gpu


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run three problems in a child that does what it is told; the GPU's result."""
    limits = WatchLimits(opening_seconds=20, problem_seconds=20)

    def start(what: str, limits: WatchLimits = limits):
        monkeypatch.setattr(watchdog, "COMMAND", (sys.executable, "-P", str(STAND_IN), what))
        monkeypatch.setattr(on_gpu, "LIMITS", limits)
        write_problems(tmp_path / "0", [problem(number) for number in range(3)])
        (there,) = run_on_gpu([result()], tmp_path, CARD)
        return gpu_of(there)

    return start


def test_problems_survive_the_way(tmp_path):
    """Files and back: types, bits and shapes."""
    there = [
        problem(0),
        replace(problem(1), code=b"ptx", is_cooperative=True, has_variables=False, expected={"C": numpy.ones(3)}),
    ]
    write_problems(tmp_path, there)
    back, refusal = read_problems(tmp_path)

    assert refusal == ""
    for one, other in zip(there, back, strict=True):
        for name in (
            "sizes",
            "operation",
            "entry",
            "code",
            "grid",
            "block",
            "shared_bytes",
            "is_cooperative",
            "has_variables",
        ):
            assert getattr(one, name) == getattr(other, name), name
        assert [(type(x), x) for x in one.arguments] == [(type(x), x) for x in other.arguments]
        for kind in ("arrays", "variables", "expected"):
            assert list(getattr(one, kind)) == list(getattr(other, kind))
            for name, array in getattr(one, kind).items():
                numpy.testing.assert_array_equal(array, getattr(other, kind)[name])
    assert [each.is_ptx for each in back] == [False, True]


def test_right_results(run):
    """Each problem has its error, bound and time."""
    gpu = run("multiplies")

    assert (gpu.device, gpu.refusal, gpu.is_right) == ("A card", "", True)
    assert [each.sizes["rows"] for each in gpu.cases] == [4, 5, 6]
    assert all(each.error <= each.bound and each.kernel_seconds == 2e-6 for each in gpu.cases)


def test_a_wrong_element_is_named(run):
    """Only that problem is wrong."""
    gpu = run("is wrong")

    assert [each.status for each in gpu.cases] == ["right", "wrong", "right"]
    assert gpu.cases[1].message.startswith("C[1][2] is 1000 and should be ")
    assert gpu.cases[1].message.endswith("1 of 30 elements are wrong.")
    assert not gpu.is_right


def test_a_store_beside_the_array_is_wrong_though_the_result_is_right(run):
    """The guard bands."""
    gpu = run("strays")

    assert [each.status for each in gpu.cases] == ["right", "wrong", "right"]
    assert gpu.cases[1].message == "A store lies 4 bytes past the end of C (64 bytes)."


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("hangs", "mul did not end within 1 seconds at rows 5, inner 5, cols 6, and its process was ended."),
        ("crashes", "mul gave no result at rows 5, inner 5, cols 6: its process crashed (SIGABRT)."),
        ("faults", "The launch failed on the GPU: CUDA_ERROR_ILLEGAL_ADDRESS."),
    ],
)
def test_a_kernel_that_is_stopped(run, what, message):
    """Its problem is named; those before have their results, and those after were not run."""
    gpu = run(what, WatchLimits(opening_seconds=20, problem_seconds=1))

    assert [each.status for each in gpu.cases] == ["right", "fault", "not run"]
    assert gpu.cases[1].message == message


@pytest.mark.parametrize(
    ("what", "refusal"),
    [
        ("never opens", "the GPU could not be opened in time"),
        ("no GPU", "the GPU could not be opened: CUDA_ERROR_NO_DEVICE"),
    ],
)
def test_a_gpu_that_does_not_open(run, what, refusal):
    """Nothing was run, and why."""
    gpu = run(what, WatchLimits(opening_seconds=1 if what == "never opens" else 20))

    assert (gpu.cases, gpu.refusal, gpu.is_right) == ((), refusal, False)


def test_no_launch_after_what_may_hang(tmp_path, monkeypatch):
    """What the emulator found keeps a kernel from the GPU; nothing is compiled, no process is started."""
    monkeypatch.setattr(watchdog, "COMMAND", ("no such command",))
    hangs = result(findings=(race(kind="endless loop", place=("mul.cu", 9)),))
    folder = GpuFolder(tmp_path, "sm_90")
    folder.add(hangs, lambda _: pytest.fail("compiled"))
    refusing, hanging = run_on_gpu([refused(), hangs], tmp_path, CARD)

    assert refusing.gpu is None
    assert gpu_of(hanging).refusal == (
        "the emulator found an error of the kind 'endless loop' in line 9, which may hang or stop a GPU"
    )
    assert not hanging.is_well()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, ""),
        ({"findings": (race(),)}, ""),
        ({"findings": (race(kind="out of bounds", severity="note"),)}, ""),
        ({"findings": (race(kind="barrier not reached"),)}, "'barrier not reached' in line 4"),
        ({"findings": (race(kind="out of bounds"),)}, "'out of bounds' in line 4"),
        ({"findings": (race(kind="misaligned", place=("mul.cu", None)),)}, "'misaligned', which"),
        ({"cases": (case(1, 2, 3, "fault", message="stopped."),)}, "to its end at rows 1, inner 2, cols 3: stopped"),
        ({"cases": ()}, "ran nothing"),
    ],
)
def test_which_findings_keep_a_kernel_from_the_gpu(changes, reason):
    """Hangs, barriers, stores outside and misalignment do; a race or a wrong result does not."""
    assert reason in why_not(result(**changes))
    assert bool(why_not(result(**changes))) == bool(reason)


def test_what_does_not_compile_for_the_card_is_said(tmp_path):
    """The emulator's result stays, and the GPU's is a sentence."""

    def compiled(architecture):
        raise CompileError("mul.cu", 3, f"{architecture} has no such instruction", "")

    GpuFolder(tmp_path, "sm_10").add(result(), compiled)
    (there,) = run_on_gpu([result()], tmp_path, CARD)

    assert there.is_right
    assert gpu_of(there).refusal == "it could not be compiled for sm_10: mul.cu:3: sm_10 has no such instruction"
    assert not there.is_well()


def test_a_kernel_of_another_kind_is_judged_by_what_is_expected():
    """Integers exactly, array by array."""
    expected = {"hits": numpy.array([3, 1]), "sums": numpy.array([1.5, 2.5])}
    other = replace(problem(), operation="", sizes={"n": 2}, expected=expected)
    right = {"hits": numpy.array([3, 1], "int32"), "sums": numpy.array([1.5, 2.5], "float32")}
    wrong = right | {"hits": numpy.array([3, 0], "int32")}

    assert judged(other, GpuAnswer(right)).status == "right"
    verdict = judged(other, GpuAnswer(wrong))
    assert (verdict.status, verdict.message) == (
        "wrong",
        "hits[1] is 0 and should be 1. 1 of 2 elements are wrong.",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "options"),
    [
        pytest.param(
            "planted/correct/matmul_dynamic_shared.cu",
            Options(block="12,12", grid="ceil(cols/12),ceil(rows/12)", shared_bytes="1152"),
            id="dynamic-shared",
        ),
        pytest.param("planted/correct/matmul_template.cu", Options(template_arguments=("double", "12")), id="template"),
        pytest.param("seeds/004_tiledmatmultiply.cu", Options(), id="constants"),
    ],
)
def test_the_same_problems_arrive(monkeypatch, file, options):
    """The whole way, the card being the emulator: every problem gives the emulator's error, to the last bit."""
    monkeypatch.setattr(watchdog, "COMMAND", (sys.executable, "-P", str(STAND_IN), "emulates"))
    path = Path(__file__).parents[1] / file
    ((there,),) = check_files([path], options, card=Card("A card", "compute_90"))

    assert there.is_well()
    assert [each.error for each in gpu_of(there).cases] == [each.error for each in there.cases]
    assert [each.bound for each in gpu_of(there).cases] == [each.bound for each in there.cases]


@pytest.mark.slow
def test_arrays_by_name_arrive(monkeypatch, tmp_path):
    """A kernel of another kind, with a `__constant__` variable."""
    monkeypatch.setattr(watchdog, "COMMAND", (sys.executable, "-P", str(STAND_IN), "emulates"))
    x, weights = numpy.arange(300, dtype="float32"), numpy.array([1, 2, 3, 2, 1], "float32")
    given: dict[str, Any] = {"x": x, "weights": weights, "y": numpy.convolve(x, weights, "same")}
    for name, array in given.items():
        numpy.save(tmp_path / f"{name}.npy", array)
    arrays = {
        "arrays": {name: str(tmp_path / f"{name}.npy") for name in ("x", "weights")},
        "expected": {"y": str(tmp_path / "y.npy")},
        "scalars": {"n": "300"},
        "reference": "",
    }
    ((there,),) = check_files(
        [Path(__file__).parents[1] / "planted/correct/convolve_constant.cu"],
        Options(block="128", grid="ceil(n/128)"),
        arrays=arrays,
        card=Card("A card", "compute_90"),
    )

    assert there.is_well()
    assert [(each.status, each.sizes) for each in gpu_of(there).cases] == [("right", {"n": 300})]
