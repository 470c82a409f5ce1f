"""Print the lowest versions that pyproject.toml allows, as constraints for pip: `make test-lowest` installs them.

    python -m tests.lowest_versions EXTRA ...

A requirement of several extras has the highest of their lower bounds, as a user has who installs them together.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w-]+)>=(?P<lowest>[\d.]+)")
# NVIDIA's wheels end in a build number that no bound of ours states: 13.0 is 13.0.48.
BUILDS = re.compile(r"nvidia-")


def lowest_versions(requirements: Iterable[str]) -> dict[str, str]:
    """Return the lowest version of each requirement by name.

    Raises:
        ValueError: a requirement has no lower bound of the form ``name>=version``.
    """
    found: dict[str, str] = {}
    for requirement in requirements:
        match = REQUIREMENT.match(requirement)
        if match is None:
            raise ValueError(f"{requirement!r} has no lower bound: name>=version is accepted.")
        found[match["name"]] = max(found.get(match["name"], "0"), match["lowest"], key=_parts)
    return found


def constraints(extras: Iterable[str]) -> list[str]:
    """Return a line for pip for each requirement of the package and of the extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(r for extra in extras for r in project["optional-dependencies"][extra])]
    return [f"{name}=={lowest}{'.*' if BUILDS.match(name) else ''}" for name, lowest in lowest_versions(wanted).items()]


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in constraints(sys.argv[1:])))
