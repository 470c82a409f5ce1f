"""The file's own `<<<>>>`: which of its names are sizes, and the launch at other sizes.

Nothing is run. A name is a size if changing its value changes the grid or an argument, but not the block. If a larger
value makes the grid smaller, it is a tile's side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tilewright.lab.check.run.execution import Geometry
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import LaunchSite, resolve_launch, resolve_number
from tilewright.lab.source.callers import passed_number
from tilewright.lab.source.macros import code_only
from tilewright.lab.source.names_behind import names_behind

from .launches import LaunchError
from .roles import Roles

PROBE = 7920
"""A size that no file has: given to a name, it shows what depends on that name."""
LARGE = (1 << 28, 1 << 29)
"""What is the same with both of them has an end."""
MOST_SIZES = 3
"""Of a product; a further one counts products."""
FIRST_DEFAULT = 480
"""Stand-in values of names that are known only at run time: this one, and then in steps of 480."""

LARGER = 64
"""Times that, tiles of several elements per thread show, too."""

DEFAULT_SIDE = 16
"""Stand-in value of a block's side that is known only at run time."""

MOST_EVALUATED = 100_000
"""Names that may be sizes, times those that each of them may change: at more, a file is made to be slow."""

_INITIAL = r"=[^;,(){}]*(?:\((?:[^(){};]|\([^(){};]*\))*\)[^;,(){}]*)*"
_WHOLE = r"(?:int|unsigned|long|short|size_t|ptrdiff_t|u?int(?:8|16|32|64)_t)"
_ALIAS = re.compile(
    rf"\busing\s+(?P<name>\w+)\s*=\s*(?:std::)?{_WHOLE}\b[\w\s]*;"
    rf"|\btypedef\s+(?:std::)?{_WHOLE}\b(?:\s+\w+)*?\s+(?P<called>\w+)\s*;"
)
_DECLARED = re.compile(
    rf"\b(?:{_WHOLE}|auto)[ \t\n&]+(?:const[ \t]+)?"
    rf"(?P<names>[A-Za-z_]\w*(?:{_INITIAL}|[^;(){{}}=])*)"
)
_FLAG = re.compile(r"\bbool[ \t]+(?P<name>[A-Za-z_]\w*)\s*(?=[=,;)])")
_NAMED = re.compile(r"(?:^|,)\s*\**\s*(?:(?:const|int|unsigned|long|size_t)\s+)*(?P<name>[A-Za-z_]\w*)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TYPES = {"bool", "char", "const", "double", "float", "half", "int", "long", "short", "signed", "unsigned", "void"}


@dataclass(frozen=True)
class OwnLaunch:
    """The file's own launch.

    roots: the names that determine the sizes. block_names: those that determine the sides of blocks or tiles. unknown:
    names with a stand-in value. passed: of these the sides of blocks whose value a call in the file passes. counts:
    roots that change the grid's z alone, such as a number of products. passed_as: roots with the text of the only
    argument that each is passed as.
    """

    site: LaunchSite
    roots: tuple[str, ...]
    block_names: frozenset[str] = frozenset()
    unknown: tuple[tuple[str, int], ...] = ()
    passed: frozenset[str] = frozenset()
    counts: tuple[str, ...] = ()
    passed_as: tuple[tuple[str, str], ...] = ()
    _resolved: dict[tuple[tuple[str, int], ...], Geometry | str] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def taken_for_sides(self) -> tuple[str, ...]:
        """The names that determine the block's sides and are known only at run time."""
        return tuple(name for name, _ in self.unknown if name in self.block_names - self.passed)

    @property
    def is_guess(self) -> bool:
        """Whether the block is a guess, since its sides are known only at run time."""
        return bool(self.taken_for_sides)

    @property
    def said(self) -> str:
        """The launch as it is written in the file."""
        return self.site.said

    def knows(self, text: str) -> bool:
        """Return whether an argument is known or follows from the sizes; `text.size()` of a container does not."""
        return not isinstance(resolve_number(self.site, text, dict(self.unknown) | dict.fromkeys(self.roots, 1)), str)

    def launched_by(self, site: LaunchSite) -> OwnLaunch:
        """Return another launch of the file's, under the same names."""
        return replace(self, site=site, _resolved={})

    def with_sides(self, sides: Sequence[tuple[str, int]]) -> OwnLaunch:
        """Return the launch with other values of names that determine its blocks."""
        return replace(self, unknown=tuple((dict(self.unknown) | dict(sides)).items()), _resolved={})

    def at(self, roles: Roles, sizes: Sizes) -> Geometry:
        """Return the launch with these sizes instead of the file's."""
        values = self._environment(roles, sizes)
        if values not in self._resolved:
            self._resolved[values] = _resolve(self.site, dict(values))
        found = self._resolved[values]
        if isinstance(found, str):
            raise LaunchError(found)
        return found

    def number(self, text: str, roles: Roles, sizes: Sizes) -> int:
        """Return the value of an argument's text at these sizes."""
        value = resolve_number(self.site, text, dict(self._environment(roles, sizes)))
        if isinstance(value, str | tuple):
            raise LaunchError(value if isinstance(value, str) else f"{text} is no number.")
        return int(value)

    def _environment(self, roles: Roles, sizes: Sizes) -> tuple[tuple[str, int], ...]:
        values = dict(self.unknown) | roles.constants_at(sizes)
        return tuple(sorted(values.items()))


@dataclass(frozen=True)
class _Probe:
    """Evaluates the launch with changed values of names."""

    site: LaunchSite
    base: dict[str, int]
    arguments: Sequence[str]

    def seen(self, changes: Mapping[str, int]) -> tuple[object, object, tuple[object, ...]]:
        """Return grid, block and arguments, with a sentence in place of those that can't be computed."""
        values = self.base | dict(changes)
        launch = resolve_launch(self.site, values)
        sides = (launch, launch) if isinstance(launch, str) else (launch.grid, launch.block)
        return *sides, tuple(resolve_number(self.site, text, values) for text in self.arguments)

    def value(self, name: str, changes: Mapping[str, int]) -> object:
        """Return a name's value."""
        return resolve_number(self.site, name, self.base | dict(changes))


def own_launch(site: LaunchSite, text: str, size_arguments: Sequence[str], constants: Iterable[str]) -> OwnLaunch:
    """Return the launch, with the names that are its sizes.

    text: of the file. size_arguments: the texts passed for the kernel's whole numbers. constants: their names in the
    file. Raises LaunchError if the launch can't be computed at any sizes.
    """
    code = code_only(text)
    used = {word for argument in size_arguments for word in _WORD.findall(argument)}
    matter = names_behind(site.syntax, ", ".join([site.sizes_text, *size_arguments]))
    names = dict.fromkeys([*constants, *_declared(code)])
    declared = [name for name in names if name in matter and name != "argc"]  # expressions.py takes the default
    candidates = [name for name in declared if name not in ("i", "j") or name in used]  # of loops, else
    if len(candidates) * len(matter) > MOST_EVALUATED:
        raise LaunchError(f"The launch of line {site.line} depends on more names than are followed ({len(matter):,}).")
    base = _stand_ins(site, candidates, _switched_off(site, code))
    probe = _Probe(site, base, size_arguments)
    before = probe.seen({})
    shapes = [name for name in base if probe.seen({name: PROBE})[1] != before[1]]  # of the block
    sides = [name for name in shapes if name not in size_arguments or _divides(probe, name)]
    passed = {name: value for name in sides if (value := passed_number(site, name))}
    for name in sides:
        base[name] = passed.get(name, DEFAULT_SIDE)
    before = probe.seen({})
    if isinstance(before[0], str):
        raise LaunchError(before[0])
    sizes: list[str] = []
    known = [*constants, *(name for name in candidates if name not in base)]  # as `wide = TILE * COARSE`
    large = replace(probe, base={name: value * (1 if name in sides else LARGER) for name, value in base.items()})
    tiles = {
        name
        for name in known
        if name in matter and name not in size_arguments and (_divides(probe, name) or _divides(large, name))
    }
    for name in candidates:
        grid, block, arguments = probe.seen({name: PROBE})
        is_argument = name in size_arguments
        if block != before[1]:
            tiles.add(name)
        is_tile = name in tiles and (not is_argument or _divides(probe, name))
        if (grid, arguments) != (before[0], before[2]) and not is_tile:
            sizes.append(name)
    roots = [name for name in sizes if not any(_follows(probe, name, other) for other in sizes if other != name)]
    unknown = tuple((name, value) for name, value in base.items() if name not in roots)
    ordered = sorted(roots, key=lambda name: (name not in used, sizes.index(name)))
    counts = [name for name in ordered if any(_is_depth(probe, name, value) for value in (PROBE, 1))]
    if any(name in used for name in counts):  # and the others are the most blocks along z
        ordered = [name for name in ordered if name in used or name not in counts]
        counts = [name for name in counts if name in used]
    ordered = _passed_alone(probe, ordered) or ordered
    counts = counts or _counted_alone(probe, ordered)
    passed_as = tuple(_passed_as(probe, ordered))
    return OwnLaunch(site, tuple(ordered), frozenset(tiles), unknown, frozenset(passed), tuple(counts), passed_as)


def is_capped(site: LaunchSite, text: str) -> bool:
    """Return whether what the host passes grows with another name up to an end: `if (blocks > 256) blocks = 256`."""
    for name in names_behind(site.syntax, text) - {text}:
        least, large, larger = (resolve_number(site, text, {name: value}) for value in (1, *LARGE))
        if isinstance(least, int) and isinstance(large, int) and least < large == larger:
            return True
    return False


def _counted_alone(probe: _Probe, roots: Sequence[str]) -> list[str]:
    """Return the root of four that alone determines the grid, if there is one: products may be counted by blocks."""
    grid = probe.seen({})[0]
    counted = [name for name in roots if any(probe.seen({name: value})[0] != grid for value in (PROBE, 1))]
    return counted if len(roots) == MOST_SIZES + 1 and len(counted) == 1 else []


def _passed_as(probe: _Probe, roots: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the roots that are passed in one argument alone, as the field of a struct that the host fills."""
    for name in roots:
        arguments = probe.seen({name: PROBE})[2]
        own = [text for text, value in zip(probe.arguments, arguments, strict=True) if value == PROBE]
        if len(own) == 1:
            yield name, own[0]


def _is_depth(probe: _Probe, name: str, value: int) -> bool:
    """Return whether another value of a name changes the grid's z alone; one that is capped shows at small values."""
    before, after = probe.seen({})[0], probe.seen({name: value})[0]
    if not isinstance(before, tuple) or not isinstance(after, tuple):
        return False
    return before[:2] == after[:2] and before[2] != after[2]


def _passed_alone(probe: _Probe, roots: Sequence[str]) -> list[str]:
    """Return what is passed of the sizes, as `count` of `width` and `height`, if it alone determines the launch."""
    names = [text for text in dict.fromkeys(probe.arguments) if text.isidentifier() and text not in roots]
    words = {word for text in probe.arguments for word in _WORD.findall(text)}
    made = [name for name in names if any(_follows(probe, name, root) for root in roots)]
    if not roots or not made or words & set(roots):
        return []
    fixed = dict.fromkeys(made, FIRST_DEFAULT)
    before = probe.seen(fixed)
    return made if all(probe.seen({**fixed, root: PROBE}) == before for root in roots) else []


def _stand_ins(site: LaunchSite, names: Iterable[str], flags: Mapping[str, int]) -> dict[str, int]:
    """Return values for the names that are known only at run time and that are not computed from each other."""
    base = dict(flags)
    for name in names:
        if isinstance(resolve_number(site, name, base), str):
            base[name] = FIRST_DEFAULT * (len(base) + 1)
    for name in [name for name in base if name not in flags]:
        others = {other: value for other, value in base.items() if other != name}
        if not isinstance(resolve_number(site, name, others), str):
            base = others  # as `perSlice` from k and the number of slices
    return base


def _switched_off(site: LaunchSite, code: str) -> dict[str, int]:
    """Return the flags that only the running program knows, each as if it were false."""
    flags = dict.fromkeys(_FLAG.findall(code))
    return {name: 0 for name in flags if isinstance(resolve_number(site, name, {}), str)}


def _divides(probe: _Probe, name: str) -> bool:
    """Return whether a larger value makes the grid smaller, so that the name is a tile's side and not a size."""
    value = DEFAULT_SIDE if name in probe.base else probe.value(name, {})  # a stand-in is larger than any side
    grid, grown = (probe.seen({name: times * value})[0] if isinstance(value, int) else None for times in (1, 4))
    if not isinstance(grid, tuple) or not isinstance(grown, tuple):
        return False
    return grown != grid and all(after <= before for before, after in zip(grid, grown, strict=True))


def _declared(code: str) -> list[str]:
    names: list[str] = []
    for alias in _ALIAS.finditer(code):
        code = re.sub(rf"\b{alias['name'] or alias['called']}\b(?!\s*=)", "int", code)
    for match in _DECLARED.finditer(code):
        if code[match.end() : match.end() + 1] == "(" and "=" not in match["names"]:
            continue  # a function
        pieces = re.sub(_INITIAL, "", match["names"])
        names += [found["name"] for found in _NAMED.finditer(pieces) if found["name"] not in _TYPES]
    return names


def _follows(probe: _Probe, name: str, other: str) -> bool:
    """Return whether a name is computed from another; one that is capped, as blocks are, shows at small values."""
    before, others = probe.value(name, {}), (probe.value(name, {other: value}) for value in (PROBE, 1))
    return any(after != before and not isinstance(after, str) for after in others)


def _resolve(site: LaunchSite, values: Mapping[str, int]) -> Geometry | str:
    launch = resolve_launch(site, values)
    if isinstance(launch, str):
        return launch
    if min(*launch.grid, *launch.block) < 1:
        return (
            f"The launch of line {site.line} has the grid {launch.grid} and the block {launch.block} at these sizes, "
            "and each must be 1 or more."
        )
    return Geometry(launch.grid, launch.block, launch.shared_bytes)
