"""`tilewright check --gpu`: what the emulator let through, run on the card, under the watchdog."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from tilewright import cli
from tilewright.lab.check.gpu import on_gpu
from tilewright.lab.check.gpu.on_gpu import card_at_hand, run_on_gpu
from tilewright.lab.check.gpu.problems import GpuProblem, write_problems
from tilewright.lab.check.gpu.watchdog import WatchLimits
from tilewright.lab.check.report.result import CheckResult, GpuResult
from tilewright.lab.source import compile_user_code, read_cuda_file

PLANTED = Path(__file__).parents[1] / "lab" / "planted"
SEEDS = Path(__file__).parents[1] / "lab" / "seeds"
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("gpu")]


def check(tmp_path, *arguments, status=cli.PASSED):
    """Run the command; its only kernel, as JSON has it."""
    place = tmp_path / "out.json"
    assert cli.run(["check", *map(str, arguments), "--gpu", "--json", str(place)]) == status
    (file,) = json.loads(place.read_text())["files"]
    (kernel,) = file["kernels"]
    return kernel


def test_a_right_kernel(tmp_path, capsys):
    """Every problem, with errors within the bound and times, beside the emulator's."""
    kernel = check(tmp_path, PLANTED / "bad" / "no_guard_c_mended.cu")

    assert kernel["gpu"]["device"] == card_at_hand().name
    assert len(kernel["gpu"]["cases"]) == len(kernel["cases"]) >= 9
    for there, here in zip(kernel["gpu"]["cases"], kernel["cases"], strict=True):
        assert (there["status"], there["sizes"], there["bound"] > 0) == ("right", here["sizes"], True)
        assert there["error"] <= there["bound"]
        assert 0 < there["kernel_seconds"] < 1
    assert "RIGHT; RIGHT ON THE GPU" in capsys.readouterr().out


def test_a_wrong_kernel_is_wrong_there_too(tmp_path):
    """The emulator finds no store outside, so it runs; the first wrong element is the same."""
    kernel = check(tmp_path, PLANTED / "bad" / "too_few_tiles.cu", status=cli.FAILED)
    wrong = [case for case in kernel["gpu"]["cases"] if case["status"] == "wrong"]

    assert wrong
    for case in wrong:
        (here,) = [each for each in kernel["cases"] if each["sizes"] == case["sizes"]]
        assert here["message"].split(" is ")[0] == case["message"].split(" is ")[0]


@pytest.mark.parametrize("name", ["dot_endless", "barrier_in_branch", "no_guard_c", "misaligned_float4"])
def test_what_may_hang_the_card_is_not_run(tmp_path, name):
    """The emulator's verdict keeps it away; a loop that never ends is one under a launch that is known."""
    launch = ["--block", "128", "--grid", "ceil(inner/128)"] if name == "dot_endless" else []
    kernel = check(tmp_path, PLANTED / "bad" / f"{name}.cu", *launch, status=cli.FAILED)

    assert kernel["gpu"]["cases"] == []
    assert "the emulator" in kernel["gpu"]["refusal"]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(
            [
                *(PLANTED / "correct" / "matmul_dynamic_shared.cu", "--block", "12,12"),
                *("--grid", "ceil(cols/12),ceil(rows/12)", "--shared-bytes", "1152"),
            ],
            id="dynamic shared memory",
        ),
        pytest.param(
            [
                *(PLANTED / "correct" / "matmul_dynamic_shared.cu", "--block", "32,32", "--shared-bytes", "65536"),
                *("--grid", "ceil(cols/32),ceil(rows/32)"),
            ],
            id="more than 48 KiB of it",
        ),
        pytest.param(
            [PLANTED / "correct" / "matmul_template.cu", "--template", "double", "--template", "12"], id="template"
        ),
        pytest.param([SEEDS / "004_tiledmatmultiply.cu"], id="sizes as constants"),
        pytest.param([SEEDS / "004_tileddotproduct.cu"], id="dot product"),
        pytest.param([SEEDS / "003_tiled.cu"], id="reduced product"),
    ],
)
def test_other_ways_to_launch(tmp_path, arguments):
    """As on the emulator, so on the card."""
    kernel = check(tmp_path, *arguments)

    assert {case["status"] for case in kernel["gpu"]["cases"]} == {"right"}


def test_a_kernel_of_another_kind(tmp_path):
    """Arrays, a constant variable and numbers by name."""
    rng = numpy.random.default_rng(5)
    x, weights = rng.standard_normal(500).astype("float32"), numpy.array([1, 2, 3, 2, 1], "float32")
    numpy.save(tmp_path / "x.npy", x)
    numpy.save(tmp_path / "w.npy", weights)
    numpy.save(tmp_path / "y.npy", numpy.convolve(x, weights, "same"))
    kernel = check(
        tmp_path,
        *(PLANTED / "correct" / "convolve_constant.cu", "--array", f"x={tmp_path}/x.npy"),
        *("--array", f"weights={tmp_path}/w.npy", "--expect", f"y={tmp_path}/y.npy", "--scalar", "n=500"),
        *("--block", "128", "--grid", "ceil(n/128)"),
    )

    assert [case["status"] for case in kernel["gpu"]["cases"]] == ["right"]


def launched(tmp_path, source: str, monkeypatch, **changes) -> GpuResult:
    """Run a kernel that the emulator was not asked about, twice; C should hold 0, 1, 2, ..."""
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "k.cu").write_text(source)
    card = card_at_hand()
    code = compile_user_code(
        read_cuda_file(tmp_path / "k.cu"),
        defines={},
        symbol="k",
        template_arguments=(),
        architecture=card.architecture,
    )
    assert isinstance(code, bytes)
    problem = GpuProblem(
        sizes={"n": 64},
        operation="",
        entry="k",
        code=code,
        grid=(1, 1, 1),
        block=(64, 1, 1),
        shared_bytes=0,
        arguments=("C", numpy.int32(64)),
        arrays={"C": numpy.full(64, numpy.nan, "float32")},
        expected={"C": numpy.arange(64, dtype="float32")},
    )
    write_problems(tmp_path / "0", [replace(problem, **changes), problem])
    monkeypatch.setattr(on_gpu, "LIMITS", WatchLimits(problem_seconds=4))
    (result,) = run_on_gpu([CheckResult("k.cu", "k")], tmp_path, card)
    assert result.gpu is not None
    return result.gpu


def kernel_that(does: str) -> str:
    """A kernel that fills C with 0, 1, 2, ... and does something else."""
    return (
        'extern "C" __global__ void k(float* C, int n)\n'
        f"{{\n    int i = threadIdx.x;\n    if (i < n) C[i] = i;\n    {does}\n}}\n"
    )


def test_an_endless_loop_is_ended_and_the_card_still_works(tmp_path, monkeypatch):
    """The watchdog's work: the emulator would not have let it through."""
    endless = "volatile float* c = C;\n    while (c[0] < 1) c[1] = 1;"
    gpu = launched(tmp_path / "endless", kernel_that(endless), monkeypatch)

    assert [case.status for case in gpu.cases] == ["fault", "not run"]
    assert gpu.cases[0].message == "k did not end within 4 seconds at n 64, and its process was ended."
    assert launched(tmp_path / "right", kernel_that(""), monkeypatch).is_right


@pytest.mark.parametrize(
    ("does", "message"),
    [
        ("if (i == 0) C[n] = 1;", "A store lies 0 bytes past the end of C (256 bytes)."),
        ("if (i == 0) C[n + 5] = 1;", "A store lies 20 bytes past the end of C (256 bytes)."),
        ("if (i == 0) C[-3] = 1;", "A store lies 12 bytes in front of C (256 bytes)."),
    ],
)
def test_stores_beside_the_array_are_seen(tmp_path, monkeypatch, does, message):
    """By the guard bands; the result itself is right."""
    gpu = launched(tmp_path, kernel_that(does), monkeypatch)

    assert [(case.status, case.message) for case in gpu.cases] == [("wrong", message)] * 2


def test_a_fault_is_said_and_ends_the_run(tmp_path, monkeypatch):
    """After an illegal address every call of that process would fail."""
    gpu = launched(tmp_path, kernel_that("if (i == 0) C[1ull << 40] = 1;"), monkeypatch)

    assert [case.status for case in gpu.cases] == ["fault", "not run"]
    assert gpu.cases[0].message.startswith("The launch failed on the GPU: CUDA_ERROR_")


def test_a_launch_that_the_card_refuses(tmp_path, monkeypatch):
    """More threads than a block can have."""
    gpu = launched(tmp_path, kernel_that(""), monkeypatch, block=(2048, 1, 1))

    assert gpu.cases[0].status == "fault"
    assert gpu.cases[0].message.startswith("The launch failed on the GPU: ")


def test_what_a_kernel_prints_disturbs_nobody(tmp_path, monkeypatch):
    """Lines of its own, also such as look like the child's."""
    assert launched(tmp_path, kernel_that('printf("started 7\\n");'), monkeypatch).is_right


def test_variables_are_as_new_in_each_launch(tmp_path, monkeypatch):
    """Several launches are timed; one that counts them would be wrong from the second on."""
    source = "__device__ int launches = 0;\n" + kernel_that("__syncthreads(); if (i == 0) C[0] = launches++;")
    assert launched(tmp_path, source, monkeypatch).is_right
