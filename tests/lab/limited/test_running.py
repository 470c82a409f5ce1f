"""Tasks in processes of their own, forked from the template and started: answers, questions, and every bad end."""

import os
import time
from pathlib import Path

import numpy
import pytest

from tests.lab.limited import tasks
from tilewright.lab.check.options import CheckError
from tilewright.lab.limited import Conversation, LimitedError, LimitReachedError, Limits, run_limited, running, template
from tilewright.lab.limited.messages import MessageError
from tilewright.lab.limited.task import done_or_raised

LIMITS = Limits(seconds=20.0, memory_bytes=512 << 20)


@pytest.fixture(params=["forked", "started"])
def way(request, monkeypatch):
    """Both ways to a process; the one that is started imports nothing first."""
    if request.param == "started":
        monkeypatch.setattr(running, "has_template", lambda: False)
        monkeypatch.setattr(template, "FIRST", ())
    return request.param


def run(name, request=None, arrays=None, *, limits=LIMITS, conversation=None):
    """Do a task of this folder."""
    task = f"{tasks.__name__}:{name}"
    return run_limited(task, request, arrays, what="the check", limits=limits, conversation=conversation)


class Answering(Conversation):
    """Adds one to what it is asked."""

    def __init__(self):
        self.heard = []

    def told(self, what):
        """Keep it."""
        self.heard.append(what)

    def asked(self, what, arrays):
        """Take longer than the limit, which is not the task's time."""
        time.sleep(0.7)
        return what["n"] + 1, {"y": arrays["x"] + 1}


@pytest.mark.usefixtures("way")
def test_requests_and_answers_are_data(tmp_path, monkeypatch):
    """Text that is no UTF-8, numbers that are none, arrays of all kinds and of no elements, the caller's folder."""
    monkeypatch.chdir(tmp_path)
    value = {"path": "a\udcff.cu", "n": 1 << 70, "x": float("inf"), "none": None}
    arrays = {
        "f": numpy.array([[1.5, -2.0]], ">f4"),
        "b": numpy.array(True),
        "e": numpy.zeros((0, 3), numpy.int64),
        "t": numpy.arange(6, dtype=numpy.uint8).reshape(2, 3).T,
    }
    found = run("echo", value, arrays)

    assert found["value"] == value
    assert found["arrays"]["f"] == [">f4", [[1.5, -2.0]]]
    assert found["arrays"]["b"] == ["|b1", True]
    assert found["arrays"]["e"] == ["<i8", []]
    assert found["arrays"]["t"] == ["|u1", [[0, 3], [1, 4], [2, 5]]]
    assert Path(found["folder"]) == tmp_path
    with pytest.raises(MessageError, match="o holds object"):
        run("echo", 1, {"o": numpy.array([print])})


@pytest.mark.usefixtures("way")
def test_a_task_tells_and_asks():
    """The clock stands still while it waits for the caller."""
    answering = Answering()
    found = run("ask", 5, limits=Limits(0.6 if running.has_template() else 1.5, 512 << 20), conversation=answering)

    assert found == [4, [1.0, 2.0, 3.0, 4.0], 5]
    assert answering.heard == [[1, 2], [2, 2]]
    with pytest.raises(LimitedError, match="asks what nobody answers"):
        run("ask", 5)


BAD_ENDS = {
    "segfault": r"^the check crashed \(SIGSEGV; it may use 512 MiB of memory\)$",
    "spend_processor_time": r"^the check did not end within 20 seconds$",
    "be_killed": r"^the check was killed: by someone, or by the system because its memory ran out$",
    "fill_memory": r"^the check needs more than 512 MiB of memory$",
    "ask_for_memory": r"^the check needs more than 512 MiB of memory$",
    "leave": r"^the check broke off \(status 3: last word\)$",
    "leave_well": r"^the check ended without an answer$",
    "fail": r"^the check broke off \(status 1: RuntimeError: a bug\)$",
    "half": "cannot be read: a message breaks off$",
    "huge": "cannot be read: a message has 36,893,488,147,419,103,230 bytes$",
    "no_json": "cannot be read: a message cannot be read: ",
    "deep": "cannot be read: a message cannot be read: ",
    "other": "cannot be read: a message cannot be read: ",
    "objects": "cannot be read: an array of '|O8'",
}


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", BAD_ENDS)
def test_a_bad_end_is_a_sentence(name):
    """Whatever it is, and the next task is done as if nothing had been."""
    with pytest.raises(LimitedError, match=BAD_ENDS[name]) as caught:
        run(name)

    budget = {"spend_processor_time": "time", "fill_memory": "memory", "ask_for_memory": "memory"}.get(name)
    assert getattr(caught.value, "budget", None) == budget


@pytest.mark.usefixtures("way")
def test_what_is_foreseen_is_raised_again():
    """Under its own name; what a task prints is no answer."""
    with pytest.raises(CheckError, match=r"^two orders fit$"):
        done_or_raised(run("refuse"))
    assert run("print_something") == 1


@pytest.mark.usefixtures("way")
def test_a_task_that_hangs_is_ended_with_what_it_started(tmp_path):
    """By the caller's clock."""
    with pytest.raises(LimitReachedError, match=r"did not end within 1\.5 seconds") as caught:
        run("hang_with_grandchild", str(tmp_path / "number"), limits=Limits(1.5, 512 << 20))

    assert caught.value.budget == "time"
    assert has_ended(int((tmp_path / "number").read_text()))


def has_ended(process, patience_seconds=10.0):
    """Whether a process ends soon."""
    until = time.monotonic() + patience_seconds
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # JAX's, where another test has loaded it
def test_the_template_is_started_again():
    """Whoever kills it, and a fork of the caller's has one of its own."""
    from tilewright.lab.limited.asking import _CURRENT, prepare_template

    assert run("print_something") == 1
    first = prepare_template().process
    first.kill()
    assert run("print_something") == 1
    assert prepare_template().process.pid != first.pid
    child = os.fork()
    if child == 0:
        os._exit(0 if not _CURRENT else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert run("print_something") == 1
