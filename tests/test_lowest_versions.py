"""What `make test-lowest` installs."""

from __future__ import annotations

import tomllib

import pytest

from tests.lowest_versions import PYPROJECT, constraints, lowest_versions


def test_each_requirement_has_a_lowest_version():
    """A requirement without a lower bound would be installed at its newest, and its oldest never tried."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = [extra for extra in project["optional-dependencies"] if extra != "all"]

    assert {line.partition("==")[0] for line in constraints(extras)} >= {"numpy", "numba", "cuda-bindings", "rich"}
    with pytest.raises(ValueError, match="'numpy' has no lower bound"):
        lowest_versions(["numpy"])


def test_the_highest_bound_counts():
    """9 is lower than 10; markers and upper bounds are left out."""
    given = ["numba>=0.9; sys_platform != 'darwin'", "numba>=0.10,<1", "numba>=0.2"]

    assert lowest_versions(given) == {"numba": "0.10"}
