"""`tilewright check`, with results that are given: what it prints, writes, refuses and exits with."""

import json
from pathlib import Path

import numpy
import pytest

from tests.lab.check.results import SOURCE, case, race, refused, result, uncoalesced
from tilewright import cli
from tilewright.cli.check_inputs import other_kind
from tilewright.lab.check import course
from tilewright.lab.check.other_inputs import read_request


@pytest.fixture
def checked(monkeypatch, tmp_path):
    """Set what a check comes to; returns what it was called with."""
    monkeypatch.chdir(tmp_path)
    calls: dict[str, object] = {}

    def give(*files):
        for of_file in files:
            (tmp_path / of_file[0].file).write_text(SOURCE)
        monkeypatch.setattr(
            course,
            "check_files",
            lambda paths, options, **more: calls.update(more, paths=paths, options=options) or list(files),
        )
        return calls

    return give


def run(capsys, *arguments, status=cli.PASSED):
    """Run; what it printed."""
    assert cli.run(["check", *arguments]) == status
    return capsys.readouterr().out


def flat(text):
    """In one line."""
    return " ".join(text.split())


def test_a_right_kernel(capsys, checked):
    """Verdict, roles, launch, problems, counts, notes."""
    checked([result()])
    text = flat(run(capsys, "mul.cu"))

    assert text.startswith(
        "mul.cu: mul RIGHT operation: matmul arguments: A,B,C,rows,cols,inner (the only order that fits)"
    )
    assert "launch: the file's own <<<>>>" in text
    assert "17 16 15 1x2 16x16 right 1.5e-6 3.8e-6" in text
    assert "at rows 37, inner 8, cols 41; counted by execution:" in text
    assert "mul 12,345 100 4.5 - - 8 -" in text
    assert text.endswith("Note: Sizes from 1 to 61 were tried.")


def test_findings_quote_both_lines_and_say_what_to_do(capsys, checked):
    """Errors first, though the note was found first."""
    checked([result(findings=(uncoalesced(), race()))])
    text = run(capsys, "mul.cu", status=cli.FAILED)
    lines = [line.strip() for line in text.splitlines()]
    start = lines.index("error: race at mul.cu:4 (1,024 times)")

    assert lines[0] == "mul.cu: mul  RIGHT, BUT 1 ERROR, 1 note"
    assert lines[start + 1 : start + 7] == [
        "| As[ty][tx] = A[row * k + tx];",
        "Thread (0, 0, 0) writes As[0][0] while thread (1, 0, 0) reads it.",
        "The other line, mul.cu:5:",
        "| sum += As[ty][i] * Bs[i][tx];",
        "threads: thread (0, 0, 0) of block (0, 0, 0); thread (1, 0, 0) of block (0, 0, 0); at As[0][0]",
        "What to do: Put __syncthreads() between the two lines.",
    ]
    assert lines.index("note: uncoalesced at mul.cu:6") > start


def test_wrong_and_stopped_problems_say_why(capsys, checked):
    """The first wrong element, and what stopped a launch."""
    cases = (
        case(16, 16, 16, "wrong", message="C[0][1] is 3 and not 5"),
        case(17, 16, 16, "wrong", message="C[0][1] is 3 and not 5"),
        case(1, 1, 1, "fault", message="endless loop"),
        case(1, 1, 2, "fault", message="out of bounds"),
        case(3, 1, 1, "refused"),
    )
    checked([result(cases=cases)])
    printed = run(capsys, "mul.cu", status=cli.FAILED)
    text = flat(printed)

    assert "mul WRONG on 4 of 4 problems" in text
    assert "rows 16, inner 16, cols 16 (and 1 more): wrong: C[0][1] is 3 and not 5" in text
    assert "rows 1, inner 1, cols 1: stopped: endless loop" in text
    assert not any(line.endswith(" ") for line in text.splitlines())
    assert "The messages of 1 more are in --json." in text
    assert "not promised" in text


@pytest.mark.parametrize("width", [20, 40, 80])
def test_nothing_is_cut_on_a_narrow_terminal(capsys, checked, monkeypatch, width):
    """Every word of the wide report is in the narrow one, but for those that are broken."""
    monkeypatch.setenv("COLUMNS", str(width))
    checked([result(findings=(race(),), cases=(case(16, 16, 16, "wrong", message="C[0][1] is " + "3" * 50),))])
    text = run(capsys, "mul.cu", status=cli.FAILED)

    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    narrow = "".join(text.split())
    for words in (
        ("3" * 50, "12,345", "1,024times", "__syncthreads()", "3.8e-6") if width > 20 else ("3" * 50, "12,345")
    ):
        assert words in narrow or words == "3.8e-6"


@pytest.mark.parametrize(
    ("changes", "options", "status"),
    [
        ({}, [], cli.PASSED),
        ({"findings": (uncoalesced(),)}, [], cli.PASSED),
        ({"findings": (uncoalesced(),)}, ["--strict"], cli.FAILED),
        ({"findings": (race(),)}, [], cli.FAILED),
        ({"cases": (case(1, 1, 1, "wrong"),)}, [], cli.FAILED),
        ({"cases": ()}, [], cli.FAILED),
    ],
)
def test_exit_status(capsys, checked, changes, options, status):
    """0 only if all is well."""
    checked([result(**changes)])
    run(capsys, "mul.cu", *options, status=status)


def test_a_file_that_cannot_be_checked_is_refused(capsys, checked):
    """One file: a sentence and status 2, but JSON and JUnit are written."""
    checked([refused()])
    assert cli.run(["check", "broken.cu", "--junit", "junit.xml", "--json", "out.json"]) == cli.REFUSED

    output = capsys.readouterr()
    assert output.err == "tilewright: broken.cu:3: error: expected a ;.\n"
    assert output.out == ""
    assert json.loads(Path("out.json").read_text())["well"] is False


def test_several_files(capsys, checked):
    """Each in full, then a line each; one that cannot be checked among others is a failure."""
    checked([refused()], [result()])
    text = flat(run(capsys, "broken.cu", "mul.cu", status=cli.FAILED))

    assert text.startswith("broken.cu NOT CHECKED broken.cu:3: error: expected a ;")
    assert text.endswith("file kernel result broken.cu NOT CHECKED mul.cu mul RIGHT")


def test_points(capsys, checked, tmp_path):
    """A table, and a reason for each lost point, also as JSON."""
    checked([result()], [result("bad.cu", findings=(race("bad.cu"),))], [refused()])
    (tmp_path / "rubric.toml").write_text('[points]\nright = 40\n"no race" = 20\n')
    arguments = ("mul.cu", "bad.cu", "broken.cu", "--points", "rubric.toml")
    text = flat(run(capsys, *arguments, status=cli.FAILED))

    assert "mul.cu 60 of 60 40 20 bad.cu 40 of 60 40 0 broken.cu 0 of 60 0 0" in text
    assert "bad.cu no race, -20: mul: race, line 4: Thread (0, 0, 0) writes" in text
    assert "broken.cu right, no race, -60: not checked: broken.cu:3" in text
    content = json.loads(run(capsys, *arguments, "--json", "-", status=cli.FAILED))
    assert content["files"][1]["points"]["total"] == 40


def test_options_arrive(capsys, checked):
    """As the check takes them."""
    calls = checked([result()])
    run(
        capsys,
        *("mul.cu", "--symbol", "mul", "--operation", "dot", "--args", "A,B,C", "--block", "8", "--grid", "inner/8"),
        *("--shared-bytes", "8*4", "-D", "TILE=8", "-D", "FAST", "--template", "float", "--multiples-of", "8"),
        *("--zero-output", "--seed", "5", "--time-limit", "9", "--jobs", "2"),
    )

    assert calls["options"].defines == {"TILE": "8", "FAST": "1"}
    assert calls["options"].template_arguments == ("float",)
    assert (calls["options"].operation, calls["options"].grid, calls["options"].seed) == ("dot", "inner/8", 5)
    assert (calls["arrays"], calls["limits"].seconds, calls["jobs"]) == (None, 9, 2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.cu"], "none.cu does not exist."),
        (["."], ". is no file; check takes CUDA C++ files."),
        (["mul.cu", "-D", "=3"], "-D takes NAME=VALUE, not '=3'."),
        (["mul.cu", "-D", "A=1", "-D", "A=2"], "-D names A twice."),
        (["mul.cu", "--scalar", "n=5"], "go with --array"),
        (["mul.cu", "--array", "A=mul.cu"], "judged against --expect C=c.npy or --reference"),
        (["mul.cu", "--array", "A=none.npy", "--expect", "C=mul.cu"], "--array names none.npy, which is no file."),
        (["mul.cu", "--array", "A=no.npz:a", "--expect", "C=mul.cu"], "--array names no.npz, which is no file."),
        (["mul.cu", "--array", "A", "--expect", "C=mul.cu"], "--array takes A=a.npy, not 'A'."),
        (["mul.cu", "--array", "A=mul.cu", "--reference", "f.py"], "--reference takes file.py:function, not 'f.py'."),
        (["mul.cu", "--points", "none.toml"], "none.toml"),
        (["mul.cu", "--points", "rubric.toml", "--multiples-of", "8"], "leaves no boundary tiles"),
        (["mul.cu", "--points", "mul.cu"], "mul.cu is not TOML"),
        (["mul.cu", "--junit", "no/such.xml"], "no/such.xml cannot be written"),
        (["mul.cu", "--junit", "a.x", "--json", "a.x"], "given for two files"),
        (["mul.cu", "--operation", "addition"], "matmul"),
    ],
)
def test_refusals(capsys, checked, arguments, sentence):
    """One sentence, status 2, before anything runs."""
    checked([result()])
    Path("rubric.toml").write_text('[points]\n"boundary tiles" = 5\n')
    assert cli.run(["check", *arguments]) == cli.REFUSED
    error = capsys.readouterr().err

    assert sentence in error
    assert error.count("\n") == 1


def test_another_kind_as_data(tmp_path):
    """Paths are absolute; numbers stay text, the kernel's types decide."""
    path = tmp_path / "a.npy"
    path.write_bytes(b"")
    given = other_kind([f"A={path}"], ["n=5"], [f"C={path}"], None)

    assert given == {"arrays": {"A": str(path)}, "scalars": {"n": "5"}, "expected": {"C": str(path)}, "reference": ""}


def test_an_array_of_an_archive(tmp_path, monkeypatch):
    """One member of several is named behind the file, and read by the same words."""
    monkeypatch.chdir(tmp_path)
    numpy.savez("both.npz", a=numpy.arange(3.0), c=numpy.arange(4.0))
    given = other_kind(["A=both.npz:a"], [], ["C=both.npz:c"], None)

    assert given is not None
    assert given["arrays"] == {"A": f"{tmp_path / 'both.npz'}:a"}
    assert read_request(given)["expect"]["C"].tolist() == [0.0, 1.0, 2.0, 3.0]
