"""Whoever is killed, at whatever moment: no process is left, and no folder."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.repeats import repeats

pytestmark = pytest.mark.slow

ROUNDS = repeats(10, 50)
MOST_SECONDS = 4.0
"""Of a run before it is killed: Python and the emulator are loaded, files are parsed and compiled, and kernels run."""
PATIENCE_SECONDS = 20.0
MARK = "TILEWRIGHT_KILL_TEST"
KERNEL = """
__global__ void mm(const float* A, const float* B, float* C, int m, int k, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) {
        float sum = %s;
        for (int i = 0; i < k; i++)
            sum += A[row * k + i] * B[i * n + col];
        C[row * n + col] = sum;
    }
}
"""
MACROS = "#define A0 1+\n" + "".join(f"#define A{i} A{i - 1} A{i - 1} A{i - 1} A{i - 1}\n" for i in range(1, 20))


def marked(mark):
    """The processes whose environment has the mark; a zombie has none."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if mark.encode() in (process / "environ").read_bytes():
                    found.append(int(process.name))
            except OSError:
                continue
    return found


@pytest.fixture
def command(tmp_path):
    """Start a check of a right file and of one whose compile does not end; returns the process, its mark and folder."""
    (tmp_path / "right.cu").write_text(KERNEL % "0")
    (tmp_path / "endless.cu").write_text(MACROS + KERNEL % "A19 1")
    started = []

    def start(number, **more):
        folder = tmp_path / f"temporary-{number}"
        folder.mkdir()
        mark = f"{MARK}={os.getpid()}-{number}"
        name, _, value = mark.partition("=")
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tilewright",
                "check",
                tmp_path / "right.cu",
                tmp_path / "endless.cu",
                "--jobs",
                "2",
            ],
            env={**os.environ, name: value, "TMPDIR": str(folder), **more},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process, mark, folder

    yield start
    for process in started:
        process.kill()
        process.wait()


def wait_for_processes(mark, count):
    """Wait until a command has started so many, itself among them."""
    until = time.monotonic() + 60
    while len(marked(mark)) < count:  # some are brief, so that another look may find fewer
        assert time.monotonic() < until
        time.sleep(0.01)


def check_nothing_is_left(mark, folder):
    """Wait until that is so."""
    until = time.monotonic() + PATIENCE_SECONDS
    while (left := marked(mark) or list(folder.iterdir())) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


def test_a_killed_check_leaves_nothing(command):
    """SIGKILL of the command at a random moment ends the template, the checkers and their compilers.

    First when all of them are there to be ended.
    """
    generator = random.Random(12)
    for number in range(ROUNDS):
        process, mark, folder = command(number)
        if number == 0:
            wait_for_processes(mark, 4)
        else:
            time.sleep(generator.uniform(0.0, MOST_SECONDS))
        assert process.poll() is None
        process.kill()
        process.wait()
        check_nothing_is_left(mark, folder)


def test_a_killed_first_start_leaves_nothing(command, tmp_path):
    """The emulator is being compiled then, in two processes."""
    process, mark, folder = command(0, TILEWRIGHT_CACHE=str(tmp_path / "cache"))
    wait_for_processes(mark, 3)
    process.kill()
    process.wait()
    check_nothing_is_left(mark, folder)


@pytest.mark.parametrize("which", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_template_leaves_nothing(command, which):
    """Its children end with it; the command says that they did, and ends."""
    process, mark, folder = command(0)
    wait_for_processes(mark, 4)
    (template,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(template), which)

    assert process.wait(timeout=60) in (0, 1, 2)
    check_nothing_is_left(mark, folder)


STARTED = """
import sys
from pathlib import Path
from tilewright.lab.check.course import check_files
from tilewright.lab.check.options import Options
from tilewright.lab.limited import running

running.has_template = lambda: False
if sys.argv[2] == "no groups":
    import os
    del os.killpg
check_files([Path(sys.argv[1])], Options())
"""


@pytest.mark.parametrize("groups", ["groups", "no groups"])
def test_processes_that_are_started_end_with_their_parent(tmp_path, groups):
    """As on macOS and Windows: the checker's input ends, and then its compiler's."""
    (tmp_path / "endless.cu").write_text(MACROS + KERNEL % "A19 1")
    folder = tmp_path / "temporary"
    folder.mkdir()
    mark = f"{MARK}={os.getpid()}-started"
    name, _, value = mark.partition("=")
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED, tmp_path / "endless.cu", groups],
        env={**os.environ, name: value, "TMPDIR": str(folder)},
    )
    until = time.monotonic() + 60
    while len(marked(mark)) < 3 and time.monotonic() < until:
        time.sleep(0.01)
    assert len(marked(mark)) == 3  # this one, the checker and its compiler
    process.kill()
    process.wait()
    check_nothing_is_left(mark, folder)
