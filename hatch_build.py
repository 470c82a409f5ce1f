"""What the page of a package index says: hatchling asks this file when it builds the package.

On an index nothing lies beside the README, so that its links and its picture need whole addresses. All of them come
from one setting, `repository` of `[tool.hatch.metadata.hooks.custom]` in pyproject.toml. While that is empty, as before
the first release, the README stays as it is and the package names no addresses.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ModuleNotFoundError:  # who tests the functions below builds nothing, and need not have it
    MetadataHookInterface = object

BRANCH = "main"
PLAYED = "docs/watch.md"
"""What the README's picture links to; on an index that is the site, whose first page plays it."""
_LINK = re.compile(r"(?P<before>\]\()(?P<path>[^)\s#:]+)(?P<after>(?:#[^)]*)?\))")
_PICTURE = re.compile(r"""(?P<before>(?:src|srcset)=")(?P<path>[^":]+)(?P<after>")""")
_EXAMPLE = re.compile(r"(```.*?```)", re.DOTALL)


def site_of(repository: str) -> str:
    """Return where .github/workflows/site.yml publishes the site: the host's pages of that repository.

    Raises:
        ValueError: the setting is no address of a repository on GitHub.
    """
    parts = urlsplit(repository)
    owner, _, name = parts.path.strip("/").partition("/")
    if parts.scheme != "https" or parts.netloc != "github.com" or not owner or not name or "/" in name:
        raise ValueError(f"repository is an address as https://github.com/OWNER/NAME, and not {repository!r}")
    return f"https://{owner.lower()}.github.io/{name}"


def urls_of(repository: str) -> dict[str, str]:
    """Return the addresses by the names that indexes know."""
    site = site_of(repository)
    return {
        "Homepage": site,
        "Documentation": site,
        "Source": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/{BRANCH}/CHANGELOG.md",
    }


def with_addresses(readme: str, repository: str) -> str:
    """Return the README with whole addresses: of files as the repository shows them, of pictures as they are.

    Examples of code stay as they are, but that the package is installed by its name: an index has no clone around it.
    """
    pieces = _EXAMPLE.split(readme.replace('pip install ".[', 'pip install "tilewright['))
    for number, piece in enumerate(pieces):
        if not piece.startswith("```"):
            text = piece.replace(f"]({PLAYED})", f"]({site_of(repository)})")
            text = _PICTURE.sub(rf"\g<before>{repository}/raw/{BRANCH}/\g<path>\g<after>", text)
            pieces[number] = _LINK.sub(rf"\g<before>{repository}/blob/{BRANCH}/\g<path>\g<after>", text)
    return "".join(pieces)


class IndexPage(MetadataHookInterface):  # type: ignore[misc]  # hatchling has no types where it is not installed
    """Fills in `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Write both into the package's metadata."""
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = str(self.config.get("repository", "")).rstrip("/")
        if repository:
            metadata["urls"] = urls_of(repository)
            readme = with_addresses(readme, repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
