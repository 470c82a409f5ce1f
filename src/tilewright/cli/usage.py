"""Typer's usage errors in sentences that name what was given, the same with all of its versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def usage_sentence(error: Any, arguments: Sequence[str]) -> str:
    """The text of one of Typer's usage errors, for the command's `arguments`."""
    text = str(error.format_message())
    details = getattr(error.__cause__, "errors", None)  # newer versions check values with pydantic
    if callable(details):
        return text.replace(str(error.message), _fault(details()[0]))
    commands = getattr(getattr(getattr(error, "ctx", None), "command", None), "commands", {})
    if text.startswith("No such command") and commands:
        known = ", ".join(commands)
        return f"{text} There are {known}." if text.endswith("?") else f"{text.rstrip('.')}; there are {known}."
    option = getattr(error, "option_name", None)
    if "requires" in text and option is not None:
        return f"{text.rstrip('.')}; {_followers(option, arguments)}."
    return text


def _fault(detail: Mapping[str, Any]) -> str:
    given, limits = detail["input"], detail.get("ctx", {})
    if detail["type"] == "int_parsing":
        return f"{given!r} is not a valid integer."
    if detail["type"] == "greater_than_equal":
        return f"{given} is not in the range x>={limits['ge']}."
    if detail["type"] == "less_than_equal":
        return f"{given} is not in the range x<={limits['le']}."
    if detail["type"] == "value_error":
        return str(limits.get("error", detail["msg"]))
    return f"{given!r} does not do. {detail['msg']}"


def _followers(option: str, arguments: Sequence[str]) -> str:
    """What stands behind an option, after a space or an equals sign."""
    words: list[str] = []
    for number, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == option:
            words = [*([value] if value else []), *arguments[number + 1 :]]
    if not words:
        return "nothing follows it"
    return f"{' '.join(words)!r} {'follow' if len(words) > 1 else 'follows'} it"
