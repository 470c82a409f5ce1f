"""The hazard observer's compiled part: a log of what orders asynchronous work, and of the memory that it meets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import tensor_map as tm
from tilewright.emulate.compiled import ObservedUnit, inner
from tilewright.emulate.execute import bulk_events as be
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.execute.pipeline_events import BARRIER_ENDED
from tilewright.emulate.state import Int64s
from tilewright.emulate.tables import field, get, put

WORDS, CAPACITY, USED, LOST, KEEPS_LOADS, OWN_WORDS = range(6)
"""Of `own`: where the log is, its words, how many are used, whether an event did not fit, whether plain loads of global
memory are kept."""
ROOM = 1 << 23
"""Words of the log, 64 MiB, of which the system hands out what is used."""
HEADER = 13
PIECE_SHIFT = 4
MOST_PAYLOAD = be.COPY_MAP + tm.MAP_STEPS + 1


@inner
def _payload(event: int, target: int, kind: int) -> int:
    """Write what an event has besides its header; return how many words."""
    count = 0
    if kind <= ev.ATOMIC:
        # Pieces of 16 bytes, each once where lanes lie side by side.
        for lane in range(32):
            if (get(event, ev.LANES) >> lane) & 1:
                piece = ev.address_of(event, lane) >> PIECE_SHIFT
                if count == 0 or get(target, count - 1) != piece:
                    put(target, count, piece)
                    count += 1
        return count
    if kind == ev.MBARRIER:
        count = BARRIER_ENDED + 1
    elif kind == ev.BULK:
        count = MOST_PAYLOAD
    elif kind == ev.WARPGROUP:
        count = 2
    for word in range(count):
        put(target, word, get(event, ev.ADDRESSES + word))
    return count


@inner
def _is_wanted(state: int, own: int, event: int, kind: int) -> bool:
    if kind == ev.BULK:
        return get(event, ev.OPERATION) == be.ASKED
    if kind > ev.ATOMIC:
        return True
    # Products are told of when they begin, wherever they are done.
    if field(state, get(event, ev.PC), row.OPCODE) == op.WARPGROUP_MULTIPLY:
        return False
    is_plain = kind == ev.LOAD and get(event, ev.ORDER) & op.STRONG == 0
    return not is_plain or get(event, ev.SPACE) != GLOBAL or get(own, KEEPS_LOADS) != 0


@ObservedUnit
def log_hazards(state: int, own: int, event: int) -> int:
    """Append an event to the log."""
    kind, used = get(event, ev.KIND), get(own, USED)
    if get(own, LOST) or not _is_wanted(state, own, event, kind):
        return 0
    if used + HEADER + MOST_PAYLOAD + 32 > get(own, CAPACITY):
        put(own, LOST, 1)
        return 0
    target = get(own, WORDS) + 8 * used
    is_barrier = kind == ev.BARRIER or kind == ev.BARRIER_OPEN
    put(target, 0, kind)
    put(target, 1, get(event, ev.PC))
    put(target, 2, get(event, ev.WARP))
    put(target, 3, get(event, ev.RESIDENT))
    put(target, 4, get(event, ev.BLOCK))
    put(target, 5, get(event, ev.LANES))
    put(target, 6, get(event, ev.SPACE) if kind <= ev.ATOMIC else -1)
    put(target, 7, get(event, ev.NBYTES))
    put(target, 8, get(event, ev.ORDER))
    put(target, 9, get(event, ev.BARRIER_NUMBER) if is_barrier else get(event, ev.OPERATION))
    put(target, 10, get(event, ev.EXPECTED))
    put(target, 11, get(event, ev.WAITS))
    count = _payload(event, target + 8 * HEADER, kind)
    put(target, 12, count)
    put(own, USED, used + HEADER + count)
    return 0


@dataclass(slots=True)
class Logged:
    """An event of the log; the fields are those of events.py. detail: its barrier's number, or its operation."""

    kind: int
    pc: int
    warp: int
    resident: int
    block: int
    lanes: int
    space: int
    nbytes: int
    order: int
    detail: int
    expected: int
    waits: int
    payload: list[int]


def logged(words: Int64s, used: int) -> Iterator[Logged]:
    """Yield the events of a log, the oldest first."""
    at = 0
    while at < used:
        *head, count = words[at : at + HEADER].tolist()
        at += HEADER
        yield Logged(*head, words[at : at + count].tolist())  # type: ignore[call-arg]
        at += count
