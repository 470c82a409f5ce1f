"""The functions of a host program, and how they are called: with templates, methods, constructors and lambdas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .compiler import Call, Cells, Code, Compiler, Frame, Function, Run, Scope, Symbol, converted
from .constants import constant
from .expressions import as_type, element, member_of
from .host_types import (
    BLANK,
    INT,
    NOTHING,
    TEXT,
    ArrayOf,
    Number,
    PointerTo,
    RecordType,
    UnreadError,
    VectorOf,
)
from .lambdas import Lambda, called_lambda
from .memory import Pointer, memory_of
from .type_names import declared, function_declarator, is_reference, named_type, template_names, type_of

if TYPE_CHECKING:
    from tree_sitter import Node


def call(c: Compiler, node: Node) -> Code:
    """Return a call."""
    called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    launch = next((each for each in node.children if each.type == "kernel_call_syntax"), None)
    if called is None or arguments is None:
        raise UnreadError(c.text(node))
    if launch is not None:
        return c.kernel_call(c, node, launch)  # type: ignore[misc]
    given = [each for each in arguments.named_children if each.type != "comment"]
    if called.type == "field_expression":
        return _method(c, called, given)
    if called.type == "parenthesized_expression" and len(given) == 1:  # `(real)(a * b)`, which looks like a call
        return as_type(c.expression(given[0]), named_type(c, c.text(called).strip("() "), called))
    name = c.text(called.child_by_field_name("name")) if called.type == "template_function" else ""
    if name and isinstance(getattr(c.look_up(name), "type", None), Number):  # `n < 1 || n > (m)`, no template
        text = re.sub(rf"\b{name}\b\s*<", f"({name}) <", c.text(node), count=1)
        return c.expression(c.read_again(text, c.line(node))[0])
    return _by_name(c, node, called, given)


def _by_name(c: Compiler, node: Node, called: Node, given: Sequence[Node]) -> Code:
    name, explicit = named(c, called)
    whole, found = c.text(called), c.look_up(name)
    if name in ("static_cast", "reinterpret_cast", "const_cast"):
        return as_type(c.expression(given[0]), type_of(c, explicit[0]))
    if isinstance(found, Symbol):
        return _called_object(c, c.expression(called), given)
    if name in c.calls and (name not in c.functions or whole.startswith("std::")):
        return c.calls[name](Call(c, node, whole, given, explicit))  # type: ignore[no-any-return]
    if name in c.functions:
        return called_function(c, c.functions[name], given, explicit, None)
    if c.of_record and name in c.of_record[-1].methods:
        return called_function(c, c.of_record[-1].methods[name], given, explicit, _object_of_this(c))
    try:
        kind = type_of(c, called) if called.type != "identifier" else named_type(c, whole, node)
    except UnreadError:
        raise UnreadError(f"the function {whole}") from None
    return c.constructed(kind, given)


def named(c: Compiler, node: Node) -> tuple[str, list[Node]]:
    """Return the last name of what is called, and the template's arguments behind it."""
    explicit: list[Node] = []
    while node.type in ("qualified_identifier", "template_function", "dependent_name"):
        if node.type == "template_function":
            found = node.child_by_field_name("arguments")
            explicit = list(found.named_children) if found is not None else []
        inner = node.child_by_field_name("name")
        if inner is None:
            break
        node = inner
    return c.text(node), explicit


def _called_object(c: Compiler, called: Code, given: Sequence[Node]) -> Code:
    if isinstance(called.type, Lambda):
        return called_lambda(c, called, [c.expression(each) for each in given])
    if isinstance(called.type, RecordType) and "operator()" in called.type.methods:
        return called_function(c, called.type.methods["operator()"], given, [], called)
    return c.calls["object"](called)  # type: ignore[no-any-return]


def _method(c: Compiler, called: Node, given: list[Node]) -> Code:
    owner_node, field = called.child_by_field_name("argument"), called.child_by_field_name("field")
    owner = c.expression(owner_node)  # type: ignore[arg-type]
    name = c.text(field).split("<")[0].removeprefix("template ").strip()
    if isinstance(owner.type, PointerTo) and isinstance(owner.type.of, RecordType):
        owner = element(owner, constant(0, INT))
    if isinstance(owner.type, RecordType):
        if name in owner.type.methods:
            return called_function(c, owner.type.methods[name], given, [], owner)
        return _called_object(c, member_of(owner, name), given)
    if owner.type in (BLANK, TEXT):
        return constant(None, BLANK)
    return c.calls["method"](c, owner, name, given)  # type: ignore[no-any-return]


def called_function(
    c: Compiler, nodes: Sequence[Node], given: Sequence[Node], explicit: list[Node], owner: Code | None
) -> Code:
    """Return a call of a function of the program. owner: the object whose method it is."""
    arguments = [c.expression(each) if each.type != "initializer_list" else None for each in given]
    fitting = [each for each in nodes if _takes(each, len(given))]
    if not fitting:
        raise UnreadError(f"a call with {len(given)} arguments")
    problem = UnreadError("a call")
    for node in fitting:
        try:
            return _called(c, node, given, arguments, explicit, owner)
        except UnreadError as error:
            problem = error
    raise problem


def _takes(node: Node, count: int) -> bool:
    parameters = parameters_of(node)
    least = sum(each.type == "parameter_declaration" for each in parameters)
    return least <= count <= len(parameters)


def parameters_of(node: Node) -> list[Node]:
    """Return the parameters of a function."""
    place = function_declarator(node)
    found = place.child_by_field_name("parameters") if place is not None else None
    named = found.named_children if found is not None else []
    return [each for each in named if each.type in ("parameter_declaration", "optional_parameter_declaration")]


def _called(
    c: Compiler,
    node: Node,
    given: Sequence[Node],
    arguments: Sequence[Code | None],
    explicit: list[Node],
    owner: Code | None,
) -> Code:
    parameters = parameters_of(node)
    names = dict(owner.type.names) if owner is not None else {}
    template = node.parent if node.parent is not None and node.parent.type == "template_declaration" else None
    if template is not None:
        names |= deduced(c, template, parameters, arguments, explicit)
    function = instance(c, node, names, owner.type if owner is not None else None, arguments)
    runs: list[Run] = []
    for number, kind in enumerate(function.types):
        if number >= len(given):
            default = parameters[number].child_by_field_name("default_value")
            runs.append(converted(c.expression(default), kind))  # type: ignore[arg-type]
            continue
        argument = arguments[number]
        if argument is None:
            runs.append(c.with_values(kind, given[number]).run)
        elif function.references[number] and isinstance(kind, Number | PointerTo):
            runs.append(_place_of(argument, kind))
        elif is_reference(parameters[number].child_by_field_name("declarator")) and argument.type == kind:
            runs.append(argument.run)
        else:
            runs.append(converted(argument, kind))
    run = _calling(function, runs, owner.run if owner is not None else None)
    if not function.returns_place:
        return Code(run, function.result)
    return element(Code(run, PointerTo(function.result)), constant(0, INT))


def _place_of(argument: Code, kind: Any) -> Run:
    if argument.place is not None and argument.type == kind:
        return argument.place
    run = converted(argument, kind)

    def temporary(frame: Frame) -> Any:
        memory = memory_of(BLANK, 1)
        memory.v[0] = run(frame)
        return Pointer(memory, 0, kind)

    return temporary


def _calling(function: Function, runs: Sequence[Run], owner: Run | None) -> Run:
    def run(frame: Frame) -> Any:
        new: Frame = [None] * function.size
        if owner is not None:
            new[1] = owner(frame)
        for slot, value in zip(function.slots, runs, strict=True):
            new[slot] = value(frame)
        function.body(new)  # type: ignore[misc]
        return new[0]

    return run


def deduced(
    c: Compiler, template: Node, parameters: Sequence[Node], arguments: Sequence[Code | None], explicit: list[Node]
) -> dict[str, Any]:
    """Return what a template's parameters stand for in a call."""
    names: dict[str, Any] = {}
    wanted = template.child_by_field_name("parameters")
    of_types = [each for each in (wanted.named_children if wanted else []) if "type_parameter" in each.type]
    words = {c.text(name) for each in of_types for name in each.named_children}
    for parameter, argument in zip(parameters, arguments, strict=False):
        kind_node, kind = parameter.child_by_field_name("type"), argument.type if argument is not None else None
        declarator = parameter.child_by_field_name("declarator")
        while declarator is not None and declarator.type == "pointer_declarator" and kind is not None:
            kind = kind.of if isinstance(kind, PointerTo | ArrayOf) else None
            declarator = declarator.child_by_field_name("declarator")
        word = c.text(kind_node)
        if kind is None:
            continue
        if word in words:
            names.setdefault(word, PointerTo(kind.of) if isinstance(kind, ArrayOf) else kind)
        elif isinstance(kind, VectorOf) and word.endswith(">"):
            inner = word[word.index("<") + 1 : -1].strip()
            if inner in words:
                names.setdefault(inner, kind.of)
        elif isinstance(kind, RecordType) and kind.names and word.endswith(">"):
            for inner, value in zip(word[word.index("<") + 1 : -1].split(","), kind.names.values(), strict=False):
                if inner.strip() in words:
                    names.setdefault(inner.strip(), value)
    with c.scope() as scope:
        scope.names |= names
        known = template_names(c, template, explicit)
    return {**known, **names} if not explicit else {**names, **known}


def instance(
    c: Compiler, node: Node, names: dict[str, Any], record: RecordType | None, arguments: Sequence[Code | None]
) -> Function:
    """Return a function of the program for what its template's parameters stand for, ready to run."""
    autos = [argument.type if argument is not None else None for argument in arguments]
    known = sorted((name, str(value), id(value)) for name, value in names.items() if value is not None)
    key = f"function {node.start_byte} {known} {id(record)}"
    if any("auto" in c.text(each.child_by_field_name("type")) for each in parameters_of(node)):
        key += str(autos)
    found = c.scopes[0].names.get(key)
    if isinstance(found, Function):
        return found
    function = Function()
    c.scopes[0].names[key] = function
    saved = c.scopes, c.sizes, c.of_record
    c.scopes, c.sizes = [saved[0][0], Scope(), Scope(dict(names)), Scope()], [[1], [1]]
    try:
        if record is not None:
            c.of_record = [record]
            _know_members(c, record)
        _declare_parameters(c, function, node, autos)
        _know_result(c, function, node)
        c.results.append([function.result, function.returns_place])
        inits = [each for each in node.named_children if each.type == "field_initializer_list"]
        before = _initializers(c, record, inits[0]) if inits and record is not None else []
        body = c.statement(node.child_by_field_name("body"))  # type: ignore[arg-type]
        function.result = c.results.pop()[0] or NOTHING
        function.size = c.sizes[-1][0]
    except UnreadError:
        del c.scopes[0].names[key]
        raise
    finally:
        counter = c.sizes[-1]
        c.scopes, c.sizes, c.of_record = saved

    def run(frame: Frame) -> Any:
        while len(frame) < counter[0]:
            frame.append(None)
        for part in before:
            part(frame)
        return body(frame)

    function.body = run
    return function


def _declare_parameters(c: Compiler, function: Function, node: Node, autos: Sequence[Any]) -> None:
    for number, each in enumerate(parameters_of(node)):
        auto = autos[number] if number < len(autos) else None
        kind = type_of(c, each.child_by_field_name("type"), auto)
        declarator = each.child_by_field_name("declarator")
        name, kind = declared(c, declarator, kind)
        if isinstance(kind, ArrayOf):
            kind = PointerTo(kind.of)
        is_place = is_reference(declarator) and isinstance(kind, Number | PointerTo)
        function.slots.append(c.declare(name or f"unnamed {number}", kind, is_reference=is_place).slot)
        function.types.append(kind)
        function.references.append(is_place)


def _know_result(c: Compiler, function: Function, node: Node) -> None:
    type_node = node.child_by_field_name("type")
    if type_node is not None and type_node.type != "placeholder_type_specifier":
        function.result = declared(c, _result_declarator(node), type_of(c, type_node))[1]
        function.returns_place = _returns_reference(node) and isinstance(function.result, Number | PointerTo)
        function.result = NOTHING if getattr(function.result, "name", "") == "void" else function.result
    elif type_node is not None:
        function.result = None


def _returns_reference(node: Node) -> bool:
    return is_reference(node.child_by_field_name("declarator"))


def _result_declarator(node: Node) -> Node | None:
    """Return the stars in front of a function's name, as a declarator without it."""
    place = node.child_by_field_name("declarator")
    return place if place is not None and place.type == "pointer_declarator" and _is_of_function(place) else None


def _is_of_function(place: Node) -> bool:
    inner = place.child_by_field_name("declarator")
    return inner is not None and inner.type in ("function_declarator", "pointer_declarator")


def _know_members(c: Compiler, record: RecordType) -> None:
    own = c.declare("this object", record)
    owner = Code(lambda frame: frame[own.slot], record)
    for each in record.fields:
        c.scopes[1].names[each.name] = member_of(owner, each.name)
    c.scopes[1].names[record.name] = record
    for name, node in record.fixed.items():
        c.scopes[1].names[name] = c.expression(node)


def _initializers(c: Compiler, record: RecordType, node: Node) -> list[Run]:
    parts = []
    kinds = {each.name: each.type for each in record.fields}
    for each in node.named_children:
        if each.type != "field_initializer":
            continue
        name, given = c.text(each.named_children[0]), each.named_children[-1]
        if name == record.name:  # another constructor does the work
            nodes = [each for each in given.named_children if each.type != "comment"]
            parts.append(called_function(c, record.constructors, nodes, [], _object_of_this(c)).run)
            continue
        if name not in kinds:
            raise UnreadError(f"the constructor of {name}")
        code = c.constructed(kinds[name], list(given.named_children))
        owner = _object_of_this(c)
        parts.append(_setting(member_of(owner, name).store, code.run))
    return parts


def _setting(store: Any, run: Run) -> Run:
    return lambda frame: store(frame, run(frame))


def this(c: Compiler, _node: Node) -> Code:
    """Return the place of the object whose method runs."""
    found = c.look_up("this object")
    if not isinstance(found, Symbol):
        raise UnreadError("this")
    slot, kind = found.slot, found.type
    return Code(lambda frame: Pointer(Cells(frame), slot, kind), PointerTo(kind))


def _object_of_this(c: Compiler) -> Code:
    found = c.look_up("this object")
    if not isinstance(found, Symbol):
        raise UnreadError("a method without its object")
    return Code(lambda frame: frame[found.slot], found.type)


def own_operator(c: Compiler, owner: Code, name: str, given: Sequence[Node]) -> Code:
    """Return an operator that a class of the program has."""
    if name not in owner.type.methods:
        raise UnreadError(f"{name} of {owner.type.name}")
    return called_function(c, owner.type.methods[name], given, [], owner)
