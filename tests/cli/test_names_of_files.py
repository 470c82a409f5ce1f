"""Files with names that only a stranger gives: each is a file, in every report."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tilewright import cli
from tilewright.compile import compile_source
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.submissions import common_folder, refuse_links

KERNEL = """#ifdef TILE
#error an option was taken from the name
#endif
__global__ void mul(const float* A, const float* B, float* C, int M, int N, int K) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j <= N) { float s = 0; for (int k = 0; k < K; k++) s += A[i*K+k] * B[k*N+j]; C[i*N+j] = s; }
}
void run(const float* a, const float* b, float* c, int m, int n, int k) {
  mul<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}
"""
NAMES = {
    b"-DTILE=7.cu": "-DTILE=7.cu",
    b"\xff\xfe.cu": r"\xff\xfe.cu",
    b"a\nb.cu": r"a\nb.cu",
    b"\x1b[2J\xe2\x80\xaegnp.cu": r"\x1b[2J\u202egnp.cu",
    "é\"'\\.cu".encode(): "é\"'\\.cu",
}


def run(folder: Path, *arguments: str | bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a folder, as a process."""
    command = [sys.executable, "-m", "tilewright", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False)


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Run the command line there, in this process, which has imported it; what it says when it refuses."""
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments: str) -> str:
        assert cli.run(list(arguments)) == cli.REFUSED
        return str(capsys.readouterr().err)

    return run_here


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_check_takes_each_as_a_file(tmp_path):
    """Checked, quoted and listed in table, JSON and JUnit, with what is no letter as visible escapes."""
    for name in NAMES:
        (tmp_path / os.fsdecode(name)).write_text(KERNEL)
    done = run(tmp_path, "check", "--jobs", "2", "--json", "all.json", "--junit", "all.xml", "--", *NAMES)
    said = done.stdout.decode()

    assert done.returncode == 1, done.stderr
    assert said.count("out of bounds") >= len(NAMES)
    assert said.count("| if (i < M && j <= N)") >= len(NAMES)
    assert "\x1b" not in said
    assert "\u202e" not in said
    files = json.loads((tmp_path / "all.json").read_text())["files"]
    suites = ET.parse(tmp_path / "all.xml").getroot()  # noqa: S314  (our own)
    for (name, shown), file, suite in zip(NAMES.items(), files, suites, strict=True):
        assert f"{shown}: mul" in said, name
        assert file["file"] in {shown, shown.replace("\\n", "\n")}
        assert suite.get("name") == f"{shown}: mul"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("verb", ["check", "memories", "watch"])
def test_a_refusal_shows_the_name(tmp_path, refused, verb):
    """A file that is refused, by verbs that take files."""
    name = os.fsdecode(b"\xff\x1b[2J.cu")
    (tmp_path / name).write_bytes(b"\0")
    said = refused(verb, name)

    assert r"\xff\x1b[2J.cu" in said
    assert "\x1b" not in said
    assert len([line for line in said.splitlines() if not line.startswith("Compiling the emulator")]) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="other systems have no pipes with names")
@pytest.mark.parametrize("verb", ["check", "memories", "watch", "compare", "report"])
def test_what_is_no_regular_file_is_refused_as_that(tmp_path, refused, verb):
    """A pipe, a folder, a name that is too long: they are there, or cannot be, and nothing waits for them."""
    ending = ".npy" if verb in ("compare", "report") else ".cu"
    os.mkfifo(tmp_path / f"pipe{ending}")
    (tmp_path / f"folder{ending}").mkdir()
    for name, expected in {
        f"pipe{ending}": r"is no file|is not a file|is a pipe",
        f"folder{ending}": r"is no file|is not a file|is a folder",
        "n" * 300 + ending: "File name too long",
    }.items():
        said = refused(verb, *[name] * (2 if ending == ".npy" else 1))
        assert said.count("\n") == 1
        assert re.search(expected, said), name
        assert "Error" not in said


def test_a_file_that_the_shell_made_an_option(tmp_path, refused):
    """`check *.cu` hands over a name that opens with a dash: it is not taken for a macro in silence."""
    (tmp_path / "-DTILE=7.cu").write_text(KERNEL)
    (tmp_path / "b.cu").write_text(KERNEL)
    said = refused("check", "-DTILE=7.cu", "b.cu")

    assert said == "tilewright: -DTILE=7.cu is a file here, and is read as an option: give it as ./-DTILE=7.cu.\n"


@pytest.mark.parametrize("name", ["-DTILE=7.cu", "--help.cu", "é.cu", "\u202e.cu", "a\\b.cu", "sp ace.cu"])
def test_the_compiler_takes_a_name_for_a_name(name):
    """None is an option of NVRTC, and the table of files has it as it was given."""
    source = 'extern "C" __global__ void k(float* x) { *x = TILE; }'
    ptx = compile_source(source, name, architecture="compute_90", macros={"TILE": "3"})

    assert isinstance(ptx, str)
    assert f'.file\t1 "{name}"' in ptx
    assert str(0x40400000) in ptx


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_links_among_submissions_are_refused(tmp_path, refused):
    """A link could be another student's file, and so could a folder; what is above them all is the teacher's."""
    (tmp_path / "real" / "ann").mkdir(parents=True)
    (tmp_path / "course").symlink_to("real")
    (tmp_path / "real" / "ann" / "mul.cu").write_text(KERNEL)
    (tmp_path / "real" / "bob").symlink_to("ann")
    (tmp_path / "real" / "eve").mkdir()
    (tmp_path / "real" / "eve" / "mul.cu").symlink_to("../ann/mul.cu")
    (tmp_path / "real" / "eve" / "lost.cu").symlink_to("nowhere")
    files = [tmp_path / "course" / name for name in ("ann/mul.cu", "bob/mul.cu", "eve/mul.cu", "eve/lost.cu")]
    folder = common_folder(files)

    assert folder == tmp_path / "course"
    refuse_links(files[0], folder)
    for path, what in zip(files[1:], ("its folder bob", "it", "it"), strict=True):
        with pytest.raises(CheckError, match=f"not read: {what} is a symbolic link"):
            refuse_links(path, folder)
    refuse_links(files[2], None)  # a file of one's own, alone

    (tmp_path / "rubric.toml").write_text("[points]\nright = 1\n")
    said = refused("check", "--points", "rubric.toml", str(files[2]))
    assert "is a symbolic link, which may lead to another's file." in said
