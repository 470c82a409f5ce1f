"""Rewrites kernels that take structs by value to take their fields, so that parameters are numbers and pointers.

`kernel(Dims d)` becomes `kernel(int d__M, int d__N)`, whose body opens with `Dims d{d__M, d__N};`, and the host's
variables that are passed become one for each field. Lines stay where they are. Host code is evaluated, never compiled,
so its other uses of a struct can stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tilewright.lab.source.changes import Edit, edited
from tilewright.lab.source.conditionals import parsed
from tilewright.lab.source.declarations import Item, function_declarator, items
from tilewright.lab.source.deduction import deduced
from tilewright.lab.source.host_structs import HostStructs, without_comma
from tilewright.lab.source.launches import LaunchSite, host_type, launches
from tilewright.lab.source.macros import Macros, blanked, words
from tilewright.lab.source.signatures import KernelSignature, kernels
from tilewright.lab.source.structs import OF_PARAMETER, Field, Structs
from tilewright.lab.source.syntax import Syntax

BETWEEN = "__"
"""Stands between a variable's name and its field's, which C++ leaves to compilers."""


@dataclass
class _Kernel:
    """A kernel that takes structs. fields: by the parameter's place. types: what its template's types are, where a
    struct without fields says so.
    """

    name: str
    fields: dict[int, tuple[Field, ...]]
    types: dict[str, str] = field(default_factory=dict)


def unpacked(text: str, name: str = "the file") -> str:
    """Return a file's text whose kernels take the fields of structs; the text as it is where none takes any.

    Raises:
        SourceError: the text can't be parsed within its limits.
    """
    if "struct" not in text or "__global__" not in text:
        return text
    syntax = parsed(text, Macros([text]), name, {})
    structs = Structs(syntax)
    if not structs:
        return text
    sites = launches(syntax)
    edits: list[Edit] = []
    listed = [item for item in items(syntax) if "__global__" in item.annotations]
    rewritten = (_rewrite(syntax, item, structs, sites, edits) for item in listed if item.kind == "function")
    found = {kernel.name: kernel for kernel in rewritten if kernel is not None}
    edits += [
        Edit(item.start, item.end, blanked(text[item.start : item.end]))
        for item in listed
        if item.kind == "prototype" and set(item.names) & found.keys()
    ]
    host = HostStructs(syntax, structs, BETWEEN)
    edits += [edit for site in sites if site.kernel in found for edit in host.edits_at(site, found[site.kernel].fields)]
    made = {match for edit in edits for match in re.findall(rf"\w+?{BETWEEN}\w+", edit.text)}
    if made & words(syntax.code):
        return text
    return _with_types(edited(text, edits), name, found) if found else text


def with_fields_named(found: Sequence[KernelSignature], text: str) -> list[KernelSignature]:
    """Return kernels whose parameters are called as the fields that they are: `d.M`."""
    return [
        replace(kernel, parameters=[replace(p, name=_shown(p.name, text)) for p in kernel.parameters])
        for kernel in found
    ]


def _shown(name: str, text: str) -> str:
    owner, between, last = name.partition(OF_PARAMETER)
    is_field = between and re.search(rf"\b{owner}\{{[^{{}};]*\b{name}\b", text)
    return f"{owner}.{last}" if is_field else name


def _rewrite(
    syntax: Syntax, item: Item, structs: Structs, sites: Sequence[LaunchSite], edits: list[Edit]
) -> _Kernel | None:
    """Add the edits of a kernel's parameters and body; return None where it takes no struct that can be taken apart."""
    if item.node is None:
        return None
    declarator = function_declarator(item.node.child_by_field_name("declarator"))
    body = item.node.child_by_field_name("body")
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    if parameters is None or body is None:
        return None
    kernel = _Kernel(item.names[0], {})
    own = [site for site in sites if site.kernel == kernel.name]
    types = _types(syntax, item)
    opening: list[str] = []
    made: list[Edit] = []
    nodes = [node for node in parameters.named_children if "parameter" in node.type]
    for place, node in enumerate(nodes):
        base = syntax.source(node.child_by_field_name("type"))
        name_node = node.child_by_field_name("declarator")
        if name_node is None or name_node.type != "identifier" or node.child_by_field_name("default_value") is not None:
            continue
        name = syntax.source(name_node)
        fields = structs.fields(base)
        if base in types:
            said = _said_types(own, place, types.index(base), structs)
            if len(said) != 1:
                continue
            kernel.types[base], fields = said.pop(), ()
        if fields is None:
            continue
        kernel.fields[place] = fields
        names = [f"{name}{OF_PARAMETER}{each.name}" for each in fields]
        declared = ", ".join(f"{each.type_text} {full}" for each, full in zip(fields, names, strict=True))
        made.append(Edit(node.start_byte, node.end_byte, declared))
        if not fields:
            made += without_comma(node)
        whole = " ".join(syntax.code[node.start_byte : name_node.start_byte].split())
        opening.append(f"{whole.replace('__grid_constant__', '')} {name}{{{', '.join(names)}}};")
    if not kernel.fields or sum(not fields for fields in kernel.fields.values()) > 1:
        return None
    edits += made
    edits.append(Edit(body.start_byte + 1, body.start_byte + 1, f" {' '.join(opening)}"))
    return kernel


def _types(syntax: Syntax, item: Item) -> list[str]:
    """Return the names of a template's parameters, empty for numbers, in their order."""
    found = []
    for node in item.template.named_children if item.template is not None else ():
        if node.type != "comment":
            match = re.match(r"(?:typename|class)\s+(\w+)", syntax.source(node))
            found.append(match[1] if match else "")
    return found


def _said_types(sites: Sequence[LaunchSite], place: int, of_template: int, structs: Structs) -> set[str]:
    """Return the structs without fields that a kernel's launches pass for a type of its template."""
    found: set[str] = set()
    for site in sites:
        if len(site.template_arguments) > of_template:
            text = site.template_arguments[of_template]
        elif place < len(site.arguments):
            match = re.fullmatch(r"([\w:]+(?:<[^<>]*>)?)\s*(?:\{\s*\}|\(\s*\))", site.arguments[place])
            text = match[1] if match else _declared_type(site, site.arguments[place])
        else:
            text = ""
        found.add(text if text and structs.fields(text) == () else "")
    return set() if "" in found else found


def _declared_type(site: LaunchSite, name: str) -> str:
    return (host_type(site, name) or "") if name.isidentifier() else ""


def _with_types(text: str, name: str, found: dict[str, _Kernel]) -> str:
    """Return the text with the template's arguments at launches, which no struct gives any more."""
    syntax = parsed(text, Macros([text]), name, {})
    signatures = {each.name: each for each in kernels(syntax, items(syntax))}
    edits = []
    for site in launches(syntax):
        kernel, signature = found.get(site.kernel), signatures.get(site.kernel)
        if kernel is None or signature is None or not signature.is_template:
            continue
        arguments = list(_arguments(site, signature, kernel))
        function = site.node.child_by_field_name("function")
        if function is not None and None not in arguments:
            called = re.sub(r"<.*", "", syntax.source(function))
            edits.append(
                Edit(function.start_byte, function.end_byte, f"{called}<{', '.join(str(a) for a in arguments)}>")
            )
    return edited(text, edits)


def _arguments(site: LaunchSite, signature: KernelSignature, kernel: _Kernel) -> Iterator[str | None]:
    for place, parameter in enumerate(signature.template_parameters):
        match = re.match(r"(?:typename|class)\s+(\w+)", parameter)
        if place < len(site.template_arguments):
            yield site.template_arguments[place]
        elif match is None:
            yield parameter.partition("=")[2].strip() or None
        else:
            yield (
                kernel.types.get(match[1])
                or deduced(site, signature, match[1])
                or (parameter.partition("=")[2].strip() or None)
            )
