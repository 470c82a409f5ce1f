"""docs/environment.md has each environment variable that the package reads, and no other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
READERS = {"os.environ.get", "os.environ.pop", "os.environ.setdefault", "os.getenv"}


def test_the_page_lists_what_is_read():
    """A variable that a user cannot look up is one that only its author knows."""
    page = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    package, _, tests = page.partition("## For the tests")
    read = {name for path in (ROOT / "src").rglob("*.py") for name in variables(path)}

    assert set(re.findall(r"^\| `(\w+)` \|", package, re.MULTILINE)) == read
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    for name in re.findall(r"^\| `(\w+)` \|", tests, re.MULTILINE):
        assert any(f'"{name}"' in source for source in sources), f"no test reads {name}"


def variables(path: Path) -> set[str]:
    """Return the names that a file asks `os.environ` for, as literals or by a constant of the file."""
    source = path.read_text(encoding="utf-8")
    if "environ" not in source and "getenv" not in source:
        return set()
    tree = ast.parse(source)
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    asked = [name for node in ast.walk(tree) for name in _asked(node)]
    values = [constants.get(name.id, name) if isinstance(name, ast.Name) else name for name in asked]
    assert all(isinstance(value, ast.Constant) for value in values), f"{path}: a name that cannot be read off"
    return {str(value.value) for value in values if isinstance(value, ast.Constant)}


def _asked(node: ast.AST) -> list[ast.expr]:
    """The name in os.environ.get(name), os.environ[name], name in os.environ and os.getenv(name)."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in READERS:
        return node.args[:1]
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
        return [node.slice]
    if isinstance(node, ast.Compare) and ast.unparse(node.comparators[-1]) == "os.environ":
        return [node.left]
    return []
