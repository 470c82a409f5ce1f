"""Device memory that an object of the file's own class allocates when it is made: whether it is left as it comes.

`Buffer out(1);` with a constructor that calls `cudaMalloc` and no more, and `out.get()` passed at the launch. What is
not seen through is in the kernel's favour: a base class, another call in a constructor, a use of the object before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilewright.lab.source import LaunchSite
from tilewright.lab.source.syntax import descend, function_around

if TYPE_CHECKING:
    from tree_sitter import Node

_PASSED = re.compile(r"(?P<object>[A-Za-z_]\w*)\s*(?:(?:\.|->)\s*(?P<member>\w+)\s*(?P<called>\(\s*\))?)?")
_CALLED = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*\((?!\s*cuda\w+\s*\()")
"""What is called, but for what is given another call's status: `CHECK(cudaMalloc(...))`."""
_STORED = re.compile(r"\]\s*[-+*/|&^]?=(?!=)|(?:^|[;{})])\s*\*\s*\w+\s*=(?!=)|<<<|\bnew\b")
_NOT_FILLING = re.compile(
    r"cuda(?:Malloc|MallocAsync|MallocManaged|Free|SetDevice|Get\w+|DeviceSynchronize)|f?printf|exit|abort|assert|puts"
    r"|if|while|sizeof|(?:runtime|logic)_error|bad_alloc|exception|s?size_t|(?:to_)?string"
)
"""What may be called where memory is allocated and left as it comes."""


def object_left(site: LaunchSite, passed: str) -> int | None:
    """Return where the object is declared whose memory a launch is passed, if nothing fills that; otherwise None."""
    function, given = function_around(site.node), _PASSED.fullmatch(passed.strip())
    if function is None or given is None:
        return None
    code, name = site.syntax.code, given["object"]
    for each in descend(site.syntax.root, "class_specifier", "struct_specifier"):
        type_name, body = each.child_by_field_name("name"), each.child_by_field_name("body")
        if type_name is None or body is None:
            continue
        kind = site.syntax.source(type_name)
        declared = rf"\b{kind}\s*(?:<[^<>;]*>)?\s+(?:[^;{{}}]*[,)}}]\s*)?(?P<object>{name})\s*[({{]"
        made = re.search(declared, code[function.start_byte : site.node.start_byte])
        if made is None or _pointers_left(site, each, kind).isdisjoint(_pointers_given(site, body, given)):
            continue
        at = function.start_byte + made.start("object")
        shown, _, between = code[at + len(name) : site.node.start_byte].partition(";")
        alone = re.sub(r"\)\s*,\s*\w+\s*\(", "), (", shown)  # other objects may be made behind it
        is_copied = re.search(r"\b(?!(?:size|sizeof)\b)\w+\s*\(", alone) is not None
        return None if is_copied or re.search(rf"\b{name}\b", f"{shown};{between}") else at
    return None


def _pointers_left(site: LaunchSite, made: Node, kind: str) -> set[str]:
    """Return the members that every constructor of a class with no base allocates, where none does more.

    One without parameters may allocate nothing, and one that is given another such object may take its memory.
    """
    if any(each.type == "base_class_clause" for each in made.children):
        return set()
    left: set[str] | None = None
    for each in descend(site.syntax.root, "function_definition"):
        given = _given_to_constructor(site, each, made, kind)
        text = site.syntax.code[each.start_byte : each.end_byte]
        if given is None or re.search(r"=\s*(?:delete|default)\s*;\s*$", text):
            continue
        if _fills(site, each):
            return set()
        if given.strip("( )") and not re.search(rf"\b{kind}\b", given):
            own = set(re.findall(r"\bcudaMalloc(?:Async|Managed)?\s*\([^;&]*&\s*(?:this\s*->\s*)?(\w+)", text))
            left = own if left is None else left & own
    return left or set()


def _given_to_constructor(site: LaunchSite, function: Node, made: Node, kind: str) -> str | None:
    """Return the parameters of a class's constructor, in it or behind it; None for another function."""
    is_within = made.start_byte <= function.start_byte < made.end_byte
    declarator = function.child_by_field_name("declarator")
    if declarator is None:
        return None
    named = re.sub(r"<[^<>]*>|\s", "", site.syntax.source(declarator.child_by_field_name("declarator")))
    is_own = named == (kind if is_within else f"{kind}::{kind}")
    return site.syntax.source(declarator.child_by_field_name("parameters")) if is_own else None


def _fills(site: LaunchSite, constructor: Node) -> bool:
    """Return whether a constructor does more than to allocate: stores, launches, or calls what is not known.

    `: p_(nullptr)` begins a member and calls nothing.
    """
    begun = {each.start_byte for each in descend(constructor, "field_initializer")}
    parts = [each for each in constructor.children if each.type in ("field_initializer_list", "compound_statement")]
    for part in parts:
        text = site.syntax.code[part.start_byte : part.end_byte]
        called = [each for each in _CALLED.finditer(text) if part.start_byte + each.start() not in begun]
        if _STORED.search(text) or not all(_NOT_FILLING.fullmatch(each["name"]) for each in called):
            return True
    return len(parts) == 0


def _pointers_given(site: LaunchSite, body: Node, given: re.Match[str]) -> set[str]:
    """Return the member that is passed, or that a function gives which does no more than to return it."""
    if given["member"] and not given["called"]:
        return {given["member"]}
    name = rf"\b{given['member']}" if given["member"] else r"\boperator\s+[\w\s]+\*"
    returned = rf"{name}\s*\(\s*\)\s*(?:const\s*)?(?:noexcept\s*)?\{{\s*return\s+(?:this\s*->\s*)?(\w+)\s*;\s*\}}"
    return set(re.findall(returned, site.syntax.code[body.start_byte : body.end_byte]))
