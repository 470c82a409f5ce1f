"""The page of a package index: whole addresses, all from one setting, and classifiers that are true."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from hatch_build import site_of, urls_of, with_addresses

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REPOSITORY = "https://github.com/Someone/tilewright"
RELATIVE = re.compile(r"""(?:\]\(|(?:src|srcset|href)=")(?!https://)""")


def test_no_link_of_the_readme_is_left_without_its_address():
    """Files as the repository shows them, pictures as they are, and the page that plays on the site."""
    page = with_addresses(README, REPOSITORY)

    assert RELATIVE.search(README)
    assert not RELATIVE.search(page)
    assert "[The page](https://someone.github.io/tilewright)" in page
    assert f"]({REPOSITORY}/blob/main/docs/benchmarks.md#on-an-h100)" in page
    assert f'src="{REPOSITORY}/raw/main/docs/pictures/matmul-4x4-light.gif"' in page


def test_examples_stay_but_for_the_packages_name():
    """An index has no clone around it; brackets in code are no links."""
    page = with_addresses('```sh\npip install ".[all]"\n```\n[a](b.md)\n```python\nx[0](y)\n```\n', REPOSITORY)

    assert page == (
        f'```sh\npip install "tilewright[all]"\n```\n[a]({REPOSITORY}/blob/main/b.md)\n```python\nx[0](y)\n```\n'
    )


def test_the_setting_is_the_only_place_of_an_address():
    """Empty before the first release, and then of a form that all addresses are made from."""
    repository = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]

    assert not repository or urls_of(repository)["Source"] == repository
    assert {"readme", "urls"} <= set(PYPROJECT["project"]["dynamic"])
    assert set(urls_of(REPOSITORY)) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}


@pytest.mark.parametrize(
    "setting", ["github.com/a/b", "http://github.com/a/b", "https://github.com/a", "https://a.b/c/d"]
)
def test_other_settings_are_refused(setting):
    """In a sentence, when the package is built."""
    with pytest.raises(ValueError, match=r"an address as https://github\.com/OWNER/NAME"):
        site_of(setting)


def test_classifiers_name_the_pythons_that_are_tested():
    """From the lowest that is required to the newest that CI runs, and the systems of docs/install.md."""
    classifiers = PYPROJECT["project"]["classifiers"]
    minors = [int(found) for found in re.findall(r"Python :: 3\.(\d+)", "\n".join(classifiers))]
    tested = re.findall(r'python(?:-version)?: "3\.(\d+)"', (ROOT / ".github/workflows/ci.yml").read_text())
    lowest = int(PYPROJECT["project"]["requires-python"].removeprefix(">=3."))

    assert minors == list(range(lowest, max(map(int, tested)) + 1))
    assert {name.split(" :: ")[-1] for name in classifiers if name.startswith("Operating")} == {
        "Linux",
        "MacOS",
        "Windows",
    }
