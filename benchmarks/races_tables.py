"""The tables of docs/races.md: what Tilewright, compute-sanitizer and Oclgrind say about the planted mistakes."""

from __future__ import annotations

from typing import Any

from benchmarks import record

Row = dict[str, Any]
TOOLS = ("racecheck", "memcheck", "initcheck", "synccheck")
SHORT = {
    "the process died": "faults",
    "ended by the watchdog": "hangs",
}


def findings() -> str:
    """Each mistake with its lines, and who names it."""
    ours, sanitizer, oclgrind = (_rows(name) for name in ("planted_findings", "sanitizer_h200", "oclgrind"))
    header = ["kernel", "what is wrong", "lines", "Tilewright", "compute-sanitizer", "Oclgrind", "result on the H200"]
    lines = []
    for name, row in ours.items():
        if row["group"] != "planted":
            continue
        expected = sorted({line for marked in row["planted"].values() for line in marked})
        lines.append(
            [
                f"`{name}`",
                row["wrong"],
                _numbers(expected),
                "; ".join(_named(row, kind) for kind in row["planted"]),
                _of_sanitizer(sanitizer.get(name)),
                _of_oclgrind(oclgrind.get(name)),
                _result(sanitizer.get(name)),
            ]
        )
    return _markdown(header, lines)


def agreement() -> str:
    """How many kernels each judge says race, and on how many Tilewright agrees."""
    ours, sanitizer, oclgrind = (_rows(name) for name in ("planted_findings", "sanitizer_h200", "oclgrind"))
    racing = {name for name, row in ours.items() if any(one["kind"] == "race" for one in row["found"])}
    judges = {
        "compute-sanitizer racecheck": {
            name: bool(row["racecheck"]["complaints"])
            for name, row in sanitizer.items()
            if row["launched"] and not row["racecheck"]["ended"].startswith("fault")
        },
        "Oclgrind": {
            name: any(one["kind"] == "race" for one in row["complaints"])
            for name, row in oclgrind.items()
            if not row["ended"].startswith("not ")
        },
    }
    header = ["judge", "kernels judged", "both say race", "both say none", "only Tilewright", "only the judge"]
    lines = []
    for judge, verdicts in judges.items():
        theirs = {name for name, races in verdicts.items() if races}
        mine = racing & verdicts.keys()
        only_mine, only_theirs = sorted(mine - theirs), sorted(theirs - mine)
        counts = [str(len(verdicts)), str(len(mine & theirs)), str(len(verdicts.keys() - mine - theirs))]
        lines.append([judge, *counts, _list(only_mine), _list(only_theirs)])
    return _markdown(header, lines)


def _rows(name: str) -> dict[str, Row]:
    return {row["case"]: row for row in record.read(record.RESULTS / f"{name}.json")["rows"]}


def _named(row: Row, kind: str) -> str:
    lines = sorted({line for one in row["found"] if one["kind"] == kind for line in one["lines"]})
    missing = set(row["planted"][kind]) - set(lines)
    severity = " (note)" if any(one["kind"] == kind and one["severity"] == "note" for one in row["found"]) else ""
    if missing:
        return (
            f"{kind}{severity} {_numbers(lines)}, **not {_numbers(sorted(missing))}**" if lines else f"**not {kind}**"
        )
    return f"{kind}{severity} {_numbers(lines)}"


def _of_sanitizer(row: Row | None) -> str:
    if row is None:
        return "not run"
    if not row["launched"]:
        return "not launched: it may hang the card"
    said = []
    for tool in TOOLS:
        lines = sorted({line for one in row[tool]["complaints"] for line in one["lines"]})
        if row[tool]["complaints"]:
            said.append(f"{tool} {_numbers(lines)}".strip())
    return "; ".join(said) or "silent"


def _of_oclgrind(row: Row | None) -> str:
    if row is None or row["ended"].startswith("not "):
        return "not judged"
    kinds: dict[str, set[int]] = {}
    for one in row["complaints"]:
        kinds.setdefault(one["kind"], set()).update(one["lines"])
    return "; ".join(f"{kind} {_numbers(sorted(lines))}" for kind, lines in kinds.items()) or "silent"


def _result(row: Row | None) -> str:
    if row is None or not row["launched"]:
        return "not launched"
    ended = str(row["none"]["ended"])
    if ended == "right":
        return "right"
    return "faults" if ended.startswith(("fault", "the process")) else "wrong"


def _numbers(lines: list[int]) -> str:
    return ", ".join(map(str, lines))


def _list(names: list[str]) -> str:
    return f"{len(names)}: " + ", ".join(f"`{name}`" for name in names) if names else "0"


def _markdown(header: list[str], lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *lines))
