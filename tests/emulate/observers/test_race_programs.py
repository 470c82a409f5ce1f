"""Random programs: the observer's verdict on every cell is that of exact vector clocks."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.emulate.observers.race_oracle import Oracle
from tests.emulate.running import PTX_HEADER, launch
from tilewright.emulate.execute.addresses import GLOBAL, SHARED
from tilewright.emulate.observers.observer import EventRecorder
from tilewright.emulate.observers.races.observer import RaceObserver

THREADS, BLOCKS, CELLS = 40, 2, 3
ALL = (1 << THREADS) - 1
MASKS = st.one_of(
    st.sampled_from([ALL, 1, 2, 1 << 31, 1 << 32, 0xFFFFFFFF, 0xFF << 32, 3, 0xFFFF, 0xFF00]),
    st.lists(st.integers(0, THREADS - 1), min_size=1, max_size=3).map(lambda ts: sum({1 << t for t in ts})),
)
FEW = st.lists(st.integers(0, THREADS - 1), min_size=1, max_size=2).map(lambda ts: sum({1 << t for t in ts}))
ACCESSES = st.tuples(st.sampled_from(["ld", "st"]), MASKS, st.integers(0, 3), st.integers(0, 2 * CELLS - 1))
BARRIER = st.just(("bar", ALL, 3, 0))
WARP = st.just(("whole warp", ALL, 3, 0))
LANES = st.tuples(
    st.just("lanes"), st.sampled_from([3, 6, 0xFFFF, 0xFF00, 0xFF, 0x80000001]), st.integers(1, 3), st.just(0)
)
NAMED = st.tuples(st.sampled_from(["bar 32", "whole named"]), st.just(ALL), st.just(3), st.just(0))
FENCES = st.tuples(st.sampled_from(["fence", "fence", "block fence"]), MASKS, st.integers(1, 3), st.just(0))
SEEDS = st.integers(0, 9)
ATOMICS = st.tuples(st.just("atom"), FEW, st.integers(1, 3), st.integers(0, 1))
ONE, BLOCK_MASKS, PLACES = st.sampled_from([1, 2, 1 << 33]), st.integers(1, 3), st.integers(0, 1)
CELL = st.integers(0, 2 * CELLS - 1)
HANDOVER = st.builds(
    lambda who, blocks, cell, place: [("st", who, blocks, cell), ("fence", who, 3, 0), ("atom", who, blocks, place)],
    *(ONE, BLOCK_MASKS, CELL, PLACES),
)
TAKEOVER = st.builds(
    lambda who, blocks, cell, place: [("atom", who, blocks, place), ("ld", who, blocks, cell)],
    *(ONE, BLOCK_MASKS, CELL, PLACES),
)
ANYTHING = st.one_of(ACCESSES, ACCESSES, BARRIER, WARP, LANES, NAMED, FENCES, ATOMICS).map(
    lambda operation: [operation]
)
PROGRAMS = st.lists(st.one_of(ANYTHING, ANYTHING, HANDOVER, TAKEOVER), min_size=3, max_size=12).map(
    lambda parts: [operation for part in parts for operation in part]
)


def program(operations) -> str:
    """Return PTX: an operation per line, for the threads of a mask in the blocks of a mask."""
    lines = []
    for number, (name, mask, blocks, cell) in enumerate(operations, 1):
        low = {0: mask if blocks & 1 else 0, 1: mask if blocks & 2 else 0}
        lines.append(f".loc 1 {number} 0")
        lines.append(f"selp.b64 %m, {low[1]}, {low[0]}, %second; shr.u64 %m, %m, %t; and.b64 %m, %m, 1;")
        lines.append("setp.ne.s64 %p, %m, 0;")
        place = f"[s+{4 * cell}]" if cell < CELLS else f"[%x+{4 * (cell - CELLS)}]"
        space = "shared" if cell < CELLS else "global"
        lines.append(
            {
                "ld": f"@%p ld.{space}.u32 %v, {place};",
                "st": f"@%p st.{space}.u32 {place}, %t;",
                "bar": "bar.sync 0;",
                "bar 32": "setp.lt.u32 %p, %t, 32; @%p bar.sync 1, 32;",
                "whole named": f"bar.sync 2, {-(-THREADS // 32) * 32};",
                "whole warp": "bar.warp.sync -1;",
                "lanes": f"and.b32 %v, %t, 31; shr.u32 %v, {mask}, %v; and.b32 %v, %v, 1; setp.ne.s32 %p, %v, 0; "
                f"setp.lt.and.u32 %p, %t, 32, %p; @%p bar.warp.sync {mask};",
                "fence": "@%p fence.acq_rel.gpu;",
                "block fence": "@%p fence.acq_rel.cta;",
                "atom": f"@%p atom.global.add.u32 %v, [%x+{64 + 4 * cell}], 1;",
            }[name]
        )
    body = "\n".join(lines)
    return f"""{PTX_HEADER}.visible .entry kernel(.param .u64 p0)
{{
    .reg .b64 %x, %m; .reg .b32 %t, %v, %b; .reg .pred %p, %second;
    .shared .align 4 .b8 s[{4 * CELLS}];
    ld.param.u64 %x, [p0]; cvta.to.global.u64 %x, %x; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;
    setp.eq.u32 %second, %b, 1;
    {body}
    ret;
}}
.file 1 "program.cu"
"""


def verdicts(operations, seed: int):
    """Run a program; return the racy cells as the observer found them by line, as the oracle did, and the oracle."""
    races, recorder = RaceObserver(), EventRecorder(20_000)
    x = np.zeros(32, np.uint32)
    launch(
        program(operations), x, grid=BLOCKS, block=THREADS, schedule="random", seed=seed, observers=[races, recorder]
    )
    assert races.is_complete
    oracle = Oracle(THREADS, BLOCKS)
    exact = oracle.replay(recorder.rows)
    start = min((address for space, _, address in oracle.history if space == GLOBAL), default=0) & ~255
    found = set()
    for finding in races.findings:
        line = finding.place[1]
        assert line is not None
        found.add(operations[line - 1][3])
    cells = {address // 4 if space == SHARED else CELLS + (address - start) // 4 for space, _, address in exact}
    assert all(cell < 2 * CELLS for cell in cells)
    return found, cells, oracle, start


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    operations=st.lists(st.one_of(ACCESSES, ACCESSES, BARRIER, WARP), min_size=2, max_size=14), seed=st.integers(0, 9)
)
def test_with_barriers_of_all(operations, seed):
    """Barriers of the whole block and of whole warps: the verdict is exact."""
    found, exact, _, _ = verdicts(operations, seed)

    assert found == exact


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operations=PROGRAMS, seed=SEEDS)
def test_with_everything(operations, seed):
    """Also partial barriers, fences and atomics: never a false alarm; a miss only where a third reader is forgotten."""
    found, exact, oracle, start = verdicts(operations, seed)

    assert found <= exact
    for cell in exact - found:
        readers = {
            (access.warp, access.clock)
            for (space, _, address), accesses in oracle.history.items()
            if (address // 4 if space == SHARED else CELLS + (address - start) // 4) == cell
            for access in accesses
            if not access.writes
        }
        assert len(readers) > 2
