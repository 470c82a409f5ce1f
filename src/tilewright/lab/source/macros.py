"""The macros of a file, as far as they tell what is code for the device."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from copy import copy
from dataclasses import dataclass

from tilewright.lab.source.lexing import closing, code_only, logical_lines, split_arguments, words

SPACES = frozenset({"__global__", "__device__", "__constant__", "__shared__", "__managed__"})
_ATTRIBUTES = {"__host__", "__forceinline__", "__noinline__", "__launch_bounds__", "__cluster_dims__", "__maxnreg__"}
ANNOTATIONS = SPACES | _ATTRIBUTES | {"__align__", "__grid_constant__", "__block_size__", "__nv_pure__", "__restrict__"}
_DEFINE = re.compile(r"\s*#\s*define\s+(?P<name>\w+)(?P<parameters>\([^)]*\))?[ \t]*(?P<body>.*)", re.DOTALL)
_DEPTH = 64
_MAX_EXPANSION = 1 << 16


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
                body = content[match.start("body") :].strip()
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
