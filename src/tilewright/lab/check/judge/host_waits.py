"""A host that reads a kernel's result before the kernel has ended: managed memory, and nothing that waits in between.

So it is with pinned memory into which `cudaMemcpyAsync` copies. Whatever may wait is taken to do so, and a pointer that
is handed on is not followed, but for the arguments of calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.source import LaunchSite
from tilewright.lab.source.callers import calls_of, parameters_of
from tilewright.lab.source.changes import enclosing
from tilewright.lab.source.declarations import passed_nodes
from tilewright.lab.source.macros import code_only
from tilewright.lab.source.names_behind import functions_named, names_made
from tilewright.lab.source.syntax import Syntax, descend, function_around

if TYPE_CHECKING:
    from tree_sitter import Node

OF_HOST = {"cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc"}
MOST_CALLERS = 3
"""So many functions around the launch are followed."""
_GOES_ON = re.compile(
    r"cuda(?:(?:Get|Peek)\w*|Event(?:Record|Create)\w*|Mem(?:cpy|set)\w*Async|Mem(?:Advise|PrefetchAsync)|Stream(?:Create\w*|"
    r"WaitEvent)|Func\w+|LaunchKernel\w*)"
)
"""What CUDA has that does not wait for a kernel; all else of it may."""
_MAY_WAIT = re.compile(r"cuda\w*|cu[A-Z]\w*|\w*(?:sync|wait|join|finish|flush)\w*", re.IGNORECASE)
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;()]*>\s*)?\(")


class _Place(NamedTuple):
    """Where the host is behind a launch: a function, the call in it, and its name for the result."""

    function: Node
    call: Node
    name: str


def unwaited_reads(kernel: KernelFile, found: Found) -> Iterator[tuple[LaunchSite, int]]:
    """Yield each launch whose result the host reads without waiting, with the line of that."""
    if "C" not in found.roles.arguments:
        return
    place = found.roles.arguments.index("C")
    own = [(site, site.arguments[place]) for site in kernel.sites if len(site.arguments) > place]
    for site, array in (*own, *_left_by_others(kernel)):
        function = function_around(site.node)
        if function is None or re.search(r"~\s*\w+\s*\(", site.syntax.code):
            continue  # what a destructor does is not seen where it is called
        reader = _Reader(site.syntax)
        if not reader.is_wrapped(site.node):
            line = reader.line_of_read(_Place(function, site.node, _bare(array)))
            if line:
                yield site, line


def _left_by_others(kernel: KernelFile) -> Iterator[tuple[LaunchSite, str]]:
    """Yield the launches of other kernels behind this one's, in the same function, with the arrays that they write."""
    by_name = {each.name: each for each in kernel.opened.kernels}
    lines = code_only(kernel.opened.file.text).split("\n")
    around = {function.id for site in kernel.sites if (function := function_around(site.node)) is not None}
    for site in kernel.opened.part.launches:
        other, function = by_name.get(site.kernel), function_around(site.node)
        if other is None or site.kernel == kernel.signature.name or function is None or function.id not in around:
            continue
        body = "\n".join(lines[other.line - 1 : other.last_line])
        for parameter, given in zip(other.parameters, site.arguments, strict=False):
            name = re.escape(parameter.name)
            written = rf"(?:\b{name}\s*\[[^;=]*\]|\*\s*{name})\s*[-+*/]?=(?!=)|\batomic\w*\s*\([^;]*\b{name}\b"
            if parameter.is_pointer and re.search(written, body.partition("{")[2]):
                yield site, given


class _Reader:
    """Reads the host's code behind a launch."""

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._functions = functions_named(syntax)

    def is_wrapped(self, launch: Node) -> bool:
        """Return whether a launch stands in a lambda or in the arguments of a macro that may wait."""
        if next(enclosing(launch, "lambda_expression"), None) is not None:
            return True
        outer = (self._called(call) for call in enclosing(launch, "call_expression"))
        return any(self._may_wait(name) for name in outer)

    def line_of_read(self, place: _Place, depth: int = MOST_CALLERS) -> int:
        """Return the line where the host reads the result behind a place, and nothing before it waits; else 0."""
        line, is_done = self._read(place)
        if line or is_done or not depth:
            return line
        parameters = list(parameters_of(self._syntax, place.function))
        if place.name not in parameters:
            return 0
        for call in calls_of(self._syntax, names_made(self._syntax)[place.function.id]):
            around = function_around(call)
            given = passed_nodes(call)
            if around is None or around == place.function or len(given) <= parameters.index(place.name):
                continue
            name = _bare(self._syntax.source(given[parameters.index(place.name)]))
            line = 0 if self.is_wrapped(call) else self.line_of_read(_Place(around, call, name), depth - 1)
            if line:
                return line
        return 0

    def _is_of_host(self, place: _Place, array: str) -> bool:
        """Return whether an array lies in memory that the host may read while a kernel runs."""
        name, code = re.escape(array), self._syntax.code
        own = code[place.function.start_byte : place.function.end_byte]
        is_own = re.search(rf"[\w>]\s*\*+\s*{name}\b", own.partition("{")[2]) is not None
        for text in ([own] if is_own else [own, code]) if array else []:
            made = set(re.findall(rf"\b(cuda(?:Malloc|HostAlloc)\w*)\s*\(\s*(?:\([^()]*\)\s*)?&\s*{name}\b", text))
            maker = re.search(rf"\b{name}\s*=\s*(?:\([^()]*\)\s*)?(\w+)\s*(?:<[^<>;()]*>\s*)?\(", text)
            if maker and maker[1] in self._functions:
                made |= set(
                    re.findall(r"\bcuda(?:Malloc|HostAlloc)\w*", self._syntax.source(self._functions[maker[1]]))
                )
            if made:
                return made <= OF_HOST
        return False

    def _read(self, place: _Place) -> tuple[int, bool]:
        """Return the line of the first read behind a place, or 0, and whether nothing behind it counts any more.

        Pinned memory is read after a copy into it has begun.
        """
        name = place.name if self._is_of_host(place, place.name) else ""
        for node in _behind(place.call):
            text = self._syntax.source(node)
            call = next(self._calls_around(node), None)
            if call is not None and self._is_name_of(call, node):
                to, *others = [*map(_bare, map(self._syntax.source, passed_nodes(call))), ""]
                if re.fullmatch(r"cudaMemcpy\w*Async", text) and place.name and place.name in others[:1]:
                    name = to if self._is_of_host(place, to) else name
                if self._may_wait(text):
                    return 0, True
            elif name and text == name:
                use = self._use(node, call)
                if use != "none":
                    return (self._syntax.line(node) if use == "read" else 0), True
        return 0, False

    def _use(self, node: Node, call: Node | None) -> str:
        """Return "read" where an array's elements are read, "none" where they aren't, "?" where that is not known."""
        outer = node.parent
        assert outer is not None
        if call is not None:
            name = self._called(call)
            is_launch = any(child.type == "kernel_call_syntax" for child in call.children)
            if is_launch or _GOES_ON.fullmatch(name):
                return "none"
        if outer.type == "subscript_expression" or (
            outer.type == "pointer_expression" and outer.children[0].type == "*"
        ):
            around = outer.parent
            is_left = around is not None and around.child_by_field_name("left") == outer
            return "?" if is_left and around is not None and around.type == "assignment_expression" else "read"
        if call is None or outer.type not in ("argument_list", "binary_expression"):
            return "?"
        own = self._functions.get(self._called(call))
        reads = own is not None and "<<<" not in self._syntax.source(own)
        return "read" if reads or self._is_of_library(call) else "?"

    def _is_of_library(self, call: Node) -> bool:
        """Return whether a call is of a function that reads what its arguments point to."""
        return re.fullmatch(r"memcpy|memcmp|accumulate|equal|copy(?:_n)?|max_element|min_element|inner_product|all_of|"
                            r"reduce|fwrite|count(?:_if)?|for_each|write", self._called(call)) is not None  # fmt: skip

    def _calls_around(self, node: Node) -> Iterator[Node]:
        outer = node.parent
        while outer is not None and outer.type not in ("function_definition", "compound_statement"):
            if outer.type == "call_expression":
                yield outer
            outer = outer.parent

    def _is_name_of(self, call: Node, node: Node) -> bool:
        function = call.child_by_field_name("function")
        return function is not None and function.start_byte <= node.start_byte < function.end_byte

    def _called(self, call: Node) -> str:
        named = re.findall(r"\w+", re.sub(r"<[^<>]*>", "", self._syntax.source(call.child_by_field_name("function"))))
        return named[-1] if named else ""

    def _may_wait(self, name: str, depth: int = MOST_CALLERS) -> bool:
        """Return whether a function or macro may wait for the kernel: one of CUDA's, or one whose body calls such."""
        bodies = [macro.body for macro in self._syntax.macros.all.get(name, ())]
        bodies += [self._syntax.source(self._functions[name])] if name in self._functions else []
        if not bodies:
            return _MAY_WAIT.fullmatch(name) is not None and _GOES_ON.fullmatch(name) is None
        called = {each for body in bodies for each in _CALLED.findall(body)} - {name}
        return depth == 0 or any(self._may_wait(each, depth - 1) for each in called)


def _behind(call: Node) -> Iterator[Node]:
    """Yield the names behind a call in its function, in the text's order, but for branches that exclude it."""
    node = call
    while node.parent is not None and node.type != "function_definition":
        outer = node.parent
        is_alternative = outer.type == "if_statement" or node.type == "case_statement"
        for following in () if is_alternative else outer.children:
            if following.start_byte < node.end_byte:
                continue
            yield from descend(following, "identifier", "field_identifier")
            if following.type == "return_statement":
                return
        node = outer


def _bare(text: str) -> str:
    """Return the name of an array that is passed as such, or ""."""
    name = re.sub(r"^\s*(?:\([^()]*\*\s*\))?\s*", "", text).strip()
    return name if name.isidentifier() else ""
