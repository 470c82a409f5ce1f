"""The README and docs/ say what the raw results say, and the README's examples run."""

from __future__ import annotations

import doctest
import re

import pytest

from benchmarks.tables.write_tables import DOCUMENTS, README, with_tables
from tilewright.emulate import MemoryFault

TEXT = README.read_text(encoding="utf-8")
EMULATOR = (README.parent / "docs" / "emulator.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT + EMULATOR, re.DOTALL)
MOST_WORDS = 600
"""As `wc -w` counts: examples and tables, too."""


def test_it_is_short():
    """A first screen that is read, not skipped."""
    assert len(TEXT.split()) <= MOST_WORDS


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_tables_are_up_to_date(document):
    """`make tables` would change nothing."""
    text = document.read_text(encoding="utf-8")

    assert with_tables(text) == text


def test_session_prints_what_it_shows():
    """The interactive session, line by line."""
    session = next(text for language, text in BLOCKS if language == "python" and text.startswith(">>>"))
    test = doctest.DocTestParser().get_doctest(session, {}, "README", str(README), 0)
    printed: list[str] = []

    result = doctest.DocTestRunner().run(test, out=printed.append)

    assert (result.failed, "".join(printed)) == (0, "")


def test_fault_is_the_one_shown():
    """The kernel with the missing check stops with the message below it."""
    position, source = next(
        (position, text) for position, (language, text) in enumerate(BLOCKS) if "compile_source" in text
    )
    shown = " ".join(BLOCKS[position + 1][1].split()).removeprefix("MemoryFault: ")

    with pytest.raises(MemoryFault) as stopped:
        exec(source, {})  # noqa: S102  (our own example)

    assert str(stopped.value) == shown
