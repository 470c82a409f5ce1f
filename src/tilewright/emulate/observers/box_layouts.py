"""Boxes of a tensor map beside the descriptor by which wgmma reads them: major, stride, and rows without a swizzle.

A descriptor says where the pieces of 16 bytes of its tile lie (descriptors.py), a box where its rows do. What must hold
within one box is judged, from the piece on with which the tile begins: with a swizzle, that a line of the tile ends
where its row of the box does, and that the next 8 lines are no rows that the first 8 had; without one, that the 8 lines
of 16 bytes that follow each other are rows of the box, or lie in one. Lines may skip rows, and pieces in other boxes
may be anything: tiles of a convolution, and operands that were packed before, are read so.
"""

from __future__ import annotations

from tilewright.emulate.compiled import inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.execute.bulk_transfers import swizzled
from tilewright.emulate.execute.descriptors import piece_address
from tilewright.emulate.machine.places import Places
from tilewright.emulate.memory_vectors import count_lanes
from tilewright.emulate.observers.finding import Finding
from tilewright.emulate.state import Int64s
from tilewright.emulate.tables import get, increase, put

PIECE_BYTES, PIECE_SHIFT = 16, 4
PIECE_MASK, ROW_SHIFT, BOX_SHIFT = (1 << 16) - 1, 16, 32
"""Of a place: the piece's number in its box, without the swizzle; pieces from row to row; the number of the box."""
LINES, LINES_PER_GROUP = 16, 8
"""What a warp reads of A at once; of a core matrix."""
AGREES, RUNS_OVER, OVERLAPS, NO_ROWS = range(4)
TIMES, WHY, BLOCK, ADDRESS, COPY, LINE, PIECE, PLACE, START, IS_TURNED, IS_A, RECORD_WORDS = range(12)
"""Of a record: how often; then of the first time: what is wrong, the block, where, the row of the copy, which piece of
the tile, its place and that of the tile's beginning, and which operand."""
ADVICE = {
    RUNS_OVER: "Check the major and the step from product to product: the last numbers of the instruction are 0 where "
    "the rows of the box go along K, and the next product begins 32 bytes further in each row; they are 1 where the "
    "rows go along M or N, and the next product begins 16 rows further.",
    OVERLAPS: "Let the stride byte offset of the descriptor be 8 rows of the box.",
    NO_ROWS: "Without a swizzle a descriptor reads 8 lines of 16 bytes that follow each other: let the rows of the box "
    "have 16 bytes, or give the tensor map and the descriptor a swizzle as wide as the rows.",
}


@inner
def note_box(event: int, places: int, extent: int, box: int) -> int:
    """Note where in its box each piece lies that is written now; return the number of the box. box: of the last one."""
    layout = get(event, ev.OPERATION)
    start, pitch = layout >> ev.START_SHIFT, (layout & ((1 << ev.START_SHIFT) - 1)) >> ev.PITCH_SHIFT
    for lane in range(32):
        address = ev.address_of(event, lane)
        if not (get(event, ev.LANES) >> lane) & 1 or not 0 <= address <= extent - PIECE_BYTES:
            continue
        behind = swizzled(address, layout & ev.SWIZZLE_MASK) - start
        box += behind == 0
        place = box << BOX_SHIFT | (pitch >> PIECE_SHIFT) << ROW_SHIFT | behind >> PIECE_SHIFT
        put(places, address >> PIECE_SHIFT, place)
    return box


@inner
def _why(place: int, start: int, swizzle: int, is_turned: int, line: int, piece: int) -> int:
    """Return what is wrong with the place of a tile's piece, when the tile begins at `start` in the same box."""
    pitch, here, first = (place & ((1 << BOX_SHIFT) - 1)) >> ROW_SHIFT, place & PIECE_MASK, start & PIECE_MASK
    rows, width = here // pitch - first // pitch, 1 << swizzle
    near, far = line & (LINES_PER_GROUP - 1), line >> 3
    if swizzle == 0:
        shift = abs(here - first - near)
        is_whole = shift == 0 or shift >= LINES_PER_GROUP
        fits = pitch == 1 or pitch % LINES_PER_GROUP == 0
        return NO_ROWS if rows and not (is_whole and fits) else AGREES
    behind = piece & (width - 1) if is_turned else piece
    if here % pitch - first % pitch != behind:
        return RUNS_OVER
    is_next_span = is_turned and piece >= width  # where the leading byte offset says
    return OVERLAPS if not is_next_span and 0 < abs(rows - near) < LINES_PER_GROUP * far else AGREES


@inner
def judge_layout(event: int, tags: int, places: int, extent: int, swizzle: int, record: int) -> None:
    """Compare where wgmma takes pieces of a tile with the rows of their box, up to the first that disagrees.

    tags: of swizzles.py, by piece. swizzle: of the descriptor, as a CUtensorMapSwizzle.
    """
    descriptor, is_turned = get(event, ev.OPERATION), get(event, ev.IS_TURNED)
    begin = piece_address(descriptor, is_turned, 0, 0)
    tag = get(tags, begin >> PIECE_SHIFT) if begin <= extent - PIECE_BYTES else 0
    if tag == 0 or (tag - 1) & 3 != swizzle:
        return
    start, first = get(places, begin >> PIECE_SHIFT), get(event, ev.FIRST_LINE)
    pieces = count_lanes(get(event, ev.LANES))
    of_lines = LINES if is_turned else pieces >> 1
    for number in range(pieces):
        address = ev.address_of(event, number)
        if not 0 <= address <= extent - PIECE_BYTES or get(tags, address >> PIECE_SHIFT) != tag:
            continue
        place = get(places, address >> PIECE_SHIFT)
        if place >> ROW_SHIFT != start >> ROW_SHIFT:
            continue
        line, piece = number % of_lines, number // of_lines
        if is_turned:
            piece += first >> 3
        else:
            line += first
        why = _why(place, start, swizzle, is_turned, line, piece)
        if why == AGREES:
            continue
        increase(record, TIMES, 1)
        if get(record, TIMES) > 1:
            return
        put(record, WHY, why)
        put(record, BLOCK, get(event, ev.BLOCK))
        put(record, ADDRESS, address)
        put(record, COPY, (tag - 1) >> 2)
        put(record, LINE, line)
        put(record, PIECE, piece)
        put(record, PLACE, place)
        put(record, START, start)
        put(record, IS_TURNED, is_turned)
        put(record, IS_A, 1 if pieces == 2 * LINES else 0)
        return


def layout_finding(record: Int64s, pc: int, places: Places) -> Finding:
    """Return the finding of a record of a product."""
    name, block = places.name_of(SHARED, int(record[ADDRESS])), places.block_of(int(record[BLOCK]))
    file, line = places.outer_line_of(int(record[COPY]))
    where = f" at {file or 'PTX'}:{line}" if line else ""
    (row, byte), (first_row, first_byte) = (_in_box(int(record[column])) for column in (PLACE, START))
    return Finding(
        "wrong layout",
        "error",
        places.outer_line_of(pc),
        f"By its descriptor wgmma takes {_piece_in_words(record)} from {name} of block {block}. There the box that the "
        f"copy{where} wrote has row {row} from byte {byte} on, and the tile begins in row {first_row} at byte "
        f"{first_byte}.",
        ADVICE[int(record[WHY])],
        other=(file, line),
        address=name,
        times=int(record[TIMES]),
    )


def _in_box(place: int) -> tuple[int, int]:
    """Return the row of a place in its box, and the byte of that row."""
    row, piece = divmod(place & PIECE_MASK, (place & ((1 << BOX_SHIFT) - 1)) >> ROW_SHIFT)
    return row, PIECE_BYTES * piece


def _piece_in_words(record: Int64s) -> str:
    """Return what of an operand a piece is: of elements of 2 bytes where rows or columns are contiguous."""
    lines, operand = ("row", "A") if record[IS_A] else ("column", "B")
    line, piece = int(record[LINE]), int(record[PIECE])
    if record[IS_TURNED]:
        return f"{lines}s {8 * piece} to {8 * piece + 7} of {operand} at index {line} along K"
    return f"{lines} {line} of {operand}, bytes {PIECE_BYTES * piece} to {PIECE_BYTES * piece + 15} along K,"
