"""What a host program calls of C++'s library: mathematics, algorithms, vectors, random numbers, prints."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from .algorithms import ALGORITHMS, called_object
from .compiler import Call, Code, Frame, Run, converted
from .constants import constant
from .host_types import (
    BYTE,
    CONVERTERS,
    DOUBLE,
    FLOAT,
    INT,
    NOTHING,
    NUMBERS,
    SIZE,
    VOID,
    Number,
    PointerTo,
    UnreadError,
    common,
)
from .memory import Pointer, Raw
from .operators import condition
from .type_names import type_of
from .vector_methods import vector_method

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

    def read(call: Call) -> Code:
        c, whole, given = call.c, call.whole, call.given
        values = [c.expression(each) for each in given]
        if not all(isinstance(each.type, Number) for each in values):
            raise UnreadError(whole)
        name = whole.split("::")[-1]
        is_float = name.endswith("f") or all(each.type == FLOAT for each in values)
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


def _absolute(call: Call) -> Code:
    c, whole, given = call.c, call.whole, call.given
    value = c.expression(given[0])
    if not isinstance(value.type, Number):
        raise UnreadError(whole)
    kind = value.type if value.type.is_real or not whole.endswith("fabs") else DOUBLE
    run = converted(value, kind)
    return Code(lambda frame: abs(run(frame)), kind)


def _extreme(choose: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def read(call: Call) -> Code:
        c, whole, given, explicit = call.c, call.whole, call.given, call.explicit
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

    def read(call: Call) -> Code:
        c, given = call.c, call.given
        value = c.expression(given[0]).run

        def run(frame: Frame) -> Any:
            text = value(frame)
            try:
                return CONVERTERS[kind](float(text) if kind.is_real else int(text))
            except (TypeError, ValueError):
                return CONVERTERS[kind](0)

        return Code(run, kind)

    return read


def _printed(call: Call) -> Code:
    """Return a print: its arguments are computed as far as they are read, since they may compare results."""
    c, given = call.c, call.given
    runs = []
    for each in given:
        try:
            runs.append(c.expression(each).run)
        except UnreadError:
            continue
    return Code(lambda frame: [run(frame) for run in runs] and 0, INT)


def _exit(call: Call) -> Code:
    c, given = call.c, call.given
    run = c.expression(given[0]).run if given else (lambda _: 1)

    def leave(frame: Frame) -> Any:
        raise ExitError(int(run(frame)))

    return Code(leave, NOTHING)


def _assert(call: Call) -> Code:
    c, given = call.c, call.given
    holds = condition(c.expression(given[0]))

    def look(frame: Frame) -> Any:
        if not holds(frame):
            raise ExitError(134)

    return Code(look, NOTHING)


def _random(_call: Call) -> Code:
    generator = random.Random(1)  # noqa: S311
    return Code(lambda _: generator.randrange(1 << 31), INT)


def _fixed(value: Any, kind: Any) -> Callable[..., Any]:
    def read(_call: Call) -> Code:
        return constant(value, kind)

    return read


def _allocated(call: Call) -> Code:
    c, given = call.c, call.given
    runs = [converted(c.expression(each), SIZE) for each in given]

    def run(frame: Frame) -> Any:
        nbytes = 1
        for each in runs:
            nbytes *= each(frame)
        return Pointer(Raw(nbytes).typed(BYTE), 0, BYTE)

    return Code(run, PointerTo(VOID))


def _half(call: Call) -> Code:
    c, whole, given = call.c, call.whole, call.given
    to = FLOAT if whole.startswith("__half2") else NUMBERS["__half"]
    return Code(converted(c.expression(given[0]), to), to)


def _moved(call: Call) -> Code:
    code = call.c.expression(call.given[0])
    return Code(code.run, code.type)


def _uniform(_call: Call) -> Code:
    generator = random.Random(1)  # noqa: S311
    return Code(lambda _: generator.random(), DOUBLE)


_REALS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "exp": math.exp,
    "log": math.log,
    "pow": math.pow,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda x: math.floor(abs(x) + 0.5) * (1 if x >= 0 else -1),
    "fmod": math.fmod,
    "tanh": math.tanh,
    "log2": math.log2,
    "log10": math.log10,
    "hypot": math.hypot,
    "fma": lambda a, b, c: a * b + c,
    "fmax": max,
    "fmin": min,
    "trunc": math.trunc,
    "cbrt": lambda x: float(numpy.cbrt(x)),
}
CALLS: dict[str, Callable[..., Any]] = {
    **{name: _real(function) for name, function in _REALS.items()},
    **{f"{name}f": _real(function) for name, function in _REALS.items()},
    **dict.fromkeys(("abs", "fabs", "fabsf", "labs", "llabs"), _absolute),
    "max": _extreme(max),
    "min": _extreme(min),
    **{name: _of_text(INT) for name in ("atoi", "stoi")},
    **{name: _of_text(NUMBERS["long"]) for name in ("atol", "atoll", "stol", "stoll", "strtol", "strtoll")},
    **{name: _of_text(SIZE) for name in ("stoul", "stoull", "strtoul", "strtoull")},
    **{name: _of_text(DOUBLE) for name in ("atof", "stod", "strtod")},
    "stof": _of_text(FLOAT),
    **dict.fromkeys(("printf", "fprintf", "puts", "perror", "fflush", "putchar", "fputs", "print"), _printed),
    **dict.fromkeys(("exit", "abort", "_Exit", "quick_exit"), _exit),
    "assert": _assert,
    "rand": _random,
    "random": _random,
    **{name: _fixed(None, NOTHING) for name in ("srand", "free", "setprecision", "setw")},
    **{name: _fixed(1, NUMBERS["long"]) for name in ("time", "clock", "now")},
    "drand48": _uniform,
    "isnan": lambda call: Code(_is_no_number(call.c.expression(call.given[0]).run), NUMBERS["bool"]),
    "isfinite": lambda call: Code(_finite(call.c.expression(call.given[0]).run), NUMBERS["bool"]),
    "malloc": _allocated,
    "calloc": _allocated,
    **ALGORITHMS,
    **dict.fromkeys(("__float2half", "__half2float", "__float2half_rn", "__int2half_rn"), _half),
    "move": _moved,
    "ref": lambda call: call.c.expression(call.given[0]),
    "method": vector_method,
    "object": called_object,
}


def _is_no_number(run: Run) -> Run:
    return lambda frame: math.isnan(run(frame))


def _finite(run: Run) -> Run:
    return lambda frame: math.isfinite(run(frame))
