"""What must be over when a block ends, and what never was when a launch did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate.observers.hazards.knowledge import SEEN
from tilewright.emulate.observers.hazards.log import Logged
from tilewright.emulate.observers.hazards.phases import Phases, Wait
from tilewright.emulate.observers.hazards.traces import Copy

if TYPE_CHECKING:
    from tilewright.emulate.observers.hazards.replay import Replay


def end_block(replay: Replay, event: Logged) -> None:
    """All threads of a block have ended."""
    slot, warps = event.resident, replay.launch.warps
    known = replay.know.of[slot * warps : (slot + 1) * warps, SEEN].max(axis=0)
    exit_pc = replay.exits.get(slot, -1)
    say = replay.say
    block = f"Block {say.block(event.block)}"
    for copy in replay.judge.copies[1:]:
        if copy is None or copy.slot != slot or copy.barrier < 0 or replay.barriers[copy.barrier].block != event.block:
            continue
        column = replay.barriers[copy.barrier].column
        if not copy.completed or known[column] < copy.completed:
            name = say.barrier(replay.barriers[copy.barrier].offset)
            say.add(
                "exit too early",
                f"{block} ends{say.at(exit_pc)} and has not waited for the phase of {name} with which a copy into "
                f"{say.name(copy.first)}{say.at(copy.pc)} comes.",
                *(copy.pc, exit_pc),
                address=say.name(copy.first),
            )
    _stores(replay, event, exit_pc, block)
    for warp in range(slot * warps, (slot + 1) * warps):
        for product in replay.products.pop(warp, []):
            closed = product.group < replay.product_groups[warp]
            say.add(
                "wgmma not waited for",
                f"Warp {warp % warps} of block {say.block(event.block)} ends and has not waited for a product"
                f"{say.at(product.pc)}: {'no wait covers its group' if closed else 'no wgmma.commit_group closes it'}.",
                *(product.pc, exit_pc),
            )
    for note in replay.traces[slot].visitors.values():
        if known[note.warp] < note.time:
            say.add(
                "exit too early",
                f"{block} ends{say.at(exit_pc)} and does not know that thread {say.thread(note.warp, note.lanes)} of "
                f"block {say.block(note.block)} has finished with its shared memory{say.at(note.pc)}.",
                *(note.pc, exit_pc),
            )


def _stores(replay: Replay, event: Logged, exit_pc: int, block: str) -> None:
    """Copies out of the block's shared memory."""
    warps, say = replay.launch.warps, replay.say
    for (warp, lane), groups in list(replay.groups.items()):
        if warp // warps != event.resident:
            continue
        left: list[Copy] = [copy for group in [*groups.closed, groups.open] for copy in group if not copy.waited]
        for copy in left:
            thread, foreign = say.thread(warp, 1 << lane), replay.judge.foreign.get(event.block)
            if foreign is not None:
                say.add(
                    "foreign group",
                    f"Thread {say.thread(foreign.warp, foreign.lanes)} of block {say.block(event.block)} waits for "
                    f"groups of copies in bulk{say.at(foreign.pc)} and has issued none; the copy{say.at(copy.pc)} is "
                    f"of thread {thread}.",
                    *(foreign.pc, copy.pc),
                )
                continue
            why = "has not waited for its group" if copy.is_closed else "has closed no group with it"
            say.add(
                "exit too early",
                f"{block} ends{say.at(exit_pc)} while a copy{say.at(copy.pc)} may still read {say.name(copy.first)}: "
                f"thread {thread} {why}.",
                *(copy.pc, exit_pc),
                address=say.name(copy.first),
            )


def end_launch(replay: Replay) -> None:
    """The launch was stopped while threads waited for phases."""
    for number in replay.live.values():
        barrier = replay.barriers[number]
        for warp, wait in list(barrier.waiting.items()):
            _never_ends(replay, barrier, warp, wait)


def _never_ends(replay: Replay, barrier: Phases, warp: int, wait: Wait) -> None:
    say = replay.say
    who = (
        f"Thread {say.thread(warp, wait.lanes)} of block {say.block(barrier.block)} waits for ever{say.at(wait.pc)} for"
    )
    name = say.barrier(barrier.offset)
    missing = barrier.expected - barrier.came
    if missing:
        place = barrier.came_pc if barrier.expected_pc < 0 else barrier.expected_pc
        say.add(
            "bytes do not match",
            f"{who} {name}: its phase expects {barrier.expected} bytes{say.at(barrier.expected_pc)} and {barrier.came} "
            f"came{say.at(barrier.came_pc)}.",
            place,
            barrier.came_pc if barrier.came_pc >= 0 else wait.pc,
            address=say.name(barrier.offset),
        )
    elif barrier.arrivals:
        say.add(
            "too few arrivals",
            f"{who} {name}: it was initialised for {barrier.count} arrivals{say.at(barrier.pc)}, and "
            f"{barrier.arrivals} came{say.at(barrier.arrived_pc)}.",
            *(barrier.pc, barrier.arrived_pc),
            address=say.name(barrier.offset),
        )
    elif barrier.completed:
        say.add(
            "wrong parity",
            f"{who} {name} with parity {wait.parity}: {barrier.completed} "
            f"{'phase has' if barrier.completed == 1 else 'phases have'} ended, and nobody arrives for the one with "
            "that parity.",
            *(wait.pc, barrier.pc),
            address=say.name(barrier.offset),
        )
    else:
        say.add(
            "too few arrivals",
            f"{who} {name}: it was initialised for {barrier.count} arrivals{say.at(barrier.pc)}, and none came.",
            *(barrier.pc, wait.pc),
            address=say.name(barrier.offset),
        )
