"""A made-up pipeline, told: stages fill and empty, phases alternate, and each event has its sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lab.pipeline.made_up import MadeUp, document_of_made_up
from tilewright.lab.pipeline.document import block_of
from tilewright.lab.pipeline.events import AccessEvent, BarrierEvent, CopyEvent
from tilewright.lab.pipeline.layout import layout_of


@pytest.fixture(scope="module")
def block():
    """Four tiles of k through three stages."""
    return document_of_made_up()["blocks"][0]


def test_who_takes_part(block):
    """The warp that asks, the engine, and each warpgroup that multiplies; barriers by what they are for."""
    assert [(lane["name"], lane["warps"]) for lane in block["lanes"]] == [
        ("producer", [0]),
        ("copy engine", []),
        ("consumer 0", [4, 5, 6, 7]),
        ("consumer 1", [8, 9, 10, 11]),
    ]
    assert block["barriers"] == [f"{name}[{stage}]" for name in ("full", "empty") for stage in range(3)]
    assert [(stage["full"], stage["empty"]) for stage in block["stages"]] == [(0, 3), (1, 4), (2, 5)]
    assert [[slot["array"] for slot in stage["slots"]] for stage in block["stages"]] == [[0, 1]] * 3


def test_the_story_in_plain_words(block):
    """What is said of a tile from the producer's request to the stage's return."""
    told = [step["t"] for step in block["steps"]]
    wanted = [
        "The producer need not wait at empty[1]: no phase has begun yet, and one before the first counts as ended.",
        "The producer announces 32,768 bytes to full[1] and arrives.",
        "The producer asks the copy engine for A[0:128, 64:128] into stage 1; full[1] now waits for 32,768 bytes.",
        "The copy engine has written A[0:128, 64:128] to stage 1. full[1] waits for 16,384 bytes more.",
        (
            "The copy engine has written B[64:128, 64:128] to stage 1. full[1] has all its bytes. Phase 0 of full[1] "
            "ends: stage 1 is full."
        ),
        "Consumer 0 multiplies A[0:64, 64:128] by B[64:128, 0:128] from stage 1: 4 wgmma of 64 x 128 x 16, one group.",
        "Consumer 0 has waited for its wgmma on stage 1: they have ended.",
        "Consumer 0 arrives with each warp at empty[1]: 4 of 8 arrivals to come.",
        (
            "Consumer 1 arrives with each warp at empty[1], the last to do so. "
            "Phase 0 of empty[1] ends: stage 1 may be filled again."
        ),
    ]
    places = [told.index(sentence) for sentence in wanted]
    assert places == sorted(places)
    assert "Consumer 1 waits for phase 0 (parity 0) of full[0] to end: 32,768 bytes to come." in told
    assert "Consumer 0 goes on: phase 0 has ended at full[0]." in told
    assert told[-1] == "The copy engine has stored C[64:128, 64:128]."


def test_every_tile_arrives_once_a_turn_and_phases_follow_each_other(block):
    """Each fill of a slot holds the next tile of k; a barrier's phases are counted without a gap."""
    held: dict[tuple[int, int], str] = {}
    fills: dict[int, list[str]] = {0: [], 1: []}
    phases = dict.fromkeys(range(6), 0)
    for step in block["steps"]:
        for number, phase, *_ in step.get("b", []):
            assert phase - phases[number] in (0, 1)
            phases[number] = phase
        for stage, slot, state, text, *_ in step.get("s", []):
            if state == "full" and held.get((stage, slot)) != text:
                held[stage, slot] = text
                fills[slot].append(text)
    assert fills[0] == [f"A[0:128, {k}:{k + 64}]" for k in range(0, 256, 64)]
    assert fills[1] == [f"B[{k}:{k + 64}, 0:128]" for k in range(0, 256, 64)]
    assert list(phases.values()) == [2, 1, 1, 2, 1, 1]


def test_spans_end_where_they_should(block):
    """Copies, waits and multiplications all end; two groups of a consumer overlap on rows of their own."""
    assert all("e" in span for span in block["spans"])
    for lane in (2, 3):
        multiplies = [span for span in block["spans"] if span["w"] == lane and span["k"] == "multiply"]
        assert [span["r"] for span in multiplies] == [1, 2, 1, 2]
        assert multiplies[1]["b"] < multiplies[0]["e"] < multiplies[1]["e"]
        rows = [0, 64] if lane == 2 else [64, 128]
        assert multiplies[2]["x"] == [[0, *rows, 128, 192], [1, 128, 192, 0, 128], [2, *rows, 0, 128]]
    waits = [span for span in block["spans"] if span["k"] == "wait"]
    assert {(span["w"], span["o"]) for span in waits[:2]} == {(2, 0), (3, 0)}


def test_steps_have_a_limit():
    """The block is cut there, and says so."""
    made = MadeUp(k=1024)
    block, is_whole = block_of(made.events(), 0, (0, 0, 0), made.matrices, (0, 1, 2), most=50)
    assert not is_whole
    assert len(block["steps"]) == 50


def test_another_block_of_the_cluster():
    """What it does to this block's barriers and stages is told as its doing."""
    made = MadeUp(k=64)
    a = made.matrices[0].address
    events = [replace(e, block=1) if isinstance(e, CopyEvent) and e.box.address == a else e for e in made.events()]
    events += [
        BarrierEvent(1, 5, 1, "arrive", 0, made.empty[0], 0, 7, 8, 0),
        BarrierEvent(0, 5, 1, "arrive", 1, made.empty[0], 0, 7, 8, 0),
    ]
    block, _ = block_of(events, 0, (0, 0, 0), made.matrices, (0, 1, 2))
    told = [step["t"] for step in block["steps"]]
    assert block["lanes"][-1]["name"] == "other blocks"
    assert any(text.startswith("Block 1 asks the copy engine for A[0:128, 0:64] into stage 0") for text in told)
    assert told[-1] == "Block 1 arrives at empty[0]: 7 of 8 arrivals to come."


def test_a_pipeline_without_wgmma():
    """Threads load from the stage, and store: each time that they turn to another stage is a step."""
    made = MadeUp(k=64, stages=1)
    events = [e for e in made.events() if e.warp == 0]
    for warp in (1, 2):
        events += [AccessEvent(0, warp, 50, True, tuple(range(128 * i, 128 * i + 64, 4)), 4) for i in range(3)]
    at = made.matrices[2].address
    events += [
        AccessEvent(0, warp, 60, False, tuple(range(at + 64 * warp, at + 64 * warp + 64, 4)), 4) for warp in (1, 2)
    ]
    layout = layout_of(events, 0, made.matrices)
    block, _ = block_of(events, 0, (0, 0, 0), made.matrices, None)
    told = [step["t"] for step in block["steps"]]
    assert [lane.name for lane in layout.lanes] == ["producer", "copy engine", "consumer"]
    assert told.count("The consumer reads A[0:128, 0:64] from stage 0.") == 1
    assert told[-1] == "The consumer stores its results, C[0:1, 32:96], itself."
