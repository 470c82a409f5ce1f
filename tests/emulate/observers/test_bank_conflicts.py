"""Bank conflicts: wavefronts against an oracle and against silicon, who collides, and the padding that cures it."""

from __future__ import annotations

import json
import re
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import record
from benchmarks.measure.gpu_counters import RESULT
from tests.emulate.catalogue_runs import run_kernel
from tests.emulate.observers.watched import watch
from tests.emulate.running import line_of
from tilewright.emulate.observers import BankConflictObserver
from tilewright.emulate.observers.banks.rule import (
    Accesses,
    counted_conflicts,
    padded,
    row_bytes_by_stride,
    smallest_padding,
    wavefronts,
)

LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
WIDE = """.version 8.5
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 offset, .param .u64 out) {
    .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .pred %p<2>;
    .shared .align 16 .b8 memory[4096];
    ld.param.u64 %rd1, [offset];
    mov.u32 %r1, %ctaid.x; shl.b32 %r1, %r1, 5; mov.u32 %r2, %tid.x; add.u32 %r1, %r1, %r2;
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r3, [%rd1];
    setp.ge.s32 %p1, %r3, 0;
    mov.u32 %r4, memory; add.u32 %r4, %r4, %r3;
    mov.f32 %f1, 0f00000000;
    @%p1 INSTRUCTION
    ret;
}"""
INSTRUCTIONS = {
    (4, True): "ld.shared.f32 %f1, [%r4];",
    (4, False): "st.shared.f32 [%r4], %f1;",
    (8, True): "ld.shared.v2.f32 {%f1, %f2}, [%r4];",
    (8, False): "st.shared.v2.f32 [%r4], {%f1, %f1};",
    (16, True): "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r4];",
    (16, False): "st.shared.v4.f32 [%r4], {%f1, %f1, %f1, %f1};",
    (2, True): "ld.shared.u16 %r5, [%r4];",
    (1, False): "st.shared.u8 [%r4], %r3;",
}


def oracle(offsets, nbytes, is_load):
    """Wavefronts of one access, part of a warp by part, from the rule alone."""
    lanes = {lane: at for lane, at in enumerate(offsets) if at >= 0}
    together = {8: 16, 16: 8}.get(nbytes, 32)
    if nbytes > 4 and is_load:
        for step in (1, 2):
            if all(lanes[lane ^ step] == at for lane, at in lanes.items() if lane ^ step in lanes):
                together = {8: 32, 16: 16}[nbytes]
    total = 0
    for first in range(0, 32, together):
        banks = defaultdict(set)
        for lane in range(first, first + together):
            for byte in range(nbytes if lane in lanes else 0):
                word = (lanes[lane] + byte) // 4
                banks[word % 32].add(word)
        total += max(map(len, banks.values()), default=0)
    return total


PATTERNS = st.one_of(
    st.lists(st.integers(-1, 255), min_size=32, max_size=32),
    st.builds(
        lambda stride, start, group: [(start + lane // group * stride) % 256 for lane in range(32)],
        st.integers(0, 64),
        st.integers(0, 31),
        st.sampled_from([1, 2, 4, 8, 16]),
    ),
)


@pytest.mark.parametrize(("nbytes", "is_load"), INSTRUCTIONS)
@settings(max_examples=12, deadline=None)
@given(patterns=st.lists(PATTERNS, min_size=1, max_size=24))
def test_wavefronts_equal_the_oracle(nbytes, is_load, patterns):
    """Random lanes at random places, in every width, some patterns more than once and more than are kept."""
    numbers = np.array([*patterns, patterns[0]], np.int32)
    offsets = np.where(numbers < 0, -1, numbers * nbytes).astype(np.int32)
    observer = BankConflictObserver()
    source = WIDE.replace("INSTRUCTION", INSTRUCTIONS[nbytes, is_load])
    watch(source, {"offset": offsets, "out": np.zeros(32, np.float32)}, [observer], grid=len(offsets))
    expected = [oracle(row.tolist(), nbytes, is_load) for row in offsets]
    assert observer.totals[LOADS if is_load else STORES] == sum(expected)
    assert observer.totals[STORES if is_load else LOADS] == 0
    for access in observer.accesses:
        assert wavefronts(access.lanes, nbytes, is_load=is_load) == (access.wavefronts, access.ideal)


def unmerged():
    """The H200's counters of launches whose shared loads the GPU's compiler left alone."""
    for row in record.read(RESULT)["rows"]:
        name = row["kernel"]
        if name in ("matmul/tiled_inner_barrier", "dot/tiled"):
            label = f"{name}-{row['dtype']}-{row['tile']}-{row['m']}x{row['n']}x{row['k']}"
            products = row["m"] * row["n"] * row["k"]
            yield pytest.param(row, id=label, marks=[pytest.mark.slow] if products > 64**3 else [])


@pytest.mark.parametrize("row", list(unmerged()))
def test_wavefronts_equal_the_hardware(row):
    """Loads of 4 and 8 bytes, uniform, in rows and across two rows: as many wavefronts as the H200 counts."""
    observer = BankConflictObserver()
    run_kernel(row["kernel"], row["m"], row["n"], row["k"], dtype=row["dtype"], tile=row["tile"], observers=[observer])
    assert observer.totals[LOADS] == row["counts"]["shared_load_wavefronts"]


TRANSPOSE = """extern "C" __global__ void kernel(const TYPE *in, TYPE *out) {
    __shared__ TYPE tile[32][WIDTH];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = tile[x][y]; // transposed
}"""


def transpose(kind="float", width=32, *, with_shape=True):
    """Transpose 32 x 32 elements through a tile of rows of `width`."""
    observer = BankConflictObserver()
    dtype = np.dtype({"float": np.float32, "double": np.float64, "short": np.int16}[kind])
    source = TRANSPOSE.replace("TYPE", kind).replace("WIDTH", str(width))
    arrays = {"in": np.ones((32, 32), dtype), "out": np.ones((32, 32), dtype)}
    shapes = {"tile": (dtype, (32, width))} if with_shape else None
    watch(source, arrays, [observer], block=(32, 32), shared_arrays=shapes)
    return source, observer


def test_conflict_is_named_with_its_cure():
    """The line, the two elements and lanes that collide, and one element of padding."""
    source, observer = transpose()
    (finding,) = observer.findings
    assert (finding.kind, finding.severity) == ("bank conflict", "note")
    assert finding.place == ("test.cu", line_of(source, "// transposed"))
    assert "tile[0][0]" in finding.message or "tile[0][31]" in finding.message
    assert re.search(r"32 wavefronts each, 1 without", finding.message)
    assert "tile[32][33]" in finding.advice
    assert "64 wavefronts instead of 1056" in finding.advice
    assert finding.times == 32 * 31


@pytest.mark.parametrize(("kind", "padding"), [("float", 1), ("double", 1), ("short", 2)])
def test_the_padding_that_is_advised_cures(kind, padding):
    """The mended twin has as many wavefronts as the advice says, and no conflict; one element less has some."""
    _, broken = transpose(kind)
    assert f"tile[32][{32 + padding}]" in broken.findings[0].advice
    (said,) = map(int, re.findall(r"take (\d+) wavefronts", broken.findings[0].advice))
    _, mended = transpose(kind, 32 + padding)
    assert mended.findings == []
    assert mended.totals[LOADS] + mended.totals[STORES] == said
    if padding > 1:
        assert transpose(kind, 32 + padding - 1)[1].findings != []


def test_unknown_shape_is_inferred_from_the_stride():
    """Without declarations the stride of the lanes gives the length of a row, and the advice says `if`."""
    _, observer = transpose(with_shape=False)
    assert "Leave 4 bytes free behind every 128 bytes of tile" in observer.findings[0].advice


def test_no_padding_helps_where_words_collide_in_a_row():
    """Lanes 32 words apart in one long row: nothing behind the row separates them."""
    source = """extern "C" __global__ void kernel(float *out) {
        __shared__ float row[1024];
        for (int i = threadIdx.x; i < 1024; i += 32) row[i] = i;
        __syncwarp();
        out[threadIdx.x] = row[threadIdx.x * 32];
    }"""
    observer = BankConflictObserver()
    watch(source, {"out": np.ones(32, np.float32)}, [observer], shared_arrays={"row": (np.float32, (1, 1024))})
    (finding,) = observer.findings
    assert "no padding" in finding.advice


def test_broadcast_and_rows_are_free():
    """One word for all lanes, and one word of each bank: one wavefront; 8 bytes: two, 16 bytes: four."""
    for nbytes, expected in ((4, 1), (8, 2), (16, 4)):
        consecutive = {lane: nbytes * lane for lane in range(32)}
        assert wavefronts(consecutive, nbytes, is_load=True) == (expected, expected)
    assert wavefronts(dict.fromkeys(range(32), 64), 4, is_load=True) == (1, 1)
    assert wavefronts(dict.fromkeys(range(32), 64), 8, is_load=True) == (1, 1)
    assert wavefronts(dict.fromkeys(range(32), 64), 16, is_load=True) == (2, 2)
    assert wavefronts({lane: 128 * lane for lane in range(32)}, 4, is_load=True) == (32, 1)


def test_padding_moves_rows_and_keeps_vectors_aligned():
    """A row's elements move by the padding before it; 16-byte accesses want rows of a multiple of 16 bytes."""
    assert padded(np.array([0, 128, 260]), 128, 4).tolist() == [0, 132, 268]
    column = np.arange(32)[None, :] * 128
    accesses = Accesses(column, np.arange(32)[None, :] < 8, np.array([5]), 16, is_load=True)
    assert smallest_padding([accesses], 128, 4, 5) == (4, 40, 5)
    assert smallest_padding([accesses], 8192, 4, 5) is None
    lanes = {lane: 128 * lane for lane in range(8)}
    assert row_bytes_by_stride(lanes) == 128
    assert row_bytes_by_stride({0: 0, 1: 4}) is None
    assert row_bytes_by_stride({0: 0, 1: 96}) is None


@pytest.mark.parametrize("nbytes", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("is_load", [True, False])
def test_many_accesses_at_once(nbytes, is_load):
    """The formula for arrays of accesses is the one for a single access."""
    rng = np.random.default_rng(nbytes)
    addresses = nbytes * rng.integers(0, 200, (200, 32))
    addresses[100:] = nbytes * (rng.integers(0, 200, (100, 1)) + np.arange(32) // 4 * rng.integers(0, 65, (100, 1)))
    active = rng.random((200, 32)) < rng.random((200, 1))
    active[:, 0] = True
    times = rng.integers(1, 9, 200)
    expected = 0
    for row, on, count in zip(addresses.tolist(), active.tolist(), times.tolist(), strict=True):
        lanes = {lane: at for lane, at in enumerate(row) if on[lane]}
        expected += count * wavefronts(lanes, nbytes, is_load=is_load)[0]
    assert Accesses(addresses, active, times, nbytes, is_load).wavefronts(addresses) == expected


def test_every_pattern_is_counted_as_the_h200_counts_it():
    """Wavefronts and conflicts of 470 accesses of one warp: all widths, loads and stores, read from the hardware."""
    rows = json.loads((record.RESULTS / "bank_patterns_h200.json").read_text(encoding="utf-8"))["rows"]
    for row in rows:
        lanes = {lane: offset for lane, offset in enumerate(row["offsets"]) if offset >= 0}
        access = lanes, row["nbytes"]
        is_load = row["access"] == "load"
        needed, conflicts = wavefronts(*access, is_load=is_load)[0], counted_conflicts(*access, is_load=is_load)
        assert {"wavefronts": needed, "conflicts": conflicts} == row["counted"], row["pattern"]
    assert len(rows) == 470


def test_a_conflict_after_many_patterns():
    """The worst pattern is told of, though the instruction had more harmless ones before than are kept."""
    source = """extern "C" __global__ void kernel(float *C) {
        __shared__ float As[1024];
        int t = threadIdx.x;
        float sum = 0;
        for (int i = t; i < 1024; i += 32) As[i] = i;
        __syncwarp();
        #pragma unroll 1
        for (int i = 0; i < 22; ++i) sum += As[i < 20 ? t ^ i : t * (i == 20 ? 2 : 32)]; // read
        C[t] = sum;
    }"""
    observer = BankConflictObserver()
    watch(source, {"C": np.zeros(32, np.float32)}, [observer])
    (line,) = [line for line in observer.lines if line.access == "load"]
    (finding,) = observer.findings

    assert (line.requests, line.wavefronts, line.ideal) == (22, 20 + 2 + 32, 22)
    assert (line.worst.wavefronts, line.worst.times) == (32, 1)
    assert (finding.place[1], finding.times) == (line_of(source, "// read"), 32)
    assert finding.message.startswith("32 words of bank 0 are wanted at once")


MERGED = r"""
__shared__ float tile[64 * 4 * 8];
extern "C" __global__ void kernel(float *out) {
    for (int i = threadIdx.x; i < 64 * 4 * 8; i += 32) tile[i] = i;
    __syncthreads();
    const float *mine = tile + LANE * PITCH;
    float sum = 0;
#pragma unroll
    for (int step = 0; step < 4; ++step) sum += mine[step] * (step + 1);
    out[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(
    ("lane", "pitch", "is_told"),
    [
        ("threadIdx.x / 16", 64, False),  # two rows of a register tile, an equal bank: quarters of a warp see one each
        ("threadIdx.x", 4, False),  # rows of 16 bytes: four wavefronts for four quarters
        ("threadIdx.x", 32, True),  # a column: merged or not
        ("threadIdx.x", 33, False),  # rows that no load of 16 bytes fits: free as they are
    ],
)
def test_loads_that_ptxas_merges_are_no_conflict_by_a_guess(lane, pitch, is_told):
    """Four neighboring loads become one of 16 bytes: a note only where that one has conflicts, and it says so."""
    source = MERGED.replace("LANE", f"({lane})").replace("PITCH", str(pitch))
    observer = BankConflictObserver()
    watch(source, {"out": np.zeros(32, np.float32)}, [observer], block=32)
    told = [finding for finding in observer.findings if "loads take" in finding.message]
    assert bool(told) == is_told
    assert all("before ptxas merges them" in finding.message for finding in told)
