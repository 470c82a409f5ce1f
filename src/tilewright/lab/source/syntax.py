"""A text to a syntax tree: what CUDA adds to C++ is masked first, so that the grammar can read the file.

The tree's places are those of the text, character by character.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from tilewright.lab.source.cuda_file import SourceError
from tilewright.lab.source.macros import ANNOTATIONS, Lines, Macros, blanked, closing, code_only

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query
else:
    Node = Any  # for annotations: the parser is an extra, imported when a text is parsed

PARSE_SECONDS = 20.0
_TAKES_ARGUMENTS = {"__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__align__", "__block_size__"}
_CHUNK_BYTES = 1 << 16
_DEEPEST = 400
_MOST_DIGITS = 1000
_INNER_COMMENT = re.compile(
    r"^[ \t]*#[ \t]*define\b[^\n/]*(?P<comments>/\*[^\n*]*(?:\*(?!/)[^\n*]*)*\*/)(?=[ \t]*[^\s/])", re.MULTILINE
)
"""The first comment of a macro's body, with code behind it."""
_DIGITS = re.compile(r"[0-9']+")


@dataclass(frozen=True)
class Mask:
    """Characters that the grammar does not see, and the annotations that they stand for."""

    start: int
    end: int
    annotations: frozenset[str]


class Syntax:
    """A text, its tree, and what was masked.

    text: as read. visible: what the grammar is to see of it, as many characters. code: that, with comments and strings
    blanked. included: the trees of the files that it includes, where they are known. invocations: places of macros that
    hold device code, which the tree does not show. Raises SourceError for a text that takes longer than 20 s to parse,
    whose brackets are nested deeper than 400, or with a number of more than 1,000 digits.
    """

    def __init__(
        self, text: str, macros: Macros | None = None, name: str = "the file", *, visible: str | None = None
    ) -> None:
        self.text = text
        self._visible = text if visible is None else visible
        self.code = code_only(self._visible)
        self.macros = Macros([text]) if macros is None else macros
        self.lines = Lines(text)
        self.included: list[Syntax] = []
        self.masks: list[Mask] = []
        self.invocations: list[Mask] = []
        _refuse_deep(self.code, name, self.lines)
        _refuse_long_numbers(text, name, self.lines)
        self.root: Node = _parse(self._masked().encode(), name)

    @cached_property
    def has_errors(self) -> bool:
        """Whether the grammar had to guess somewhere."""
        return bool(self.root.has_error)

    def line(self, node: Node) -> int:
        """Return the line of a node, from 1."""
        return self.lines.at(node.start_byte)

    def source(self, node: Node | None) -> str:
        """Return the text of a node, without comments, on one line."""
        return " ".join(self.code_of(node).split()) if node is not None else ""

    def code_of(self, node: Node) -> str:
        """Return the text of a node; comments are blanked, strings are not."""
        text, code = self._visible[node.start_byte : node.end_byte], self.code[node.start_byte : node.end_byte]
        return text if '"' in code or "'" in code else code

    def start_with_annotations(self, start: int) -> int:
        """Return where the annotations begin that stand in front of a place."""
        while True:
            bare = start
            while bare > 0 and self.code[bare - 1].isspace():
                bare -= 1
            mask = self._mask_ending_at.get(bare)
            if mask is None or mask.start >= start:
                return start
            start = mask.start

    def annotations(self, start: int, end: int) -> frozenset[str]:
        """Return the annotations in a stretch of the text."""
        return frozenset().union(*(m.annotations for m in self.masks if start <= m.start and m.end <= end))

    @cached_property
    def _mask_ending_at(self) -> dict[int, Mask]:
        return {mask.end: mask for mask in self.masks}

    def _masked(self) -> str:
        masked = list(re.sub(r"[^\x00-\x7f]", "_", _without_inner_comments(self._visible, self.code)))
        names = ANNOTATIONS | self.macros.annotations.keys()
        for match in re.finditer(r"\b[A-Za-z_]\w*\b", self.code):
            name = match[0]
            if name not in names or match.start() < (self.masks[-1].end if self.masks else 0):
                continue
            if self._is_directive(match.start()):
                continue
            end = self._end_of_annotation(name, match.end())
            mask = Mask(match.start(), end, self.macros.annotations.get(name, frozenset({name})))
            if name in self.macros.of_code:
                self.invocations.append(mask)
            self.masks.append(mask)
            masked[mask.start : end] = self._stand_in(name, self.text[mask.start : end])
        return "".join(masked)

    def _end_of_annotation(self, name: str, end: int) -> int:
        takes = name in _TAKES_ARGUMENTS or any(m.parameters is not None for m in self.macros.all.get(name, []))
        opening = re.compile(r"\s*\(").match(self.code, end)
        if not takes or opening is None:
            return end
        last = closing(self.code, opening.end() - 1)
        return last + 1 if last >= 0 else end

    def _stand_in(self, name: str, text: str) -> str:
        """Return what the grammar reads in a macro's place: the `void` or `static` in it, if that fits."""
        if name in ANNOTATIONS or name in self.macros.of_code:
            return blanked(text)
        rest = [
            word for word in re.findall(r"\w+", self.macros.value(name) or "") if word in ("static", "inline", "void")
        ]
        stand_in = " ".join(rest)
        if len(stand_in) > len(text):
            stand_in = "void" if "void" in rest and len(text) >= 4 else ""
        return stand_in.ljust(len(text)) if "\n" not in text else blanked(text)

    def _is_directive(self, place: int) -> bool:
        start = self.code.rfind("\n", 0, place) + 1
        while start > 1 and self.code[:start].rstrip("\r\n").endswith("\\"):
            start = self.code.rfind("\n", 0, start - 1) + 1
        return self.code[start:place].lstrip().startswith("#")


def _without_inner_comments(visible: str, code: str) -> str:
    """Return a text without the comments in the middle of a `#define`, where the grammar would end its body."""
    parts, end = [], 0
    for match in _INNER_COMMENT.finditer(visible):
        start = match.start("comments")
        if code[start : match.end()].strip():
            continue  # in a string, or more than comments
        parts += [visible[end:start], code[start : match.end()]]
        end = match.end()
    return "".join([*parts, visible[end:]])


def children(node: Node) -> Iterator[tuple[str | None, Node]]:
    """Yield (field, child) for each child of a node."""
    for index, child in enumerate(node.children):
        yield node.field_name_for_child(index), child


def descend(node: Node, *types: str) -> list[Node]:
    """Return the nodes of some types below and including a node, in the order of the text, outer ones first."""
    from tree_sitter import QueryCursor

    found = QueryCursor(_query(types)).captures(node).get("found", [])
    return sorted(found, key=lambda each: (each.start_byte, -each.end_byte))


def function_around(node: Node) -> Node | None:
    """Return the function that a node stands in, itself if it is one."""
    outer: Node | None = node
    while outer is not None and outer.type != "function_definition":
        outer = outer.parent
    return outer


@cache
def _query(types: tuple[str, ...]) -> Query:
    from tree_sitter import Query

    language = _language()
    known = [each for each in types if language.id_for_node_kind(each, True)]
    return Query(language, "[" + " ".join(f"({each})" for each in known) + "] @found")


@cache
def _language() -> Language:
    try:
        import tree_sitter_cuda
        from tree_sitter import Language
    except ImportError as error:
        raise SourceError(
            "Reading a CUDA C++ file needs the packages tree-sitter and tree-sitter-cuda: "
            'pip install "tilewright[lab]".'
        ) from error
    return Language(tree_sitter_cuda.language())


def _parse(view: bytes, name: str) -> Node:
    deadline = time.monotonic() + PARSE_SECONDS

    def read(offset: int, _point: object) -> bytes:
        return view[offset : offset + _CHUNK_BYTES]

    language = _language()
    from tree_sitter import Parser

    try:  # with a parser of its own: several threads may read files at a time
        return Parser(language).parse(read, progress_callback=lambda *_: time.monotonic() > deadline).root_node
    except ValueError as error:
        raise SourceError(f"{name} can't be parsed within {PARSE_SECONDS:.0f} seconds.") from error


def _refuse_long_numbers(text: str, name: str, lines: Lines) -> None:
    """Refuse more digits in a row than Python takes for a number, in comments as well: a launch may stand there."""
    for run in _DIGITS.finditer(text):
        if len(run[0]) > _MOST_DIGITS:
            place = f"{name}:{lines.at(run.start())}"
            raise SourceError(f"{place}: a number has {len(run[0]):,} digits; at most {_MOST_DIGITS:,} are read.")


def _refuse_deep(code: str, name: str, lines: Lines) -> None:
    depth = 0
    for place, character in enumerate(code):
        depth += (character in "([{") - (character in ")]}")
        if depth > _DEEPEST:
            raise SourceError(f"{name}:{lines.at(place)}: brackets are nested deeper than {_DEEPEST}.")
