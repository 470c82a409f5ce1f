"""The methods of a std::vector and a std::array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .compiler import Code, Compiler, Frame, converted
from .constants import constant
from .expressions import element
from .host_types import INT, NOTHING, NUMBERS, SIZE, PointerTo, UnreadError, VectorOf
from .memory import Vector

if TYPE_CHECKING:
    from tree_sitter import Node

_FIRST: Callable[[Vector], Any] = Vector.pointer
_PLAIN: dict[str, Callable[[Vector], Any]] = {
    "size": lambda vector: vector.count,
    "empty": lambda vector: vector.count == 0,
    "data": _FIRST,
    "begin": _FIRST,
    "cbegin": _FIRST,
    "end": lambda vector: vector.pointer(vector.count),
    "cend": lambda vector: vector.pointer(vector.count),
}


def vector_method(c: Compiler, owner: Code, name: str, given: Sequence[Node]) -> Code:
    """Return a call of a method."""
    if not isinstance(owner.type, VectorOf):
        raise UnreadError(f"the method {name} of {owner.type}")
    run, of = owner.run, owner.type.of
    if name == "size" and owner.type.count:
        return constant(owner.type.count, SIZE)
    if name in _PLAIN:
        compute = _PLAIN[name]
        kind = {"size": SIZE, "empty": NUMBERS["bool"]}.get(name, PointerTo(of))
        return Code(lambda frame: compute(run(frame)), kind)
    if name in ("front", "at"):
        start = Code(lambda frame: run(frame).pointer(), PointerTo(of))
        return element(start, c.expression(given[0]) if name == "at" else constant(0, INT))
    if name == "back":
        last = Code(lambda frame: run(frame).pointer(run(frame).count - 1), PointerTo(of))
        return element(last, constant(0, INT))
    if name in ("reserve", "clear", "shrink_to_fit"):
        return Code(lambda frame: run(frame).resize(0) if name == "clear" else None, NOTHING)
    return _growing(c, owner, name, given)


def _growing(c: Compiler, owner: Code, name: str, given: Sequence[Node]) -> Code:
    """Return a call that changes the number of elements."""
    run, of = owner.run, owner.type.of
    if name in ("push_back", "emplace_back") and len(given) == 1:
        value = converted(c.expression(given[0]), of)

        def push(frame: Frame) -> Any:
            vector = run(frame)
            vector.resize(vector.count + 1, value(frame))

        return Code(push, NOTHING)
    if name not in ("resize", "assign") or isinstance(c.expression(given[0]).type, PointerTo):
        raise UnreadError(f"the method {name} of a vector")
    count = converted(c.expression(given[0]), SIZE)
    fill = converted(c.expression(given[1]), of) if len(given) > 1 else None

    def resize(frame: Frame) -> Any:
        vector = run(frame)
        if name == "assign":
            vector.resize(0)
        vector.resize(count(frame), fill(frame) if fill is not None else None)

    return Code(resize, NOTHING)
