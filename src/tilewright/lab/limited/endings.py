"""How a process with limits ended, in a sentence that names the limit."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from .limits import Limits

MOST_SAID_BYTES = 2000
_NEAR = 0.7
"""A crash above this share of the memory limit counts as reaching it: a failed allocation may crash any code."""


@dataclass(frozen=True)
class Ending:
    """How a process ended.

    status: negative for a signal; None if its time was up. said: the end of its error output. peak_bytes, cpu_seconds:
    what it used; 0 if unknown.
    """

    status: int | None
    said: str = ""
    peak_bytes: int = 0
    cpu_seconds: float = 0.0


NO_TEMPLATE = Ending(1, "the process that it is forked from has ended")


class LimitedError(RuntimeError):
    """A task in a child process that gave no answer; the message says why, without a period."""


class LimitReachedError(LimitedError):
    """It reached a limit. budget: `time` or `memory`."""

    def __init__(self, text: str, budget: str) -> None:
        super().__init__(text)
        self.budget = budget


def error_of(ending: Ending, what: str, limits: Limits) -> LimitedError:
    """Return what to raise for a process that gave no answer. what: `the check`."""
    memory = f"{limits.memory_bytes / (1 << 20):.0f} MiB"
    status = ending.status
    used_up = ending.cpu_seconds >= limits.cpu_seconds
    if status is None or status == -_number("SIGXCPU") or (status == -_number("SIGKILL") and used_up):
        return LimitReachedError(f"{what} did not end within {limits.seconds:g} seconds", "time")
    said = ending.said
    is_full = ending.peak_bytes > _NEAR * limits.memory_bytes and status < 0
    if is_full or "MemoryError" in said or "bad_alloc" in said or "out of memory" in said.lower():
        return LimitReachedError(f"{what} needs more than {memory} of memory", "memory")
    if status == -_number("SIGKILL"):
        return LimitedError(f"{what} was killed: by someone, or by the system because its memory ran out")
    if status < 0:
        return LimitedError(f"{what} crashed ({_name(-status)}; it may use {memory} of memory)")
    if status == 0:
        return LimitedError(f"{what} ended without an answer")
    last = said.rpartition("\n")[2]
    return LimitedError(f"{what} broke off (status {status}{f': {last}' if last else ''})")


def _number(name: str) -> int:
    """Return a signal's number; 0, which is no signal, where the system does not have it."""
    return int(getattr(signal, name, 0))


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
