"""Threads of the host: emulators side by side, and a launch that is interrupted."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.emulate.running import launch, ptx_of
from tilewright.emulate import Emulator, compiled

SUM = """extern "C" __global__ void kernel(int* y, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; ++i) y[t] += i;
}"""


def test_two_emulators_in_two_threads():
    """Each thread's launches come out as if it were alone."""
    ptx_of(SUM)
    sums: dict[int, list[int]] = {}

    def work(number: int) -> None:
        y = np.zeros(256, np.int32)
        for _ in range(10):
            launch(SUM, y, number, grid=8, block=32, workers=2)
        sums[number] = y.tolist()

    threads = [threading.Thread(target=work, args=(number,)) for number in (100, 200, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sums == {n: [10 * (n * (n - 1) // 2)] * 256 for n in (100, 200, 300)}


def test_threads_that_need_a_unit_share_one(monkeypatch):
    """Two threads that launch at once compile every unit once."""
    made: list[int] = []
    both = threading.Barrier(2, timeout=10)

    def compile_once(*_: object) -> object:
        made.append(threading.get_ident())
        return object()

    monkeypatch.setattr(compiled.Unit, "_compile", compile_once)
    monkeypatch.setattr(compiled, "_UNITS", [])
    unit = compiled.Unit(lambda x: x)
    found: list[object] = []

    def use() -> None:
        both.wait()
        found.append(unit.compiled)

    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 1
    assert found[0] is found[1]


def test_threads_allocate_from_one_emulator(monkeypatch):
    """No two of them get one address, however the threads take turns."""
    emulator = Emulator(workers=1)
    monkeypatch.setattr(np, "full", with_a_pause(np.full))
    threads = [threading.Thread(target=emulator.allocate, args=(100, f"of {number}")) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    addresses = [allocation.address for allocation in emulator.memory.allocations]
    assert addresses == sorted(set(addresses))
    assert (len(addresses), emulator.memory.used_bytes) == (8, 800)


def with_a_pause(function):
    """Return the function, which lets other threads go first."""

    def wait_first(*arguments: object) -> object:
        threading.Event().wait(0.01)
        return function(*arguments)

    return wait_first


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_launch(workers):
    """Ctrl-C ends an endless launch, its workers with it, and the emulator launches again."""
    emulator = Emulator(workers=workers)
    module = emulator.load(ptx_of(SUM))
    y = emulator.allocate(4 * 256, name="y")
    y.write(np.zeros(256, np.int32))
    before = threading.active_count()

    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        emulator.launch(module, "kernel", grid=8, block=32, arguments=[y, 2**31 - 1], progress=interrupt)
    while threading.active_count() > before:
        threading.Event().wait(0.01)
    y.write(np.zeros(256, np.int32))
    emulator.launch(module, "kernel", grid=8, block=32, arguments=[y, 5])

    assert y.read(np.int32, (256,)).tolist() == [10] * 256


def test_launches_leave_nothing_behind():
    """Thousands of launches hold no more memory, addresses apart, than one."""
    emulator = Emulator(workers=1)
    module = emulator.load(ptx_of(SUM))
    y = emulator.allocate(4 * 256, name="y")
    held = emulator.memory.used_bytes, len(emulator.memory.allocations)
    for _ in range(300):
        emulator.launch(module, "kernel", grid=1, block=32, arguments=[y, 1])

    assert (emulator.memory.used_bytes, len(emulator.memory.allocations)) == held
    assert len(emulator.memory.freed) == 0
