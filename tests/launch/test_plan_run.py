"""A plan run on host arrays, with a machine that notes what it is asked."""

# ruff: noqa: D102  (what a machine does is said in its protocol)

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from tilewright.choose import EMULATOR_FACTS, PlanError, Problem, choose_plan
from tilewright.kernels.launch import BUFFERS
from tilewright.launch import plan_run
from tilewright.launch.machine import Record
from tilewright.launch.plan_run import TIMED_LAUNCHES, prepare, run_plan

A, B = numpy.arange(12, dtype="f4").reshape(3, 4), numpy.arange(20, dtype="f4").reshape(4, 5)


class Machine:
    """A machine with so much room, whose launches write nothing and take so many seconds."""

    name = "emulator"

    def __init__(self, room_bytes: int | None = None, seconds: tuple[float, ...] = (1.0,)) -> None:
        self._room_bytes, self._seconds = room_bytes, iter(seconds)
        self.steps: list[Any] = []
        self.memory: dict[str, Any] = {}
        self.addresses: list[int] = []

    def room_bytes(self):
        return self._room_bytes

    def load(self, plan):
        self.steps.append("load")
        return plan

    def allocate(self, nbytes, name):
        buffer = SimpleNamespace(nbytes=nbytes, name=name, address=0x1000 * (1 + BUFFERS.index(name)))
        self.memory[name] = numpy.zeros(nbytes, numpy.uint8)
        self.steps.append(("allocate", name, nbytes))
        return buffer

    def copy_in(self, buffer, array):
        self.steps.append(("in", buffer.name))
        self.memory[buffer.name] = array.copy()
        return {"A": 0.25, "B": 0.5, "C": 8.0}[buffer.name]

    def timed(self, _run, addresses, progress=None):
        self.steps.append(("timed", progress))
        self.addresses = list(addresses)
        return Record(next(self._seconds), counts="counts", output=("line",), count_lines=lambda: {("a.cu", 1): 2})

    def copy_out(self, buffer, array):
        self.steps.append(("out", buffer.name))
        array[...] = self.memory[buffer.name].view(array.dtype)
        return 0.125

    def free(self, buffer):
        self.steps.append(("free", buffer.name))


@pytest.fixture
def on(monkeypatch):
    """Put a machine in the emulator's place."""

    def put(machine: Machine) -> Machine:
        monkeypatch.setattr(plan_run, "open_machine", lambda _: machine)
        return machine

    return put


def plan(k: int = 4):
    """matmul/naive of 3 x 5 x k in float32."""
    return choose_plan(Problem.of("matmul", 3, 5, k, "float32"), EMULATOR_FACTS, "naive")


@pytest.mark.parametrize("room", [None, 4 * (12 + 20 + 15), 4 * (12 + 20 + 15) - 1])
def test_what_does_not_fit_is_refused_before_it_is_compiled(on, room):
    """A, B and the kernel's output; a machine that does not know its room tries."""
    machine = on(Machine(room))
    if room == 187:
        with pytest.raises(PlanError, match=r"^matmul/naive needs 188 bytes of memory on the emulator, which has 187 "):
            prepare(plan())
    else:
        prepare(plan())
    assert machine.steps == ([] if room == 187 else ["load"])


def test_each_step_is_taken_once_and_all_memory_is_freed(on):
    """In order, at the addresses of the buffers that there are; the record is the launch's."""
    machine = on(Machine())
    found = run_plan(plan(), A, B, poison=True, progress=print, run="loaded")  # type: ignore[arg-type]

    assert machine.steps == [
        *(("allocate", "A", 48), ("allocate", "B", 80), ("allocate", "C", 60)),
        *(("in", "C"), ("in", "A"), ("in", "B"), ("timed", print), ("out", "C")),
        *(("free", "A"), ("free", "B"), ("free", "C")),
    ]
    assert machine.addresses == [0x1000, 0x2000, 0x3000, *[0] * (len(BUFFERS) - 3)]
    assert numpy.isnan(found.c).all()
    assert found.c.shape == (3, 5)
    assert (found.copy_in_seconds, found.kernel_seconds, found.copy_out_seconds) == (0.75, 1.0, 0.125)
    assert (found.counts, found.lines, found.output) == ("counts", {("a.cu", 1): 2}, ("line",))


def test_nothing_is_poisoned_or_kept_after_an_error(on):
    """C is written by the kernel alone unless that is asked for, and memory is freed whatever happens."""
    machine = on(Machine(seconds=()))
    with pytest.raises(StopIteration):
        run_plan(plan(), A, B)

    assert ("in", "C") not in machine.steps
    assert machine.steps[0] == "load"
    assert [step for step in machine.steps if step[0] == "free"] == [("free", name) for name in "ABC"]


@pytest.mark.parametrize(("first", "count"), [(1.0, TIMED_LAUNCHES), (1.001, 1)])
def test_launches_are_repeated_where_their_time_allows(on, first, count):
    """Then the first one is a warm-up, and the median is told."""
    seconds = (first, 5.0, 1.0, 9.0, 2.0, 8.0, 3.0, 7.0, 4.0, 6.0)
    on(Machine(seconds=seconds))
    found = run_plan(plan(), A, B, timing_seconds=float(TIMED_LAUNCHES))

    assert found.kernel_seconds_all == (seconds[1:] if count > 1 else seconds[:1])
    assert found.kernel_seconds == (5.0 if count > 1 else first)


def test_a_device_allocates_no_memory_of_nothing(on):
    """An inner size of 0 leaves A and B empty: an element stands for each. The workspace is of the plan's bytes."""
    machine = on(Machine())
    run_plan(replace(plan(k=0), workspace_bytes=96), A[:, :0], B[:0])

    assert machine.steps[1:5] == [("allocate", name, size) for name, size in zip(BUFFERS, (4, 4, 60), strict=False)] + [
        ("allocate", "workspace", 96)
    ]
    assert machine.addresses[BUFFERS.index("workspace")] == 0x1000 * (1 + BUFFERS.index("workspace"))


def test_partial_sums_are_added_on_the_host(on):
    """As they are, infinities too, without a warning."""
    machine = on(Machine())
    problem = Problem.of("dot", 1, 1, 96, "float32")
    partial = choose_plan(problem, EMULATOR_FACTS, "tiled", 32)
    assert partial.c_elements == 3
    machine.copy_out = lambda _, array: array.__setitem__(slice(None), [1.5, 2, numpy.inf]) or 0.0

    assert run_plan(partial, A.ravel(), B.ravel()).c == numpy.inf
