"""What an event says of a copy in bulk: which bytes of shared memory, and which rows of global memory."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.emulate.running import launch
from tests.emulate.tensor_boxes import (
    CASES,
    INTERLEAVED,
    SHARED_BYTES,
    UINT32,
    loading,
    loading_of_slices,
)
from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import bulk_events as be
from tilewright.emulate.execute import events as ev
from tilewright.emulate.observers.hazards.operands import asked_of, pieces_of_product
from tilewright.emulate.observers.observer import EventRecorder
from tilewright.emulate.tensor_map import encode_tensor_map

AT = 1 << 36
TO_SHARED, BETWEEN, TO_GLOBAL = (
    way << op.BULK_WAY_SHIFT for way in (op.BULK_TO_SHARED, op.BULK_BETWEEN_SHARED, op.BULK_TO_GLOBAL)
)


def words_of(tensor_map: bytes = b"", at: tuple[int, ...] = (), nbytes: int = 0, address: int = AT) -> list[int]:
    """The words of an event: offset 512 in block 3, its mbarrier at 64."""
    words = [0] * 32
    words[be.COPY_OFFSET], words[be.COPY_OWNER], words[be.COPY_BARRIER] = 512, 3, 64
    words[be.COPY_BYTES], words[be.COPY_GLOBAL] = nbytes, address
    words[be.COPY_COORDINATES : be.COPY_COORDINATES + len(at)] = at
    if tensor_map:
        count = len(words) - be.COPY_MAP
        words[be.COPY_MAP :] = struct.unpack("<16q", tensor_map)[:count]
    return words


@pytest.mark.parametrize(
    ("kind", "to_global", "is_values", "from_shared", "lines"),
    [
        (TO_SHARED, False, False, -1, ((AT + 32, 80),)),
        (TO_GLOBAL, True, False, -1, ((AT + 32, 80),)),
        (BETWEEN, False, False, 32, ()),
        (BETWEEN | op.BULK_VALUES, False, True, -1, ()),
    ],
)
def test_a_line(kind, to_global, is_values, from_shared, lines):
    """A copy without a map has one line, and none in global memory where it goes from block to block."""
    asked = asked_of(words_of(nbytes=80, address=AT + 32), kind)
    assert (asked.owner, asked.offset, asked.barrier, asked.nbytes) == (3, 512, 64, 80)
    assert (asked.to_global, asked.is_values) == (to_global, is_values)
    assert (asked.from_shared, asked.lines) == (from_shared, lines)


@pytest.mark.parametrize("name", [*CASES, *INTERLEAVED])
def test_bytes_of_a_box(name):
    """As many as NumPy finds in it, those outside of the tensor with them; with steps, and of slices, too."""
    load = loading(name) if name in CASES else loading_of_slices(name)
    given = load.tensor_map
    encoded = encode_tensor_map(
        given.data_type,
        AT,
        given.sizes,
        given.strides_bytes,
        given.box,
        given.element_strides,
        interleave=given.interleave,
        swizzle=given.swizzle,
    )
    asked = asked_of(words_of(encoded, load.at), TO_SHARED | len(load.at))
    assert asked.nbytes == load.nbytes
    assert (len(asked.lines) > 0) == (len(load.at) <= 2 and name != "outside")


@pytest.mark.parametrize(
    ("sizes", "box", "steps", "at", "lines"),
    [
        ((100,), (32,), None, (8,), [(32, 128)]),
        ((100,), (32,), None, (80,), [(320, 80)]),
        ((100,), (32,), None, (-8,), [(0, 96)]),
        ((100,), (32,), None, (99,), [(396, 4)]),
        ((100,), (32,), None, (100,), []),
        ((100,), (32,), None, (-32,), []),
        ((24, 20), (16, 3), None, (4, 5), [(5 * 128 + 16, 64), (6 * 128 + 16, 64), (7 * 128 + 16, 64)]),
        ((24, 20), (16, 3), None, (20, 18), [(18 * 128 + 80, 16), (19 * 128 + 80, 16)]),
        ((24, 20), (16, 3), None, (-12, -1), [(0, 16), (128, 16)]),
        ((24, 20), (16, 5), (1, 2), (0, 1), [(128, 64), (3 * 128, 64), (5 * 128, 64)]),
    ],
)
def test_rows_of_a_box(sizes, box, steps, at, lines):
    """Of a tensor of one or two dimensions: what of each row is inside, by its first byte and its bytes."""
    encoded = encode_tensor_map(UINT32, AT, sizes, (128,), box, steps)
    asked = asked_of(words_of(encoded, at), TO_SHARED | len(sizes))
    assert asked.lines == tuple((AT + first, nbytes) for first, nbytes in lines)


def test_a_map_that_cannot_be_read():
    """An event has zeros for it: nothing is known to be touched, and the copy itself is what faults."""
    assert asked_of(words_of(at=(1, 2)), TO_SHARED | 2).lines == ()


def test_what_a_launch_tells():
    """The event of a load has its place, its coordinates and its map: once when it is asked for, and once when done.

    The map is an argument at 64 bytes: no multiple of its own size.
    """
    load = loading("two")
    recorder = EventRecorder(events=ev.mask(ev.BULK))
    out = np.zeros(SHARED_BYTES, np.uint8)
    launch(load.source, out, *load.arguments, block=32, dynamic_shared_bytes=SHARED_BYTES, observers=[recorder])
    assert recorder.rows[:, ev.OPERATION].tolist() == [be.ASKED, be.DONE]
    assert recorder.rows[:, ev.LANES].tolist() == [1, 1]
    first, last = (asked_of(each[ev.ADDRESSES :].tolist(), TO_SHARED | 2) for each in recorder.rows)
    assert first == last
    assert (first.owner, first.offset % 1024, first.nbytes) == (0, 0, 1024)
    assert [nbytes for _, nbytes in first.lines] == [32] * 8
    assert np.diff([start for start, _ in first.lines]).tolist() == [load.tensor_map.strides_bytes[0]] * 7


GROUP = 1024
"""Of 8 lines of 128 bytes, swizzled by 128 bytes."""


def descriptor_of(at: int, leading: int) -> int:
    """A tile swizzled by 128 bytes, whose groups of 8 lines follow each other."""
    return 1 << 62 | GROUP >> 4 << 32 | leading >> 4 << 16 | at >> 4


def piece_of(at: int, line: int, piece: int) -> int:
    """The number of 16 bytes of a line: which is XORed with the line's own in its group."""
    return at // 16 + 8 * line + (piece ^ line % 8)


@pytest.mark.parametrize("warp", [0, 1, 3, 6])
@pytest.mark.parametrize("columns", [8, 72])
def test_pieces_along_k(warp, columns):
    """32 bytes of a line: of the 16 rows of A that are a warp's in its warpgroup, and of every column of B."""
    instruction = np.zeros(row.COLUMNS, np.int32)
    instruction[row.EXTRA_1] = columns
    of_a, of_b = pieces_of_product(instruction, descriptor_of(4096, 0), descriptor_of(16384, 0), warp)

    first = 16 * (warp % 4)
    assert of_a.tolist() == sorted(piece_of(4096, line, k) for line in range(first, first + 16) for k in range(2))
    assert of_b.tolist() == sorted(piece_of(16384, line, k) for line in range(columns) for k in range(2))


@pytest.mark.parametrize("warp", [0, 3, 5])
def test_pieces_across_k(warp):
    """16 lines, of which a warp reads 16 rows of A and all 72 columns of B: 64 in a group of lines, 8 in the next."""
    instruction = np.zeros(row.COLUMNS, np.int32)
    instruction[row.EXTRA_1], instruction[row.KIND] = 72, op.MATRIX_A_TURNED | op.MATRIX_B_TURNED
    of_a, of_b = pieces_of_product(instruction, descriptor_of(4096, 0), descriptor_of(16384, 8192), warp)

    rows = [2 * (warp % 4), 2 * (warp % 4) + 1]
    assert of_a.tolist() == sorted(piece_of(4096, line, part) for line in range(16) for part in rows)
    groups = [(16384, part) for part in range(8)] + [(16384 + 8192, 0)]
    assert of_b.tolist() == sorted(piece_of(at, line, part) for line in range(16) for at, part in groups)


@pytest.mark.parametrize("turned", [op.MATRIX_A_TURNED, op.MATRIX_B_TURNED])
def test_one_of_both_lies_across_k(turned):
    """Each has a bit of its own: rows 16 to 31 of A, and 24 columns of B."""
    instruction = np.zeros(row.COLUMNS, np.int32)
    instruction[row.EXTRA_1], instruction[row.KIND] = 24, turned
    of_a, of_b = pieces_of_product(instruction, descriptor_of(4096, 0), descriptor_of(4096, 0), 1)

    a_turned, b_turned = turned == op.MATRIX_A_TURNED, turned == op.MATRIX_B_TURNED
    lines, parts = (range(16), range(2, 4)) if a_turned else (range(16, 32), range(2))
    assert of_a.tolist() == sorted(piece_of(4096, line, part) for line in lines for part in parts)
    lines, parts = (range(16), range(3)) if b_turned else (range(24), range(2))
    assert of_b.tolist() == sorted(piece_of(4096, line, part) for line in lines for part in parts)


def test_what_is_read_from_registers_has_no_pieces():
    """Of A; B is in shared memory always."""
    instruction = np.zeros(row.COLUMNS, np.int32)
    instruction[row.EXTRA_1], instruction[row.KIND] = 16, op.MATRIX_A_IN_REGISTERS
    (of_b,) = pieces_of_product(instruction, 0, descriptor_of(2048, 0), 2)

    assert of_b.tolist() == sorted(piece_of(2048, line, k) for line in range(16) for k in range(2))
