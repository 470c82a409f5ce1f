"""The page as text: one file, closed in itself, with the trace inside."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode

import pytest

from tilewright.lab.watch.page import PARTS, STORY_OF, VIEWS, page_of

SOURCE = 'if (a < b) printf("</script><script>alert(1)</script>");'
DOCUMENT = {
    "format": "tilewright-trace",
    "version": 1,
    "made_by": "tilewright 0",
    "kernel": {"name": "matmul/<b>", "file": "a&b.cu", "source": SOURCE},
    "blocks": [{"block": [0, 0, 0], "steps": []}],
}


USED = sorted(
    {part for view in VIEWS.values() for part in (view.main, view.stage, *view.styles, *view.scripts) if part}.union(
        *STORY_OF.values()
    )
)


@pytest.fixture(scope="module", params=VIEWS)
def document(request):
    """What was recorded, with texts that would break out of careless HTML, for each kind of page."""
    return DOCUMENT | {"format": request.param}


@pytest.fixture(scope="module")
def page(document):
    """Its page."""
    return page_of(document)


def test_every_part_is_used():
    """A file in the folder that no list names would be forgotten."""
    files = (path for path in PARTS.rglob("*") if path.is_file())
    assert sorted([*USED, "page.html"]) == sorted(path.relative_to(PARTS).as_posix() for path in files)


def script_of(page: str) -> str:
    """Return a page's script as a browser unpacks it."""
    packed = re.search(r'<script type="text/plain" id="script">(.*?)</script>', page)
    assert packed is not None
    return zlib.decompress(b64decode(packed[1]), wbits=-zlib.MAX_WBITS).decode()


def test_nothing_is_fetched(page):
    """No address, no import; the policy in the page forbids what is not in it."""
    assert re.findall(r"https?://|@import|\bfetch\(|XMLHttpRequest|\bimport\s*\(", page + script_of(page)) == []
    assert "default-src 'none'" in page


def test_the_trace_is_inside_and_whole(page, document):
    """Read as a browser reads it: the text of the element, up to its end."""
    text = re.search(r'<script type="application/json" id="trace">(.*?)</script>', page, re.DOTALL)
    assert text is not None
    assert json.loads(text[1]) == document


def test_names_are_escaped(page):
    """What a file is called is text, and never markup."""
    assert "matmul/&lt;b&gt;" in page
    assert "a&amp;b.cu" in page
    assert page.count("<script") == 3


def test_no_placeholder_is_left(page):
    """Each was filled."""
    assert "{{" not in page.partition("<script>")[0]


@pytest.mark.parametrize(("operation", "scenes"), [("matmul", ["Scene"]), ("dot", ["DotScene"]), (None, [])])
def test_a_page_holds_its_own_story_alone(operation, scenes):
    """Other stories' scripts would be a tenth of it."""
    text = script_of(page_of(DOCUMENT | {"problem": {"operation": operation}}))
    assert re.findall(r"class (\w*Scene) ", text) == scenes


@pytest.mark.parametrize("name", USED)
def test_parts_are_short(name):
    """As all files here."""
    assert len((PARTS / name).read_text(encoding="utf-8").splitlines()) < 300
