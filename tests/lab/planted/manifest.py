"""The manifests as objects: which kernels there are, how they are launched, and what must be found in them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from tests.lab.planted.operations import OPERATIONS, Operation

FOLDER = Path(__file__).parent
HOST_LINES = re.compile(
    r"^(#include <(stdio\.h|stdlib\.h|cstdio|iostream|vector)>|using namespace std;).*$", re.MULTILINE
)
MARK = re.compile(r"//\s*(planted|also): (.+)$")


@dataclass(frozen=True)
class PlantedCase:
    """One launch of one kernel's file.

    finding: kinds that must name the marked lines; empty for a correct kernel. also: kinds that may be found besides.
    The other fields are explained in planted.toml.
    """

    name: str
    path: Path
    wrong: str
    operation: Operation
    arguments: tuple[str, ...]
    sizes: Mapping[str, int]
    grid: tuple[int, ...]
    block: tuple[int, ...]
    symbol: str
    dtype: str = "float32"
    shared_bytes: int = 0
    finding: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    severity: str = "error"
    found_by: str = "observers"
    hangs: bool = False
    host_program: bool = False
    slow: bool = False

    @property
    def text(self) -> str:
        """The file as it is."""
        return self.path.read_text(encoding="utf-8")

    def marked(self, word: str, kind: str) -> set[int]:
        """The lines marked with a kind of finding; `word` is planted or also."""
        lines = set()
        for number, line in enumerate(self.text.splitlines(), 1):
            mark = MARK.search(line)
            if mark is not None and mark[1] == word and kind in mark[2].split(", "):
                lines.add(number)
        return lines

    @property
    def marked_kinds(self) -> set[str]:
        """The kinds of finding that lines are marked `planted` with."""
        marks = (MARK.search(line) for line in self.text.splitlines())
        return {kind for mark in marks if mark and mark[1] == "planted" for kind in mark[2].split(", ")}

    def device_part(self) -> str:
        """The file without includes of the host's headers and without `main`; line numbers stay."""
        text = HOST_LINES.sub("", self.text) if self.host_program else self.text
        return text.partition("\nint main(")[0]


def planted() -> list[PlantedCase]:
    """The kernels with a mistake."""
    return [_case(name, entry, FOLDER / "bad" / f"{name}.cu") for name, entry in _read("planted.toml").items()]


def mended() -> list[PlantedCase]:
    """Their mended twins, in which nothing may be found."""
    twins = []
    for name, entry in _read("planted.toml").items():
        launch = {key: value for key, value in entry.items() if key not in ("finding", "also", "found_by", "hangs")}
        launch |= entry.get("mended", {})
        twins.append(_case(f"{name}_mended", launch, FOLDER / "bad" / f"{name}_mended.cu"))
    return twins


def correct() -> list[PlantedCase]:
    """Correct kernels of other styles."""
    return [_case(name, entry, FOLDER / "correct" / f"{name}.cu") for name, entry in _read("correct.toml").items()]


def _read(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))


def _case(name: str, entry: Mapping[str, Any], path: Path) -> PlantedCase:
    given = {key: value for key, value in entry.items() if key not in ("mended", "operation", "arguments", "sizes")}
    for key in ("finding", "also", "grid", "block"):
        given[key] = tuple(given.get(key, ()))
    given.setdefault("wrong", "")
    given.setdefault("symbol", _only_kernel(path))
    blocks = prod(given["grid"])
    sizes = {"blocks": blocks, "threads": blocks * prod(given["block"]), **entry["sizes"]}
    operation = OPERATIONS[entry["operation"]]
    return PlantedCase(
        name, path, operation=operation, arguments=tuple(entry["arguments"].split()), sizes=sizes, **given
    )


def _only_kernel(path: Path) -> str:
    """The name of a file's only kernel, which is declared extern "C"."""
    names = re.findall(r'extern "C" __global__ void (?:__launch_bounds__\(.*?\) )?(\w+)\(', path.read_text("utf-8"))
    return str(names[0]) if len(names) == 1 else ""
