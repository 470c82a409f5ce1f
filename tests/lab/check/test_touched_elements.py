"""What a launch touched of an array and who wrote an element last, from events as an observer keeps them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.lab.check.run import writers
from tilewright.lab.check.run.execution import Geometry
from tilewright.lab.check.run.structure import TouchedElements
from tilewright.lab.check.run.writers import Writer, last_writer, writing_line
from tilewright.lab.check.run.wrong_element import WrongElement

FIRST = 1 << 20
ALL = 0xFFFFFFFF


def event(kind: int, addresses: Any, *, lanes: int = ALL, nbytes: int = 4, block: int = 0, warp: int = 0, pc: int = 0):
    """One event of a warp; addresses: of its lanes."""
    made = np.zeros(ev.EVENT_WORDS, np.int64)
    made[ev.KIND], made[ev.LANES], made[ev.NBYTES] = kind, lanes, nbytes
    made[ev.BLOCK], made[ev.WARP_IN_BLOCK], made[ev.PC] = block, warp, pc
    made[ev.ADDRESSES : ev.ADDRESSES + 32] = addresses
    return made


def elements(first: int, stride: int = 1) -> Any:
    """The addresses of 32 elements of four bytes."""
    return FIRST + 4 * (first + stride * np.arange(32))


def touched(*rows: Any) -> TouchedElements:
    """What these events touched."""
    found = TouchedElements()
    found.recorder.rows = np.array(rows, np.int64).reshape(-1, ev.EVENT_WORDS)
    return found


@pytest.mark.parametrize(
    ("rows", "expected", "likeness"),
    [
        ([], 32, 0.0),
        ([event(ev.STORE, elements(0))], 32, 1.0),
        ([event(ev.STORE, elements(0))], 0, 0.0),
        ([event(ev.STORE, elements(0))], 40, 32 / 40),
        ([event(ev.STORE, elements(0))], 16, 16 / 32),
        ([event(ev.STORE, elements(0), lanes=0xFFFF)], 32, 16 / 32),
        ([event(ev.STORE, elements(0, 2))], 64, 32 / 64),
        ([event(ev.STORE, elements(0)), event(ev.ATOMIC, elements(32))], 64, 1.0),
        ([event(ev.STORE, elements(0)), event(ev.STORE, elements(0))], 32, 1.0),
        ([event(ev.LOAD, elements(0))], 32, 0.0),
        ([event(ev.STORE, elements(0, 4), nbytes=16)], 128, 1.0),
        ([event(ev.STORE, elements(0), nbytes=2)], 32, 1.0),
        ([event(ev.STORE, elements(-1))], 32, 31 / 32),
        ([event(ev.STORE, elements(-3, 4), nbytes=16)], 128, 1 / 128 + 31 * 4 / 128),
        ([event(ev.STORE, elements(-4, 4), nbytes=16)], 128, 31 * 4 / 128),
        ([event(ev.STORE, elements(224))], 32, 0.0),
        ([event(ev.STORE, elements(198, 4), nbytes=16, lanes=1)], 32, 0.0),
    ],
)
def test_likeness_of_what_is_stored(rows, expected, likeness):
    """The elements that are touched and expected, as a share of those that are either; of an array of 200."""
    assert touched(*rows).likeness(FIRST, 200, 4, expected, stored=True) == pytest.approx(likeness)


def test_likeness_of_what_is_read():
    """Loads alone count there."""
    found = touched(event(ev.LOAD, elements(0)), event(ev.STORE, elements(32)), event(ev.ATOMIC, elements(64)))
    assert found.likeness(FIRST, 200, 4, 32, stored=False) == 1.0
    assert found.likeness(FIRST, 200, 4, 96, stored=True) == pytest.approx(64 / 96)


def recorder(*rows: Any) -> Any:
    """A recorder with these events; the line is the program counter and a hundred."""
    places = SimpleNamespace(line_of=lambda pc: ("file.cu", pc + 100 if pc else None))
    return SimpleNamespace(rows=np.array(rows, np.int64).reshape(-1, ev.EVENT_WORDS), places=places)


GEOMETRY = Geometry((3, 2, 2), (8, 4, 4))


@pytest.mark.parametrize(
    ("address", "writer"),
    [
        (FIRST - 1, None),
        (FIRST, Writer((0, 0, 0), (0, 0, 0), 107)),
        (FIRST + 3, Writer((0, 0, 0), (0, 0, 0), 107)),
        (FIRST + 4 * 13, Writer((0, 0, 0), (5, 1, 0), 107)),
        (FIRST + 4 * 40 + 1, Writer((1, 1, 1), (0, 1, 2), 108)),
        (FIRST + 4 * 63, Writer((1, 1, 1), (7, 3, 2), 108)),
        (FIRST + 4 * 64, None),
        (FIRST + 4 * 100, Writer((0, 0, 0), (1, 0, 0), 0)),
        (FIRST + 4 * 101, None),
    ],
)
def test_who_wrote_last(address, writer):
    """Of the events that touch an address the last, and of its lanes the last; nobody where no lane does."""
    seen = recorder(
        event(ev.STORE, elements(32), pc=9),
        event(ev.STORE, elements(0), pc=7),
        event(ev.STORE, elements(32), pc=8, block=10, warp=2),
        event(ev.STORE, [FIRST + 4 * 100] * 32, lanes=3),
    )
    assert last_writer(seen, GEOMETRY, address) == writer


def test_the_line_that_writes_most(monkeypatch):
    """Of the stores into an array that which ran for the most lanes; of equals the last; 0 where there is none."""
    table = np.zeros((6, row.OPCODE + 1), np.int64)
    table[:, row.OPCODE] = (
        op.STORE_GLOBAL,
        op.STORE_GLOBAL,
        op.LOAD_GLOBAL,
        op.STORE_GENERIC,
        op.ATOMIC,
        op.HALF_ATOMIC,
    )
    seen = recorder(
        event(ev.STORE, elements(0), pc=1, lanes=7),
        event(ev.STORE, elements(0), pc=1, lanes=0x80000001),
        event(ev.STORE, elements(0), pc=3, lanes=0xF),
    )
    seen.launch = SimpleNamespace(module=SimpleNamespace(rows=table))
    extents: dict[int, Any] = {pc: [SimpleNamespace(low=FIRST)] for pc in (1, 2, 3)}
    extents[4] = [SimpleNamespace(low=FIRST + 4)]
    monkeypatch.setattr(writers, "extents_of_accesses", lambda _: extents)
    assert writing_line(seen, FIRST) == 101
    assert writing_line(seen, FIRST + 4) == 104
    assert writing_line(seen, FIRST + 8) == 0
    seen.rows = seen.rows[:0]
    assert writing_line(seen, FIRST) == 103
    extents[5] = extents[3]
    assert writing_line(seen, FIRST) == 105


@pytest.mark.parametrize(
    ("more", "who"),
    [
        ({}, "nobody wrote it"),
        ({"line": 9}, "nobody wrote it, and C is written in line 9"),
        (
            {"line": 9, "block": (1, 0, 0), "thread": (2, 3, 0)},
            "written by thread (2, 3, 0) of block (1, 0, 0) in line 9",
        ),
    ],
)
def test_a_wrong_element_in_a_sentence(more, who):
    """Where it is, what it is, and who wrote it."""
    said = str(WrongElement("C", (2, 0), 1.5, 2.25, 0.1, 1234, 5000, **more))
    assert said == f"C[2][0] is 1.5 and should be 2.25; {who}. 1,234 of 5,000 elements are wrong."
