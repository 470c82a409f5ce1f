"""The algorithms of C++'s library on arrays of the host: filled, added up, copied, compared; random numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .compiler import Call, Code, Compiler, Frame, Run
from .host_types import (
    CONVERTERS,
    COPIED,
    INT,
    NOTHING,
    UNSIGNED,
    VOID,
    ArrayOf,
    Drawn,
    Number,
    PointerTo,
    UnreadError,
)
from .lambdas import Lambda, called_lambda
from .memory import HostFaultError, value_of

if TYPE_CHECKING:
    from tree_sitter import Node


def _place(c: Compiler, node: Node) -> Run:
    """Return an iterator or a pointer as a place."""
    code = c.expression(node)
    if isinstance(code.type, PointerTo | ArrayOf):
        return code.run
    raise UnreadError(c.text(node))


def _filled(call: Call) -> Code:
    c, whole, given = call.c, call.whole, call.given
    first, last = _place(c, given[0]), c.expression(given[1])
    value = c.expression(given[2])
    is_counted = isinstance(last.type, Number)
    of = c.expression(given[0]).type.of
    is_lambda = isinstance(value.type, Lambda)
    made = called_lambda(c, value, []).run if is_lambda else value.run
    if not is_lambda and not isinstance(value.type, Number | PointerTo):
        made = called_object(value).run
    convert = CONVERTERS[of] if isinstance(of, Number) else (lambda each: each)
    tick = c.clock.tick
    steps = whole.split("::")[-1] == "iota"

    def run(frame: Frame) -> Any:
        place, end = first(frame), last.run(frame)
        count = end if is_counted else end.at - place.at
        start: Any = made(frame) if steps else None
        for at in range(place.at, place.at + count):
            tick()
            place.s.v[at] = convert(start + at - place.at if steps else made(frame))

    return Code(run, NOTHING)


def _summed(call: Call) -> Code:
    c, whole, given = call.c, call.whole, call.given
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


def _copied(call: Call) -> Code:
    """Return a copy on the host: memcpy, memset, std::copy."""
    c, whole, given = call.c, call.whole, call.given
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
            first.s.raw.data[first.offset : first.offset + nbytes] = (
                bytes([c.expression(given[1]).run(frame) & 255]) * nbytes
            )
        else:
            first.s.raw.data[first.offset : first.offset + nbytes] = second.s.raw.data[
                second.offset : second.offset + nbytes
            ]
            if second.s.raw.is_copied:
                first.s.raw.mark_copied()
        return first

    return Code(run, PointerTo(VOID))


def _swapped(call: Call) -> Code:
    c, whole, given = call.c, call.whole, call.given
    one, other = (c.expression(each) for each in given)
    if one.store is None or other.store is None:
        raise UnreadError(whole)
    put, back = one.store, other.store

    def run(frame: Frame) -> Any:
        first, second = one.run(frame), other.run(frame)
        put(frame, second)
        back(frame, first)

    return Code(run, NOTHING)


def _alike(call: Call) -> Code:
    """Return whether two arrays are the same: std::equal and memcmp."""
    c, node, whole, given = call.c, call.node, call.whole, call.given
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


def called_object(called: Code) -> Code:
    """Return what an object of the library gives when it is called: random numbers."""
    kind, ends = called.type, called.run
    if not isinstance(kind, Drawn):
        raise UnreadError(f"a call of {kind}")
    source, number = random.Random(1), kind.number  # noqa: S311

    def run(frame: Frame) -> Any:
        if number is None:
            return source.randrange(1 << 32)
        low, high = ends(frame)
        value = source.uniform(low, high) if number.is_real else source.randint(int(low), int(high))
        return CONVERTERS[number](value)

    return Code(run, number or UNSIGNED)


ALGORITHMS: dict[str, Callable[[Call], Code]] = {
    **dict.fromkeys(("fill", "generate", "iota", "fill_n", "generate_n"), _filled),
    **dict.fromkeys(("accumulate", "inner_product"), _summed),
    **dict.fromkeys(("memcpy", "memset", "copy"), _copied),
    "swap": _swapped,
    **dict.fromkeys(("equal", "memcmp"), _alike),
}
