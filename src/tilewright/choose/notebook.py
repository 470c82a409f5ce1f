"""How results look in a notebook: plain tables and lists, escaped, in the notebook's own colours.

Nothing here sets a colour, so both light and dark notebooks stay readable. Tables stay tables in viewers that drop
styles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from tilewright.choose.printable import escape

LEFT, RIGHT = "text-align:left", "text-align:right"


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    words: Collection[int] = (0,),
    marked: Collection[int] = (),
) -> str:
    """Return a table. words: columns of text, aligned left (numbers are aligned right). marked: rows in bold."""
    styles = [LEFT if number in words else RIGHT for number in range(len(columns))]
    head = "".join(
        f'<th scope="col" style="{style}">{escape(name)}</th>' for name, style in zip(columns, styles, strict=True)
    )
    body = "".join(_row(row, styles, is_marked=number in marked) for number, row in enumerate(rows))
    return f"<table>{_caption(caption)}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def facts(values: Mapping[str, object], *, caption: str = "") -> str:
    """Return a table of names and values; empty values are left out."""
    body = "".join(_row((name, value), (LEFT, LEFT), is_marked=False) for name, value in values.items() if value != "")
    return f"<table>{_caption(caption)}<tbody>{body}</tbody></table>"


def sentences(texts: Iterable[str]) -> str:
    """Return an HTML list, or the empty string for no texts."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def together(*parts: str) -> str:
    """Return one element with all parts, in which a wide table scrolls by itself."""
    return f'<div style="overflow-x:auto">{"".join(parts)}</div>'


def _caption(text: str) -> str:
    return f'<caption style="text-align:left"><b>{escape(text)}</b></caption>' if text else ""


def _row(cells: Sequence[object], styles: Sequence[str], *, is_marked: bool) -> str:
    bold = ' style="font-weight:bold"' if is_marked else ""
    (first, *others), (style, *rest) = [escape(str(cell)) for cell in cells], styles
    body = "".join(f'<td style="{each}">{cell}</td>' for cell, each in zip(others, rest, strict=True))
    return f'<tr{bold}><th scope="row" style="{style}">{first}</th>{body}</tr>'
