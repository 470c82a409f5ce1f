"""The nets by name, and how a case becomes a line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.nets.checks import checks
from tests.nets.counts import counts
from tests.nets.hosts import hosts
from tests.nets.likely import likely
from tests.nets.models import models
from tests.nets.names import names
from tests.nets.plans import plans
from tests.nets.ptx import ptx
from tests.nets.readings import readings
from tests.nets.refusals import refusals
from tests.nets.said import said

RECORDED = Path(__file__).with_name("recorded")
DIGESTED = ("plans", "said", "models", "readings", "hosts", "likely")
"""Nets of thousands of cases, recorded as hashes."""
NETS: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
    "plans": plans,
    "said": said,
    "models": models,
    "ptx": ptx,
    "counts": counts,
    "refusals": refusals,
    "names": names,
    "checks": checks,
    "readings": readings,
    "hosts": hosts,
    "likely": likely,
}


def text_lines(name: str) -> Iterator[str]:
    """Yield each case of a net as a line (a plan's launches follow each other on it)."""
    for case, text in NETS[name]():
        yield f"{case} | {text}".replace("\n", " ; ")


def digest_lines(name: str) -> list[str]:
    """Return each case with a hash in place of its text: thousands of plans as a small file."""
    return [f"{case} {hashlib.sha256(text.encode()).hexdigest()[:12]}" for case, text in NETS[name]()]
