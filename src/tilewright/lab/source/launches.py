"""The launches of a file, `kernel<<<grid, block, shared>>>(...)`, and the host's code before each, evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from tilewright.lab.source.expressions import Dim3, UnknownValueError, Value, convert, dim3
from tilewright.lab.source.host_code import HostCode
from tilewright.lab.source.names_behind import names_behind
from tilewright.lab.source.syntax import Syntax, descend

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class LaunchSite:
    """A launch as written; `template_arguments` and `arguments` in their order, line of the kernel's name.

    syntax, node: where it stands in its file. types: what the types of a template around it are taken for.
    """

    kernel: str
    grid_text: str
    block_text: str
    shared_text: str
    arguments: list[str]
    template_arguments: list[str]
    line: int
    syntax: Syntax = field(repr=False, compare=False)
    node: Node = field(repr=False, compare=False)
    types: tuple[tuple[str, str], ...] = ()

    @property
    def sizes_text(self) -> str:
        """What stands in the launch's brackets."""
        return f"{self.grid_text}, {self.block_text}, {self.shared_text}"

    @property
    def said(self) -> str:
        """The launch as written, with its line."""
        shared = [self.shared_text] if self.shared_text != "0" else []
        return f"<<<{', '.join([self.grid_text, self.block_text, *shared])}>>> of line {self.line}"


@dataclass(frozen=True)
class ResolvedLaunch:
    """A launch in numbers: grid and block as (x, y, z), dynamic shared memory in bytes."""

    grid: Dim3
    block: Dim3
    shared_bytes: int


def launches(syntax: Syntax) -> list[LaunchSite]:
    """Return the launches of a text, in its order."""
    found = []
    for node in descend(syntax.root, "call_expression"):
        configuration = next((child for child in node.children if child.type == "kernel_call_syntax"), None)
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if configuration is None or function is None or arguments is None:
            continue
        sizes = [_text(syntax, child) for child in configuration.named_children if child.type != "comment"]
        name, template_arguments = function, []
        if function.type == "template_function" or (
            (inner := function.child_by_field_name("name")) is not None and inner.type == "template_function"
        ):
            template = function if function.type == "template_function" else function.child_by_field_name("name")
            assert template is not None
            listed = template.child_by_field_name("arguments")
            template_arguments = [
                _text(syntax, child) for child in (listed.named_children if listed else ()) if child.type != "comment"
            ]
            name = template.child_by_field_name("name") or function
        found.append(
            LaunchSite(
                kernel=syntax.source(name).split("::")[-1].strip(),
                grid_text=sizes[0] if sizes else "",
                block_text=sizes[1] if len(sizes) > 1 else "",
                shared_text=sizes[2] if len(sizes) > 2 else "0",
                arguments=[_text(syntax, child) for child in arguments.named_children if child.type != "comment"],
                template_arguments=template_arguments,
                line=syntax.line(function),
                syntax=syntax,
                node=node,
            )
        )
    return found


def resolve_launch(site: LaunchSite, sizes: Mapping[str, int]) -> ResolvedLaunch | str:
    """Return a launch's grid, block and shared memory for some sizes, or a sentence saying what is not known.

    sizes: values of names in the launch's expressions and in what they are made of; they come before what the file
    says. The file's constants, macros, enumerators and the statements in front of the launch are evaluated.
    """
    try:
        host = _host(site, sizes, site.sizes_text)
        return ResolvedLaunch(
            _dimensions(host, site.grid_text),
            _dimensions(host, site.block_text),
            _bytes(host, site.shared_text),
        )
    except UnknownValueError as error:
        return f"The launch of {site.kernel} in line {site.line} can't be computed: {error}."


def resolve_number(site: LaunchSite, text: str, sizes: Mapping[str, int]) -> Value | str:
    """Return the value of an expression at a launch (an argument, a template's argument), or why it is not known."""
    try:
        return _host(site, sizes, text).evaluate(text)
    except UnknownValueError as error:
        return f"{text} in line {site.line} can't be computed: {error}."


def host_type(site: LaunchSite, name: str) -> str | None:
    """Return the type that the host declares a variable with, at a launch: `float *` for `float *d_A;`."""
    try:
        return _host(site, {}, name).declared_type(name)
    except UnknownValueError:
        return None


def _host(site: LaunchSite, sizes: Mapping[str, int], text: str) -> HostCode:
    """Return what the host knows at a launch, as far as the value of a text may depend on it.

    All that stands in a launch is asked for together: the host's code is evaluated once for it.
    """
    wanted = names_behind(site.syntax, text)
    of_launch = names_behind(site.syntax, ", ".join([site.sizes_text, *site.arguments]))
    try:
        return _evaluated(site.syntax, site.node, tuple(sizes.items()), of_launch | wanted, site.types)
    except RecursionError as error:
        raise UnknownValueError("the code in front of it is nested too deep to be followed") from error


@lru_cache(maxsize=64)
def _evaluated(
    syntax: Syntax,
    launch: Node,
    sizes: tuple[tuple[str, int], ...],
    wanted: frozenset[str],
    types: tuple[tuple[str, str], ...],
) -> HostCode:
    return HostCode(syntax, launch, dict(sizes), wanted, dict(types))


def _dimensions(host: HostCode, text: str) -> Dim3:
    value = host.evaluate(text)
    return value if isinstance(value, tuple) else dim3([value])


def _bytes(host: HostCode, text: str) -> int:
    value = convert("int", host.evaluate(text))
    if isinstance(value, tuple):
        raise UnknownValueError(f"{text!r} is a dim3, and a number of bytes is needed")
    return int(value)


def _text(syntax: Syntax, node: Node) -> str:
    return " ".join(syntax.code_of(node).split())
