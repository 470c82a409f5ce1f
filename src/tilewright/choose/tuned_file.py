"""The file in the cache folder that holds what `tilewright tune` measured on a card: one for each kind of card.

What is kept is for a chip, the CUDA of its driver and a version of Tilewright: with others, kernels and models differ.
A file of others, or one that is damaged or not this user's alone, is ignored with a warning.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import tilewright
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.tuned import Tuned, TunedChoice

SWITCH_VARIABLE = "TILEWRIGHT_TUNED"
FOLDER = "tuned"
FORMAT = 1
AGAIN = "run `tilewright tune` again, or `tilewright tune --forget`"


class TunedFileError(ValueError):
    """The file cannot be used; the message says why, as the rest of a sentence after the file's name."""


def tuned_of(facts: DeviceFacts) -> Tuned | None:
    """Return what was kept of a card, read once per process; None without it, and where TILEWRIGHT_TUNED is 0.

    Warns, once, of a file that cannot be used.
    """
    if os.environ.get(SWITCH_VARIABLE) == "0":
        return None
    return _read_once(facts.name, facts.sm_count, facts.driver)


@cache
def _read_once(name: str, sm_count: int | None, driver: str | None) -> Tuned | None:
    path = file_of(name, sm_count)
    try:
        return None if path is None else read_tuned(path, (name, sm_count, driver))
    except TunedFileError as error:
        warnings.warn(f"{path} {error}, so products are planned without it; {AGAIN}.", RuntimeWarning, stacklevel=2)
        return None


def file_of(name: str, sm_count: int | None) -> Path | None:
    """Return the file for a kind of card; None for a user without a home folder who names no other."""
    from tilewright.kept.folder import kept_folder

    folder = kept_folder(FOLDER)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return folder and folder / f"{slug}-{sm_count}-sms.json"


def read_tuned(path: Path, card: tuple[str, int | None, str | None]) -> Tuned | None:
    """Return what a file holds of a card (name, SMs, CUDA of the driver); None where there is none.

    Raises:
        TunedFileError: it is damaged, of another card, driver or version, or somebody else may have written it.
    """
    found = read_file(path)
    if found is None:
        return None
    here = TunedFile(*card, tilewright.__version__)
    if (found.card, found.version) != (here.card, here.version):
        raise TunedFileError(f"was measured with {found}, and this is {here}")
    return found.tuned


@dataclass(frozen=True)
class TunedFile:
    """A file's content: the card (name, SMs, CUDA of its driver), the version of Tilewright, the day, what is kept."""

    name: str
    sm_count: int | None
    driver: str | None
    version: str
    date: str = ""
    tuned: Tuned = field(default_factory=Tuned)

    @property
    def card(self) -> tuple[str, int | None, str | None]:
        """What it was measured on."""
        return self.name, self.sm_count, self.driver

    def __str__(self) -> str:
        """Return card and version in words."""
        return f"{self.name} ({self.sm_count} SMs), CUDA {self.driver} and Tilewright {self.version}"


def read_file(path: Path) -> TunedFile | None:
    """Return a file's content; None where there is none.

    Raises:
        TunedFileError: it is damaged, or somebody else may have written it.
    """
    import json

    from tilewright.kept.file import read_own_file
    from tilewright.kept.folder import check_folder

    try:
        check_folder(path.parent)
        content = read_own_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TunedFileError(f"is not read: {error.strerror or error}") from error
    if content is None:
        raise TunedFileError("may be written by others")
    try:
        found = json.loads(content)
        if found["format"] != FORMAT:
            raise ValueError(found["format"])
        choices = {str(row["product"]): _choice(row) for row in found["products"]}
        factors = {str(idea): _positive(factor) for idea, factor in found["factors"].items()}
        about = (str(found["chip"]), found["sms"], found["driver"], str(found["tilewright"]), str(found["date"]))
        return TunedFile(*about, Tuned(choices, factors))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise TunedFileError("is damaged") from error


def _choice(row: Mapping[str, Any]) -> TunedChoice:
    tile = {str(name): int(value) for name, value in row["tile"].items()}
    return TunedChoice(str(row["kernel"]), tile, _positive(row["us"]), _positive(row["model_us"]))


def _positive(value: Any) -> float:
    number = float(value)
    if not 0 < number < float("inf"):
        raise ValueError(f"{value} is no time or factor")
    return number


def write_tuned(path: Path, facts: DeviceFacts, tuned: Tuned) -> None:
    """Write what was measured on a card: whole, for this user alone.

    Raises:
        OSError: it cannot be written, or the folder may be another user's.
    """
    import json
    from datetime import UTC, datetime

    from tilewright.kept.file import write_own_file
    from tilewright.kept.folder import check_folder, make_folder

    content = {
        "format": FORMAT,
        "chip": facts.name,
        "sms": facts.sm_count,
        "driver": facts.driver,
        "tilewright": tilewright.__version__,
        "date": datetime.now(UTC).date().isoformat(),
        "factors": dict(tuned.factors),
        "products": [{"product": key, **asdict(choice)} for key, choice in tuned.choices.items()],
    }
    make_folder(path.parent)
    check_folder(path.parent)
    write_own_file(path, (json.dumps(content, indent=1) + "\n").encode())


def all_files() -> list[Path]:
    """Return the files of all cards."""
    from tilewright.kept.folder import kept_folder

    folder = kept_folder(FOLDER)
    return [] if folder is None else sorted(folder.glob("*.json"))
