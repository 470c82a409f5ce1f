"""The five memories of seed 001, and the description of a variable in one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tilewright.lab.pointer_trace import Access

READ, READ_AND_WRITE, NOT_USED = "read", "read and write", "not used"
LAUNCH = "launch"
"""How long parameters live; the seed's other lifetimes are thread, block and application."""


@dataclass(frozen=True)
class MemoryKind:
    """A memory: who sees what lies there, how long it stays, and how fast it is, in seed 001's words.

    The seed says nothing of local memory's speed; that it lies in device memory is CUDA's programming guide.
    """

    name: str
    scope: str
    lifetime: str
    speed: str


REGISTER = MemoryKind("register", "thread", "thread", "very fast")
LOCAL = MemoryKind("local", "thread", "thread", "in device memory, as global memory is")
SHARED = MemoryKind("shared", "block", "block", "very fast")
GLOBAL = MemoryKind("global", "grid", "application", "very slow")
CONSTANT = MemoryKind("constant", "grid", "application", "very fast if in cache")
KINDS = (REGISTER, LOCAL, SHARED, GLOBAL, CONSTANT)


@dataclass(frozen=True)
class LocatedVariable:
    """A variable, or several that share a place, and where it lives.

    ``declaration`` is as in the source, "" where that is not at hand. ``access`` is what the kernel does: "read",
    "write", "read and write" or "not used". ``nbytes`` is per thread, block or grid, as ``scope`` says, None where it
    is not known. ``note`` says how the place is known, or what is special; no period at its end.
    """

    name: str
    declaration: str
    memory: MemoryKind
    scope: str
    lifetime: str
    access: str
    nbytes: int | None
    note: str = ""


def located(
    memory: MemoryKind,
    name: str,
    note: str = "",
    *,
    declaration: str = "",
    access: str = READ_AND_WRITE,
    nbytes: int | None = None,
) -> LocatedVariable:
    """Return a variable with its memory's own scope and lifetime."""
    return LocatedVariable(name, declaration, memory, memory.scope, memory.lifetime, access, nbytes, note)


def access_of(found: Iterable[Access]) -> str:
    """Return what all accesses to a variable do together."""
    kinds = {kind for access in found for kind in access.kind.split(" and ")}
    if not kinds:
        return NOT_USED
    return READ_AND_WRITE if len(kinds) > 1 else kinds.pop()
