"""Rewrites kernels that read a struct in `__constant__` memory to take it as an argument.

`__constant__ Job job;`, filled by `cudaMemcpyToSymbol(job, &own, sizeof(own))`, becomes the parameter `Job job` of the
kernels and functions that read it, for which a launch passes `own`, and a call `job`. Lines stay where they are.
"""

from __future__ import annotations

import re

from tilewright.lab.source.changes import Edit, edited
from tilewright.lab.source.conditionals import parsed
from tilewright.lab.source.declarations import Item, function_declarator, items
from tilewright.lab.source.launches import LaunchSite, launches
from tilewright.lab.source.macros import Macros, blanked, code_only
from tilewright.lab.source.structs import Structs
from tilewright.lab.source.syntax import Node, Syntax, descend, function_around

_STRUCT = re.compile(
    r"(?:\bstatic\s+)?\b__constant__\s+(?:static\s+)?(?:struct\s+)?(?P<type>[A-Za-z_]\w*)\s+(?P<name>[A-Za-z_]\w*)\s*;"
)
_COPY = r"\bcudaMemcpyToSymbol(?:Async)?\s*\(\s*&?\s*{name}\s*,\s*&\s*(?P<own>[A-Za-z_]\w*)\s*,"


def with_structs_passed(text: str, name: str = "the file") -> str:
    """Return a file's text whose kernels take the structs in constant memory; else the text as it is.

    A struct stays where it is that is no more than numbers and pointers, or not filled in the function that launches.

    Raises:
        SourceError: the text can't be parsed within its limits.
    """
    found = list(_STRUCT.finditer(code_only(text))) if "__constant__" in text else []
    if not found:
        return text
    syntax = parsed(text, Macros([text]), name, {})
    structs, functions = Structs(syntax), [each for each in items(syntax) if each.kind == "function"]
    edits: list[Edit] = []
    for struct in found:
        if structs.fields(struct["type"]):
            edits += _passed(syntax, functions, struct)
    return edited(text, edits) if edits else text


def _passed(syntax: Syntax, functions: list[Item], struct: re.Match[str]) -> list[Edit]:
    """Return the edits that pass one struct, none where a use of it is not understood."""
    on_device = [each for each in functions if {"__global__", "__device__"} & set(each.annotations)]
    readers = _readers(syntax, on_device, struct["name"])
    names = [each.names[0] for each in readers]
    if not any("__global__" in each.annotations for each in readers) or len(set(names)) < len(names):
        return []
    edits = [Edit(struct.start(), struct.end(), blanked(syntax.text[struct.start() : struct.end()]))]
    for reader in readers:
        declarator = function_declarator(reader.node.child_by_field_name("declarator")) if reader.node else None
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        sites = [site for site in launches(syntax) if site.kernel == reader.names[0]]
        own = [_filled_from(syntax, site, struct["name"]) for site in sites]
        if listed is None or "" in own or ("__global__" in reader.annotations and not sites):
            return []
        edits.append(_behind(listed, f"{struct['type']} {struct['name']}"))
        for site, passed in zip(sites, own, strict=True):
            arguments = site.node.child_by_field_name("arguments")
            if arguments is None:
                return []
            edits.append(_behind(arguments, passed))
        edits += _calls(reader, set(names), syntax, struct["name"])
    return edits


def _readers(syntax: Syntax, on_device: list[Item], name: str) -> list[Item]:
    """Return the kernels and functions that name a variable, and those that call one of these."""
    readers: list[Item] = []
    wanted = [name]
    while wanted:
        name = wanted.pop()
        new = [each for each in on_device if each not in readers and _names(_body(syntax, each), name)]
        readers += new
        wanted += [each.names[0] for each in new if "__device__" in each.annotations]
    return readers


def _body(syntax: Syntax, item: Item) -> str:
    body = item.node.child_by_field_name("body") if item.node else None
    return syntax.code[body.start_byte : body.end_byte] if body is not None else ""


def _calls(reader: Item, names: set[str], syntax: Syntax, passed: str) -> list[Edit]:
    """Return the edits of the calls, in one function, of the functions that take the struct as well."""
    calls = descend(reader.node, "call_expression") if reader.node else []
    listed = [call.child_by_field_name("arguments") for call in calls if _called(syntax, call) in names]
    return [_behind(each, passed) for each in listed if each is not None]


def _called(syntax: Syntax, call: Node) -> str:
    return re.sub(r"<.*", "", syntax.source(call.child_by_field_name("function")))


def _names(code: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", code) is not None


def _filled_from(syntax: Syntax, site: LaunchSite, name: str) -> str:
    """Return the host's struct that is copied to the one in constant memory in the function of a launch, or ""."""
    function = function_around(site.node)
    code = syntax.code[function.start_byte : site.node.start_byte] if function is not None else ""
    copies = list(re.finditer(_COPY.format(name=re.escape(name)), code))
    return copies[-1]["own"] if copies else ""


def _behind(listed: Node, text: str) -> Edit:
    """Return the edit that puts one more behind the others of a list in parentheses."""
    comma = ", " if any(child.type != "comment" for child in listed.named_children) else ""
    return Edit(listed.end_byte - 1, listed.end_byte - 1, f"{comma}{text}")
