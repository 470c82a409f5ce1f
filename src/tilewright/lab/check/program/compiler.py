"""Makes functions of Python from the tree of a host program: each expression and statement is one.

A function of the program runs on a list of its variables, the frame; the first place holds what it returns.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilewright.lab.source.syntax import Syntax, descend

from .host_types import (
    BLANK,
    CONVERTERS,
    NOTHING,
    TEXT,
    ArrayOf,
    Number,
    PointerTo,
    RecordType,
    UnreadError,
    VectorOf,
)
from .memory import Pointer, Vector, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

Frame = list[Any]
Run = Callable[[Frame], Any]
NEXT, BREAK, CONTINUE, RETURN = None, 1, 2, 3
"""What a statement tells the one around it."""
STEPS_BETWEEN_LOOKS = 2000
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class TooLongError(Exception):
    """The program takes longer than it may."""


@dataclass
class Code:
    """An expression. run: its value. store: sets it, if it is a place. place: where it is. constant: if it is known."""

    run: Run
    type: Any
    store: Callable[[Frame, Any], None] | None = None
    place: Run | None = None
    constant: Any = None


@dataclass(frozen=True)
class Symbol:
    """A variable. slot: in its frame. frame: of a global variable. is_reference: whether the slot holds a place.

    line: where it is declared, if that is known.
    """

    slot: int
    type: Any
    frame: Frame | None = None
    is_reference: bool = False
    line: int = 0


@dataclass
class Scope:
    """Names that are known at a place: variables, types and constants."""

    names: dict[str, Any] = field(default_factory=dict)


@dataclass
class Function:
    """A function of the program, ready to run. slots: of its parameters. size: of its frame.

    returns_place: whether it returns a reference to a number or a pointer.
    """

    slots: list[int] = field(default_factory=list)
    types: list[Any] = field(default_factory=list)
    references: list[bool] = field(default_factory=list)
    result: Any = NOTHING
    returns_place: bool = False
    size: int = 1
    body: Run | None = None


@dataclass(frozen=True)
class Call:
    """A call of what the program does not define itself. whole: the name, with its namespaces. given: the arguments.

    explicit: the template's arguments.
    """

    c: Compiler
    node: Node
    whole: str
    given: Sequence[Node]
    explicit: Sequence[Node]


class Clock:
    """Ends a program that takes too long."""

    def __init__(self, seconds: float) -> None:
        self._end, self._left = time.process_time() + seconds, STEPS_BETWEEN_LOOKS

    def tick(self) -> None:
        """Count a turn of a loop; raise TooLongError if the time is over."""
        self._left -= 1
        if self._left < 0:
            self._left = STEPS_BETWEEN_LOOKS
            if time.process_time() > self._end:
                raise TooLongError


class Compiler:
    """Reads the nodes of one file. expressions, statements: readers by the type of a node. compared: takes what the
    program compares of what it copied back, with the line.
    """

    def __init__(
        self,
        syntax: Syntax,
        expressions: Mapping[str, Callable[[Compiler, Node], Code]],
        statements: Mapping[str, Callable[[Compiler, Node], Run]],
        clock: Clock,
    ) -> None:
        self.syntax, self.clock = syntax, clock
        self._expressions, self._statements = expressions, statements
        self.globals: Frame = [None]
        self.scopes: list[Scope] = [Scope()]
        self.sizes: list[list[int]] = [[1]]
        self.kept: list[Syntax] = [syntax]
        self.functions: dict[str, list[Node]] = {}
        self.templates: dict[int, Node] = {}
        self.records: dict[str, Node] = {}
        self.of_record: list[RecordType] = []
        self.calls: dict[str, Callable[..., Any]] = {}
        self.compared: list[tuple[Any, Any, int]] = []
        self.results: list[list[Any]] = [[NOTHING, False]]
        self.construct: Callable[[Compiler, Any, Sequence[Node]], Code]
        self.fill: Callable[[Compiler, Any, Node], Code]
        self.device: Any = None
        self.values: Mapping[str, int] = {}
        self.kernel_call: Callable[[Compiler, Node, Node], Code] | None = None

    def text(self, node: Node | None) -> str:
        """Return the text of a node on one line, without comments."""
        return " ".join(_COMMENT.sub(" ", node.text.decode()).split()) if node is not None and node.text else ""

    def line(self, node: Node) -> int:
        """Return the line of a node, also of one that was read again."""
        return node.start_point[0] + 1

    def line_of_name(self, node: Node) -> int:
        """Return the line where a name was declared, if an expression is one; else that of the expression."""
        found = self.look_up(self.text(node))
        return found.line if isinstance(found, Symbol) and found.line else self.line(node)

    def read_again(self, text: str, line: int) -> list[Node]:
        """Return the arguments in a text, which the grammar took for something else."""
        syntax = Syntax("\n" * (line - 1) + "void f() { g(" + " ".join(text.split()) + "); }")
        self.kept.append(syntax)
        return descend(syntax.root, "argument_list")[0].named_children

    def expression(self, node: Node) -> Code:
        """Return an expression; raise UnreadError for one that is not read."""
        read = self._expressions.get(node.type)
        if read is None:
            raise UnreadError(f"{node.type}: {self.text(node)[:60]}")
        try:
            return read(self, node)
        except (AttributeError, LookupError, TypeError) as error:  # of a tree that is not as expected
            raise UnreadError(f"{type(error).__name__} in {self.text(node)[:60]}") from error

    def statement(self, node: Node) -> Run:
        """Return a statement; one that is not read stops the program once it is reached."""
        read = self._statements.get(node.type)
        try:
            if read is None:
                raise UnreadError(f"{node.type}: {self.text(node)[:60]}")
            return read(self, node)
        except UnreadError as error:
            return _stopping(str(error))

    def constructed(self, kind: Any, given: Sequence[Node]) -> Code:
        """Return a new value of a type, made with some arguments (construction.py)."""
        return self.construct(self, kind, given)

    def with_values(self, kind: Any, node: Node) -> Code:
        """Return a new value of a type from a list in braces (construction.py)."""
        return self.fill(self, kind, node)

    def look_up(self, name: str) -> Any:
        """Return what a name stands for, or None."""
        for scope in reversed(self.scopes):
            if name in scope.names:
                return scope.names[name]
        return None

    @contextmanager
    def scope(self) -> Iterator[Scope]:
        """Open a block."""
        self.scopes.append(Scope())
        try:
            yield self.scopes[-1]
        finally:
            self.scopes.pop()

    def declare(self, name: str, kind: Any, *, is_reference: bool = False, line: int = 0) -> Symbol:
        """Return a new variable of the function that is read, or of the file."""
        if len(self.sizes) == 1:
            self.globals.append(None)
            symbol = Symbol(len(self.globals) - 1, kind, self.globals, is_reference, line)
        else:
            symbol = Symbol(self.sizes[-1][0], kind, None, is_reference, line)
            self.sizes[-1][0] += 1
        self.scopes[-1].names[name] = symbol
        return symbol

    def declare_global(self, name: str, kind: Any) -> Symbol:
        """Return a new variable that keeps its value, as a static one."""
        self.globals.append(None)
        self.scopes[-1].names[name] = Symbol(len(self.globals) - 1, kind, self.globals)
        return self.scopes[-1].names[name]  # type: ignore[no-any-return]

    def note_compared(self, one: Any, other: Any, line: int) -> None:
        """Take two numbers that the program compares, of which one was copied back."""
        self.compared.append((one, other, line))


def _stopping(reason: str) -> Run:
    def stop(_: Frame) -> Any:
        raise UnreadError(reason)

    return stop


def variable(symbol: Symbol) -> Code:
    """Return a variable as an expression."""
    slot, own = symbol.slot, symbol.frame

    if symbol.is_reference:

        def run(frame: Frame) -> Any:
            place = (own or frame)[slot]
            return place.s.v[place.at]

        def store(frame: Frame, value: Any) -> None:
            place = (own or frame)[slot]
            place.s.v[place.at] = value

        return Code(run, symbol.type, store, lambda frame: (own or frame)[slot])
    if own is not None:

        def store_global(_: Frame, value: Any) -> None:
            own[slot] = value

        return Code(lambda _: own[slot], symbol.type, store_global, lambda _: Pointer(Cells(own), slot, symbol.type))

    def store_local(frame: Frame, value: Any) -> None:
        frame[slot] = value

    return Code(
        lambda frame: frame[slot], symbol.type, store_local, lambda frame: Pointer(Cells(frame), slot, symbol.type)
    )


class Cells:
    """The variables of a frame as memory."""

    __slots__ = ("v",)

    def __init__(self, v: Frame) -> None:
        self.v = v

    @property
    def raw(self) -> None:
        """None: these are no bytes."""
        return


def converted(code: Code, to: Any) -> Run:
    """Return the value of an expression as one of a type, as an assignment or a call makes it."""
    run, was = code.run, code.type
    if was == to or to in (BLANK, TEXT):
        is_copied = isinstance(to, RecordType | VectorOf) and code.place is not None  # else it is made for this
        return (lambda frame: value_of(run(frame))) if is_copied else run
    made = None
    if isinstance(to, Number):
        made = _to_number(run, was, to)
    elif isinstance(to, PointerTo):
        made = _to_pointer(run, was, to)
    elif isinstance(to, VectorOf) and isinstance(was, VectorOf) and was.of == to.of:
        return lambda frame: value_of(run(frame))
    if made is None:
        raise UnreadError(f"{was} as {to}")
    return made


def _to_number(run: Run, was: Any, to: Number) -> Run | None:
    if isinstance(was, Number):
        convert = CONVERTERS[to]
        return run if is_widening(was, to) else lambda frame: convert(run(frame))
    if was == BLANK:
        return lambda _: 1
    return (lambda frame: run(frame) is not None) if isinstance(was, PointerTo) and to.code == "?" else None


def _to_pointer(run: Run, was: Any, to: PointerTo) -> Run | None:
    if isinstance(was, Number):
        return lambda frame: run(frame) or None  # NULL
    if isinstance(was, VectorOf):
        return lambda frame: as_pointer(run(frame))
    if isinstance(was, PointerTo | ArrayOf):
        return _cast_pointer(run, was.of, to.of)
    return run if was in (NOTHING, BLANK, TEXT) else None


def _cast_pointer(run: Run, was: Any, to: Any) -> Run:
    if was == to or not isinstance(to, Number):
        return run

    def cast(frame: Frame) -> Any:
        place = run(frame)
        return place if place is None else place.cast(to)

    return cast


def as_pointer(value: Any) -> Any:
    """Return the first place of a vector, and any other value as it is."""
    return value.pointer() if isinstance(value, Vector) else value


def is_widening(was: Number, to: Number) -> bool:
    """Return whether each number of one type is the same one in another."""
    if was.code == "?":
        return not to.is_real
    if was.is_real:
        return to.is_real and to.size >= was.size
    if to.is_real:
        return False
    return to.size > was.size and (to.is_signed or not was.is_signed)
