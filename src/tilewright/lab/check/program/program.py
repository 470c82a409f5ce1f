"""A host program, ready to run: its functions, types and variables, and its `main`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilewright.emulate import BudgetExceeded
from tilewright.emulate.observers import Finding
from tilewright.lab.source import CudaFile

from . import constants as co
from . import declarations as de
from . import expressions as ex
from . import operators as op
from .compiler import Clock, Code, Compiler, TooLongError
from .construction import constructed, new_value, with_values
from .device import Device, Launched
from .functions import call, instance, own_operator, this
from .host_types import BLANK, BOOL, NOTHING, TEXT, PointerTo, UnreadError
from .lambdas import lambda_expression
from .launching import Kernels, launch_reader, parameter_types
from .library import CALLS, ExitError
from .memory import HostFaultError, Pointer, Typed
from .reading import host_syntax
from .runtime_calls import RUNTIME
from .statements import STATEMENTS
from .type_names import add_alias, function_declarator, function_name

if TYPE_CHECKING:
    from tree_sitter import Node

EXPRESSIONS: dict[str, Callable[[Compiler, Node], Code]] = {
    "number_literal": co.number,
    "char_literal": co.character,
    "string_literal": co.text,
    "concatenated_string": co.text,
    "raw_string_literal": co.text,
    "true": lambda _c, _n: co.constant(True, BOOL),
    "false": lambda _c, _n: co.constant(False, BOOL),
    "null": lambda _c, _n: co.constant(None, PointerTo(BLANK)),
    "nullptr": lambda _c, _n: co.constant(None, PointerTo(BLANK)),
    "identifier": ex.name,
    "type_identifier": ex.name,
    "qualified_identifier": ex.name,
    "parenthesized_expression": ex.parenthesized,
    "comma_expression": ex.comma,
    "binary_expression": op.binary,
    "unary_expression": op.unary,
    "pointer_expression": ex.pointed,
    "subscript_expression": ex.subscript,
    "field_expression": ex.member,
    "cast_expression": ex.cast,
    "sizeof_expression": ex.sized,
    "conditional_expression": ex.conditional,
    "new_expression": ex.new_array,
    "delete_expression": lambda _c, _n: co.constant(None, NOTHING),
    "assignment_expression": de.assignment,
    "update_expression": de.update,
    "call_expression": call,
    "lambda_expression": lambda_expression,
    "compound_literal_expression": new_value,
    "this": this,
}


Give = Callable[[Device, Sequence[Any]], Sequence[Any]]


@dataclass
class Ran:
    """What a run of a program showed. compared: pairs of numbers of which one was copied back, with their lines.

    status: what `main` or the function returns. stopped: why it was not run to its end; is_fault: whether that is the
    program's mistake; is_too_long: its time. launches: of its kernels.
    """

    status: Any = None
    found: list[Finding] = field(default_factory=list)
    compared: list[tuple[Any, Any, int]] = field(default_factory=list)
    launches: list[Launched] = field(default_factory=list)
    stopped: str = ""
    is_fault: bool = False
    is_too_long: bool = False
    has_copied_back: bool = False


def run_main(
    file: CudaFile, kernels: Kernels, arguments: Sequence[str], values: Mapping[str, int], seconds: float
) -> Ran:
    """Run a file's `main` with arguments. values: of constants and of initial values, in place of the file's own.

    Nothing is raised: what is not read, and what takes too long, is said.
    """
    return _run(file, kernels, values, seconds, lambda compiler, _: _main(compiler, [file.name, *arguments]))


def run_function(file: CudaFile, kernels: Kernels, name: str, give: Give, seconds: float) -> Ran:
    """Run one of a file's functions. give: returns what it is given, for the types of its parameters."""

    def start(compiler: Compiler, device: Device) -> Any:
        nodes = compiler.functions.get(name, [])
        if len(nodes) != 1:
            raise UnreadError(f"{len(nodes)} functions {name}")
        function = instance(compiler, nodes[0], {}, None, [])
        frame: list[Any] = [None] * function.size
        given = give(device, parameter_types(compiler, nodes[0], {}))
        for slot, value in zip(function.slots, given, strict=True):
            frame[slot] = value
        if function.body is not None:
            function.body(frame)
        return frame[0]

    return _run(file, kernels, {}, seconds, start)


def _run(
    file: CudaFile,
    kernels: Kernels,
    values: Mapping[str, int],
    seconds: float,
    start: Callable[[Compiler, Device], Any],
) -> Ran:
    ran = Ran()
    device = Device(kernels, file.name)
    compiler: Compiler | None = None
    try:
        syntax = host_syntax(_with_values(file.text, values))
        compiler = Compiler(syntax, EXPRESSIONS, STATEMENTS, Clock(seconds))
        compiler.values, compiler.construct, compiler.fill = values, constructed, with_values
        compiler.device = device
        compiler.calls = {**CALLS, **RUNTIME, "operator": own_operator}
        for set_variable in _collected(compiler, device):
            set_variable([])
        ran.status = start(compiler, device)
    except ExitError as error:
        ran.status = error.status
    except (HostFaultError, IndexError) as error:
        ran.stopped, ran.is_fault = str(error), True
    except TooLongError:
        ran.stopped, ran.is_too_long = "it takes too long", True
    except (UnreadError, BudgetExceeded, RecursionError) as error:
        ran.stopped = str(error) or type(error).__name__
    except (ArithmeticError, AttributeError, KeyError, LookupError, TypeError, ValueError, MemoryError) as error:
        ran.stopped = f"{type(error).__name__}: {error}"
    ran.found, ran.launches, ran.has_copied_back = device.found, device.launches, device.has_copied_back
    ran.compared = compiler.compared if compiler is not None else []
    return ran


def _with_values(text: str, values: Mapping[str, int]) -> str:
    """Return a text whose macros have other values. A comment behind one stays."""
    for name, value in values.items():
        macro = rf"(?m)^([ \t]*#[ \t]*define[ \t]+{name}[ \t]+)\(?\d[\d' <lLuU]*\)?(?=[ \t]*(?:$|//|/\*))"
        text = re.sub(macro, rf"\g<1>{value}", text)
    return text


def _main(c: Compiler, arguments: Sequence[str]) -> int:
    nodes = [each for each in c.functions.get("main", []) if each.child_by_field_name("body") is not None]
    if len(nodes) != 1:
        raise UnreadError("a file without main")
    function = instance(c, nodes[0], {}, None, [])
    frame: list[Any] = [None] * function.size
    given = Pointer(Typed(None, [*arguments, None]), 0, TEXT)
    for slot, value in zip(function.slots, (len(arguments), given), strict=False):
        frame[slot] = value
    if function.body is not None:
        function.body(frame)
    return int(frame[0] or 0)


def _collected(c: Compiler, device: Device) -> list[Any]:
    """Note a file's functions, types and kernels; return what sets its variables."""
    kernels: dict[str, Node] = {}
    variables: list[Node] = []
    _collect(c, c.syntax.root, kernels, variables)
    c.kernel_call = launch_reader(device, kernels)
    return [c.statement(node) for node in variables]


def _collect(c: Compiler, node: Node, kernels: dict[str, Node], variables: list[Node]) -> None:
    for each in node.named_children:
        if each.type in ("namespace_definition", "linkage_specification"):
            body = each.child_by_field_name("body")
            if body is not None:
                _collect(c, body, kernels, variables)
        elif each.type in ("declaration_list", "ERROR"):
            _collect(c, each, kernels, variables)
        elif each.type == "template_declaration":
            _collect(c, each, kernels, [])
        elif each.type == "function_definition":
            _collect_function(c, each, kernels)
        elif each.type == "declaration":
            if not c.syntax.annotations(_line_start(c, each), each.end_byte) & _OF_DEVICE:
                variables.append(each)
        else:
            _collect_type(c, each)


def _collect_type(c: Compiler, node: Node) -> None:
    name, inner = node.child_by_field_name("name"), node.child_by_field_name("type")
    if node.type in ("struct_specifier", "class_specifier"):
        if node.child_by_field_name("body") is not None:
            c.records[c.text(name)] = node
    elif node.type == "enum_specifier":
        c.statement(node)
    elif node.type in ("alias_declaration", "type_definition"):
        if inner is not None and inner.type == "struct_specifier":
            c.records[c.text(node.child_by_field_name("declarator"))] = inner
        else:
            with suppress(UnreadError):
                add_alias(c, node)


_OF_DEVICE = {"__device__", "__constant__", "__managed__", "__shared__"}


def _line_start(c: Compiler, node: Node) -> int:
    return c.syntax.start_with_annotations(node.start_byte)


def _collect_function(c: Compiler, node: Node, kernels: dict[str, Node]) -> None:
    place = function_declarator(node)
    if place is None or node.child_by_field_name("body") is None:
        return
    name = function_name(c, node)
    outer = node.parent if node.parent is not None and node.parent.type == "template_declaration" else node
    if "__global__" in c.syntax.annotations(_line_start(c, outer), place.start_byte):
        kernels[name] = node
        return
    qualified = place.child_by_field_name("declarator")
    if qualified is not None and qualified.type == "qualified_identifier":
        return  # a method that is defined outside of its class
    c.functions.setdefault(name, []).append(node)
