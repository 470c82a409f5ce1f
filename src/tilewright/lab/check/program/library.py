"""What a host program calls of C++'s library: mathematics, algorithms, vectors, random numbers, prints."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from .compiler import Code, Compiler, Frame, Run, converted
from .expressions import condition, constant, element
from .functions import Lambda, called_lambda
from .host_types import (
    BLANK,
    BYTE,
    CONVERTERS,
    COPIED,
    DOUBLE,
    Drawn,
    FLOAT,
    INT,
    NOTHING,
    NUMBERS,
    SIZE,
    UNSIGNED,
    VOID,
    ArrayOf,
    Number,
    PointerTo,
    UnreadError,
    VectorOf,
    common,
)
from .memory import HostFaultError, Pointer, Raw, Vector, value_of
from .type_names import type_of

if TYPE_CHECKING:
    from tree_sitter import Node

Given = Sequence["Node"]


class ExitError(Exception):
    """The program ends itself. status: what it tells the shell."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def _real(function: Callable[..., float]) -> Callable[..., Any]:
    """Return the reader of a function of real numbers; one whose name ends in f computes in float."""

    def read(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
        values = [c.expression(each) for each in given]
        if not all(isinstance(each.type, Number) for each in values):
            raise UnreadError(whole)
        name = whole.split("::")[-1]
        is_float = (name.endswith("f") and name not in ("erf",)) or all(each.type == FLOAT for each in values)
        kind = FLOAT if is_float and (whole.startswith("std::") or name.endswith("f")) else DOUBLE
        runs = [each.run for each in values]
        convert = CONVERTERS[kind]

        def run(frame: Frame) -> float:
            try:
                return convert(float(function(*(each(frame) for each in runs))))  # type: ignore[no-any-return]
            except (ValueError, OverflowError, ZeroDivisionError):
                return math.nan

        return Code(run, kind)

    return read


def _absolute(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    value = c.expression(given[0])
    if not isinstance(value.type, Number):
        raise UnreadError(whole)
    kind = value.type if value.type.is_real or not whole.endswith("fabs") else DOUBLE
    run = converted(value, kind)
    return Code(lambda frame: abs(run(frame)), kind)


def _extreme(choose: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def read(c: Compiler, node: Node, whole: str, given: Given, explicit: Given) -> Code:
        if len(given) == 1 and given[0].type == "initializer_list":
            given = given[0].named_children
        values = [c.expression(each) for each in given]
        if not all(isinstance(each.type, Number) for each in values):
            raise UnreadError(whole)
        kind = type_of(c, explicit[0]) if explicit else values[0].type
        for each in values[1:] if not explicit else ():
            kind = kind if kind == each.type else common(kind, each.type)
        runs = [converted(each, kind) for each in values]
        if all(each.constant is not None for each in values):
            chosen = runs[0]([])
            for run in runs[1:]:
                chosen = choose(chosen, run([]))
            return constant(chosen, kind)

        def compute(frame: Frame) -> Any:
            best = runs[0](frame)
            for run in runs[1:]:
                best = choose(best, run(frame))
            return best

        return Code(compute, kind)

    return read


def _of_text(kind: Number) -> Callable[..., Any]:
    """Return the reader of what makes a number of a text, such as atoi."""

    def read(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
        value = c.expression(given[0]).run

        def run(frame: Frame) -> Any:
            text = value(frame)
            try:
                return CONVERTERS[kind](float(text) if kind.is_real else int(text))
            except (TypeError, ValueError):
                return CONVERTERS[kind](0)

        return Code(run, kind)

    return read


def _printed(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    """Return a print: its arguments are computed as far as they are read, since they may compare results."""
    runs = []
    for each in given:
        try:
            runs.append(c.expression(each).run)
        except UnreadError:
            continue
    return Code(lambda frame: [run(frame) for run in runs] and 0, INT)


def _exit(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    run = c.expression(given[0]).run if given else (lambda _: 1)

    def leave(frame: Frame) -> Any:
        raise ExitError(int(run(frame)))

    return Code(leave, NOTHING)


def _assert(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    holds = condition(c.expression(given[0]))

    def look(frame: Frame) -> Any:
        if not holds(frame):
            raise ExitError(134)

    return Code(look, NOTHING)


def _random(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    generator = random.Random(1)
    return Code(lambda _: generator.randrange(1 << 31), INT)


def _fixed(value: Any, kind: Any) -> Callable[..., Any]:
    def read(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
        return constant(value, kind)

    return read


def _allocated(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    runs = [converted(c.expression(each), SIZE) for each in given]

    def run(frame: Frame) -> Any:
        nbytes = 1
        for each in runs:
            nbytes *= each(frame)
        return Pointer(Raw(nbytes).typed(BYTE), 0, BYTE)

    return Code(run, PointerTo(VOID))


def _evaluated(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    runs = [c.expression(each).run for each in given]
    return Code(lambda frame: [run(frame) for run in runs] and None, NOTHING)


def _place(c: Compiler, node: Node) -> Run:
    """Return an iterator or a pointer as a place."""
    code = c.expression(node)
    if isinstance(code.type, PointerTo | ArrayOf):
        return code.run
    raise UnreadError(c.text(node))


def _filled(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    first, last = _place(c, given[0]), c.expression(given[1])
    value = c.expression(given[2])
    is_counted = isinstance(last.type, Number)
    of = c.expression(given[0]).type.of
    is_lambda = isinstance(value.type, Lambda)
    made = called_lambda(c, value, []).run if is_lambda else value.run
    if not is_lambda and not isinstance(value.type, Number | PointerTo):
        made = c.calls["object"](c, value, [], node).run
    convert = CONVERTERS[of] if isinstance(of, Number) else (lambda each: each)
    steps = whole.split("::")[-1] == "iota"

    def run(frame: Frame) -> Any:
        place, end = first(frame), last.run(frame)
        count = end if is_counted else end.at - place.at
        start = made(frame) if steps else None
        for at in range(place.at, place.at + count):
            place.s.v[at] = convert(start + at - place.at if steps else made(frame))

    return Code(run, NOTHING)


def _summed(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    first, last = _place(c, given[0]), _place(c, given[1])
    is_product = whole.endswith("inner_product")
    second = _place(c, given[2]) if is_product else None
    start = c.expression(given[3 if is_product else 2])
    if len(given) > (4 if is_product else 3) or not isinstance(start.type, Number):
        raise UnreadError(whole)
    convert = CONVERTERS[start.type]

    def run(frame: Frame) -> Any:
        place, end, total = first(frame), last(frame), start.run(frame)
        other = second(frame) if second is not None else None
        for at in range(end.at - place.at):
            value = place.s.v[place.at + at]
            total = convert(total + (value * other.s.v[other.at + at] if other is not None else value))
        return total

    return Code(run, start.type)


def _copied(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    """Return a copy on the host: memcpy, memset, std::copy."""
    name = whole.split("::")[-1]
    places = [_place(c, each) for each in (given[:2] if name != "memset" else given[:1])]
    last = c.expression(given[2]).run

    def run(frame: Frame) -> Any:
        first, second = places[0](frame), (places[1](frame) if len(places) > 1 else None)
        if name in ("copy", "copy_n"):
            to = last(frame)
            for at in range((second.at - first.at) if second is not None else 0):
                to.s.v[to.at + at] = value_of(first.s.v[first.at + at])
            return to
        nbytes = last(frame)
        if first.s.raw is None or (second is not None and second.s.raw is None):
            raise UnreadError(whole)
        if first.offset + nbytes > len(first.s.raw.data):
            raise HostFaultError("a copy behind the end of an array")
        if second is None:
            first.s.raw.data[first.offset : first.offset + nbytes] = bytes([c.expression(given[1]).run(frame) & 255]) * nbytes
        else:
            first.s.raw.data[first.offset : first.offset + nbytes] = second.s.raw.data[second.offset : second.offset + nbytes]
            if second.s.raw.is_copied:
                first.s.raw.mark_copied()
        return first

    return Code(run, PointerTo(VOID))


def _swapped(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    one, other = (c.expression(each) for each in given)
    if one.store is None or other.store is None:
        raise UnreadError(whole)
    put, back = one.store, other.store

    def run(frame: Frame) -> Any:
        first, second = one.run(frame), other.run(frame)
        put(frame, second)
        back(frame, first)

    return Code(run, NOTHING)


def _alike(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    """Return whether two arrays are the same: std::equal and memcmp."""
    places = [_place(c, each) for each in (given[:3] if not whole.endswith("memcmp") else given[:2])]
    count = c.expression(given[2]).run if whole.endswith("memcmp") else None
    line = c.line(node)

    def run(frame: Frame) -> Any:
        found = [place(frame) for place in places]
        one, other = found[0], found[-1]
        number = found[1].at - one.at if count is None else count(frame) // getattr(one.of, "size", 1)
        pairs = [(one.s.v[one.at + at], other.s.v[other.at + at]) for at in range(number)]
        for first, second in pairs:
            if type(first) in COPIED or type(second) in COPIED:
                c.note_compared(first, second, line)
        is_same = all(first == second for first, second in pairs)
        return int(is_same) if count is None else int(not is_same)

    return Code(run, INT)


def _half(c: Compiler, node: Node, whole: str, given: Given, _explicit: Given) -> Code:
    to = FLOAT if whole.startswith("__half2") else NUMBERS["__half"]
    return Code(converted(c.expression(given[0]), to), to)


def method(c: Compiler, owner: Code, name: str, given: Given) -> Code:
    """Return a call of a method of a vector."""
    if not isinstance(owner.type, VectorOf):
        raise UnreadError(f"the method {name} of {owner.type}")
    run, of = owner.run, owner.type.of
    simple: dict[str, tuple[Callable[[Vector], Any], Any]] = {
        "size": (lambda vector: vector.count, SIZE),
        "empty": (lambda vector: vector.count == 0, NUMBERS["bool"]),
        "data": (lambda vector: vector.pointer(), PointerTo(of)),
        "begin": (lambda vector: vector.pointer(), PointerTo(of)),
        "cbegin": (lambda vector: vector.pointer(), PointerTo(of)),
        "end": (lambda vector: vector.pointer(vector.count), PointerTo(of)),
        "cend": (lambda vector: vector.pointer(vector.count), PointerTo(of)),
    }
    if name in simple:
        compute, kind = simple[name]
        count = owner.type.count
        if name == "size" and count:
            return constant(count, SIZE)
        return Code(lambda frame: compute(run(frame)), kind)
    if name in ("front", "back", "at"):
        start = Code(lambda frame: run(frame).pointer(), PointerTo(of))
        if name == "back":
            return element(Code(lambda frame: run(frame).pointer(run(frame).count - 1), PointerTo(of)), constant(0, INT))
        return element(start, c.expression(given[0]) if name == "at" else constant(0, INT))
    if name in ("push_back", "emplace_back") and len(given) == 1:
        value = converted(c.expression(given[0]), of)

        def push(frame: Frame) -> Any:
            vector = run(frame)
            vector.resize(vector.count + 1, value(frame))

        return Code(push, NOTHING)
    if name in ("resize", "assign") and not isinstance(c.expression(given[0]).type, PointerTo):
        count_run = converted(c.expression(given[0]), SIZE)
        fill = converted(c.expression(given[1]), of) if len(given) > 1 else None

        def resize(frame: Frame) -> Any:
            vector = run(frame)
            if name == "assign":
                vector.resize(0)
            vector.resize(count_run(frame), fill(frame) if fill is not None else None)

        return Code(resize, NOTHING)
    if name in ("reserve", "clear", "shrink_to_fit"):
        return Code(lambda frame: run(frame).resize(0) if name == "clear" else None, NOTHING)
    raise UnreadError(f"the method {name} of a vector")


def called_object(c: Compiler, called: Code, _given: Sequence[Code], _node: Node) -> Code:
    """Return what an object of the library gives when it is called: random numbers."""
    kind, ends = called.type, called.run
    if not isinstance(kind, Drawn):
        raise UnreadError(f"a call of {kind}")
    source, number = random.Random(1), kind.number

    def run(frame: Frame) -> Any:
        if number is None:
            return source.randrange(1 << 32)
        low, high = ends(frame)
        value = source.uniform(low, high) if number.is_real else source.randint(int(low), int(high))
        return CONVERTERS[number](value)

    return Code(run, number or UNSIGNED)


_REALS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "exp": math.exp, "log": math.log,
    "pow": math.pow, "floor": math.floor, "ceil": math.ceil, "round": lambda x: math.floor(abs(x) + 0.5) * (1 if x >= 0 else -1),
    "fmod": math.fmod, "tanh": math.tanh, "log2": math.log2, "log10": math.log10, "hypot": math.hypot,
    "fma": lambda a, b, c: a * b + c, "fmax": max, "fmin": min, "trunc": math.trunc, "cbrt": lambda x: float(numpy.cbrt(x)),
}
CALLS: dict[str, Callable[..., Any]] = {
    **{name: _real(function) for name, function in _REALS.items()},
    **{f"{name}f": _real(function) for name, function in _REALS.items()},
    **{name: _absolute for name in ("abs", "fabs", "fabsf", "labs", "llabs")},
    "max": _extreme(lambda one, other: other if one < other else one),
    "min": _extreme(lambda one, other: other if other < one else one),
    **{name: _of_text(INT) for name in ("atoi", "stoi")},
    **{name: _of_text(NUMBERS["long"]) for name in ("atol", "atoll", "stol", "stoll", "strtol", "strtoll")},
    **{name: _of_text(SIZE) for name in ("stoul", "stoull", "strtoul", "strtoull")},
    **{name: _of_text(DOUBLE) for name in ("atof", "stod", "strtod")},
    "stof": _of_text(FLOAT),
    **{name: _printed for name in ("printf", "fprintf", "puts", "perror", "fflush", "putchar", "fputs", "print")},
    **{name: _exit for name in ("exit", "abort", "_Exit", "quick_exit")},
    "assert": _assert,
    "rand": _random, "random": _random,
    **{name: _fixed(None, NOTHING) for name in ("srand", "free", "setprecision", "setw")},
    **{name: _fixed(1, NUMBERS["long"]) for name in ("time", "clock", "now")},
    "drand48": lambda c, node, whole, given, _: Code(_uniform(), DOUBLE),
    "isnan": lambda c, node, whole, given, _: Code(_not_a_number(c.expression(given[0]).run), NUMBERS["bool"]),
    "isfinite": lambda c, node, whole, given, _: Code(_finite(c.expression(given[0]).run), NUMBERS["bool"]),
    "malloc": _allocated, "calloc": _allocated,
    **{name: _filled for name in ("fill", "generate", "iota", "fill_n", "generate_n")},
    **{name: _summed for name in ("accumulate", "inner_product")},
    **{name: _copied for name in ("memcpy", "memset", "copy")},
    "swap": _swapped,
    **{name: _alike for name in ("equal", "memcmp")},
    **{name: _half for name in ("__float2half", "__half2float", "__float2half_rn", "__int2half_rn")},
    "move": lambda c, node, whole, given, _: c.expression(given[0]),
    "ref": lambda c, node, whole, given, _: c.expression(given[0]),
    "method": method,
    "object": called_object,
    **{name: _evaluated for name in ("ignore",)},
}


def _uniform() -> Run:
    generator = random.Random(1)
    return lambda _: generator.random()


def _not_a_number(run: Run) -> Run:
    return lambda frame: run(frame) != run(frame)


def _finite(run: Run) -> Run:
    return lambda frame: math.isfinite(run(frame))


