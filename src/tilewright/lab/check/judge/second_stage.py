"""A second kernel that adds up the partial sums of the first: it is run with as many as the host can give it.

A block without a loop takes as many as it has threads. That shows with long vectors alone, at which no first kernel is
run here; their partial sums are few enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.run.execution import Argument, Geometry, Pointer
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import CompileError, KernelSignature, LaunchSite, resolve_number
from tilewright.lab.source.macros import code_only, comments_only
from tilewright.lab.source.names_behind import names_behind
from tilewright.lab.source.syntax import function_around

from .host_calls import HostSlip
from .launch_causes import next_power

FEW, MANY = (4133, 331), 4_000_037
"""Lengths of vectors: the second kernel must be right with few partial sums, so that it is one of sums."""
LEAST = 3
"""So many partial sums can hardly come out right by chance."""
POWERS = 13
"""So many powers of 2 are added up exactly; a third of their sum is no whole number."""
BUDGET = 20_000_000
_CAPPED = re.compile(
    r"\bif\s*\(\s*(?P<one>\w+)\s*>=?\s*(?P<end>\w+)\s*\)\s*\{?\s*(?P=one)\s*=\s*(?P=end)\s*;"
    r"|(?<![\w.])(?P<less>\w+)\s*<=?\s*(?P<most>\w+)\s*\)?\s*\?\s*(?:\(\s*[\w ]+\)\s*)?(?P=less)\s*:\s*(?P=most)\b"
    r"|(?<![\w.])(?P<more>\w+)\s*>=?\s*(?P<top>\w+)\s*\)?\s*\?\s*(?P=top)\s*:\s*(?:\(\s*[\w ]+\)\s*)?(?P=more)\b"
)
"""A number with an end, which is no limit to what it is made of: blocks of which there may be so many."""
_COMPUTED = r"(?:[^(),;]|\((?:[^()]|\([^()]*\))*\))*[-+/](?:[^(),;]|\((?:[^()]|\([^()]*\))*\))*"
_LEAST = re.compile(
    rf"\bf?min\s*(?:<[^<>;]*>)?\s*\(\s*(?:(?:\(\s*[\w ]+\)\s*)?(?P<first>[A-Za-z_]\w*)\s*,{_COMPUTED}\)"
    rf"|{_COMPUTED},\s*(?:\(\s*[\w ]+\)\s*)?(?P<last>[A-Za-z_]\w*)\s*\))"
)
"""The same as the lesser of it and of what is computed: `min((n + 255) / 256, MOST)`."""
_NUMBER = re.compile(r"\d[\d',._]*")
_POWER = re.compile(r"\b2\s*(?:\^|\*\*)\s*(\d+)|\b1\s*<<\s*(\d+)")


def sums_not_taken(
    kernel: KernelFile, found: Found, following: tuple[KernelSignature, LaunchSite], given: str, told: str
) -> Iterator[HostSlip]:
    """Yield where a second kernel reads partial sums, if it adds up few of them and leaves some of many.

    given, told: the array and the number of partial sums, as the host passes them.
    """
    signature, site = following
    rule = found.rule
    assert isinstance(rule, OwnLaunch)
    at_second = rule.launched_by(site)
    second = KernelFile(kernel.opened, signature, replace(kernel.options, template_arguments=()))
    combine = (KINDS[found.roles.operation].combine if found.roles.operation in KINDS else None) or numpy.add
    counts: list[int] = []
    longest = longest_of(rule, site)
    for length in (*FEW, longest):
        sizes = found.roles.sized(Sizes(1, length, 1).of_family(found.roles.family))
        try:
            count, geometry = at_second.number(told, found.roles, sizes), at_second.at(found.roles, sizes)
            threads = prod(geometry.block)
            if length == longest and (not counts or is_limited(kernel, rule, site, told, threads, longest)):
                return
            if length != longest and not LEAST <= count <= threads:
                continue
            values = 2 + numpy.arange(count) % 3  # whose sums are exact
            result = _left_by(second, site, given, values, geometry)
            is_told = count == prod(rule.at(found.roles, sizes).grid)  # and not of the length, of which it knows more
            if result is not None and result != combine.reduce(values) and length != longest and is_told:
                powers = list(_no_power(second, site, given, values, geometry))
                yield from powers or _some_of_few(second, site, given, geometry)
        except (CheckError, CompileError, LaunchError):
            return
        if result is None or (length != longest and result != combine.reduce(values)):
            return
        counts.append(count)
    if result != combine.reduce(values):
        said = f"With {longest:,} elements, {signature.name} is given {counts[-1]:,} partial sums in line {site.line}"
        yield _read(second, site, given), f"{said}, and does not add up all of them. With {counts[0]:,} it does.", None


def _no_power(
    second: KernelFile, site: LaunchSite, given: str, values: NDArray[Any], geometry: Geometry
) -> Iterator[HostSlip]:
    """Yield the launch of a second kernel that adds up all sums with the next power of two of threads alone."""
    threads = prod(geometry.block)
    power = next_power(threads)
    if threads == power or threads != geometry.block[0]:
        return
    shared = -(-geometry.shared_bytes // threads) * power
    result = _left_by(second, site, given, values, replace(geometry, block=(power, 1, 1), shared_bytes=shared))
    if result == values.sum():
        said = f"With {threads:,} threads, {second.signature.name} leaves some of {values.size:,} partial sums"
        line = second.opened.file.text.count("\n", 0, _read(second, site, given)) + 1
        yield site.node.start_byte, f"{said}; with {power:,}, a power of two, it adds up all of them.", line


def _read(second: KernelFile, site: LaunchSite, given: str) -> int:
    """Return where the second kernel first reads the partial sums."""
    at = second.body.index("{")
    name = second.signature.parameters[site.arguments.index(given)].name
    read = re.search(rf"\b{re.escape(name)}\s*\[", second.body[at:])
    return second.line_start(at + (read.start() if read else 0))


def _some_of_few(second: KernelFile, site: LaunchSite, given: str, geometry: Geometry) -> Iterator[HostSlip]:
    """Yield where a kernel reads the partial sums of which it adds up some: sums of powers of 2 show which."""
    values = 2 ** numpy.arange(POWERS)
    result = _left_by(second, site, given, values, geometry)
    if result is not None and result.is_integer() and 0 <= result < values.sum():
        left = [number for number in range(POWERS) if not int(result) >> number & 1]
        said = f"Of {POWERS} partial sums, {second.signature.name} leaves out {len(left)}"
        yield _read(second, site, given), f"{said}, as number {left[0]}.", None


def is_read_behind(
    kernel: KernelFile, found: Found, following: tuple[KernelSignature, LaunchSite], given: str, told: str, sizes: Sizes
) -> bool:
    """Return whether a second kernel that is told of more sums than there are leaves another one than theirs."""
    signature, site = following
    rule = found.rule
    assert isinstance(rule, OwnLaunch)
    second = KernelFile(kernel.opened, signature, replace(kernel.options, template_arguments=()))
    values = 2 + numpy.arange(prod(rule.at(found.roles, sizes).grid)) % 3
    try:
        at_second = rule.launched_by(site)
        count, geometry = at_second.number(told, found.roles, sizes), at_second.at(found.roles, sizes)
        padded = numpy.concatenate([values, 7 + 0 * numpy.arange(max(count - values.size, 0))])
        result = _left_by(second, site, given, padded, geometry)
    except (CheckError, CompileError, LaunchError):
        return False
    return result is not None and result != values.sum()


def _left_by(
    second: KernelFile, site: LaunchSite, given: str, values: NDArray[Any], geometry: Geometry
) -> float | None:
    """Return what a launch of one block leaves of these numbers; None if it is stopped, or has more blocks."""
    if prod(geometry.grid) != 1 or not values.size:
        return None
    arguments: list[Argument] = []
    for parameter, text in zip(second.signature.parameters, site.arguments, strict=True):
        dtype = dtype_of(second.element_type(parameter.element_type))
        if dtype is None or dtype.kind not in "fiu" or dtype.itemsize < 4:
            return None
        if not parameter.is_pointer:
            arguments.append(values.size)
        elif text == given:
            arguments.append(Pointer("partial", values.astype(dtype)))
        else:
            arguments.append(Pointer("whole", numpy.zeros(1, dtype)))
    outcome = second.stand({}).run(arguments, geometry, budget=BUDGET)
    if outcome.fault is not None or outcome.refusal or "whole" not in outcome.arrays:
        return None
    return float(outcome.arrays["whole"][0])


def longest_of(rule: OwnLaunch, site: LaunchSite) -> int:
    """Return a length that vectors may have: the file's, where it is a number, or a large one."""
    lengths = _lengths(code_only(site.syntax.text), rule.roots)
    known = [length for root in lengths if (length := known_number(site, root)) is not None]
    return min(known, default=MANY)


def known_number(site: LaunchSite, name: str) -> int | None:
    """Return the value of a name at a launch, if the file says it."""
    value = resolve_number(site, name, {})
    return value if isinstance(value, int) else None


def _lengths(code: str, roots: Sequence[str]) -> list[str]:
    """Return the roots of a launch's sizes without those that are an end of another number, as of blocks."""
    ends = {cap["end"] or cap["most"] or cap["top"] for cap in _CAPPED.finditer(code)}
    ends |= {least["first"] or least["last"] for least in _LEAST.finditer(code)}
    return [root for root in roots if root not in ends]


def is_limited(
    kernel: KernelFile, rule: OwnLaunch, site: LaunchSite, told: str, threads: int, length: int = MANY
) -> bool:
    """Return whether the file may say that vectors are not that long: their length is known, or compared with less.

    threads: of the second kernel's block; numbers in comments that are less may mean anything.
    """
    text, function = kernel.opened.file.text, function_around(site.node)
    lengths = _lengths(code_only(text), rule.roots)
    given = [root for root in lengths if not re.search(rf"\b{root}\s*=[^;]*\bargv\b", text)]
    known = [value for root in given if not isinstance(value := resolve_number(site, root, {}), str)]
    if function is None or any(not isinstance(value, int) or value < length for value in known):
        return True
    code = code_only(text)
    if not _is_left_by_all(code, rule.roots):
        return True
    names = "|".join(map(re.escape, names_behind(site.syntax, told)))
    own = re.sub(r"\bfor\s*\((?:[^;:{]|::)*;[^;]*;|<\s*[\w:]+\s*>", "", code[function.start_byte : function.end_byte])
    own = _CAPPED.sub(
        lambda cap: "" if _is_of(site, cap["one"] or cap["less"] or cap["more"], rule.roots) else cap[0], own
    )
    ends = re.findall(rf"\b(?:{names})\s*[<>]=?\s*(?!<)([\w.]+)", own)
    ends += re.findall(rf"([\w.]+)\s*[<>]=?\s*(?:{names})\b", own)
    ends = [each for each in ends if not is_set_by_caller(code, each)]
    if any(not each.isdigit() or 1 < int(each) < MANY for each in ends) or re.search(r"\bassert\s*\(", own):
        return True
    comments = comments_only(text)
    numbers = [int(re.sub(r"\D", "", each)) for each in _NUMBER.findall(comments)]
    numbers += [1 << min(int(one or other), 62) for one, other in _POWER.findall(comments)]
    return any(threads // 2 <= number < length for number in numbers)


def _is_of(site: LaunchSite, name: str, roots: Sequence[str]) -> bool:
    """Return whether a number is computed from the lengths, and is none of them."""
    return name not in roots and not names_behind(site.syntax, name).isdisjoint(roots)


def _is_left_by_all(code: str, roots: Sequence[str]) -> bool:
    """Return whether a length may be as large as that anywhere in the code, such as in `main`."""
    for root in roots:
        for end in re.findall(rf"(?<![\w.]){re.escape(root)}\s*>=?\s*(\(?\s*\w+(?:\s*<<\s*\d+)?)", code):
            power, number = _POWER.search(end), end.strip("( ").rstrip("uUlL")
            most = 1 << min(int(power[2]), 62) if power else int(number) if number.isdigit() else 0
            if 1 < most < MANY or not (number[:1].isdigit() or is_set_by_caller(code, number)):
                return False
    return True


def is_set_by_caller(code: str, name: str) -> bool:
    """Return whether a class's constructor takes a number that the command line says, wherever an object is made."""
    made = re.search(
        rf"\b(?P<of>\w+)\s*\((?P<listed>[^(){{}};]*)\)\s*:(?!:)[^{{}};]*\b{re.escape(name)}\s*\(\s*(?P<given>\w+)\s*\)",
        code,
    )
    names = [each.split()[-1:] for each in made["listed"].split(",")] if made else []
    if made is None or [made["given"]] not in names:
        return False
    at = names.index([made["given"]])
    objects = re.findall(rf"\b{made['of']}\b>?\s*\w*\s*[({{]([^(){{}};]*)[)}}]\s*;", code)
    passed = [each.split(",")[at].strip() if each.count(",") >= at else "" for each in objects]
    is_said = (each.isidentifier() and re.search(rf"\b{each}\s*=[^;]*\bargv\b", code) for each in passed)
    return bool(passed) and all(is_said)
