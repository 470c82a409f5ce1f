"""The tables of docs/planted-mistakes.md: what Tilewright, compute-sanitizer and Oclgrind say about the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks import record
from benchmarks.tables.markdown import markdown

Row = dict[str, Any]
TOOLS = ("racecheck", "memcheck", "initcheck", "synccheck")


def summary() -> str:
    """How many mistakes each judge names on a planted line, and about how many right kernels it says something."""
    ours, sanitizer, oclgrind = _results()
    lines = []
    for judge, judged in (
        ("Tilewright", {name: _lines(row["found"]) for name, row in ours.items()}),
        ("compute-sanitizer, four tools", {name: _lines(_all_complaints(row)) for name, row in sanitizer.items()}),
        ("Oclgrind", {name: _lines(row["complaints"]) for name, row in oclgrind.items()}),
    ):
        bad = {name for name in judged if ours[name]["group"] == "planted"}
        right = judged.keys() - bad
        named = {name for name in bad if judged[name] & _planted(ours[name])}
        loud = {name for name in right if judged[name]}
        lines.append([judge, f"{len(named)} of {len(bad)}", f"{len(loud)} of {len(right)}"])
    table = markdown(["judge", "mistakes named on a planted line", "right kernels complained about"], lines)
    launched = [row for name, row in sanitizer.items() if ours[name]["group"] == "planted"]
    lucky = sum(_result(row) == "right" for row in launched)
    return f"{table}\n\nOf the {len(launched)} mistakes launched on the H200, {lucky} gave the right result there."


def agreement() -> str:
    """How many kernels each judge says race, and on how many Tilewright agrees."""
    ours, sanitizer, oclgrind = _results()
    racing = {name for name, row in ours.items() if any(one["kind"] == "race" for one in row["found"])}
    judges = {
        "compute-sanitizer racecheck": {
            name: bool(row["racecheck"]["complaints"])
            for name, row in sanitizer.items()
            if not row["racecheck"]["ended"].startswith("fault")
        },
        "Oclgrind": {name: any(one["kind"] == "race" for one in row["complaints"]) for name, row in oclgrind.items()},
    }
    header = ["judge", "kernels judged", "both say race", "both say none", "only Tilewright", "only the judge"]
    lines = []
    for judge, verdicts in judges.items():
        theirs = {name for name, races in verdicts.items() if races}
        mine = racing & verdicts.keys()
        counts = [str(len(verdicts)), str(len(mine & theirs)), str(len(verdicts.keys() - mine - theirs))]
        lines.append([judge, *counts, _list(sorted(mine - theirs)), _list(sorted(theirs - mine))])
    return markdown(header, lines)


def findings() -> str:
    """Each mistake with its lines, and who names which."""
    ours, sanitizer, oclgrind = _results()
    header = ["kernel", "what is wrong", "lines", "Tilewright", "compute-sanitizer", "Oclgrind", "result on the H200"]
    lines = [
        [
            f"`{name}`",
            row["wrong"],
            _numbers(_planted(row)),
            "; ".join(_named(row, kind) for kind in row["planted"]),
            _of_sanitizer(sanitizer.get(name)),
            _of_oclgrind(oclgrind.get(name)),
            _result(sanitizer.get(name)),
        ]
        for name, row in ours.items()
        if row["group"] == "planted"
    ]
    return f"{markdown(header, lines)}\n\n{_caption()}"


def _results() -> tuple[Mapping[str, Row], Mapping[str, Row], Mapping[str, Row]]:
    """The rows of Tilewright, compute-sanitizer and Oclgrind by case, those that were launched and judged."""
    ours, sanitizer, oclgrind = (
        {row["case"]: row for row in record.read(record.RESULTS / f"{name}.json")["rows"]}
        for name in ("planted_findings", "sanitizer_h200", "oclgrind")
    )
    launched = {name: row for name, row in sanitizer.items() if row["launched"]}
    return ours, launched, {name: row for name, row in oclgrind.items() if not row["ended"].startswith("not ")}


def _caption() -> str:
    sanitizer = record.read(record.RESULTS / "sanitizer_h200.json")
    oclgrind = record.read(record.RESULTS / "oclgrind.json")
    environment = sanitizer["environment"]
    return (
        f"compute-sanitizer {sanitizer['sanitizer'].removeprefix('Version ').partition(' ')[0]} on an "
        f"{environment['device']}, driver {environment['driver']}, {sanitizer['date']}; "
        f"Oclgrind {oclgrind['oclgrind']}, {oclgrind['date']}."
    )


def _planted(row: Row) -> set[int]:
    return {line for marked in row["planted"].values() for line in marked}


def _lines(found: list[Row]) -> set[int]:
    return {line for one in found for line in one["lines"]}


def _all_complaints(row: Row) -> list[Row]:
    return [one for tool in TOOLS for one in row[tool]["complaints"]]


def _named(row: Row, kind: str) -> str:
    """What Tilewright found of a kind; of an endless loop, any of its lines is enough."""
    of_kind = [one for one in row["found"] if one["kind"] == kind]
    lines = _lines(of_kind)
    missing = set(row["planted"][kind]) - lines
    severity = " (note)" if any(one["severity"] == "note" for one in of_kind) else ""
    if missing and (kind != "endless loop" or not lines):
        return f"{kind}{severity} {_numbers(lines)}, **not {_numbers(missing)}**"
    return f"{kind}{severity} {_numbers(lines)}"


def _of_sanitizer(row: Row | None) -> str:
    if row is None:
        return "not launched: it may hang the card"
    said = [(tool, _lines(row[tool]["complaints"])) for tool in TOOLS if row[tool]["complaints"]]
    return "; ".join(f"{tool} {_numbers(lines)}" for tool, lines in said) or "silent"


def _of_oclgrind(row: Row | None) -> str:
    if row is None:
        return "not judged"
    kinds: dict[str, set[int]] = {}
    for one in row["complaints"]:
        kinds.setdefault(one["kind"], set()).update(one["lines"])
    return "; ".join(f"{kind} {_numbers(lines)}" for kind, lines in kinds.items()) or "silent"


def _result(row: Row | None) -> str:
    if row is None:
        return "not launched"
    ended = str(row["none"]["ended"])
    if ended == "right":
        return "right"
    return "faults" if ended.startswith(("fault", "the process")) else "wrong"


def _numbers(lines: set[int]) -> str:
    return ", ".join(map(str, sorted(lines)))


def _list(names: list[str]) -> str:
    return f"{len(names)}: " + ", ".join(f"`{name}`" for name in names) if names else "0"
