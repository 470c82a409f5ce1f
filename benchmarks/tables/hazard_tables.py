"""The table of docs/hazards.md: what compute-sanitizer says of each hazard, and what the card made of it."""

from __future__ import annotations

from typing import Any

from benchmarks import record
from benchmarks.tables.markdown import markdown

FILE = "sanitizer_hazards_h100"
TOOLS = ("racecheck", "memcheck", "initcheck", "synccheck")


def hazards_by_sanitizer() -> str:
    """One line per hazard, ours in none of them: the tests ask that ours name each on its line."""
    measured = record.read(record.RESULTS / f"{FILE}.json")
    bad = [row for row in measured["rows"] if "finding" in row]
    twins = [row for row in measured["rows"] if "finding" not in row]
    header = ["hazard", "what it is called here", "on the card", *TOOLS]
    lines = [
        [row["case"].replace("_", " "), row["finding"], _outcome(row), *(_said(row[tool]) for tool in TOOLS)]
        for row in bad
    ]
    named = sum(any(row[tool]["named"] for tool in TOOLS) for row in bad)
    loud = sum(any(row[tool]["errors"] for tool in TOOLS) for row in bad)
    false = sum(any(row[tool]["errors"] for tool in TOOLS) for row in twins)
    lucky = sum(row["is_as_the_twin"] for row in bad)
    environment = measured["environment"]
    return (
        f"{markdown(header, lines)}\n\nOf {len(bad)} hazards compute-sanitizer's tools say something about {loud}, and "
        f"name a planted line of {named}; of the {len(twins)} mended twins they say something about {false}. "
        f"{lucky} of the hazards gave the twin's result on the card. {environment['device']}, driver "
        f"{environment['driver']}, compute-sanitizer {measured['sanitizer'][0].split()[1]}, {measured['date']}: "
        f"{measured['how']}."
    )


def _outcome(row: dict[str, Any]) -> str:
    how = row["none"]["how"]
    if how != "ended":
        return "never ends" if how.startswith("never") else "faults"
    return "right by luck" if row["is_as_the_twin"] else "wrong result"


def _said(answer: dict[str, Any]) -> str:
    if not answer["errors"]:
        return ""
    words = answer["words"].rstrip(".").partition(". ")[0]
    return f"{words}, on the line" if answer["named"] else words
