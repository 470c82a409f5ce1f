"""Whatever is wrong with the input: one sentence on stderr, status 2, never a traceback."""

import os
import subprocess
import sys

import numpy
import pytest

from tilewright import cli

COMMAND = [sys.executable, "-m", "tilewright"]


def refused(capsys, *arguments):
    """Run; the one sentence."""
    status = cli.run([str(argument) for argument in arguments])
    error = capsys.readouterr().err
    assert status == cli.REFUSED, error
    assert error.startswith("tilewright: ")
    assert error.endswith(".\n")
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "--kernel", "tlied"], "There is no kernel 'tlied'"),
        (
            ["compare", "--kernel", "mma_sync"],
            "in float32, and matmul/mma_sync takes float16 or bfloat16",
        ),
        (["explain", "--kernel", "matmul/mma_sync"], "matmul/mma_sync takes float16 or bfloat16, not float32."),
        (["compare", "--kernel", "matmul/tlied"], "There is no kernel 'matmul/tlied'"),
        (["compare", "--operation", "dot", "--kernel", "naive"], "dot has no kernel naive"),
        (["compare", "--operation", "division"], "'--operation': 'division' is not one of 'matmul'"),
        (["compare", "--dtype", "int8"], "'--dtype': 'int8' is not one of 'float32'"),
        (["compare", "--device", "cuda"], "'--device': 'cuda' is not one of 'auto'"),
        (["compare", "--size", "3"], "'--size' requires 3 arguments; '3' follows it"),
        (["compare", "--size=3"], "'--size' requires 3 arguments; '3' follows it"),
        (["compare", "--size", "3", "4"], "requires 3 arguments; '3 4' follow it"),
        (["compare", "--size", "3", "x", "4"], "'--size': 'x' is not a valid integer"),
        (["compare", "--size", str(10**19), "4", "4"], "not m = 10000000000000000000, n = 4, k = 4"),
        (["compare", "--size", str(2**62), "0", "0", "--operation", "matmul"], "larger than any array can be"),
        (["compare", "--size", "10" * 4, "10" * 4, "1", "--operation", "matmul"], "of memory with its reference"),
        (["compare", "--size", "3", "3", str(2**40), "--operation", "dot"], "needs about"),
        (["explain", "--size", str(10**19), "4", "4", "--device", "host"], "--size takes sizes from 0"),
        (["compare", "--size", "-1", "2", "3", "--operation", "matmul"], "m = -1"),
        (["compare", "--size", "3", "3", "3", "--operation", "reduced_matmul"], "must be even"),
        (["compare", "--size", "0", "3", "3", "--operation", "matmul", "--kernel", "tiled"], "nothing to compute"),
        (["compare", "--kernel", "tiled", "--tile", "33", "--operation", "matmul"], "from 1 to 32, not 33"),
        (["compare", "--tile", "33", "--operation", "matmul"], "from 1 to 32, not 33"),
        (["compare", "--kernel", "tiled_exact", "--size", "64", "64", "62"], "multiples of its tile 16"),
        (["compare", "--kernel", "sequential", "--size", "3000", "2", "2", "--operation", "matmul"], "2,048"),
        (["compare", "--operation", "dot", "--kernel", "tiled", "--kernel", "naive"], "dot has no kernel naive"),
        (["compare", "--kernel", "auto", "--kernel", "tlied"], "There is no kernel 'tlied'"),
        (["compare", "--kernel", "division/auto"], "There is no kernel 'division/auto'"),
        (["compare", "--kernel", "/naive"], "There is no kernel '/naive'"),
        (["compare", "--device", "host", "--operation", "matmul", "--size", "10000000", "10000000", "2"], "of memory"),
        (["compare", "--device", "host", "--operation", "reduced_matmul", "--size", "3", "3", "3"], "must be even"),
        (["compare", "--operation", "matmul", "--tile", "8", "--tile", "33"], "from 1 to 32, not 33"),
        (
            ["compare", "--device", "host", "--operation", "dot", "--tile", "8"],
            "dot/sequential and dot/numpy have no tile",
        ),
        (
            ["compare", "--kernel", "naive_p", "--tile", "8"],
            "Tile 8 cannot be used: reduced_matmul/naive_p has no tile",
        ),
        (["compare", "--device", "host", "--kernel", "naive"], "not on host"),
        (["compare", "only.npy"], "Only one file"),
        (["compare", "none.npy", "none.npy"], "none.npy does not exist"),
        (["compare", "a.npy", "b.npy", "--size", "2", "2", "2"], "--size and --input"),
        (["compare", "a.npy", "b.npy", "c.npy"], "c.npy"),
        (["compare", "--out", "c.npy"], "--operation"),
        (
            ["compare", "--operation", "matmul", "--out", "c.txt"],
            "would hold a NumPy array, so its name must end in .npy",
        ),
        (["watch", "matmul/tiled", "--gif", "a.png"], "would hold an animation, so its name must end in .gif"),
        (["watch", "matmul/tiled", "-o", "a.gif"], "would hold a page, so its name must end in .html or .htm"),
        (["watch", "tiled"], "'tiled' names no kernel; write it as in matmul/tiled, or name a CUDA C++ file"),
        (["kernels", "matmul/tlied"], "matmul/wgmma"),
        (["occupancy", "matmul/wgmma"], "matmul/wgmma has its tile from a plan for a chip"),
        (["occupancy", "matmul/wgmma"], "answered for matmul/naive, matmul/"),
        (["watch", "matmul/tiled", "--trace", "-"], "- names no file: only --json - is standard output"),
        (["compar"], "here are compare, explain"),
        (["compare", "--json", "no/such/folder/x.json"], "does not exist"),
        (["compare", "--json", "."], "folder"),
        (["compare", "--json", "/proc/x"], "/proc/x cannot be written"),
        (["compare", "--seed", "-1"], "'--seed': -1 is not in the range x>=0"),
        (["compare", "--seed", "x"], "'--seed': 'x' is not a valid integer"),
        (["compare", "--seed", "3", "a.npy", "b.npy"], "--seed 3 cannot be used"),
        (["compare", "--seed", "0", "--input", "seed004"], "--seed 0 cannot be used"),
        (["compare", "--json"], "nothing follows it"),
        (["compare", "--sead", "1"], "--sead"),
        (["explain", "--kernel", "tlied"], "tlied"),
        (["explain", "--size", "3", "3", "3", "--operation", "reduced_matmul"], "must be even"),
        (["kernels", "tiled"], "matmul/tiled"),
        (["kernels", "matmul/tlied"], "matmul/tlied"),
        (["check", "k.cu", "--time-limit", "inf"], "--time-limit"),
        (["check", __file__, "--memory-limit", "9" * 5000 + "G"], "--memory-limit takes a size such as 2G"),
        (["divide"], "No such command 'divide'; there are compare, "),
    ],
)
def test_a_wrong_command_is_refused(capsys, arguments, words):
    """The sentence names what was given."""
    assert words in refused(capsys, *arguments)


def test_shapes_that_do_not_fit(capsys, tmp_path):
    """Both shapes and both types are named."""
    numpy.save(tmp_path / "a.npy", numpy.ones((2, 3), "f4"))
    sentence = refused(capsys, "compare", tmp_path / "a.npy", tmp_path / "a.npy")

    assert "A is (2, 3) float32 and B is (2, 3) float32" in sentence


def test_a_vector_for_a_matrix(capsys, tmp_path):
    """The sentence names the file and its shape."""
    numpy.save(tmp_path / "a.npy", numpy.ones(3))
    numpy.save(tmp_path / "b.npy", numpy.ones((3, 3)))
    sentence = refused(capsys, "compare", tmp_path / "a.npy", tmp_path / "b.npy")

    assert "a.npy holds A of shape (3,)" in sentence


def test_a_folder_that_cannot_be_written(capsys, tmp_path, monkeypatch):
    """It is refused before anything runs."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "not writable" in refused(capsys, "compare", "--json", tmp_path / "x.json")


def test_no_gpu_is_said_with_a_remedy(capsys, monkeypatch):
    """What is missing and what to install."""
    from tilewright.launch import DriverReport, open_machine

    report = DriverReport(problem="no NVIDIA driver was found")
    monkeypatch.setattr("tilewright.launch.cuda.gpu.driver_report", lambda: report)
    open_machine.cache_clear()
    assert "tilewright[cuda1" in refused(capsys, "compare", "--device", "gpu")


def test_a_missing_nvrtc_is_said_with_a_remedy(capsys, monkeypatch):
    """A tile that does not ship cannot be run without NVRTC."""
    from tilewright.compile import nvrtc, planned

    def missing():
        raise nvrtc.CompilerMissingError("NVRTC is not installed.")

    monkeypatch.setattr(nvrtc, "_library", missing)
    monkeypatch.setattr(planned, "_codes", {})
    monkeypatch.setattr(planned, "read_code", lambda _: None)
    sentence = refused(capsys, "compare", "--operation", "matmul", "--kernel", "tiled", "--tile", 7)
    assert "use tile 1, 2, 4, 8" in sentence


def test_a_bug_of_ours_is_a_sentence_too(capsys, monkeypatch):
    """Status 3, and where to see more."""
    monkeypatch.delenv("TILEWRIGHT_TRACEBACK", raising=False)
    monkeypatch.setattr("tilewright.cli.explain.choose_plan", lambda *_: 1 / 0)

    assert cli.run(["explain"]) == cli.BROKEN
    assert "TILEWRIGHT_TRACEBACK=1" in capsys.readouterr().err


def test_without_typer_the_remedy_is_named():
    """The library installs without the command's own dependencies."""
    code = "import sys; sys.modules['typer'] = None; from tilewright import cli; sys.exit(cli.run(['devices']))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert ended.returncode == cli.REFUSED
    assert "tilewright[cli]" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_nothing_runs_before_a_refusal(capsys, monkeypatch, tmp_path):
    """What one operation can do is planned with what another cannot, and no table precedes the sentence."""

    def run(*_, **__):
        pytest.fail("something ran before the refusal")

    monkeypatch.setattr("tilewright.lab.compare.comparison.run_plan", run)
    for arguments in (
        ["--kernel", "tiled", "--kernel", "tiled_exact", "--size", "64", "64", "62"],
        ["--kernel", "tiled", "--tile", "8", "--tile", "2000"],
        ["--operation", "dot", "--json", str(tmp_path / "x"), "--out", f"{tmp_path}/./x"],
    ):
        refused(capsys, "compare", *arguments)
        assert capsys.readouterr().out == ""


@pytest.mark.skipif(os.name != "posix", reason="there are no signals elsewhere")
@pytest.mark.parametrize("kernel", ["sequential", "naive"])
def test_ctrl_c_is_a_word(kernel):
    """An interrupted run says so, with the shell's status for it."""
    arguments = ["compare", "--operation", "matmul", "--kernel", kernel, "--size", "2048", "2048", "2048"]
    code = (
        "import os, signal, sys, threading; from tilewright import cli;"
        "threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start();"
        f"sys.argv[1:] = {arguments}; cli.main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert ended.stderr == "tilewright: interrupted.\n"
    assert ended.returncode == cli.INTERRUPTED
    assert ended.stdout == ""
