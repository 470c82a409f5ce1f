"""The table of chips (chips.toml): facts about GPUs, none of which needs to be present."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.refusals import PlanError

TABLE = Path(__file__).with_name("chips.toml")
ENTRY_KEYS = frozenset({"name", "also", "compute_capability"})


class UnknownChipError(PlanError):
    """No chip of the table has the name that was asked for; the message lists the names."""


def chip_names() -> tuple[str, ...]:
    """Return the names of the chips, oldest architecture first."""
    return tuple(_table()["chip"])


def find_chip(name: str) -> DeviceFacts:
    """Return the facts of a chip by its name ("h200") or an alias ("8800-gtx"), in upper or lower case.

    Raises:
        UnknownChipError: the table has no such chip; the message lists the names.
    """
    wanted = "-".join(name.lower().replace("_", " ").split())
    for chip, entry in _table()["chip"].items():
        if wanted in (chip, *entry["also"]):
            return _facts(chip)
    raise UnknownChipError(f"There is no chip {name!r} in the table; there are {', '.join(chip_names())}.")


def with_architecture(facts: DeviceFacts) -> DeviceFacts:
    """Return the facts with missing fields filled in from their compute capability.

    A driver reports limits, but not the units in which an SM allocates registers and shared memory.
    """
    if facts.compute_capability is None:
        return facts
    known, sources = _architecture(facts.compute_capability)
    missing = {name: value for name, value in known.items() if getattr(facts, name) is None}
    if not missing:
        return facts
    more = {name: sources[name] for name in missing}
    return replace(facts, **missing, sources={**more, **facts.sources})


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


@cache
def _facts(chip: str) -> DeviceFacts:
    entry = _table()["chip"][chip]
    major, minor = entry["compute_capability"]
    limits, limit_sources = _architecture((major, minor))
    own, own_sources = _fields({key: value for key, value in entry.items() if key not in ENTRY_KEYS})
    sources = {**limit_sources, **own_sources, "compute_capability": _table()["sources"]["cuda-gpus"]}
    return DeviceFacts(
        name=entry["name"],
        source="the table of chips",
        compute_capability=(major, minor),
        sources=sources,
        **{**limits, **own},
    )


@cache
def _architecture(compute_capability: tuple[int, int]) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    major, minor = compute_capability
    own, common = _table()["architecture"].get(f"{major}.{minor}", {}), _table()["common"]
    return _fields({source: {**common.get(source, {}), **fields} for source, fields in own.items()})


def _fields(by_source: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """Flatten {source: {field: value}} to the values, and to the title of each one's source."""
    titles = _table()["sources"]
    values = {name: value for fields in by_source.values() for name, value in fields.items()}
    sources = {name: titles[source] for source, fields in by_source.items() for name in fields}
    return values, sources
