"""What a launch passes against what its kernel takes: in PTX and in cubins, and where they were made to disagree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.launch import fake_driver
from tilewright.choose import EMULATOR_FACTS, Problem, choose_plan, find_chip
from tilewright.compile.planned import compile_launches
from tilewright.compile.shipped import usual_launch
from tilewright.compile.signature import SignatureError, check_signature, parameter_bytes, passed_bytes
from tilewright.kernels import CATALOGUE, find
from tilewright.kernels.launch import Launch, Pointer, Scalar, TensorMap
from tilewright.launch import open_machine
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda.planned import PlannedRun

H200 = find_chip("h200")
MAP = TensorMap("A", "bfloat16", (64, 48), (128,), (64, 32))
EMULATED = [kernel for kernel in CATALOGUE if "emulator" in kernel.runs_on]


def fast_launches():
    """Launches of the kernels for one chip, and of those that they bring along."""
    for sizes in ((512, 512, 512), (513, 511, 509), (64, 64, 8192)):
        yield from choose_plan(Problem.of("matmul", *sizes, "bfloat16"), H200, "wgmma").launches


@pytest.mark.parametrize(
    "kernel", [k for k in EMULATED if not k.is_step and k.only is None], ids=lambda kernel: kernel.name
)
def test_ptx_and_cubin_say_the_same_and_the_launch_agrees(kernel):
    """Of each kernel that the emulator runs, in each type."""
    for dtype in kernel.dtypes:
        launch = usual_launch(kernel, dtype)
        codes = [compile_launches([launch], target)[0] for target in ("compute_90", (9, 0))]

        assert parameter_bytes(codes[0], launch.entry) == parameter_bytes(codes[1], launch.entry)
        for code in codes:
            check_signature(launch, code)


def test_kernels_of_one_chip_agree():
    """Tensor maps by value, of 128 bytes each."""
    launches = {launch.kernel: launch for launch in fast_launches()}
    assert {"matmul/wgmma", "matmul/repack"} <= set(launches)
    for launch, code in zip(launches.values(), compile_launches(list(launches.values()), (9, 0)), strict=True):
        check_signature(launch, code)
    assert passed_bytes(launches["matmul/wgmma"])["maps"] in {2 * 128, 3 * 128}


@pytest.mark.parametrize(
    ("arguments", "sizes"),
    [
        ({"A": Pointer("A"), "k": Scalar("int", 1)}, {"A": 8, "k": 4}),
        ({"p.m": Scalar("int", 1), "p.far": Scalar("long long", 1), "p.n": Scalar("int", 1)}, {"p": 24}),
        ({"p.m": Scalar("int", 1), "q.n": Scalar("double", 1), "r": Scalar("float", 1)}, {"p": 4, "q": 8, "r": 4}),
        ({"maps.a": MAP, "maps.b": MAP, "C": Pointer("C")}, {"maps": 256, "C": 8}),
    ],
)
def test_structs_are_as_large_as_in_c(arguments, sizes):
    """Members follow each other, each aligned to its size."""
    assert passed_bytes(Launch("matmul/naive", (), (1, 1, 1), (1, 1, 1), arguments)) == sizes


def plan_with(changes, machine=EMULATOR_FACTS):
    """A plan of matmul/tiled whose arguments were changed; None takes one away."""
    plan = choose_plan(Problem.of("matmul", 8, 8, 8, "float32"), machine, "tiled", 8)
    (launch,) = plan.launches
    arguments = {name: value for name, value in (launch.arguments | changes).items() if value is not None}
    return replace(plan, launches=(replace(launch, arguments=arguments),))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"k": Scalar("long long", 8)}, r"takes 6 parameters of 8, 8, 8, 4, 4, 4 bytes, and k has 8 bytes here"),
        ({"k": None}, "and 5 are passed"),
        ({"C": MAP}, "and C has 128 bytes here"),
    ],
)
def test_a_planted_disagreement_is_refused_before_anything_runs(monkeypatch, changes, words):
    """On the emulator and on a GPU alike."""
    with pytest.raises(SignatureError, match=words):
        open_machine("emulator").load(plan_with(changes))
    driver = fake_driver.install(monkeypatch)
    with pytest.raises(SignatureError, match=words):
        PlannedRun(plan_with(changes, H200), cuda_device.cuda_device(0))
    assert driver.launches == []
    cuda_device.cuda_device.cache_clear()


def test_an_edited_source_disagrees_with_its_planning(tmp_path):
    """A parameter made wider in the .cu alone: the launch that was right is refused, with the file's name."""
    text = find("matmul", "naive").source_text()
    assert "int k" in text
    (tmp_path / "naive.cu").write_text(text.replace("int k", "long long k", 1))
    plan = choose_plan(Problem.of("matmul", 4, 4, 4, "float32"), EMULATOR_FACTS, "naive")
    (launch,) = plan.launches
    edited = replace(launch, source=str(tmp_path / "naive.cu"))

    open_machine("emulator").load(plan)
    with pytest.raises(SignatureError, match=r"naive\.cu and what plans its launches disagree"):
        open_machine("emulator").load(replace(plan, launches=(edited,)))


def test_a_program_without_the_kernel_is_told():
    """The entry is the source's, and not what the plan calls it."""
    launch = usual_launch(find("matmul", "naive"), "float32")
    for target in ("compute_90", (9, 0)):
        (code,) = compile_launches([launch], target)
        with pytest.raises(SignatureError, match="has no kernel product"):
            check_signature(replace(launch, entry="product"), code)
