"""The parent's side of a task: requests it, answers its questions, and returns its result or how it ended."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self

from .endings import NO_TEMPLATE, Ending, LimitedError, error_of
from .limits import Limits
from .messages import Message, MessageError
from .task import ANSWERED, ASKED, BEGUN, TOLD

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

BEGINNING_SECONDS = 1200.0
"""How long a child may take to begin: the emulator may have to be compiled first."""


class Child(Protocol):
    """A process that does a task. It is ended when the block is left."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def say(self, value: object, arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Send a message; nothing happens where the process has ended already."""

    def hear(self, seconds: float) -> Message | None:
        """Return the next message, None at the end; raise TimeoutError, or MessageError for anything else."""

    def ending(self) -> Ending:
        """Wait until the process has ended, end it where that takes long, and return how it ended."""


class NeverBegunError(LimitedError):
    """The template ended before it could fork a child."""


class Conversation:
    """What the caller does while the task runs. A subclass answers questions, or listens to progress."""

    def told(self, what: Any) -> None:
        """Handle a report of the task. It comes from the process that read the file, so it cannot be trusted."""

    def asked(self, what: Any, arrays: Mapping[str, NDArray[Any]]) -> tuple[object, Mapping[str, NDArray[Any]]]:
        """Return the answer to a question of the task; its time does not run meanwhile."""
        raise LimitedError(f"the task asks what nobody answers, {what!r:.99} with {len(arrays)} arrays")


def run_limited(
    task: str,
    request: object,
    arrays: Mapping[str, NDArray[Any]] | None = None,
    *,
    what: str,
    limits: Limits,
    conversation: Conversation | None = None,
    modules: tuple[str, ...] = (),
) -> Any:
    """Do a task in a process with limits; return its answer, which is what JSON has.

    Args:
        task: `module:function` of ours, as tilewright.lab.limited.task describes it.
        request: what JSON has.
        arrays: by name, of numbers.
        what: the task in words, `the check`, for errors.
        limits: from its start.
        conversation: receives its reports and answers its questions.
        modules: the only ones that its process imports before; none for those of a check, the emulator among them.

    Raises:
        LimitedError: it crashed or gave no answer; LimitReachedError if it used up time or memory.
        MessageError: an array of the request has elements that are no numbers.
    """
    for is_last in (False, True):
        with _start(task, limits, modules) as child:
            child.say(request, arrays)
            try:
                return _answer(child, what, limits, conversation or Conversation())
            except NeverBegunError:  # the template had ended, and the next request starts another
                if is_last:
                    raise
    return None


def prepare() -> None:
    """Load what the first task needs in the background."""
    if has_template():
        from .asking import prepare_template

        prepare_template()


def has_template() -> bool:
    """Say whether tasks are forked from a template. macOS's libraries break in a fork, and Windows has none."""
    return sys.platform == "linux" and hasattr(os, "memfd_create")


def _start(task: str, limits: Limits, modules: tuple[str, ...]) -> Child:
    if has_template():
        from .asking import ForkedChild

        return ForkedChild(task, limits, modules)
    from .starting import StartedChild
    from .template import FIRST

    return StartedChild(task, limits, modules or FIRST)


def _answer(child: Child, what: str, limits: Limits, conversation: Conversation) -> Any:
    left, has_begun = BEGINNING_SECONDS, False
    while True:
        began = time.monotonic()
        try:
            message = child.hear(left)
            kind, said = (None, None) if message is None else message.value
        except TimeoutError:
            raise error_of(Ending(None), what, limits) from None
        except (MessageError, TypeError, ValueError) as error:
            raise LimitedError(f"{what} gave an answer that cannot be read: {error}".rstrip(".")) from error
        left -= time.monotonic() - began
        if message is None:
            raise _error(child.ending(), what, limits, has_begun=has_begun)
        if kind == BEGUN:
            left, has_begun = limits.seconds, True
        elif kind == TOLD:
            conversation.told(said)
        elif kind == ASKED:
            child.say(*conversation.asked(said, message.arrays))
        elif kind == ANSWERED:
            return said


def _error(ending: Ending, what: str, limits: Limits, *, has_begun: bool) -> LimitedError:
    if ending == NO_TEMPLATE and not has_begun:
        return NeverBegunError(f"{what} could not begin: {ending.said}")
    return error_of(ending, what, limits)
