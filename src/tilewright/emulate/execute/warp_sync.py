"""Instructions that the lanes of a mask execute together: shuffles, votes, matches, reductions, `bar.warp.sync`.

The lanes need not come together: each split that reaches such an instruction waits until every live lane of the mask
has reached one of the same kind; then all splits get their results from the values that the lanes brought.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.compiled import Unit, inner
from tilewright.emulate.execute.events import FRAME, WARP_SYNC, begin_event, deliver, is_observed
from tilewright.emulate.memory_vectors import load_u32, lowest_lane
from tilewright.emulate.registers import read_lane, slot_address, write_lane, write_predicate
from tilewright.emulate.tables import field, get, increase, put, split_at, warp_at

SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX = range(4)
VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT, MATCH_ANY, MATCH_ALL, BARRIER, ELECT = range(4, 12)
REDUX = 12
UNDEFINED = 0xFFFFFFFF


@inner
def split_frame(state: int, warp: int, split: int) -> int:
    """Return the address of the frame in which a split executes."""
    base = get(state, st.LAYOUT_FRAMES) + warp * get(state, st.LAYOUT_FRAME_BYTES)
    return base + get(split_at(state, warp, split), st.SPLIT_FRAME)


@Unit
def try_warp_sync(state: int, warp: int, split: int) -> bool:
    """Execute the instruction for all splits that wait at it, if every live lane of its mask has come."""
    pc = get(split_at(state, warp, split), st.SPLIT_PC)
    kind = field(state, pc, row.KIND)
    members = get(split_at(state, warp, split), st.SPLIT_DATA)
    present = 0
    for other in range(32):
        if _takes_part(state, warp, other, kind, members):
            present |= get(split_at(state, warp, other), st.SPLIT_MASK)
    needed = members & get(warp_at(state, warp), st.WARP_ALIVE)
    if present & needed != needed:
        return False
    _collect(state, warp, kind, members)
    if is_observed(state):
        event = begin_event(state, WARP_SYNC, warp, pc, present)
        put(event, FRAME, split_frame(state, warp, split))
        deliver(state, event)
    for other in range(32):
        if _takes_part(state, warp, other, kind, members):
            _give_results(state, warp, other, kind, members, present)
    for other in range(32):
        if _takes_part(state, warp, other, kind, members):
            put(split_at(state, warp, other), st.SPLIT_STATE, st.READY)
            increase(split_at(state, warp, other), st.SPLIT_PC, 1)
    return True


@inner
def _takes_part(state: int, warp: int, split: int, kind: int, members: int) -> bool:
    record = split_at(state, warp, split)
    if get(record, st.SPLIT_STATE) != st.AT_WARP_SYNC or get(record, st.SPLIT_DATA) != members:
        return False
    return field(state, get(record, st.SPLIT_PC), row.KIND) == kind


@inner
def brought(state: int, lane: int) -> int:
    """Return what a lane brought to the exchange."""
    return get(get(state, st.LAYOUT_EXCHANGE), lane)


@inner
def _collect(state: int, warp: int, kind: int, members: int) -> None:
    """Copy what each lane brings to the exchange."""
    exchange = get(state, st.LAYOUT_EXCHANGE)
    for split in range(32):
        if not _takes_part(state, warp, split, kind, members):
            continue
        pc = get(split_at(state, warp, split), st.SPLIT_PC)
        mask = get(split_at(state, warp, split), st.SPLIT_MASK)
        slot = slot_address(state, split_frame(state, warp, split), field(state, pc, row.OPERAND_A))
        wide = field(state, pc, row.IMMEDIATE) == 64
        is_vote = VOTE_ALL <= kind <= VOTE_BALLOT
        bits = load_u32(slot) ^ (field(state, pc, row.EXTRA_2) & 0xFFFFFFFF) if is_vote else 0
        for lane in range(32):
            if (mask >> lane) & 1:
                put(exchange, lane, (bits >> lane) & 1 if is_vote else read_lane(slot, lane, wide))


@inner
def _give_results(state: int, warp: int, split: int, kind: int, members: int, present: int) -> None:
    pc = get(split_at(state, warp, split), st.SPLIT_PC)
    mask = get(split_at(state, warp, split), st.SPLIT_MASK)
    frame = split_frame(state, warp, split)
    if kind <= SHUFFLE_INDEX:
        _shuffle(state, pc, frame, kind, mask, present, _lanes_of(state, warp))
        return
    if kind == BARRIER:
        return
    result = frame + field(state, pc, row.RESULT)
    voters = members & present
    if kind == ELECT:
        leader = lowest_lane(voters)
        for lane in range(32):
            if (mask >> lane) & 1:
                write_lane(result, lane, False, leader)
        write_predicate(frame + field(state, pc, row.EXTRA_1), mask, 1 << leader)
    elif kind >= REDUX:
        value = _reduce(state, kind - REDUX, voters)
        for lane in range(32):
            if (mask >> lane) & 1:
                write_lane(result, lane, False, value)
    elif kind == MATCH_ANY or kind == MATCH_ALL:
        _match(state, pc, frame, kind, mask, voters)
    else:
        ballot = 0
        for lane in range(32):
            if (voters >> lane) & 1 and brought(state, lane):
                ballot |= 1 << lane
        if kind == VOTE_BALLOT:
            for lane in range(32):
                if (mask >> lane) & 1:
                    write_lane(result, lane, False, ballot)
            return
        everyone, anyone = ballot == voters, ballot != 0
        verdict = everyone if kind == VOTE_ALL else (anyone if kind == VOTE_ANY else everyone or not anyone)
        write_predicate(result, mask, 0xFFFFFFFF if verdict else 0)


@inner
def source_lane(state: int, pc: int, frame: int, kind: int, lane: int) -> int:
    """Return whose value a lane asks for in a shuffle; -1 if that is out of range.

    PTX: segments from the mask in c[12:8], the last lane from c[4:0].
    """
    distance = read_lane(slot_address(state, frame, field(state, pc, row.OPERAND_B)), lane, False) & 31
    control = read_lane(slot_address(state, frame, field(state, pc, row.OPERAND_C)), lane, False)
    clamp, segment = control & 31, (control >> 8) & 31
    last = (lane & segment) | (clamp & ~segment)
    if kind == SHUFFLE_UP:
        source = lane - distance
        return source if source >= last else -1
    if kind == SHUFFLE_DOWN:
        source = lane + distance
    elif kind == SHUFFLE_BUTTERFLY:
        source = lane ^ distance
    else:
        source = (lane & segment) | (distance & ~segment)
    return source if source <= last else -1


@inner
def _lanes_of(state: int, warp: int) -> int:
    """Return how many lanes of a warp are threads of the block."""
    return min(get(state, st.LAYOUT_THREADS) - 32 * (warp % get(state, st.LAYOUT_WARPS)), 32)


@inner
def _shuffle(state: int, pc: int, frame: int, kind: int, mask: int, present: int, lanes: int) -> None:
    """Give each lane what the lane brought that it asks for; out of range it keeps its own value.

    A lane that takes no part has no value to give, and silicon leaves it undefined: here it is all ones, NaN in every
    type, so that what is made of it is seen to be wrong; of a lane that the block does not have it is 0.
    """
    result = frame + field(state, pc, row.RESULT)
    in_range = 0
    for lane in range(32):
        if not (mask >> lane) & 1:
            continue
        source = source_lane(state, pc, frame, kind, lane)
        if source < 0:
            source = lane
        else:
            in_range |= 1 << lane
        value = brought(state, source) if (present >> source) & 1 else (UNDEFINED if source < lanes else 0)
        write_lane(result, lane, False, value)
    if field(state, pc, row.EXTRA_1) >= 0:
        write_predicate(frame + field(state, pc, row.EXTRA_1), mask, in_range)


@inner
def _match(state: int, pc: int, frame: int, kind: int, mask: int, voters: int) -> None:
    result = frame + field(state, pc, row.RESULT)
    for lane in range(32):
        if not (mask >> lane) & 1:
            continue
        equal = 0
        for other in range(32):
            if (voters >> other) & 1 and brought(state, other) == brought(state, lane):
                equal |= 1 << other
        if kind == MATCH_ANY:
            write_lane(result, lane, False, equal)
            continue
        everyone = equal == voters
        write_lane(result, lane, False, voters if everyone else 0)
        if field(state, pc, row.EXTRA_1) >= 0:
            write_predicate(frame + field(state, pc, row.EXTRA_1), 1 << lane, 0xFFFFFFFF if everyone else 0)


@inner
def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


@inner
def _reduce(state: int, kind: int, voters: int) -> int:
    total = 0
    is_first = True
    for lane in range(32):
        if not (voters >> lane) & 1:
            continue
        value = brought(state, lane)
        if kind == 2 or kind == 4:
            value = _signed(value)
        if is_first:
            total, is_first = value, False
        elif kind <= 1:
            total += value
        elif kind <= 3:
            total = min(total, value)
        elif kind <= 5:
            total = max(total, value)
        elif kind == 6:
            total &= value
        elif kind == 7:
            total |= value
        else:
            total ^= value
    return total & 0xFFFFFFFF


@inner
def members_of(state: int, pc: int, frame: int, active: int) -> int:
    """Return the mask operand of the instruction at `pc`."""
    slot = slot_address(state, frame, field(state, pc, row.OPERAND_D))
    return load_u32(slot + 4 * lowest_lane(active))


@inner
def lanes_of(state: int, pc: int, frame: int, active: int, members: int) -> int:
    """Return the lanes of `active` that name this mask: tiles of a warp may share an instruction, each for itself."""
    operand = field(state, pc, row.OPERAND_D)
    if operand < 0:
        return active  # a constant
    slot = slot_address(state, frame, operand)
    same = 0
    for lane in range(32):
        if (active >> lane) & 1 and load_u32(slot + 4 * lane) == members:
            same |= 1 << lane
    return same
