"""The race observer's compiled part: every access is compared with the records of its cells, then recorded there."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import ObservedUnit, call_unit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED, find_allocation
from tilewright.emulate.memory_vectors import check_global, load_u8, lowest_lane
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.observers.races.judge import forget_copies
from tilewright.emulate.observers.races.pages import forget_page, forget_pages, is_known_to_two, look_at_pages
from tilewright.emulate.observers.races.records import (
    is_of_one_stamp,
    judge_all,
    latest_stamp,
    log_load,
    move_row,
    record_row,
    remember,
    side_by_side,
)
from tilewright.emulate.observers.races.releases import acquire_from, note_fence, release_to
from tilewright.emulate.observers.races.sync import arrive_at_barrier, begin_block, meet_in_warp, open_barrier
from tilewright.emulate.observers.races.tables import area_at, block_row, group_by_cell, warp_row
from tilewright.emulate.tables import allocation_at, field, get, put


@ObservedUnit
def watch_races(state: int, own: int, event: int) -> int:
    """Take an event."""
    kind = get(event, ev.KIND)
    if kind <= ev.ATOMIC or kind == ev.COPY:
        if get(own, ly.COPIES) and get(event, ev.SPACE) == SHARED:
            call_unit(get(own, ly.WATCH_COPIES), own, state, event, kind)
        # A copy may write from its beginning on, and until its thread has waited. (One call: it is made part of this.)
        access = ev.STORE if kind == ev.COPY else kind
        put(event, ev.KIND, access)
        _watch_access(own, state, event, access)
        put(event, ev.KIND, kind)
    elif kind == ev.BARRIER:
        arrive_at_barrier(own, event)
    elif kind == ev.BARRIER_OPEN:
        open_barrier(own, state, event)
    elif kind == ev.WARP_SYNC:
        meet_in_warp(own, event)
    elif kind == ev.FENCE:
        note_fence(own, get(event, ev.WARP), get(event, ev.RESIDENT), get(event, ev.LANES), get(event, ev.SCOPE))
    elif kind == ev.BLOCK_START:
        begin_block(own, state, event)
        if get(own, ly.COPIES):
            forget_copies(own, get(event, ev.RESIDENT))
    return 0


@inner
def _watch_access(own: int, state: int, event: int, kind: int) -> None:
    """Find the pieces of memory that an access reaches, and watch it there."""
    warp, pc, lanes, order = get(event, ev.WARP), get(event, ev.PC), get(event, ev.LANES), get(event, ev.ORDER)
    is_shared = get(event, ev.SPACE) == SHARED
    is_strong = kind == ev.ATOMIC or order & op.STRONG != 0
    if is_shared and is_strong and kind != ev.ATOMIC and load_u8(get(own, ly.VOLATILE) + pc):
        is_strong = False  # volatile keeps the compiler from caching a value, and orders nothing
    if is_strong and order & op.RELEASES:
        note_fence(own, warp, get(event, ev.RESIDENT), lanes, get(event, ev.SCOPE))
    about = pc << ly.ABOUT_PC | (kind << ly.ABOUT_KIND)
    if is_strong:
        about |= ly.IS_STRONG
        if get(event, ev.SCOPE) == op.SCOPE_BLOCK and not is_shared:
            about |= ly.IS_OF_BLOCK
            put(own, ly.HAS_BLOCK_SCOPE, 1)
        if kind == ev.ATOMIC and not is_shared:
            put(own, ly.ATOMIC_ROW, pc + 1)
    area = 0
    if is_shared:
        area = area_at(own, get(own, ly.FIRST_SHARED_AREA) + get(event, ev.RESIDENT))
    elif get(event, ev.ALLOCATION) >= 0:
        area = area_at(own, get(event, ev.ALLOCATION))
    if area and kind == ev.LOAD and not is_strong and is_known_to_two(own, event, area):
        lanes = 0
    while lanes:
        chosen = lanes
        if is_shared:
            extent = max(get(own, ly.SHARED_BYTES) - get(event, ev.NBYTES) + 1, 0)
            chosen = check_global(event + 8 * ev.ADDRESSES, 0, 0, extent, 0, lanes)
            lanes = 0
        elif get(event, ev.ALLOCATION) >= 0:
            lanes = 0
        else:
            chosen = 1 << lowest_lane(lanes)
            lanes &= lanes - 1
            area = _area_of_lane(own, state, event, chosen)
        if area and chosen and get(area, ly.AREA_WRITES):
            _watch_area(own, state, event, area, chosen, kind, about)
    moment = get(own, ly.MOMENT) + 1
    put(own, ly.MOMENT, moment)
    put(get(own, ly.EXECUTED), warp * get(own, ly.LINES) + field(state, pc, row.LINE), moment)


@inner
def _area_of_lane(own: int, state: int, event: int, chosen: int) -> int:
    """Return the piece of global memory that one lane accesses, or 0 when it is about to fault."""
    address = ev.address_of(event, lowest_lane(chosen))
    allocation = find_allocation(state, address)
    if allocation < 0:
        return 0
    record = allocation_at(state, allocation)
    if address - get(record, st.ALLOCATION_BASE) > get(record, st.ALLOCATION_BYTES) - get(event, ev.NBYTES):
        return 0
    return area_at(own, allocation)


@inner
def _watch_area(own: int, state: int, event: int, area: int, lanes: int, kind: int, about: int) -> None:
    """Compare an access with the records of the cells that it reaches in one piece of memory, and record it."""
    warp_at, block_at = warp_row(own, get(event, ev.WARP)), block_row(own, get(event, ev.RESIDENT))
    is_shared = get(event, ev.SPACE) == SHARED
    block_limit = get(block_at, ly.BLOCK_MET) << 32
    put(own, ly.NOW, get(warp_at, ly.WARP_TIME) << 32 | get(warp_at, ly.WARP_SERIAL))
    put(own, ly.NOW_ABOUT, about)
    put(own, ly.NOW_LIMIT, block_limit if is_shared else 1)
    put(own, ly.NOW_BLOCK_LIMIT, block_limit)
    put(own, ly.NOW_WARP_LIMIT, get(warp_at, ly.WARP_MET) << 32)
    shift = get(own, ly.SHARED_SHIFT if is_shared else ly.GLOBAL_SHIFT)
    cells = (get(event, ev.NBYTES) + (1 << shift) - 1) >> shift  # a copy may read part of its last cell
    is_plain_load = kind == ev.LOAD and about & ly.IS_STRONG == 0
    if not get(area, ly.AREA_IS_DIRECT) and log_load(own, event, area, lanes, is_plain_load):
        return
    if kind == ev.ATOMIC and cells == 1 and _is_quiet(own, area):
        _raise(own, area, ly.AREA_HAS_STRONG)
        _watch_atomics(own, event, area, lanes, shift)
        return
    count = group_by_cell(own, event, lanes, get(area, ly.AREA_BASE), shift)
    if about & ly.IS_STRONG:
        if kind != ev.LOAD:
            _raise(own, area, ly.AREA_HAS_STRONG)
        _watch_strong(own, state, event, area, count, cells, shift, kind)
    elif kind == ev.LOAD:
        _raise(own, area, ly.AREA_IS_READ)
        _watch_loads(own, state, event, area, count, cells, shift, ly.LOW if is_shared else ly.SAME_BLOCK)
    else:
        _raise(own, area, ly.AREA_IS_WRITTEN)
        _watch_stores(own, state, event, area, count, cells, shift)


@inner
def _raise(own: int, area: int, column: int) -> None:
    """Note when a piece of memory was last accessed in some way."""
    put(area, column, max(get(area, column), get(own, ly.NOW)))


@inner
def _is_quiet(own: int, area: int) -> bool:
    """Say whether atomics have nothing to be compared with, and nobody learns through them."""
    if get(own, ly.HAS_FENCED) or get(own, ly.HAS_BLOCK_SCOPE):
        return False
    return max(get(area, ly.AREA_IS_WRITTEN), get(area, ly.AREA_IS_READ)) < get(own, ly.NOW_LIMIT)


@inner
def _watch_atomics(own: int, event: int, area: int, lanes: int, shift: int) -> None:
    """Record an atomic lane by lane, unless two others are recorded at its cell."""
    mine, about, limit = get(own, ly.NOW), get(own, ly.NOW_ABOUT), get(own, ly.NOW_LIMIT)
    same_owner = ly.LOW if get(event, ev.SPACE) == SHARED else ly.SAME_BLOCK
    strong, other_strong, base = get(area, ly.AREA_STRONG), get(area, ly.AREA_OTHER_STRONG), get(area, ly.AREA_BASE)
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        at = ((ev.address_of(event, lane) - base) >> shift) * ly.RECORD_BYTES
        stamp = get(strong + at, ly.RECORD_STAMP)
        if stamp == mine and get(strong + at, ly.RECORD_REST) >> 32 == about:
            put(strong + at, ly.RECORD_REST, get(strong + at, ly.RECORD_REST) | 1 << lane)
            continue
        if stamp >= limit and (stamp ^ mine) & same_owner:
            other = get(other_strong + at, ly.RECORD_STAMP)
            if other >= limit and (other ^ mine) & same_owner and (other ^ stamp) & same_owner:
                continue
        remember(own, strong + at, other_strong + at, 1 << lane)


@inner
def _watch_loads(
    own: int, state: int, event: int, area: int, count: int, cells: int, shift: int, same_owner: int
) -> None:
    """Compare a load with writes; record it unless two recorded loads are enough to judge a later write."""
    mine, limit, about = get(own, ly.NOW), get(own, ly.NOW_LIMIT), get(own, ly.NOW_ABOUT) << 32
    reads, others = get(area, ly.AREA_READS), get(area, ly.AREA_OTHER_READS)
    writes = get(area, ly.AREA_WRITES)
    is_written, has_strong = get(area, ly.AREA_IS_WRITTEN) >= limit, get(area, ly.AREA_HAS_STRONG) >= limit
    # With releases, two ordered readers may displace a third that is not ordered.
    is_brief = get(own, ly.NODES_USED) == 0
    row_at = side_by_side(own, count, cells)
    if row_at >= 0 and not has_strong and (not is_written or latest_stamp(writes + row_at, count) < limit):
        if latest_stamp(reads + row_at, count) < limit:
            record_row(own, reads + row_at, count)
            return
        stamp = get(reads + row_at, ly.RECORD_STAMP)
        is_second = (stamp ^ mine) & same_owner != 0 and is_of_one_stamp(reads + row_at, count)
        if is_second and latest_stamp(others + row_at, count) < limit:
            move_row(reads + row_at, others + row_at, count)
            record_row(own, reads + row_at, count)
            forget_pages(area, row_at, count)
            if is_brief:
                look_at_pages(own, area, count, same_owner == ly.LOW)
            return
    has_others = False
    group, group_lanes = get(own, ly.GROUPS), get(own, ly.GROUP_LANES)
    for index in range(count):
        first, lanes = get(group, index), get(group_lanes, index)
        for number in range(cells):
            at = first + ly.RECORD_BYTES * number
            if has_strong or (is_written and get(writes + at, ly.RECORD_STAMP) >= limit):
                judge_all(own, state, event, area, at, lanes, number << shift, False)
            stamp = get(reads + at, ly.RECORD_STAMP)
            if stamp < limit:
                put(reads + at, ly.RECORD_STAMP, mine)
                put(reads + at, ly.RECORD_REST, about | lanes)
                continue
            has_others = True
            if is_brief and (stamp ^ mine) & same_owner:
                other = get(others + at, ly.RECORD_STAMP)
                if other >= limit and (other ^ mine) & same_owner and (other ^ stamp) & same_owner:
                    continue
            remember(own, reads + at, others + at, lanes)
            forget_page(area, at)
    if has_others and is_brief and not has_strong:
        look_at_pages(own, area, count, same_owner == ly.LOW)


@inner
def _watch_stores(own: int, state: int, event: int, area: int, count: int, cells: int, shift: int) -> None:
    """Compare a store with everything, and record it."""
    mine, limit, about = get(own, ly.NOW), get(own, ly.NOW_LIMIT), get(own, ly.NOW_ABOUT) << 32
    reads, others, writes = get(area, ly.AREA_READS), get(area, ly.AREA_OTHER_READS), get(area, ly.AREA_WRITES)
    is_read, has_strong = get(area, ly.AREA_IS_READ) >= limit, get(area, ly.AREA_HAS_STRONG) >= limit
    row_at = side_by_side(own, count, cells)
    if row_at >= 0 and count == 32 and not has_strong and latest_stamp(writes + row_at, count) < limit:
        latest = 0
        if is_read:
            latest = max(latest_stamp(reads + row_at, count), latest_stamp(others + row_at, count))
        if latest < limit:
            record_row(own, writes + row_at, count)
            forget_pages(area, row_at, count)
            return
    group, group_lanes = get(own, ly.GROUPS), get(own, ly.GROUP_LANES)
    for index in range(count):
        first, lanes = get(group, index), get(group_lanes, index)
        is_single = lanes & (lanes - 1) == 0
        for number in range(cells):
            at = first + ly.RECORD_BYTES * number
            is_plain = not has_strong and is_single
            stamp = get(writes + at, ly.RECORD_STAMP)
            if stamp >= limit:
                is_plain = is_plain and stamp == mine and get(writes + at, ly.RECORD_REST) & ly.LOW == lanes
            if is_read and is_plain:
                stamp = get(reads + at, ly.RECORD_STAMP)
                if stamp >= limit:
                    is_plain = stamp == mine and get(reads + at, ly.RECORD_REST) & ly.LOW == lanes
                if is_plain:
                    is_plain = get(others + at, ly.RECORD_STAMP) < limit
            if not is_plain:
                judge_all(own, state, event, area, at, lanes, number << shift, True)
                if not is_single:
                    call_unit(get(own, ly.COLLIDE), own, state, event, lanes, number << shift)
            forget_page(area, at)
            put(writes + at, ly.RECORD_STAMP, mine)
            put(writes + at, ly.RECORD_REST, about | (lanes & -lanes))


@inner
def _watch_strong(own: int, state: int, event: int, area: int, count: int, cells: int, shift: int, kind: int) -> None:
    """Compare an atomic, a strong store or a strong load with what is not strong, and record it."""
    limit, same_owner = get(own, ly.NOW_LIMIT), ly.LOW if get(event, ev.SPACE) == SHARED else ly.SAME_BLOCK
    mine, about = get(own, ly.NOW), get(own, ly.NOW_ABOUT)
    writes, reads, others = get(area, ly.AREA_WRITES), get(area, ly.AREA_READS), get(area, ly.AREA_OTHER_READS)
    strong, other_strong = get(area, ly.AREA_STRONG), get(area, ly.AREA_OTHER_STRONG)
    has_fenced, has_scopes = get(own, ly.HAS_FENCED), get(own, ly.HAS_BLOCK_SCOPE)
    is_written = get(area, ly.AREA_IS_WRITTEN) >= limit
    is_read = get(area, ly.AREA_IS_READ) >= limit and kind != ev.LOAD
    group, group_lanes = get(own, ly.GROUPS), get(own, ly.GROUP_LANES)
    for index in range(count):
        first, lanes = get(group, index), get(group_lanes, index)
        if has_fenced:
            _pass_on(own, event, get(area, ly.AREA_RELEASES) + (first >> 2), lanes, kind)
        for number in range(cells):
            at = first + ly.RECORD_BYTES * number
            is_doubtful = has_scopes != 0 or (is_written and get(writes + at, ly.RECORD_STAMP) >= limit)
            if is_read and not is_doubtful:
                is_doubtful = get(reads + at, ly.RECORD_STAMP) >= limit or get(others + at, ly.RECORD_STAMP) >= limit
            if is_doubtful:
                judge_all(own, state, event, area, at, lanes, number << shift, kind != ev.LOAD)
            if kind == ev.LOAD:
                # Only a write that is not strong can race with it, so it must not displace other readers.
                remember(own, others + at, others + at, lanes)
                forget_page(area, at)
                continue
            stamp = get(strong + at, ly.RECORD_STAMP)
            if stamp == mine and get(strong + at, ly.RECORD_REST) >> 32 == about:
                put(strong + at, ly.RECORD_REST, get(strong + at, ly.RECORD_REST) | lanes)
                continue
            if not has_fenced and stamp >= limit and (stamp ^ mine) & same_owner:
                other = get(other_strong + at, ly.RECORD_STAMP)
                if other >= limit and (other ^ mine) & same_owner and (other ^ stamp) & same_owner:
                    continue
            remember(own, strong + at, other_strong + at, lanes)


@inner
def _pass_on(own: int, event: int, place: int, lanes: int, kind: int) -> None:
    """Acquire what was released at a place (a strong load), release (a strong store), or both (an atomic)."""
    if kind != ev.STORE and get(own, ly.NODES_USED):
        acquire_from(own, event, place, lanes)
    if kind != ev.LOAD:
        release_to(own, event, place, lanes, kind == ev.ATOMIC)
        if kind == ev.ATOMIC and lanes & (lanes - 1):
            acquire_from(own, event, place, lanes)  # lanes take their turns: the last one follows the others
