"""Files in processes of their own. What runs there is replaced: no kernel is compiled or emulated."""

import sys
from pathlib import Path

import pytest

from tilewright.lab.check import course
from tilewright.lab.check.course import FileLimits, check_files
from tilewright.lab.check.options import Options

pytestmark = pytest.mark.slow  # each child imports the emulator

STAND_IN = '''
"""Does what the file's first word says."""
import os, sys, time
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.result import CaseResult, CheckResult

def check_file(path, options, *, progress=None, for_gpu=None):
    progress(1, 2)
    what = path.read_text().split()[0]
    if what == "crash":
        os.abort()
    if what == "hang":
        time.sleep(600)
    if what == "memory":
        bytearray(1 << 44)
    if what == "raise":
        raise RuntimeError("a bug")
    if what == "refuse":
        raise CheckError("two orders fit")
    if what == "nothing":
        return []
    print("kernels print")
    progress(2, 2)
    return [CheckResult(str(path), options.symbol, how=str(options), cases=(CaseResult({"n": 1}, "right"),))]

sys.modules["tilewright.lab.check.judging"] = sys.modules[__name__]
'''


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Make files with a word each. In the child, judging is the stand-in."""
    (tmp_path / "stand_in.py").write_text(STAND_IN)
    (tmp_path / "run.py").write_text(
        "import stand_in, sys\nfrom tilewright.lab.check.child import main\nsys.exit(main(sys.argv[1:]))\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(course, "COMMAND", (sys.executable, "-P", str(tmp_path / "run.py")))

    def make(*words: str) -> list[Path]:
        paths = [tmp_path / f"{number}_{word}.cu" for number, word in enumerate(words)]
        for path, word in zip(paths, words, strict=True):
            path.write_text(word)
        return paths

    return make


def test_one_bad_file_does_not_stop_the_rest(files):
    """Crashes, bugs, refusals: each in its place, in the order given."""
    paths = files("crash", "good", "raise", "refuse", "nothing", "memory", "good")
    told = []
    results = check_files(paths, Options(symbol="mul"), progress=lambda *done: told.append(done), jobs=2)
    refusals = [of_file[0].refusal for of_file in results]

    assert [of_file[0].file for of_file in results] == [str(path) for path in paths]
    assert [refusals[1], refusals[6]] == ["", ""]
    assert refusals[0].startswith("the check crashed (SIGABRT")
    assert refusals[2] == "the check broke off (status 1: RuntimeError: a bug)"
    assert refusals[3] == "two orders fit"
    assert refusals[4] == "the file has no kernel"
    assert refusals[5] == "the check needs more than 8192 MiB of memory"
    assert sorted(told) == [(number, 7) for number in range(1, 8)]


def test_a_file_that_takes_too_long_is_stopped(files):
    """The clock is the parent's."""
    ((stopped,),) = check_files(files("hang"), Options(), limits=FileLimits(seconds=3))

    assert stopped.refusal == "the check did not end within 3 seconds"


def test_options_and_progress_reach_the_child_and_back(files):
    """Of a single file the progress is its own; what a kernel prints is none."""
    told = []
    options = Options(symbol="mul", defines={"TILE": "8"}, template_arguments=("float", "8"), multiples_of=4, seed=7)
    ((checked,),) = check_files(files("good"), options, progress=lambda *done: told.append(done))

    assert checked.how == str(options)
    assert checked.is_right
    assert told == [(1, 2), (2, 2)]
