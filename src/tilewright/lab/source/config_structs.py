"""Templates that take a struct of constants, `template <class Cfg> __global__ void product(...)` with `Cfg::TILE`.

A file's text gets the numbers of the first such struct that it passes in place of `Cfg::TILE`; lines stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tilewright.lab.source.expressions import UnknownValueError
from tilewright.lab.source.host_code import HostCode
from tilewright.lab.source.macros import closing, code_only, split_arguments
from tilewright.lab.source.syntax import Syntax

_HEAD = re.compile(r"\btemplate\s*<(?P<parameters>(?:[^<>]|<[^<>]*>)*)>")
_TYPE = re.compile(r"^\s*(?:typename|class)\s+(?P<name>[A-Za-z_]\w*)\s*(?:=.*)?$", re.DOTALL)
_STRUCT = re.compile(r"\b(?:struct|class)\s+(?P<name>[A-Za-z_]\w*)\s*(?:final\s*)?\{")
_ALIAS = re.compile(r"\busing\s+(?P<name>\w+)\s*=\s*(?P<type>[^;]+);|\btypedef\s+(?P<of>[^;]+?)\s+(?P<called>\w+)\s*;")
_CONSTANTS = re.compile(
    r"\b(?:static\s+constexpr|constexpr\s+static|static\s+const|const\s+static)\s+"
    r"(?:(?:const|unsigned|signed|long|short|int|size_t|std::size_t|bool|auto|u?int\d+_t)\s+)+(?P<list>[^;(]*(?:\([^;]*)?);"
    r"|\benum\b[\w\s:]*\{(?P<enum>[^}]*)\}"
)
_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?:=|\{)\s*(?P<value>.+?)\s*\}?$", re.DOTALL)
_PART = re.compile(r"(?:[^<>,]|<[^<>]*>)+")
"""One of the arguments of a template, of which each may have some of its own."""
_ARGUMENTS = re.compile(r"\b[A-Za-z_]\w*\s*<(?P<list>(?:[^<>;{}()=&|]|<[^<>;{}]*>)+)>")


@dataclass(frozen=True)
class _Struct:
    """A struct of constants. parameters: of its template, with their defaults. members: the texts of its constants and
    types, in their order.
    """

    parameters: list[tuple[str, str]]
    members: dict[str, str] = field(default_factory=dict)


def with_numbers_of_configs(text: str, name: str = "the file") -> str:
    """Return a text whose templates use the numbers of a struct that is passed to them as a type."""
    code = code_only(text)
    used = _used(code)
    if not used:
        return text
    edits: list[tuple[int, int, str]] = []
    configs = [_values(text, config, name) for config in configs_passed(text)]
    for places in used.values():
        wanted = {member for _, _, member in places}
        values = next((each for each in configs if wanted <= each.keys()), dict[str, str]())
        edits += [(start, end, values[member]) for start, end, member in places if values]
    for start, end, value in sorted(edits, reverse=True):
        text = text[:start] + value + text[end:]
    return text


def configs_passed(text: str) -> list[str]:
    """Return the structs of constants that a text passes as template arguments, without aliases, in its order."""
    code = code_only(text)
    structs, aliases = _structs(code), _aliases(code)
    found = []
    for match in _ARGUMENTS.finditer(code):
        if code[: match.start()].rstrip().endswith(("struct", "class")):
            continue
        for each in _PART.findall(match["list"]):
            config = _without_aliases(each.strip(), aliases)
            if config.split("<")[0].strip() in structs:
                found.append(config)
    return list(dict.fromkeys(found))


def _used(code: str) -> dict[str, list[tuple[int, int, str]]]:
    """Return where each type parameter's members are used, if it is used for nothing but numbers and types."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    for head in _HEAD.finditer(code):
        opening, end = code.find("{", head.end()), code.find(";", head.end())
        if opening < 0 or 0 <= end < opening:
            continue
        last = closing(code, opening)
        for parameter in _PART.findall(head["parameters"]):
            typed = _TYPE.match(parameter)
            if typed is None:
                continue
            member = re.compile(rf"(?:\btypename\s+)?\b{typed['name']}\s*::\s*(?P<member>\w+)\b(?!\s*[(<])")
            places = [
                (each.start() + head.end(), each.end() + head.end(), each["member"])
                for each in member.finditer(code[head.end() : last])
            ]
            if places:
                found.setdefault(typed["name"], []).extend(places)
    return {name: sorted(set(places)) for name, places in found.items()}


def _structs(code: str) -> dict[str, _Struct]:
    found = {}
    for match in _STRUCT.finditer(code):
        body = code[match.end() : closing(code, match.end() - 1)]
        members = dict(_members(body))
        if members:
            before = code[: match.start()]
            head = next((each for each in _HEAD.finditer(before) if not before[each.end() :].strip()), None)
            listed = _PART.findall(head["parameters"]) if head else []
            found[match["name"]] = _Struct([_parameter(each) for each in listed], members)
    return found


def _parameter(text: str) -> tuple[str, str]:
    """Return a template parameter's name and its default."""
    declared, _, value = text.partition("=")
    return next(reversed(declared.split()), ""), value.strip()


def _members(body: str) -> Iterator[tuple[str, str]]:
    for match in _CONSTANTS.finditer(body):
        following = "0"
        for each in split_arguments(match["list"] or match["enum"] or ""):
            named = _NAMED.match(each.strip())
            name, value = (named["name"], named["value"]) if named else (each.strip(), following)
            if match["enum"] is None and named is None:
                continue
            yield name, value
            following = f"({value}) + 1"
    yield from _aliases(body).items()


def _aliases(code: str) -> dict[str, str]:
    pairs = ((each["name"] or each["called"], each["type"] or each["of"]) for each in _ALIAS.finditer(code))
    return {name: " ".join(of.split()) for name, of in pairs}


def _without_aliases(config: str, aliases: dict[str, str]) -> str:
    for _ in range(len(aliases)):
        if config not in aliases:
            break
        config = aliases[config]
    return config


def _values(text: str, config: str, name: str) -> dict[str, str]:
    """Return the numbers and types of a struct with its template's arguments, as texts."""
    code = code_only(text)
    called, _, rest = config.partition("<")
    struct = _structs(code)[called.strip()]
    given = _PART.findall(rest.rpartition(">")[0])
    known: dict[str, int] = {}
    types: dict[str, str] = {}
    syntax = Syntax(text, name=name)
    bound = [(each, given[at] if at < len(given) else default) for at, (each, default) in enumerate(struct.parameters)]
    for member, value in [*bound, *struct.members.items()]:
        if not value:
            continue
        try:
            number = HostCode(syntax, syntax.root, known).evaluate(value.strip())
        except UnknownValueError:
            types[member] = types.get(value.strip(), value.strip())
            continue
        if isinstance(number, int | float):
            known[member] = int(number)
    found = {member: str(number) for member, number in known.items() if member in struct.members}
    return found | {member: kept for member, kept in types.items() if member in _aliases_of(struct)}


def _aliases_of(struct: _Struct) -> set[str]:
    """Return the members that are types: single words, as far as numbers are not known."""
    return {name for name, value in struct.members.items() if re.fullmatch(r"[A-Za-z_][\w:]*(?:\s+\w+)*", value)}
