"""The model of a launch's time: its parts by hand, and its ranking beside what an H200 was timed at."""

import json
from pathlib import Path

import pytest

from tilewright.choose import EMULATOR_FACTS, PlanError, Problem, chip_names, choose_plan, find_chip
from tilewright.lab.compiled_occupancy import compiled_occupancy
from tilewright.lab.sweep.counting import count_launch
from tilewright.lab.sweep.model import PHASE_CYCLES, Work, check_chip, clock_ghz, modelled_time
from tilewright.lab.sweep.run import work_of

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
H200 = find_chip("h200")


def test_parts_by_hand():
    """264 blocks on 132 SMs with one place each: two rounds, an even share."""
    work = Work(
        blocks=264,
        blocks_per_sm=1,
        phases=10,
        flops=10**9,
        least_bytes=48 * 10**6,
        warp_instructions=132 * 4_000,
        shared_wavefronts=132 * 1_500,
        global_lines=132 * 500,
    )
    time = modelled_time(work, H200, "float32")
    cycles_per_us = 1e3 * 66_900 / (132 * 256)

    assert clock_ghz(H200) == pytest.approx(cycles_per_us / 1e3)
    assert time.issue_us == pytest.approx(1_000 / cycles_per_us)
    assert time.load_store_us == pytest.approx(2_000 / cycles_per_us)
    assert time.waiting_us == pytest.approx(2 * 10 * PHASE_CYCLES / cycles_per_us)
    assert time.compute_us == pytest.approx(1e9 / 66_900e3)
    assert time.memory_us == pytest.approx(48e6 / 4_800e3)
    assert (time.us, time.bound) == (time.compute_us, "compute")


def test_a_few_blocks_leave_sms_idle():
    """One block does all the work on one SM, and nobody shares it."""
    one = Work(1, 1, 1, 1, 1, 1_000, 0, 0)
    shared = Work(132, 1, 1, 1, 1, 1_000, 0, 0)

    assert modelled_time(one, H200, "float32").issue_us == 132 * modelled_time(shared, H200, "float32").issue_us


def test_chips_without_a_model_are_refused():
    """Old chips by their architecture, others by a missing peak."""
    with pytest.raises(PlanError, match=r"7\.0 or newer.*as known of v100") as refused:
        check_chip(find_chip("g80"), "float32")
    known = str(refused.value).partition("as known of ")[2].rstrip(".").split(", ")
    assert set(known) < set(chip_names())
    for name in known:
        check_chip(find_chip(name), "float32")
        assert 1.3 < clock_ghz(find_chip(name)) < 2.6
    with pytest.raises(PlanError, match="no model of the emulator"):
        check_chip(EMULATOR_FACTS, "float32")
    without = next(find_chip(name) for name in known if find_chip(name).fp64_gflops is None)
    with pytest.raises(PlanError, match="in float64: its peak is not known"):
        check_chip(without, "float64")


def modelled_us(row):
    """What the model says of a timed row."""
    kernel, tile, dtype = row["kernel"], row["tile"], row["dtype"]
    problem = Problem.of(kernel.partition("/")[0], row["m"], row["n"], row["k"], dtype)
    plan = choose_plan(problem, EMULATOR_FACTS, kernel, tile)
    occupancy, _ = compiled_occupancy(kernel, "h200", tile=tile, dtype=dtype)
    assert occupancy.blocks_per_sm is not None
    work = work_of(plan, count_launch(plan), occupancy.blocks_per_sm)
    return modelled_time(work, H200, dtype).us


def timed(name, **wanted):
    """The rows of a result with these values."""
    rows = json.loads((RESULTS / name).read_text(encoding="utf-8"))["rows"]
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


@pytest.mark.slow
def test_the_thesiss_tiles_in_the_order_of_an_h200():
    """8, 16, 32 at N = 2048, as timed, each within a quarter."""
    rows = timed("table_4_2_h200.json", kernel="reduced_matmul/tiled", n=2048)

    assert [row["tile"] for row in rows] == [8, 16, 32]
    assert [modelled_us(row) / row["median_us"] for row in rows] == pytest.approx([1, 1, 1], abs=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_seed_001s_tiles_beside_an_h200(dtype):
    """The same winner, and every tile within a factor of 1.6 over three orders of magnitude."""
    rows = timed("tile_sweep_h200.json", kernel="matmul/tiled", dtype=dtype)
    pairs = [(modelled_us(row), row["median_us"]) for row in rows]

    assert min(pairs)[1] == min(time for _, time in pairs)
    assert all(1 / 1.6 < modelled / time < 1.6 for modelled, time in pairs)
