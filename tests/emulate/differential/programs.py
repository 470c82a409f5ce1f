"""Random PTX programs over all instruction families, for the emulator and a GPU alike.

Program i is always the same text. Its registers hold bits, and any instruction takes any register of its width: so
floats are NaN with payloads, subnormal and infinite as often as not. Left out is what no two runs agree on, or what the
manual leaves open: approximate functions, atomics whose old value depends on who comes first. Left out, too, is what
ptxas decides: which of two NaN a float64 operation hands on (it may exchange operands), and what it makes of several
instructions and of constants: each result is joined with a zero that it cannot know.

A program with products of warpgroups is for `sm_90a`; all others are for `sm_90`.
"""

from __future__ import annotations

from random import Random

from .block_statements import bulk_copy, common, exchange, match, matrix, redux, shuffle, vote, warpgroup
from .program_text import Program, whole
from .thread_statements import atomic, diverged, from_table, halves

MOST_STATEMENTS = 40


def program(number: int, statements: int | None = None) -> str:
    """Return program `number`. statements: only the first so many, which shows where two machines part."""
    p = Program(Random(number))
    count = p.random.randint(12, MOST_STATEMENTS)
    together = [shuffle, vote, match, redux, exchange, common, matrix, bulk_copy]
    weights = [3, 2, 1, 1, 3, 1, 2, 1]
    if number % 4 == 3:
        together, weights = [*together, warpgroup], [*weights, 3]
    for _ in range(count if statements is None else min(statements, count)):
        kind = p.random.random()
        if kind < 0.5:
            p.state(from_table)
        elif kind < 0.62:
            p.state(halves)
        elif kind < 0.68:
            p.state(atomic)
        elif kind < 0.8:
            diverged(p)
        else:
            p.state(p.random.choices(together, weights)[0])
    return whole(p)
