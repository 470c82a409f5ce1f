"""Budgets end what would not end."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulate.running import PTX_HEADER, entry_of, launch, line_of
from tilewright.emulate import BudgetExceeded, EmulationError, Emulator
from tilewright.emulate.observers import all_observers

ENDLESS = """extern "C" __global__ void kernel(volatile int* x) {
    if (blockIdx.x == 1)
        while (x[0] == 0) { } // forever
    x[1] = 5;
}"""


@pytest.mark.parametrize("workers", [1, 2])
def test_endless_loop_uses_up_its_budget(workers):
    """A loop without end stops when its instructions are spent, and the fault says where it was."""
    with pytest.raises(BudgetExceeded) as caught:
        launch(ENDLESS, np.zeros(2, dtype=np.int32), grid=3, workers=workers, instruction_budget=100_000)
    fault = caught.value

    assert fault.kernel == "kernel"
    assert fault.line == line_of(ENDLESS, "// forever")
    assert fault.block == (1, 0, 0)
    assert "100" in str(fault)


def test_endless_loop_of_one_branch():
    """`bra` to itself ends too."""
    with pytest.raises(BudgetExceeded):
        launch(entry_of("kernel", [], "L: bra.uni L; ret;"), instruction_budget=10_000)


def test_endless_recursion():
    """A recursion without end runs out of stack or of instructions, with a sentence."""
    source = """__device__ __noinline__ int down(int n, volatile int* x) {
        return n == x[0] ? 0 : down(n + 1, x) * 3 + x[1]; }
    extern "C" __global__ void kernel(volatile int* x) { x[2] = down(0, x); }"""
    with pytest.raises(EmulationError, match=r"stack|budget|instruction|deep|call"):
        launch(source, np.array([-1, 1, 0], dtype=np.int32), block=1, instruction_budget=3_000_000)


def test_budget_that_suffices():
    """A launch within its budget is not stopped."""
    y = np.zeros(2, dtype=np.int32)
    launch(ENDLESS, y, grid=1, instruction_budget=10_000)

    assert y[1] == 5


@pytest.mark.parametrize("workers", [1, 2])
def test_grid_of_two_to_the_sixty_third_blocks(workers):
    """The largest grid costs nothing before its budget ends it: neither a list of its blocks nor a map."""
    emulator = Emulator(workers=workers)
    module = emulator.load(entry_of("kernel", [], "ret;"))
    with pytest.raises(BudgetExceeded, match="more than 5000 warp instructions:"):
        emulator.launch(module, "kernel", grid=(2**31 - 1, 65535, 65535), block=32, instruction_budget=5000)
    for observer in all_observers():
        with pytest.raises(BudgetExceeded):
            emulator.launch(
                module, "kernel", grid=(2**31 - 1, 65535, 65535), block=32, instruction_budget=50, observers=[observer]
            )


@pytest.mark.parametrize("workers", [1, 2])
def test_budget_is_the_launch_s(workers):
    """Many blocks that each need little use one budget together, whoever runs them."""
    source = 'extern "C" __global__ void kernel(int* y) { for (int i = 0; i < 50; ++i) atomicAdd(y, i); }'
    for budget, fits in ((1_000_000, True), (20_000, False)):
        try:
            launch(source, np.zeros(1, np.int32), grid=1000, workers=workers, instruction_budget=budget)
        except BudgetExceeded:
            assert not fits
        else:
            assert fits


def test_budget_beyond_64_bits():
    """A budget that no launch can use up is one like any other."""
    y = np.zeros(2, dtype=np.int32)
    launch(ENDLESS, y, grid=1, instruction_budget=10**30)

    assert y[1] == 5


def test_memory_budget_holds_for_registers_and_local_memory():
    """What a launch needs for its blocks is part of the budget, and the sentence says so."""
    body = ".local .align 4 .b8 l[400000]; .reg .b32 %r; mov.b32 %r, 0; st.local.b32 [l], %r; ret;"
    emulator = Emulator(workers=2, memory_budget_bytes=64 << 20)
    module = emulator.load(entry_of("kernel", [], body))
    with pytest.raises(BudgetExceeded, match="memory budget of 67108864 bytes"):
        emulator.launch(module, "kernel", grid=4, block=1024)


def test_memory_budget_holds_for_variables():
    """A variable that is too large is refused by its name when the module is loaded."""
    text = PTX_HEADER + ".global .align 4 .b8 g[6000000000];\n.visible .entry kernel() { ret; }"
    with pytest.raises(BudgetExceeded, match=r"^g needs 6000000000 bytes, and of the emulator's memory budget"):
        Emulator(workers=1).load(text)


def test_memory_budget():
    """An allocation beyond the budget is refused with the sizes; freeing makes room again."""
    emulator = Emulator(workers=1, memory_budget_bytes=1 << 20)
    half = emulator.allocate(1 << 19, name="half")
    with pytest.raises(BudgetExceeded, match="big") as caught:
        emulator.allocate((1 << 19) + 1024, name="big")
    assert "bytes" in str(caught.value)
    half.free()

    assert emulator.allocate((1 << 19) + 1024, name="big").nbytes == (1 << 19) + 1024


def test_memory_budget_holds_for_a_huge_request():
    """A request that no machine could hold is refused, not tried."""
    with pytest.raises(BudgetExceeded):
        Emulator(workers=1, memory_budget_bytes=1 << 30).allocate(1 << 50, name="huge")


def test_progress_reaches_the_end():
    """The callback hears of finished blocks, never more than there are."""
    seen: list[tuple[int, int]] = []
    source = 'extern "C" __global__ void kernel(int* y) { y[blockIdx.x] = 1; }'
    launch(
        source,
        np.zeros(300, dtype=np.int32),
        grid=300,
        block=1,
        progress=lambda done, total: seen.append((done, total)),
    )

    assert seen
    assert all(0 <= done <= total == 300 for done, total in seen)
    assert sorted(seen) == seen
    assert seen[-1] == (300, 300)


@pytest.mark.parametrize("step", ["x[i] += 1;", "for (int j = 0; j < i; ++j) x[j] += 1;"])
def test_loops_without_an_end_use_up_the_budget(step):
    """No path leads out of the kernel, but the lanes of a warp still meet in each trip: its barrier is no fault."""
    source = f"""extern "C" __global__ void kernel(volatile int* x, int n) {{
        int i = threadIdx.x;
        for (int t = n;; t /= 2) {{
            if (i < t) {{ {step} }}
            __syncthreads();
        }}
    }}"""

    with pytest.raises(BudgetExceeded):
        launch(source, np.zeros(64, np.int32), 48, block=64, instruction_budget=5000)
