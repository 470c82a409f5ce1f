"""Which items of a file, and of the files that it includes, are for the device; the rest is blanked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tilewright.lab.source.declarations import Item, function_declarator, innermost, items
from tilewright.lab.source.macros import blanked, words
from tilewright.lab.source.syntax import Node, Syntax, children

_KEPT_DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif|define|undef)\b")
_CLASSES = ("struct_specifier", "class_specifier", "union_specifier")


@dataclass
class Kept:
    """What is left of one text: the blanked text, its device items, and the host's names with their lines."""

    syntax: Syntax
    text: str
    items: list[Item]
    hidden: dict[str, tuple[int, str]] = field(default_factory=dict)
    needs_default_device: bool = False

    @property
    def was_rewritten(self) -> bool:
        """Whether anything was blanked."""
        return self.text != self.syntax.text


def keep_device_part(texts: Sequence[Syntax]) -> list[Kept]:
    """Return what is for the device of texts that are compiled together.

    Kept is what its author put there (kernels, `__device__` functions and variables), and what that names: constants,
    types, aliases, `constexpr` functions. A text in which nothing is the host's is kept as it is.
    """
    found = [items(syntax) for syntax in texts]
    macros = texts[0].macros
    blanks = [[_host_members(syntax, item) for item in of_text] for syntax, of_text in zip(texts, found, strict=True)]
    used = [
        [_words_of(syntax, item, hidden) for item, hidden in zip(of_text, of_blanks, strict=True)]
        for syntax, of_text, of_blanks in zip(texts, found, blanks, strict=True)
    ]
    reached: set[str] = set()
    kept: set[tuple[int, int]] = set()
    frontier = {
        word
        for of_text, of_used in zip(found, used, strict=True)
        for item, its in zip(of_text, of_used, strict=True)
        if item.is_device
        for word in its
    }
    while frontier:
        reached |= frontier
        frontier = macros.words_behind(frontier)
        for number, of_text in enumerate(found):
            for place, item in enumerate(of_text):
                if (number, place) not in kept and _may_stay(item, texts[number]) and reached & set(item.names):
                    kept.add((number, place))
                    frontier |= used[number][place]
        frontier -= reached
    results = []
    for number, (syntax, of_text) in enumerate(zip(texts, found, strict=True)):
        stays = [
            item.is_device or (number, place) in kept or _is_harmless(item, syntax, reached)
            for place, item in enumerate(of_text)
        ]
        results.append(_keep(syntax, of_text, blanks[number], stays))
    return results


def _keep(syntax: Syntax, found: list[Item], blanks: list[list[tuple[int, int]]], stays: list[bool]) -> Kept:
    is_mixed = any(_is_of_host(item, syntax, hidden) for item, hidden in zip(found, blanks, strict=True))
    if not is_mixed:
        needs = any(item.kind == "function" and item.is_constexpr and not item.annotations for item in found)
        return Kept(syntax, syntax.text, [item for item in found if item.is_device], needs_default_device=needs)
    kept = Kept(syntax, syntax.text, [])
    spans: list[tuple[int, int]] = []
    for item, hidden, stay in zip(found, blanks, stays, strict=True):
        if stay:
            spans += hidden
            if item.is_device:
                kept.items.append(item)
            kept.needs_default_device |= (item.is_constexpr and not item.annotations and item.kind == "function") or (
                item.kind == "type" and "constexpr" in syntax.code[item.start : item.end]
            )
        else:
            spans.append((item.start, item.end))
            for name in item.names:
                kept.hidden.setdefault(name, (syntax.lines.at(item.start), item.kind))
    kept.text = without(syntax.text, spans)
    return kept


def without(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text with parts blanked, except for preprocessor directives that other parts may need."""
    pieces, place = [], 0
    for start, end in sorted(spans):
        if start < place:
            continue
        pieces.append(text[place:start])
        goes_on = False
        for line in text[start:end].splitlines(keepends=True):
            is_kept = goes_on or _KEPT_DIRECTIVE.match(line) is not None
            goes_on = is_kept and line.rstrip("\r\n").endswith("\\")
            pieces.append(line if is_kept else blanked(line))
        place = end
    return "".join([*pieces, text[place:]])


def _words_of(syntax: Syntax, item: Item, hidden: list[tuple[int, int]]) -> set[str]:
    code = syntax.code[item.start : item.end]
    for start, end in hidden:
        code = (
            code[: start - item.start] + blanked(code[start - item.start : end - item.start]) + code[end - item.start :]
        )
    return words(code)


def _is_of_host(item: Item, syntax: Syntax, hidden: list[tuple[int, int]]) -> bool:
    """Whether NVRTC would refuse the item, or lacks its declarations."""
    if hidden:
        return True
    if item.is_device or item.kind in ("type", "alias", "macro"):
        return False
    if item.kind == "function":
        return not item.is_constexpr
    if item.kind == "variable":
        return not _is_constant(item, syntax) or "std" in item.head
    if item.kind == "using":
        return not _is_usable(item, syntax)
    return item.kind in ("prototype", "instantiation", "unknown") and not _is_static_assert(item)


def _may_stay(item: Item, syntax: Syntax) -> bool:
    """Whether an item that is not annotated may be on the device, if the device names it."""
    if item.kind == "variable":
        return _is_constant(item, syntax)
    if item.kind == "function":
        return item.is_constexpr
    return item.kind in ("type", "alias")


def _is_harmless(item: Item, syntax: Syntax, reached: set[str]) -> bool:
    if item.kind == "using":
        return _is_usable(item, syntax)
    if _is_static_assert(item):
        return words(syntax.code[item.start : item.end]) <= reached | {"static_assert", "sizeof"}
    return item.kind == "unknown" and not syntax.code[item.start : item.end].strip("; \t\r\n")


def _is_static_assert(item: Item) -> bool:
    return item.node is not None and item.node.type == "static_assert_declaration"


def _is_usable(item: Item, syntax: Syntax) -> bool:
    """Whether a using declaration names what NVRTC knows: namespace std, one of CUDA's or the file's."""
    text = syntax.code[item.start : item.end]
    if re.fullmatch(r"using\s+namespace\s+std\s*;", text):
        return True
    first = re.match(r"using\s+(?:namespace\s+)?(?:::)?\s*(\w+)", text)
    if first is None:
        return False
    return first[1] in ("nvcuda", "cooperative_groups", "cuda") or bool(
        re.search(rf"\bnamespace\s+(?:\w+\s*::\s*)*{first[1]}\b(?:\s*::\s*\w+)*\s*[{{=]", syntax.code)
    )


def _is_constant(item: Item, syntax: Syntax) -> bool:
    if item.node is None or item.head & {"extern"}:
        return False
    if item.is_constexpr:
        return True
    declared = re.split(r"[={]", syntax.code[item.start : item.end])[0]
    if "*" in declared:
        return re.search(r"\*\s*const\b", declared) is not None
    return "const" in item.head


def _host_members(syntax: Syntax, item: Item) -> list[tuple[int, int]]:
    """Return the places of the member functions in a class that are the host's."""
    if item.kind not in ("type", "alias", "variable") or item.node is None:
        return []
    found: list[tuple[int, int]] = []
    todo = [item.node, *(child for name, child in children(item.node) if name == "type")]
    while todo:
        node = todo.pop()
        if node.type in _CLASSES:
            body = node.child_by_field_name("body")
            if body is not None:
                todo += [child for child in body.children if child.is_named]
        elif (
            node.type in ("field_declaration", "declaration")
            and (inner := node.child_by_field_name("type")) is not None
            and inner.type in _CLASSES
        ):
            todo.append(inner)
        elif node.type.startswith("preproc_if") or node.type in ("preproc_else", "preproc_elif"):
            todo += [child for child in node.children if child.is_named]
        elif _is_host_member(syntax, node):
            found.append((syntax.start_with_annotations(node.start_byte), node.end_byte))
    return sorted(found)


def _is_host_member(syntax: Syntax, outer: Node) -> bool:
    node, _ = innermost(outer)
    if node.type == "friend_declaration":
        node = next((child for child in node.named_children if "d" in child.type and child.type != "comment"), node)
    if node.type == "function_definition":
        is_function = True
    elif node.type in ("field_declaration", "declaration"):
        is_function = function_declarator(node.child_by_field_name("declarator")) is not None
    else:
        is_function = False
    if not is_function:
        return False
    body = node.child_by_field_name("body")
    start = syntax.start_with_annotations(outer.start_byte)
    end = body.start_byte if body is not None else node.end_byte
    if syntax.annotations(start, end) & {"__device__", "__global__"}:
        return False
    head = words(syntax.code[start:end])
    if head & {"constexpr", "consteval"}:
        return False
    is_default = any(child.type in ("default_method_clause", "delete_method_clause") for child in node.children)
    return not is_default or "virtual" in head
