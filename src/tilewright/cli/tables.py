"""Tables for narrow terminals: split by columns and, as a last resort, with broken words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table


def new_table(*headings: str, style: str = "cyan", title: str | None = None) -> Table:
    """An empty table. A heading after > is of numbers, at the right; one after ~ of words that may wrap.

    style: of the first column.
    """
    table = Table(box=None, pad_edge=False, title=title, title_justify="left")
    for number, heading in enumerate(headings):
        text = heading.lstrip(">~")
        marks = heading.removesuffix(text)
        justify: Literal["left", "right"] = "right" if ">" in marks else "left"
        table.add_column(text, justify=justify, no_wrap="~" not in marks, style="" if number else style)
    return table


def print_whole(console: Console, table: Table, *, keys: int = 1, groups: Iterable[Sequence[int]] = ()) -> None:
    """Print a table or, where it is too wide, several that each begin with its first `keys` columns.

    groups: the columns of each of the several, numbered from 0 and with the keys, where these fit.
    """
    everything = tuple(range(len(table.columns)))
    for columns in _that_fit(console, table, keys, (everything,), tuple(map(tuple, groups))):
        part = _part(table, columns)
        if _fits(console, part):
            _share_width(console, part)
        else:
            for column in part.columns:
                column.no_wrap, column.overflow = False, "fold"
        console.print(part)


def _that_fit(
    console: Console, table: Table, keys: int, *wishes: tuple[tuple[int, ...], ...]
) -> Sequence[tuple[int, ...]]:
    for groups in wishes:
        if groups and all(_fits(console, _part(table, columns)) for columns in groups):
            return groups
    first = tuple(range(keys))
    filled = [first]
    for column in range(keys, len(table.columns)):
        if filled[-1] == first or _fits(console, _part(table, (*filled[-1], column))):
            filled[-1] = (*filled[-1], column)
        else:
            filled.append((*first, column))
    return filled


def _fits(console: Console, table: Table) -> bool:
    return _spare(console, table) >= 0


def _spare(console: Console, table: Table) -> int:
    """The columns of the terminal that are left when no word of the table is broken; negative where there are too few.

    Rich's own minimum breaks the lines of columns that it then does not wrap.
    """
    widest = _measure(console, table).maximum
    return console.width - widest + sum(need.span for need in _needs(console, table))


def _needs(console: Console, table: Table) -> list[Measurement]:
    """Per column the width without a broken word (of a line where it does not wrap), and without a broken line."""
    needs = []
    for number, column in enumerate(table.columns):
        alone = _measure(console, _part(table, [number]))
        needs.append(Measurement(alone.maximum, alone.maximum) if column.no_wrap else alone)
    return needs


def _measure(console: Console, table: Table) -> Measurement:
    return console.measure(table, options=console.options.update(width=1000))


def _share_width(console: Console, table: Table) -> None:
    """Give each column what it needs, and the rest to those that wrap. Rich would cut the longest words instead."""
    spare = _spare(console, table)
    for column, need in zip(table.columns, _needs(console, table), strict=True):
        column.width = need.minimum + min(need.span, spare)
        spare -= column.width - need.minimum


def _part(table: Table, columns: Sequence[int]) -> Table:
    """Some columns as a table of the same style."""
    part = Table(
        box=table.box,
        pad_edge=table.pad_edge,
        padding=table.padding,
        collapse_padding=table.collapse_padding,
        title=table.title,
        title_justify=table.title_justify,
    )
    chosen = [table.columns[number] for number in columns]
    for column in chosen:
        part.add_column(
            column.header,
            style=column.style,
            justify=column.justify,
            overflow=column.overflow,
            no_wrap=column.no_wrap,
        )
    for cells in zip(*(column.cells for column in chosen), strict=True):
        part.add_row(*cells)
    return part
