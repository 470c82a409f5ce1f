"""The functions of a host program, and how they are called: with templates, methods, constructors and lambdas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .compiler import Cells, Code, Compiler, Frame, Function, Run, Scope, Symbol, converted, variable
from .expressions import as_type, constant, element, member_of
from .host_types import (
    BLANK,
    DIM3,
    Drawn,
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
from .memory import Pointer, RecordValue, Vector, array_of, default_of, memory_of, value_of
from .type_names import declared, function_declarator, is_reference, named_type, template_names, type_of

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, eq=False)
class Lambda:
    """A function in an expression. scopes: what it knows. size: the counter of its function's variables."""

    node: Node
    scopes: list[Scope]
    size: list[int]


def lambda_expression(c: Compiler, node: Node) -> Code:
    """Return a function in an expression; its value is the frame in which it is made."""
    return Code(lambda frame: frame, Lambda(node, list(c.scopes), c.sizes[-1]))


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
    explicit: list[Node] = []
    name_node: Node = called
    while name_node.type in ("qualified_identifier", "template_function", "dependent_name"):
        if name_node.type == "template_function":
            found = name_node.child_by_field_name("arguments")
            explicit = list(found.named_children) if found is not None else []
        inner = name_node.child_by_field_name("name")
        if inner is None:
            break
        name_node = inner
    name, whole = c.text(name_node), c.text(called)
    found = c.look_up(name)
    if name in ("static_cast", "reinterpret_cast", "const_cast"):
        return as_type(c.expression(given[0]), type_of(c, explicit[0]))
    if isinstance(found, Symbol):
        return _called_object(c, c.expression(called), given, node)
    if name in c.calls and (name not in c.functions or whole.startswith("std::")):
        return c.calls[name](c, node, whole, given, explicit)  # type: ignore[no-any-return]
    if name in c.functions:
        return called_function(c, c.functions[name], given, explicit, None)
    try:
        kind = type_of(c, called) if called.type != "identifier" else named_type(c, whole, node)
    except UnreadError:
        if c.of_record and name in c.of_record[-1].methods:
            return called_function(c, c.of_record[-1].methods[name], given, explicit, _object_of_this(c))
        raise UnreadError(f"the function {whole}") from None
    return constructed(c, kind, given)


def _called_object(c: Compiler, called: Code, given: Sequence[Node], node: Node) -> Code:
    if isinstance(called.type, Lambda):
        return called_lambda(c, called, [c.expression(each) for each in given])
    if isinstance(called.type, RecordType) and "operator()" in called.type.methods:
        return called_function(c, called.type.methods["operator()"], given, [], called)
    return c.calls["object"](c, called, [c.expression(each) for each in given], node)  # type: ignore[no-any-return]


def called_lambda(c: Compiler, called: Code, given: Sequence[Code]) -> Code:
    """Return a call of a function in an expression."""
    made: Lambda = called.type
    saved = c.scopes, c.sizes
    c.scopes, c.sizes = [*made.scopes, Scope()], [*c.sizes, made.size]
    c.results.append([None, False])
    try:
        slots, runs = [], []
        place = made.node.child_by_field_name("declarator")
        parameters = place.child_by_field_name("parameters") if place is not None else None
        named = [each for each in parameters.named_children if "declaration" in each.type] if parameters else []
        if len(named) != len(given):
            raise UnreadError("a lambda with other arguments")
        for each, value in zip(named, given, strict=True):
            kind = type_of(c, each.child_by_field_name("type"), value.type)
            declarator = each.child_by_field_name("declarator")
            name, kind = declared(c, declarator, kind)
            is_place = is_reference(declarator) and value.place is not None and isinstance(kind, Number | PointerTo)
            is_same = is_reference(declarator) and isinstance(kind, VectorOf | RecordType)
            runs.append(value.place if is_place else value.run if is_same else converted(value, kind))
            slots.append(c.declare(name, value.type if is_place else kind, is_reference=is_place).slot)
        body = c.statement(made.node.child_by_field_name("body"))  # type: ignore[arg-type]
        kind = c.results[-1][0] or NOTHING
    finally:
        c.scopes, c.sizes = saved
        c.results.pop()
    owner = called.run

    def run(frame: Frame) -> Any:
        own = owner(frame)
        for slot, value in zip(slots, [each(frame) for each in runs], strict=True):  # type: ignore[misc]
            own[slot] = value
        own[0] = None
        body(own)
        return own[0]

    return Code(run, kind)


def _method(c: Compiler, called: Node, given: list[Node]) -> Code:
    owner_node, field = called.child_by_field_name("argument"), called.child_by_field_name("field")
    owner = c.expression(owner_node)  # type: ignore[arg-type]
    name = c.text(field).split("<")[0].removeprefix("template ").strip()
    if isinstance(owner.type, PointerTo) and isinstance(owner.type.of, RecordType):
        owner = element(owner, constant(0, INT))
    if isinstance(owner.type, RecordType):
        if name in owner.type.methods:
            return called_function(c, owner.type.methods[name], given, [], owner)
        return _called_object(c, member_of(owner, name), given, called)
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
            runs.append(with_values(c, kind, given[number]).run)
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
    key = f"function {node.start_byte} {sorted((n, str(v), id(v)) for n, v in names.items() if v is not None)} {id(record)}"
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
        type_node = node.child_by_field_name("type")
        if type_node is not None and type_node.type != "placeholder_type_specifier":
            function.result = declared(c, _result_declarator(node), type_of(c, type_node))[1]
            function.returns_place = _returns_reference(node) and isinstance(function.result, Number | PointerTo)
            function.result = NOTHING if getattr(function.result, "name", "") == "void" else function.result
        elif type_node is not None:
            function.result = None
        c.results.append([function.result, function.returns_place])
        inits = [each for each in node.named_children if each.type == "field_initializer_list"]
        before = _initializers(c, record, inits[0]) if inits and record is not None else []
        body = c.statement(node.child_by_field_name("body"))  # type: ignore[arg-type]
        function.result = c.results.pop()[0] or NOTHING
        function.size = c.sizes[-1][0]
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
        if name not in kinds:
            raise UnreadError(f"the constructor of {name}")
        code = constructed(c, kinds[name], list(given.named_children))
        parts.append(_setting(c.look_up(name).store, code.run))
    return parts


def _setting(store: Any, run: Run) -> Run:
    return lambda frame: store(frame, run(frame))


def constructed(c: Compiler, kind: Any, given: Sequence[Node]) -> Code:
    """Return a new value of a type, made with some arguments."""
    if isinstance(kind, ArrayOf):
        return Code(lambda _: array_of(kind), kind)
    if isinstance(kind, VectorOf):
        return _new_vector(c, kind, given)
    if isinstance(kind, RecordType):
        return _new_record(c, kind, given)
    if kind in (BLANK, TEXT):
        return constant(None, kind)
    if isinstance(kind, Drawn):
        ends = [c.expression(each).run for each in given] if kind.number is not None else []
        return Code(lambda frame: [run(frame) for run in ends] or [0, 1], kind)
    if len(given) == 1:
        return as_type(c.expression(given[0]), kind)
    return Code(lambda _: default_of(kind), kind)


def _new_vector(c: Compiler, kind: VectorOf, given: Sequence[Node]) -> Code:
    if not given:
        return Code(lambda _: Vector(kind.of, kind.count), kind)
    if given[0].type == "initializer_list":
        return with_values(c, kind, given[0])
    first, *rest = (c.expression(each) for each in given)
    if first.type == kind:
        return Code(lambda frame: first.run(frame).copy(), kind)
    if isinstance(first.type, PointerTo):
        end = rest[0].run
        return Code(lambda frame: between(kind, first.run(frame), end(frame)), kind)
    count = first.run
    fill = converted(rest[0], kind.of) if rest else None
    if not isinstance(first.type, Number):
        raise UnreadError(f"a vector of {first.type}")

    def run(frame: Frame) -> Any:
        number = int(count(frame))
        if fill is None:
            return Vector(kind.of, number)
        value = fill(frame)
        return Vector(kind.of, [value_of(value)] * number if isinstance(kind.of, Number) else [value_of(value) for _ in range(number)])

    return Code(run, kind)


def between(kind: VectorOf, first: Pointer, end: Pointer) -> Vector:
    """Return the elements from one place to another as a vector."""
    return Vector(kind.of, [first.s.v[at] for at in range(first.at, end.at)])


def _new_record(c: Compiler, kind: RecordType, given: Sequence[Node]) -> Code:
    if kind is DIM3:
        numbers = [converted(c.expression(each), DIM3.fields[0].type) for each in given]
        if len(given) == 1 and c.expression(given[0]).type is DIM3:
            return c.expression(given[0])

        def dim3(frame: Frame) -> Any:
            sides = [run(frame) for run in numbers] + [1, 1, 1]
            return RecordValue(DIM3, dict(zip("xyz", sides, strict=False)))

        return Code(dim3, kind)
    if len(given) == 1 and given[0].type == "initializer_list":
        return with_values(c, kind, given[0])
    if len(given) == 1:
        code = c.expression(given[0])
        if code.type is kind:
            return Code(lambda frame: value_of(code.run(frame)), kind)
    blank = _default_record(c, kind)
    if not kind.constructors:
        if given:
            return _aggregate(c, kind, list(given))
        return Code(blank, kind)
    with c.scope():
        owner = variable(c.declare("made object", kind))
    construct, put = called_function(c, kind.constructors, given, [], owner).run, owner.store

    def run(frame: Frame) -> Any:
        new = blank(frame)
        put(frame, new)  # type: ignore[misc]
        construct(frame)
        return new

    return Code(run, kind)


def _default_record(c: Compiler, kind: RecordType) -> Run:
    runs: dict[str, Run] = {}
    with c.scope() as scope:
        scope.names |= kind.names
        for each in kind.fields:
            if each.default is not None and each.default.type == "initializer_list":
                runs[each.name] = with_values(c, each.type, each.default).run
            elif each.default is not None:
                runs[each.name] = converted(c.expression(each.default), each.type)

    def run(frame: Frame) -> Any:
        new = default_of(kind)
        for name, value in runs.items():
            new.f[name] = value(frame)
        return new

    return run


def _aggregate(c: Compiler, kind: RecordType, given: Sequence[Node]) -> Code:
    blank, runs = _default_record(c, kind), {}
    for each, node in zip(kind.fields, given, strict=False):
        is_list = node.type == "initializer_list"
        runs[each.name] = with_values(c, each.type, node).run if is_list else converted(c.expression(node), each.type)

    def run(frame: Frame) -> Any:
        new = blank(frame)
        for name, value in runs.items():
            new.f[name] = value(frame)
        return new

    return Code(run, kind)


def with_values(c: Compiler, kind: Any, node: Node) -> Code:
    """Return a new value of a type from a list in braces."""
    values = [each for each in node.named_children if each.type != "comment"]
    if isinstance(kind, RecordType):
        if kind.constructors or kind is DIM3:
            return _new_record(c, kind, values)
        return _aggregate(c, kind, values)
    if isinstance(kind, ArrayOf):
        flat = _flat(values)
        of = kind
        while isinstance(of, ArrayOf):
            of = of.of
        if isinstance(of, RecordType):
            flat = values  # each is an object
        runs = [
            with_values(c, of, each).run if each.type == "initializer_list" else converted(c.expression(each), of)
            for each in flat
        ]
        return Code(lambda frame: _filled(array_of(kind), [run(frame) for run in runs]), kind)
    if isinstance(kind, VectorOf):
        runs = [with_values(c, kind.of, each).run if each.type == "initializer_list" else converted(c.expression(each), kind.of) for each in values]
        return Code(lambda frame: Vector(kind.of, [run(frame) for run in runs]), kind)
    if len(values) == 1:
        return as_type(c.expression(values[0]), kind)
    return Code(lambda _: default_of(kind), kind)


def _flat(values: Sequence[Node]) -> list[Node]:
    if values and all(each.type == "initializer_list" for each in values):
        return [inner for each in values for inner in _flat(each.named_children)]
    return list(values)


def _filled(place: Pointer, values: Sequence[Any]) -> Pointer:
    for at, value in enumerate(values):
        place.s.v[at] = value
    return place


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


def new_value(c: Compiler, node: Node) -> Code:
    """Return a new value of a type from a list in braces behind its name."""
    value = node.child_by_field_name("value")
    if value is None:
        raise UnreadError(c.text(node))
    return with_values(c, type_of(c, node.child_by_field_name("type")), value)


def own_operator(c: Compiler, owner: Code, name: str, given: Sequence[Node]) -> Code:
    """Return an operator that a class of the program has."""
    if name not in owner.type.methods:
        raise UnreadError(f"{name} of {owner.type.name}")
    return called_function(c, owner.type.methods[name], given, [], owner)
