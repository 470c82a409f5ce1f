"""What strangers write steers no terminal and hides in no report, whichever way it leaves."""

from __future__ import annotations

import io
import json
import unicodedata

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tilewright.choose.printable import (
    PrintableError,
    escape,
    printable,
    printable_content,
    printable_json,
    printable_line,
)
from tilewright.cli import screen

HOSTILE = "\x1b]0;x\x07a\u202e\x9bé\u2066\ufeff\udcff\U000e0041\x7f"
SHOWN = r"\x1b]0;x\x07a\u202e\x9bé\u2066\ufeff\xff\U000e0041\x7f"
KEPT = "\u200c\u200d\xad\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u180e\U000110bd\U000110cd"
"""What letters of some scripts are joined by, and signs that are seen."""


def test_what_steers_is_shown():
    """As visible escapes, wherever text goes; letters, tabs and line ends stay in a text, and not in a name."""
    assert printable(f"{HOSTILE}\t\r\n") == f"{SHOWN}\t\n"
    assert printable_line("a\tb\nc\r\n") == r"a\tb\nc\x0d\n"
    assert escape(f"<{HOSTILE}>") == f"&lt;{SHOWN}&gt;"
    assert printable_content({HOSTILE: [HOSTILE, 1, None, (HOSTILE,)]}) == {SHOWN: [SHOWN, 1, None, [SHOWN]]}
    assert str(PrintableError(HOSTILE)) == SHOWN


def test_every_control_and_format_character():
    """None is left out but those that scripts need, and the ornaments of whole shorthands and notations."""
    passed = [
        chr(number)
        for number in range(0x110000)
        if unicodedata.category(chr(number)) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and printable(chr(number)) == chr(number)
    ]
    ornaments = [c for c in passed if 0x13000 <= ord(c) < 0x1E000]  # hieroglyphs, shorthand, musical notation

    assert set(passed) - set(ornaments) <= set(KEPT + "\t\n")


@pytest.mark.parametrize("text", [HOSTILE, r"\u001b \x1b \\u001b", 'a"b\\', "\b\f\r\n\t\0", "\\\x1b", ""])
def test_json_without_walking_through_it(text):
    """As if each text in it had been made printable."""
    content = {text: [text, 1.5], "b": {"c": text}}

    read = json.loads(printable_json(json.dumps(content, ensure_ascii=False)))

    assert read == {printable(text): [printable(text), 1.5], "b": {"c": printable(text)}}


@pytest.mark.parametrize("shown", [HOSTILE, Text(HOSTILE), Text.assemble((HOSTILE, "bold red"))])
def test_the_console_lets_nothing_through(monkeypatch, shown):
    """Text, styled text and tables of it; Rich's own colours pass."""
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), "utf-8"))
    console = screen.screen()
    output = console.file = io.StringIO()
    table = Table(HOSTILE)
    table.add_row(shown)

    console.print(shown)
    console.print(table)
    console.print(shown, markup=False, soft_wrap=True, style="red")

    assert output.getvalue().count("\\x1b") == 4
    assert printable(output.getvalue()) == output.getvalue()


def test_colours_pass(monkeypatch):
    """The escapes that Rich writes are no text."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    console = screen._guarded(Console(file=io.StringIO(), force_terminal=True, color_system="standard"))

    console.print("red", style="red")

    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().startswith("\x1b[31mred")
