"""The emulator behind the machine protocol."""

from dataclasses import replace

import numpy
import pytest

from tilewright.choose import EMULATOR_FACTS, Problem, choose_plan
from tilewright.emulate import EmulationError
from tilewright.kernels.launch import Scalar
from tilewright.launch import MachineError, open_machine
from tilewright.launch.emulator import EmulatorMachine


def launch(machine, k_given, progress=None):
    """matmul/naive on 3 x 5 x k, with k as the kernel is told it; C and the record."""
    plan = choose_plan(Problem.of("matmul", 3, 5, 4, "float32"), EMULATOR_FACTS, "naive")
    (planned,) = plan.launches
    given = replace(planned, arguments=planned.arguments | {"k": Scalar("int", k_given)})
    run = machine.load(replace(plan, launches=(given,)))
    a, b = numpy.ones((3, 4), "f4"), numpy.ones((4, 5), "f4")
    c = numpy.zeros((3, 5), "f4")
    buffers = [machine.allocate(array.nbytes, name) for array, name in ((a, "A"), (b, "B"), (c, "C"))]
    try:
        machine.copy_in(buffers[0], a)
        machine.copy_in(buffers[1], b)
        record = machine.timed(run, [*(buffer.address for buffer in buffers), 0, 0, 0], progress)
        machine.copy_out(buffers[2], c)
    finally:
        for buffer in buffers:
            machine.free(buffer)
    return c, record


def test_a_launch_gives_the_result_and_its_counts():
    """Every thread of C loads k elements of A and k of B; the lines say which statement did."""
    c, record = launch(open_machine("emulator"), 4)

    numpy.testing.assert_array_equal(c, numpy.full((3, 5), 4))
    assert record.counts.global_loads == 3 * 5 * 2 * 4
    assert sum(counts.global_loads for counts in record.lines.values()) == record.counts.global_loads
    assert record.kernel_seconds > 0


def test_a_fault_leaves_the_machine_usable():
    """An access outside A stops the kernel with a sentence; the next launch is right."""
    machine = open_machine("emulator")
    with pytest.raises(EmulationError, match=r"naive\.cu"):
        launch(machine, 5)

    c, _ = launch(machine, 4)
    numpy.testing.assert_array_equal(c, numpy.full((3, 5), 4))


def test_room_is_what_is_left_of_the_budget():
    """Less what is allocated; freed memory counts again."""
    machine = EmulatorMachine(memory_budget_bytes=2**20, workers=1)
    room = machine.room_bytes()
    buffer = machine.allocate(4096, "A")

    assert machine.room_bytes() == room - 4096
    assert machine.facts() is EMULATOR_FACTS
    machine.free(buffer)
    assert machine.room_bytes() == room


def test_a_copy_of_another_size_is_refused():
    """Also where the emulator's memory would have room."""
    machine = open_machine("emulator")
    buffer = machine.allocate(16, "A")
    with pytest.raises(MachineError, match="A holds 16 bytes"):
        machine.copy_in(buffer, numpy.zeros(4))
    machine.free(buffer)


def test_progress_is_reported():
    """Blocks done of all blocks, the last of them at the end."""
    machine = open_machine("emulator")
    seen = []
    launch(machine, 4, lambda done, everything: seen.append((done, everything)))

    assert all(done <= everything == 1 for done, everything in seen)
