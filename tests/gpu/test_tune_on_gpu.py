"""`tilewright tune` on a card: every candidate agrees, a wrong plan is seen, what is kept is what runs next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from tilewright.choose import PlanError, choose_plan
from tilewright.choose.candidates import candidates
from tilewright.choose.tuned import problem_key
from tilewright.choose.tuned_file import file_of, read_tuned, write_tuned
from tilewright.kernels.launch import Launches
from tilewright.kernels.tuned import Tuned, TunedChoice
from tilewright.lab.tune.products import product
from tilewright.lab.tune.stopwatch import DriverStopwatch
from tilewright.lab.tune.tuning import MANY, contest, measured

SECONDS = 0.02
SHAPES = (
    ((512, 512, 512), "bfloat16", ""),
    ((200, 100, 151), "float16", "a"),
    ((7, 4096, 1000), "bfloat16", "b"),
    ((96, 65_537, 64), "float16", ""),
    ((12, 100, 64, 96), "bfloat16", "ab"),
    ((300, 500, 400), "float32", ""),
    ((300, 500, 400), "float64", "b"),
)
MULTIPLY = """
import numpy, tilewright
generator = numpy.random.default_rng(0)
a, b = generator.standard_normal((300, 500)), generator.standard_normal((500, 400))
c = tilewright.matmul(a, b, device="gpu")
numpy.testing.assert_allclose(c, a @ b, rtol=1e-10, atol=1e-10)
"""


@pytest.fixture
def watch(gpu):
    """The stopwatch of the first GPU."""
    assert gpu.facts().sm_count
    with DriverStopwatch.opened() as opened:
        yield opened


@pytest.mark.parametrize(("shape", "dtype", "transposed"), SHAPES)
def test_candidates_agree_and_are_timed(watch, shape, dtype, transposed):
    """Whichever is the fastest: the result is that of the planner's choice."""
    problem = product(shape, dtype, transposed)
    asked = contest("test", problem, watch.facts, MANY)
    if asked is None:
        pytest.skip(f"{watch.facts.name} has one kernel for {problem}")
    watch.prepare(asked.all_plans)
    found = measured(asked, watch, SECONDS)

    assert found.planned_us > 0
    assert None not in found.candidates_us
    assert found.choice is None or found.gain >= 1.03


def test_a_plan_of_something_else_is_not_timed(watch):
    """With A twice, or with C in part: the sums say so."""
    problem = product((300, 500, 400), "float32")
    planned = choose_plan(problem, replace(watch.facts, tuned=None))
    fewer = choose_plan(product((299, 500, 400), "float32"), replace(watch.facts, tuned=None))
    turned = choose_plan(product((300, 500, 400), "float32", "a"), replace(watch.facts, tuned=None))
    plans = [Launches(each.launches, each.workspace_bytes) for each in (planned, fewer, turned)]

    first, *others = watch.times_us(problem, plans, SECONDS)
    assert first is not None
    assert others == [None, None]


def run(folder, *arguments):
    """Run Python with a cache folder; what it printed."""
    environment = {**os.environ, "TILEWRIGHT_CACHE": str(folder)}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_kept_is_planned_by_the_next_process(gpu, tmp_path, monkeypatch):
    """With both times in its reason, and right results; without the variable, and not with it."""
    monkeypatch.delenv("TILEWRIGHT_TUNED")
    facts, problem = replace(gpu.facts(), tuned=None), product((300, 500, 400), "float64")
    planned = choose_plan(problem, facts)
    other = next(each for each in candidates(problem, facts) if launches_of(each) not in {None, planned.launches})
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    path = file_of(facts.name, facts.sm_count)
    assert path is not None
    write_tuned(path, facts, Tuned({problem_key(problem): TunedChoice(other.kernel.name, other.tile, 41.2, 47.0)}))
    explain = ("-m", "tilewright", "explain", "--size", "300", "400", "500", "--dtype", "float64", "--device", "gpu")

    assert "tuned on this card: 41.2 us, the model's choice 47.0 us." in run(tmp_path, *explain)
    run(tmp_path, "-c", MULTIPLY)
    monkeypatch.setenv("TILEWRIGHT_TUNED", "0")
    assert "tuned on this card" not in run(tmp_path, *explain)


def launches_of(candidate):
    """A candidate's launches; None where it has none."""
    try:
        return candidate.launches().launches
    except PlanError:
        return None


def test_the_command_measures_keeps_shows_and_forgets(gpu, tmp_path, monkeypatch):
    """In processes of their own, as a user does."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    tune = ("-m", "tilewright", "tune")
    content = json.loads(run(tmp_path, *tune, "--shape", "300x500x400", "--dtype", "float64", "--json", "-"))
    (row,) = content["products"]
    facts = gpu.facts()
    path = file_of(facts.name, facts.sm_count)
    assert path is not None
    kept = read_tuned(path, (facts.name, facts.sm_count, facts.driver))

    assert row["planned_us"] > 0
    assert len(row["candidates"]) > 1
    assert (kept is not None and row["product"] in kept.choices) == (row["kept"] is not None)
    run(tmp_path, *tune, "--show")
    run(tmp_path, *tune, "--forget")
    assert not path.exists()
