"""`tilewright tune` on a stand-in for a card: what it measures, keeps, shows, forgets and refuses."""

from __future__ import annotations

import json
import signal
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lab.tune.stand_in import H100, StandIn
from tilewright import cli
from tilewright.choose import choose_plan, find_chip, tuned_file
from tilewright.choose.tuned_file import file_of, tuned_of
from tilewright.cli import tune as verb
from tilewright.cli.refusals import Refusal
from tilewright.lab.tune.products import product

FAST = {"matmul/mma_sync": 41.2, "matmul/mma_direct": 47.0}
SHAPE = "200x100x150"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache folder of the test's own, which nothing has read."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.delenv("TILEWRIGHT_TUNED")
    tuned_file._read_once.cache_clear()
    yield tmp_path / "tuned"
    tuned_file._read_once.cache_clear()


@pytest.fixture
def card(monkeypatch):
    """A stand-in for a card, where small products are faster by matmul/mma_sync."""
    stand_in = StandIn(FAST)

    @contextmanager
    def opened():
        yield stand_in

    monkeypatch.setattr(verb, "_opened", opened)
    return stand_in


def own_file() -> Path:
    """The card's file."""
    path = file_of(H100.name, H100.sm_count)
    assert path is not None
    return path


def run(capsys, *arguments, status=cli.PASSED):
    """Run the verb; what it printed, with lines joined."""
    assert cli.run(["tune", *arguments]) == status
    said = capsys.readouterr()
    return " ".join((said.out + said.err).split())


def test_a_shape_is_measured_and_kept(capsys, card):
    """The next process plans by it, and explain says so."""
    text = run(capsys, "--shape", SHAPE, "--dtype", "bfloat16")

    assert "bfloat16 200x100x150 row/8 row/4 row/4 mma_direct 47.0 mma_sync: block_m" in text
    assert "- 1 of 1 products are faster than by the planner's choice: these 1.141 times as fast" in text
    assert f"Kept in {own_file()}: 1 products." in text
    facts = replace(H100, tuned=tuned_of(H100))
    why = choose_plan(product((200, 100, 150), "bfloat16"), facts).reasons[0]
    assert "tuned on this card: 41.2 us, the model's choice 47.0 us." in why
    assert {problem.dtype for problem, _ in card.timings} == {"bfloat16"}


def test_shapes_have_every_type_layout_and_precision_that_is_asked_for(capsys, card):
    """All types without one; the same shape once."""
    run(
        capsys, "--shape", SHAPE, "--shape", SHAPE, "--shape", "4x64x32x64", "--transposed", "ab", "--precision", "ieee"
    )
    problems = list(dict.fromkeys(problem for problem, _ in card.timings))

    assert [(*each.batch, each.m, each.k, each.n, each.dtype) for each in problems] == [
        (*shape, dtype)
        for shape in ((200, 100, 150), (4, 64, 32, 64))
        for dtype in ("bfloat16", "float16", "float32", "float64")
    ]
    assert {(each.a.major, each.b.major, each.precision) for each in problems} == {
        ("column", "column", None),
        ("column", "column", "ieee"),
    }


def test_where_the_planner_is_right_nothing_is_kept(capsys, card, folder):
    """And no file is written."""
    card.us = {}
    text = run(capsys, "--shape", SHAPE, "--dtype", "float16")

    assert "the same" in text
    assert "Nothing is kept: the planner's choices are as fast." in text
    assert list(folder.iterdir()) == []


def test_products_are_drawn_for_so_long(capsys, card, monkeypatch):
    """By regime; rates are fitted and tried."""
    card.seconds_each, card.us = 0.6, {"matmul/mma_sync": 5.0}
    session = verb._session

    def timed_by_the_card(*given):
        made = session(*given)
        made.now = card.now
        return made

    monkeypatch.setattr(verb, "_session", timed_by_the_card)
    text = run(capsys, "--minutes", "1", "--dtype", "bfloat16", "--dtype", "float16")

    for regime in ("few rows", "few columns", "tiny k", "huge k", "small", "large", "batched"):
        assert f" {regime} " in text
    assert "Measured over modelled time: " in text
    assert "They are kept for shapes that were not measured." in text
    assert {problem.dtype for problem, _ in card.timings} == {"bfloat16", "float16"}


def test_everything_is_written_raw(capsys, card):
    """Every candidate's time, and what was kept."""
    assert cli.run(["tune", "--shape", SHAPE, "--dtype", "bfloat16", "--json", "-"]) == cli.PASSED
    content = json.loads(capsys.readouterr().out)

    (row,) = content["products"]
    assert row["planned_us"] == 47.0
    assert {each["kernel"] for each in row["candidates"]} >= {"matmul/mma_sync", "matmul/wgmma"}
    assert row["kept"]["kernel"] == "matmul/mma_sync"
    assert content["card"] == [H100.name, H100.sm_count, H100.driver]
    assert card.timings


def test_what_is_kept_is_shown_and_forgotten(capsys, card):
    """No card is needed for that."""
    assert "Nothing is kept: `tilewright tune` measures." in run(capsys, "--show")
    assert "nothing to delete" in run(capsys, "--forget")
    run(capsys, "--shape", SHAPE, "--dtype", "bfloat16")
    path = own_file()
    text = run(capsys, "--show")

    assert f"{H100.name} ({H100.sm_count} SMs), CUDA 13.0 and Tilewright" in text
    assert "bfloat16 200x100x150 row/8 row/4 row/4 mma_sync: block_m" in text
    assert " 41.2 47.0 1.14" in text
    assert cli.run(["tune", "--show", "--json", "-"]) == cli.PASSED
    (shown,) = json.loads(capsys.readouterr().out)["files"]
    assert shown["products"][0]["us"] == 41.2
    assert f"Deleted {path}." in run(capsys, "--forget")
    assert not path.exists()
    assert len(card.timings) == 2


@pytest.mark.usefixtures("card")
def test_a_damaged_file_is_shown_as_one_and_measured_anew(capsys):
    """Its place is taken by what is measured."""
    run(capsys, "--shape", SHAPE, "--dtype", "bfloat16")
    path = own_file()
    path.write_text("{")

    assert f"{path} is damaged." in run(capsys, "--show")
    run(capsys, "--shape", SHAPE, "--dtype", "bfloat16")
    assert "bfloat16 200x100x150" in run(capsys, "--show")


def test_ctrl_c_keeps_what_is_complete(capsys, card):
    """The product that is being timed is the last one."""
    before = signal.getsignal(signal.SIGINT)
    times_us = card.times_us

    def pressed(*given):
        if len(card.timings) == 2:
            signal.raise_signal(signal.SIGINT)
        return times_us(*given)

    card.times_us = pressed
    text = run(
        capsys,
        *("--shape", SHAPE, "--shape", "200x100x151", "--shape", "200x100x152", "--dtype", "bfloat16"),
        status=130,
    )

    assert "2 of 2 products" in text
    assert text.endswith("tilewright: interrupted.")
    kept = tuned_of(H100)
    assert kept is not None
    assert len(kept.choices) == 2
    assert signal.getsignal(signal.SIGINT) is before


def test_what_is_left_out_is_said(capsys, card):
    """Beside what was measured; alone it is a refusal."""
    text = run(capsys, "--shape", SHAPE, "--shape", "1x64x1", "--dtype", "bfloat16")
    assert "- Left out: matmul of A (1, 64) and B (64, 1), bfloat16: there is one kernel for it here" in text
    assert "nothing to choose from." in run(capsys, "--shape", "1x64x1", "--dtype", "bfloat16", status=cli.REFUSED)
    card.refuses = True
    assert "there is no room for it." in run(capsys, "--shape", SHAPE, status=cli.REFUSED)


def test_a_folder_that_cannot_be_written_is_told_first(capsys, card, folder):
    """Before anything is measured."""
    folder.write_text("a file")
    text = run(capsys, "--shape", SHAPE, status=cli.REFUSED)
    assert "What is measured cannot be kept: " in text
    assert card.timings == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--shape", "64x64"], "such as 4096x4096x1000, or with a batch 8x128x64x128, not '64x64'."),
        (["--shape", "64x64x64", "--dtype", "int8"], "int8"),
        (["--minutes", "0"], "0"),
        (["--show", "--forget"], "--show lists what --forget deletes; give one of them."),
    ],
)
def test_arguments_are_checked_first(capsys, arguments, sentence):
    """In a sentence, with a GPU or without."""
    assert sentence in run(capsys, *arguments, status=cli.REFUSED)


def test_without_a_gpu_it_says_so(capsys, monkeypatch):
    """As all verbs do that need one."""
    from tilewright.launch import DeviceUnavailableError

    def unavailable(_):
        raise DeviceUnavailableError("There is no GPU to use: none was found.")

    monkeypatch.setattr(verb, "facts_of", unavailable)
    assert run(capsys, status=cli.REFUSED) == "tilewright: There is no GPU to use: none was found."


def test_a_card_with_one_kernel_each_is_refused():
    """The sentence names it, and which cards have several."""
    with pytest.raises(
        Refusal, match=r"Tesla V100.* has one kernel for each product.* from compute capability 7\.5 on"
    ):
        verb.check_card(find_chip("v100"))
    verb.check_card(find_chip("t4"))
