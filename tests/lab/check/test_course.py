"""Files in processes of their own. What runs there is replaced: no kernel is compiled or emulated."""

import os
from pathlib import Path

import pytest

from tests.lab.check import course_tasks
from tilewright.lab.check import course
from tilewright.lab.check.course import check_files
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.report.points import score
from tilewright.lab.limited import Limits, default_memory_bytes

LIMITS = Limits(seconds=60.0, memory_bytes=1 << 30)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Make files with a word each, which the stand-in for the check does."""
    monkeypatch.setattr(course, "TASK", f"{course_tasks.__name__}:check")

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
    results = check_files(paths, Options(symbol="mul"), progress=lambda *done: told.append(done), limits=LIMITS, jobs=2)
    refusals = [of_file[0].refusal for of_file in results]

    assert [of_file[0].file for of_file in results] == [str(path) for path in paths]
    assert [refusals[1], refusals[6]] == ["", ""]
    assert refusals[0].startswith("the check crashed (SIGABRT")
    assert refusals[2] == "the check broke off (status 1: RuntimeError: a bug)"
    assert refusals[3] == "two orders fit"
    assert refusals[4] == "the file has no kernel"
    assert refusals[5] == "the check needs more than 1024 MiB of memory"
    assert sorted(told) == [(number, 7) for number in range(1, 8)]


def test_a_file_that_takes_too_long_is_stopped(files):
    """The clock is the parent's."""
    ((stopped,),) = check_files(files("hang"), Options(), limits=Limits(1.0, 1 << 30))

    assert stopped.refusal == "the check did not end within 1 seconds"


def test_verdicts_before_the_limit_are_delivered(files):
    """And the rest is said not to have been reached; a course's points are not known then."""
    ((first, second, rest),) = check_files(files("many"), Options(), limits=Limits(3.0, 1 << 30))

    assert first.is_right
    assert second.is_right
    assert rest.refusal == "The check did not end within 3 seconds; k3 and 37 more kernels were not judged."
    assert (rest.kernel, rest.pending, rest.file) == ("k3", "not reached", first.file)
    assert score([first, second, rest], {"right": 10.0}).pending == "not reached"


def test_options_and_progress_reach_the_child_and_back(files):
    """Of a single file the progress is its own; what a kernel prints is none."""
    told = []
    options = Options(symbol="mul", defines={"TILE": "8"}, template_arguments=("float", "8"), multiples_of=4, seed=7)
    ((checked,),) = check_files(files("good"), options, progress=lambda *done: told.append(done))

    assert checked.how == str(options)
    assert checked.is_right
    assert told == [(1, 2), (2, 2)]


def test_a_reference_stays_in_this_process(files, tmp_path):
    """It is loaded once, asked by each check, and refused before anything runs."""
    (tmp_path / "ours.py").write_text("import os\nLOADED_IN = os.getpid()\ndef f(n):\n    return n + LOADED_IN\n")
    given = {"arrays": {}, "scalars": {}, "expected": {}, "reference": f"{tmp_path / 'ours.py'}:f"}
    checked = check_files(files("reference", "reference"), Options(), arrays=given, limits=LIMITS, jobs=2)

    assert [of_file[0].how for of_file in checked] == [f"[{2 + os.getpid()}]"] * 2
    given["reference"] = f"{tmp_path / 'none.py'}:f"

    with pytest.raises(CheckError, match=r"none\.py is no file"):
        check_files(files("good", "good"), Options(), arrays=given)


def test_the_memory_is_shared_by_the_jobs():
    """A quarter of the machine's for all together."""
    assert default_memory_bytes(2) == pytest.approx(default_memory_bytes() / 2, rel=0.01)
