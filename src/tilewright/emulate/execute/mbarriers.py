"""Barriers in shared memory (`mbarrier`): arrivals, bytes that are on their way, and threads that wait for a phase.

An mbarrier is a word of 64 bits: arrivals that its phase still waits for, arrivals that a phase has, bytes that are
expected and have not come, and the parity of the phase. The word lies in shared memory, where a program may overwrite
it, and once more among the emulator's own tables: where the two differ, no operation can be trusted.

A thread that waits with try_wait does not spin: it goes on when the phase has ended, or, its time being out, when
nothing else in the launch can. PTX allows both.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.compiled import OptionalUnit, inner
from tilewright.emulate.execute.addresses import MIXED, SHARED, report, resolve
from tilewright.emulate.execute.events import is_observed
from tilewright.emulate.execute.pipeline_events import is_tried_again, tell_of_barrier
from tilewright.emulate.memory_vectors import load_64, store_64
from tilewright.emulate.registers import read_lane, slot_address, write_lane, write_predicate
from tilewright.emulate.tables import field, get, put

MOST = (1 << 20) - 1
"""Arrivals of a phase, and bytes that may be expected, or have come before anyone expected them."""
EXPECTED_SHIFT, BYTES_SHIFT, PHASE_SHIFT, VALID = 20, 40, 61, 1 << 62
NO_BYTES = 1 << 20
"""Expected bytes may be negative: they are kept with this added to them."""

NOT_INITIALISED, OVERWRITTEN, TOO_MANY_ARRIVALS, TOO_MANY_BYTES, NO_COUNT, ENDS_PHASE, NOT_SHARED = range(1, 8)
"""What is wrong with an operation, in CONTROL_FAULT_BYTES."""

INIT, INVALIDATE, EXPECT, COMPLETE, ARRIVE, DROP, ARRIVE_EXPECT, DROP_EXPECT = range(8)
ARRIVE_INSIDE, DROP_INSIDE, TEST, TEST_PARITY, TRY, TRY_PARITY, PENDING_COUNT, AFTER_COPIES = range(8, 16)
COUNTS_ITSELF = 1
"""EXTRA_1 of AFTER_COPIES: the arrival is one more than the phase expected."""


@inner
def kept_word(state: int, host: int) -> int:
    """Return where the emulator keeps what the mbarrier at `host` holds; 0 is kept where there is none."""
    return get(state, st.LAYOUT_MBARRIERS) + host - get(state, st.LAYOUT_SHARED)


@inner
def read_barrier(state: int, host: int) -> int:
    """Return an mbarrier's word, or minus what is wrong with it."""
    word = load_64(kept_word(state, host))
    if word == 0:
        return -NOT_INITIALISED
    return word if load_64(host) == word else -OVERWRITTEN


@inner
def _write(state: int, host: int, word: int) -> None:
    store_64(kept_word(state, host), word)
    store_64(host, word)


@inner
def expected_bytes(word: int) -> int:
    """Return the bytes that an mbarrier's phase still waits for; below 0 for those that nobody has expected yet."""
    return ((word >> BYTES_SHIFT) & (2 * NO_BYTES - 1)) - NO_BYTES


@inner
def change_barrier(state: int, host: int, arrivals: int, nbytes: int, fewer: int) -> int:
    """Let arrivals come and expect more bytes (or, below 0, let some come); return the word before, or minus a fault.

    fewer: arrivals that later phases do not wait for any more.
    """
    word = read_barrier(state, host)
    if word < 0:
        return word
    pending, expected = (word & MOST) - arrivals, ((word >> EXPECTED_SHIFT) & MOST) - fewer
    missing, phase = expected_bytes(word) + nbytes, (word >> PHASE_SHIFT) & 1
    if pending < 0 or expected < 0:
        return -TOO_MANY_ARRIVALS
    if not -MOST <= missing <= MOST:
        return -TOO_MANY_BYTES
    if pending == 0 and missing == 0:
        pending, phase = expected, 1 - phase
    changed = VALID | phase << PHASE_SHIFT | (missing + NO_BYTES) << BYTES_SHIFT
    _write(state, host, changed | expected << EXPECTED_SHIFT | pending)
    return word


@inner
def has_ended(word: int, parity: int) -> bool:
    """Say whether the phase of a parity has ended: the mbarrier is in one of the other parity."""
    return (word >> PHASE_SHIFT) & 1 != parity & 1


@inner
def find_barrier(state: int, warp: int, pc: int, lane: int, address: int) -> int:
    """Return where in this process a lane's mbarrier lies; -1 after reporting that it is nowhere."""
    window = SHARED if field(state, pc, row.EXTRA_3) else MIXED
    host = resolve(state, warp, window, address, 8, st.USED_LOAD)
    extent = get(state, st.LAYOUT_SHARED_BYTES) * get(state, st.LAYOUT_RESIDENT)
    if host < 0:
        report(state, -host, pc, warp, lane, address, 8, max(window, 0))
        return -1
    if not 0 <= host - get(state, st.LAYOUT_SHARED) < extent:
        report(state, st.FAULT_MBARRIER, pc, warp, lane, address, NOT_SHARED, 0)
        return -1
    return host


@OptionalUnit
def execute_mbarrier(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> int:
    """Execute an operation of opcodes.MBARRIER_OPERATIONS; return what a special unit returns (state.py)."""
    kind = field(state, pc, row.KIND)
    if active == 0:
        return st.DONE
    numbers = slot_address(state, frame, field(state, pc, row.OPERAND_B))
    result = field(state, pc, row.RESULT)
    if kind == PENDING_COUNT:
        for lane in range(32):
            if (active >> lane) & 1:
                write_lane(frame + result, lane, False, read_lane(numbers, lane, True) & MOST)
        return st.DONE
    if TEST <= kind <= TRY_PARITY:
        return _look(state, warp, pc, frame, active)
    addresses = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        address = read_lane(addresses, lane, True) + field(state, pc, row.IMMEDIATE)
        host = find_barrier(state, warp, pc, lane, address)
        if host < 0:
            return st.FAILED
        word = _operate(state, pc, host, kind, read_lane(numbers, lane, False))
        if word < 0:
            report(state, st.FAULT_MBARRIER, pc, warp, lane, address, -word, SHARED)
            return st.FAILED
        if is_observed(state):
            tell_of_barrier(state, warp, pc, 1 << lane, kind, host, word, load_64(kept_word(state, host)), 0, 0)
        if result >= 0:
            write_lane(frame + result, lane, True, word)
    return st.DONE


@inner
def _operate(state: int, pc: int, host: int, kind: int, number: int) -> int:
    """Do what one thread asks for; return the mbarrier's word before, or minus what is wrong."""
    if kind == INIT:
        if not 1 <= number <= MOST:
            return -NO_COUNT
        _write(state, host, VALID | NO_BYTES << BYTES_SHIFT | number << EXPECTED_SHIFT | number)
        return 0
    if kind == INVALIDATE:
        word = read_barrier(state, host)
        store_64(kept_word(state, host), 0)
        return word
    if kind == EXPECT or kind == COMPLETE:
        return change_barrier(state, host, 0, number if kind == EXPECT else -number, 0)
    if kind == ARRIVE_EXPECT or kind == DROP_EXPECT:
        # At once, or bytes that have come already could end the phase in between.
        return change_barrier(state, host, 1, number, 1 if kind == DROP_EXPECT else 0)
    if kind == AFTER_COPIES:
        counted = field(state, pc, row.EXTRA_1) == COUNTS_ITSELF
        return change_barrier(state, host, 0 if counted else 1, 0, 0)
    if kind == ARRIVE_INSIDE or kind == DROP_INSIDE:
        word = read_barrier(state, host)
        if word > 0 and number >= word & MOST:
            return -ENDS_PHASE
    if not 1 <= number <= MOST:
        return -NO_COUNT
    fewer = number if kind == DROP or kind == DROP_INSIDE else 0
    return change_barrier(state, host, number, 0, fewer)


@inner
def _look(state: int, warp: int, pc: int, frame: int, active: int) -> int:
    """Tell each lane whether its phase has ended; wait where a try_wait would tell all of them that it has not."""
    kind = field(state, pc, row.KIND)
    addresses = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    phases = slot_address(state, frame, field(state, pc, row.OPERAND_B))
    has_parity, ended, host, word, phase = kind == TEST_PARITY or kind == TRY_PARITY, 0, 0, 0, 0
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        address = read_lane(addresses, lane, True) + field(state, pc, row.IMMEDIATE)
        host = find_barrier(state, warp, pc, lane, address)
        if host < 0:
            return st.FAILED
        word = read_barrier(state, host)
        if word < 0:
            report(state, st.FAULT_MBARRIER, pc, warp, lane, address, -word, SHARED)
            return st.FAILED
        phase = read_lane(phases, lane, not has_parity)
        phase = (phase if has_parity else phase >> PHASE_SHIFT) & 1
        if has_ended(word, phase):
            ended |= 1 << lane
    if is_observed(state) and (ended or not is_tried_again(state, warp, pc)):
        tell_of_barrier(state, warp, pc, active, kind, host, word, word, phase, ended)
    if kind >= TRY and not ended and not get(state, st.CONTROL_TIMES_OUT):
        return st.WAITS
    if ended:
        put(state, st.CONTROL_TIMEOUTS, 0)
    write_predicate(frame + field(state, pc, row.RESULT), active, ended)
    return st.DONE if ended == active or kind >= TRY else st.YIELDS
