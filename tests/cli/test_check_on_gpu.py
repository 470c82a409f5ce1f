"""`tilewright check --gpu`, with results that are given: what it prints, refuses and exits with."""

import json

import pytest

from tests.lab.check.results import SOURCE, on_gpu, race, result
from tilewright import cli
from tilewright.lab.check import course
from tilewright.lab.check.gpu import on_gpu as parent
from tilewright.launch.cuda import gpu
from tilewright.launch.cuda.driver import DriverReport


@pytest.fixture
def check(monkeypatch, tmp_path, capsys):
    """Check a file whose result is given, on a card that is given; what was printed, in one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mul.cu").write_text(SOURCE)
    card = parent.Card("A card", "sm_90")
    monkeypatch.setattr(parent, "card_at_hand", lambda: card)

    def run(there, *options, status):
        def checked(paths, _options, **more):
            assert more["card"] is card
            return [[there] for _ in paths]

        monkeypatch.setattr(course, "check_files", checked)
        assert cli.run(["check", "mul.cu", "--gpu", *options]) == status
        return " ".join(capsys.readouterr().out.split())

    return run


def test_right_on_both(check):
    """Columns beside the emulator's, and the card's name."""
    text = check(result(gpu=on_gpu("right", "right")), status=cli.PASSED)

    assert text.startswith("mul.cu: mul RIGHT; RIGHT ON THE GPU operation:")
    assert "rows inner cols grid block result error bound GPU there there" in text
    assert "16 16 16 1 16x16 right 1.5e-6 3.8e-6 right 1.4e-6 4.50us" in text
    assert "On A card: times are medians of five launches" in text


def test_wrong_on_the_gpu_alone(check):
    """Status 1, with the first wrong element; what was stopped there is said."""
    text = check(result(gpu=on_gpu("wrong", "fault")), status=cli.FAILED)

    assert text.startswith("mul.cu: mul RIGHT; WRONG ON THE GPU on 2 of 2 problems")
    assert "16 16 16 1 16x16 right 1.5e-6 3.8e-6 WRONG - -" in text
    assert "17 16 15 1x2 16x16 right 1.5e-6 3.8e-6 STOPPED - -" in text
    assert "rows 16, inner 16, cols 16 (and 1 more): wrong on the GPU: C[0][1] is 3 and should be 5." in text


def test_right_on_the_gpu_with_an_error_that_the_emulator_found(check):
    """Status 1: a race that the card's order hides is one."""
    text = check(result(findings=(race(),), gpu=on_gpu("right", "right")), status=cli.FAILED)

    assert text.startswith("mul.cu: mul RIGHT, BUT 1 ERROR; RIGHT ON THE GPU")


def test_not_run_on_the_gpu(check):
    """Status 1, and why."""
    reason = "the emulator found an error of the kind 'endless loop' in line 9, which may hang or stop a GPU"
    text = check(result(gpu=on_gpu(refusal=reason)), status=cli.FAILED)

    assert text.startswith("mul.cu: mul RIGHT; NOT RUN ON THE GPU")
    assert f"On A card: not run, for {reason}." in text
    assert "16 16 16 1 16x16 right 1.5e-6 3.8e-6 17 16 15" in text


def test_json_has_both(check):
    """Under `gpu`."""
    text = check(result(gpu=on_gpu("right", "wrong")), "--json", "-", status=cli.FAILED)
    there = json.loads(text)["files"][0]["kernels"][0]["gpu"]

    assert (there["device"], there["refusal"]) == ("A card", "")
    assert [case["status"] for case in there["cases"]] == ["right", "wrong"]
    assert there["cases"][0]["kernel_seconds"] == 4.5e-6


def test_without_a_gpu_it_is_refused_at_once(monkeypatch, tmp_path, capsys):
    """One sentence and status 2, before the emulator runs anything."""
    (tmp_path / "mul.cu").write_text(SOURCE)
    monkeypatch.setattr(gpu, "driver_report", lambda: DriverReport(problem="no NVIDIA driver was found"))
    monkeypatch.setattr(course, "check_files", lambda *_, **__: pytest.fail("something ran"))

    assert cli.run(["check", str(tmp_path / "mul.cu"), "--gpu"]) == cli.REFUSED
    error = capsys.readouterr().err
    assert error.startswith("tilewright: There is no GPU to use: no NVIDIA driver was found; on a machine with")
    assert error.count("\n") == 1
