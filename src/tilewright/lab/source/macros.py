"""The macros of a file, as far as they tell what is code for the device."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from copy import copy
from dataclasses import dataclass

_QUIET = re.compile(
    r"""//(?:[^\n\\]|\\\r?\n|\\)*
      | /\*.*?(?:\*/|\Z)
      | (?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\(.*?(?:\)(?P=mark)"|\Z)
      | "(?:[^"\\\n]|\\\r?\n|\\.)*"
      | (?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*'
      | (?<![A-Za-z_])\d(?:'?[\w.])*      # so that the ' of 1'000 opens nothing
    """,
    re.DOTALL | re.VERBOSE,
)
_VISIBLE = re.compile(r"[^\s]")
_WORD = re.compile(r"[A-Za-z_]\w*")
SPACES = frozenset({"__global__", "__device__", "__constant__", "__shared__", "__managed__"})
_ATTRIBUTES = {"__host__", "__forceinline__", "__noinline__", "__launch_bounds__", "__cluster_dims__", "__maxnreg__"}
ANNOTATIONS = SPACES | _ATTRIBUTES | {"__align__", "__grid_constant__", "__block_size__", "__nv_pure__", "__restrict__"}
_DEFINE = re.compile(r"\s*#\s*define\s+(?P<name>\w+)(?P<parameters>\([^)]*\))?[ \t]*(?P<body>.*)", re.DOTALL)
_DEPTH = 64
_MAX_EXPANSION = 1 << 16


def blanked(text: str) -> str:
    """Return as many characters on as many lines, all of them blank."""
    return _VISIBLE.sub(" ", text)


def code_only(text: str) -> str:
    """Return the text with comments and the contents of strings blanked; every other character keeps its place."""

    def quiet(match: re.Match[str]) -> str:
        found = match[0]
        if found[0].isdigit():
            return found
        if found.startswith(("//", "/*")):
            return blanked(found)
        first = min(found.find(quote) for quote in "\"'" if quote in found)
        return found[: first + 1] + blanked(found[first + 1 : -1]) + found[-1]

    return _QUIET.sub(quiet, text)


def comments_only(text: str) -> str:
    """Return the text with all blanked but comments and the contents of strings, in their places."""
    return "".join(was if was != now else " " for was, now in zip(text, code_only(text), strict=True))


def without_comments(text: str) -> str:
    """Return the text with a space in place of each comment, as the preprocessor sees it; strings stay."""
    return _QUIET.sub(lambda match: " " if match[0].startswith(("//", "/*")) else match[0], text)


def words(code: str) -> set[str]:
    """Return the identifiers and keywords of code without comments and strings."""
    return set(_WORD.findall(code))


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number of its first line, line) for each line, those that a backslash joins as one."""
    number, kept, first = 0, "", 0
    for line in text.split("\n"):
        number += 1
        first = first or number
        bare = line.rstrip("\r")
        if bare.endswith("\\"):
            kept += bare[:-1]
            continue
        yield first, kept + bare
        kept, first = "", 0
    if first:
        yield first, kept


def closing(code: str, start: int) -> int:
    """Return the place of the bracket that closes the one at `start`, or -1. Comments and strings are blanked."""
    depth = 0
    for place in range(start, len(code)):
        if code[place] in "([{":
            depth += 1
        elif code[place] in ")]}":
            depth -= 1
            if depth == 0:
                return place
    return -1


def split_arguments(text: str) -> list[str]:
    """Return the parts of an argument list between its commas, as written; commas inside brackets are none."""
    code, parts, depth, start = code_only(text), [], 0, 0
    for place, character in enumerate(code):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*parts, last] if parts or last else []


class Lines:
    """The line numbers, from 1, of places in a text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def at(self, place: int) -> int:
        """Return the line of a character."""
        return bisect_right(self._starts, place)


@dataclass(frozen=True)
class Macro:
    """A definition; `parameters` is None for a macro without parentheses."""

    name: str
    parameters: tuple[str, ...] | None
    body: str
    line: int

    def expand(self, arguments: list[str]) -> str:
        """Return the body with the arguments in it."""
        names = self.parameters or ()
        if names and names[-1] == "...":
            fixed = len(names) - 1
            values = dict(zip(names[:-1], arguments, strict=False))
            values["__VA_ARGS__"] = ", ".join(arguments[fixed:])
        else:
            values = dict(zip(names, arguments, strict=False))
        text = re.sub(
            r"(?<!#)#\s*(\w+)", lambda m: '"' + values[m[1]] + '"' if m[1] in values else m[0], self.body
        )  # a parameter after # becomes a string
        text = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: values.get(m[0], m[0]), text)
        return re.sub(r"\s*##\s*", "", text)


class Macros:
    """All macros of some texts. Of several definitions of a name (under #if) each counts, the first is expanded."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.all: dict[str, list[Macro]] = {}
        for text in texts:
            for line, content in logical_lines(text):
                if "define" not in content:
                    continue
                match = _DEFINE.match(code_only(content))
                if match is None:
                    continue
                parameters = match["parameters"]
                names = tuple(part.strip() for part in parameters[1:-1].split(",")) if parameters else None
                if names == ("",):
                    names = ()
                body = without_comments(content[match.start("body") :]).strip()
                macro = Macro(match["name"], names, body, line)
                self.all.setdefault(macro.name, []).append(macro)
        self.annotations = self._names_of_annotations()
        self.of_code = {
            name
            for name, macros in self.all.items()
            for macro in macros
            if name in self.annotations and "{" in code_only(macro.body)
        }

    def without(self, names: Collection[str]) -> Macros:
        """Return the macros but for some names, which then stay as they are in what is expanded."""
        if not self.all.keys() & set(names):
            return self
        other = copy(self)
        other.all = {name: macros for name, macros in self.all.items() if name not in names}
        return other

    def _names_of_annotations(self) -> dict[str, frozenset[str]]:
        """Return macro -> annotations that its bodies hold, through other macros too."""
        found: dict[str, frozenset[str]] = {}
        bodies = {name: words(" ".join(code_only(m.body) for m in macros)) for name, macros in self.all.items()}
        for _ in range(_DEPTH):
            before = dict(found)
            for name, used in bodies.items():
                own = (used & ANNOTATIONS).union(*(found[word] for word in used if word in found))
                if own:
                    found[name] = frozenset(own)
            if found == before:
                break
        return found

    def words_behind(self, names: set[str]) -> set[str]:
        """Return the identifiers that macros among `names` bring in."""
        return {
            word
            for name in names & self.all.keys()
            for macro in self.all[name]
            for word in words(code_only(macro.body))
        }

    def value(self, name: str) -> str | None:
        """Return the body of a macro without parentheses."""
        for macro in self.all.get(name, []):
            if macro.parameters is None:
                return macro.body
        return None

    def expanded(self, text: str, depth: int = 0) -> str:
        """Return an expression or declaration with its macros replaced, as far as a sane depth and length go."""
        code = code_only(text)
        for match in re.finditer(r"\b[A-Za-z_]\w*\b", code):
            for macro in self.all.get(match[0], []):
                end = match.end()
                arguments: list[str] = []
                if macro.parameters is not None:
                    opening = re.compile(r"\s*\(").match(code, end)
                    last = closing(code, opening.end() - 1) if opening else -1
                    if opening is None or last < 0:
                        continue
                    arguments = split_arguments(text[opening.end() : last])
                    end = last + 1
                result = text[: match.start()] + macro.expand(arguments) + text[end:]
                if depth >= _DEPTH or len(result) > _MAX_EXPANSION:
                    return text
                return self.expanded(result, depth + 1)
        return text
