"""Results as plain data and back, for messages between processes and for files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from tilewright.emulate.observers.finding import Finding

from .result import CaseResult, CheckResult, CountsRow, GpuCase, GpuResult


def record_of(result: CheckResult) -> dict[str, Any]:
    """Return all fields of a result by name, as JSON types; NaN and infinity are the strings "nan" and "inf"."""
    return {field.name: plain(getattr(result, field.name)) for field in fields(result)}


def result_of(record: Mapping[str, Any]) -> CheckResult:
    """Return the result of a record; a finding's details remain JSON types."""
    return CheckResult(
        **{
            **record,
            "cases": tuple(map(_case, record["cases"])),
            "findings": tuple(map(_finding, record["findings"])),
            "compared": tuple(CountsRow(**row) for row in record["compared"]),
            "notes": tuple(record["notes"]),
            "gpu": None if record["gpu"] is None else _gpu(record["gpu"]),
        }
    )


def plain(value: object) -> Any:
    """Return the value as dictionaries, lists, strings, numbers and None."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if value is None or isinstance(value, str | bool | int):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes):
        return [plain(each) for each in (sorted(value, key=str) if isinstance(value, set | frozenset) else value)]
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return plain(value.tolist())
    return str(value)


def _case(record: Mapping[str, Any]) -> CaseResult:
    given = _with_numbers(record)
    for name in ("grid", "block"):
        given[name] = None if given[name] is None else tuple(given[name])
    return CaseResult(**given)


def _gpu(record: Mapping[str, Any]) -> GpuResult:
    return GpuResult(**{**record, "cases": tuple(GpuCase(**_with_numbers(case)) for case in record["cases"])})


def _with_numbers(record: Mapping[str, Any]) -> dict[str, Any]:
    given = dict(record)
    for name in ("error", "bound"):
        given[name] = None if given[name] is None else float(given[name])
    return given


def _finding(record: Mapping[str, Any]) -> Finding:
    threads = tuple((tuple(block), tuple(thread)) for block, thread in record["threads"])
    other = None if record["other"] is None else tuple(record["other"])
    return Finding(**{**record, "place": tuple(record["place"]), "other": other, "threads": threads})
