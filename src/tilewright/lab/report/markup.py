"""Tables and lists of the report as HTML: what is given as text is escaped, widths are bounded, rows have headers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tilewright.choose.printable import escape


def table(
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: Collection[int] = (),
    shares: Mapping[int, Sequence[float]] | None = None,
    marked: Collection[int] = (),
) -> str:
    """Return a table that scrolls by itself where it is too wide. The first cell of a row is its header.

    words: columns that hold words and stand left. shares: columns with a bar behind each number, from 0 to 1. marked:
    rows that stand out.
    """
    kinds = ["words" if number in words else "" for number in range(len(columns))]
    head = "".join(
        f'<th scope="col" class="{kind}">{escape(name)}</th>' for name, kind in zip(columns, kinds, strict=True)
    )
    body = "".join(_row(number, row, kinds, shares or {}, number in marked) for number, row in enumerate(rows))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(
    number: int, cells: Sequence[str], kinds: Sequence[str], shares: Mapping[int, Sequence[float]], is_marked: bool
) -> str:
    parts = [f'<th scope="row">{escape(cells[0])}</th>']
    for column, cell in enumerate(cells[1:], 1):
        if column in shares:
            width = f"{100 * shares[column][number]:.4g}%"
            parts.append(f'<td class="bar"><i style="width:{width}" aria-hidden="true"></i>{escape(cell)}</td>')
        else:
            parts.append(f'<td class="{kinds[column]}">{escape(cell)}</td>')
    return f'<tr class="{"marked" if is_marked else ""}">{"".join(parts)}</tr>'


def facts(values: Mapping[str, str]) -> str:
    """Return a list of names and values, without empty values."""
    parts = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in values.items() if value)
    return f'<dl class="facts">{"".join(parts)}</dl>'


def sentences(texts: Sequence[str]) -> str:
    """Return a list; nothing for none."""
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>" if texts else ""


def in_words(texts: Sequence[str]) -> str:
    """Return a collapsed list, of what a table says already."""
    return f"<details><summary>In words</summary>{sentences(texts)}</details>"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph."""
    return f'<p class="{kind}">{escape(text)}</p>'


def cards(texts: Sequence[tuple[str, str, str]]) -> str:
    """Return the summary's cards: each a name, a value and an explanation."""
    parts = (
        f'<li><span class="name">{escape(name)}</span><b>{escape(value)}</b><span>{escape(meaning)}</span></li>'
        for name, value, meaning in texts
    )
    return f'<ul class="cards">{"".join(parts)}</ul>'
