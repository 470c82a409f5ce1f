"""What the host allocates and copies, evaluated at other sizes and compared with what the kernel needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.products import c_elements
from tilewright.lab.check.find.roles import MATRICES
from tilewright.lab.check.kinds import is_partial
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import LaunchSite
from tilewright.lab.source.syntax import descend, function_around

from .helped_allocations import helped_allocations
from .host_calls import HostCall, HostSlip, alone, host_calls, pointer_named
from .launch_causes import set_before
from .written_bytes import element_bytes, is_of_handle, written_out

if TYPE_CHECKING:
    from tree_sitter import Node

SIZES = (Sizes(96, 160, 224), Sizes(224, 96, 160), Sizes(160, 224, 96))
"""Sizes at which bytes are compared."""
_OWNED = re.compile(r"&?\s*(?P<name>[A-Za-z_]\w*)\s*(?:\.\s*(?:data|get)\s*\(\s*\)|\[\s*0\s*\])")
_ON_DEVICE = ("Malloc", "MallocAsync")
_LEFT = re.compile(r"\bcuda(?:Malloc\w*|Free\w*)\s*\((?:[^;()]|\([^()]*\))*$|\*\s*(?:const\s+|__restrict__\s+)?$")
"""What a name stands behind where its array is only declared, allocated or freed."""


class _Short(NamedTuple):
    """A call that is given too few bytes.

    counted: where its function sets the name that says how many, or None. is_narrow: whether it counts the elements
    right, and each as one of a narrower type.
    """

    call: HostCall
    said: str
    counted: int | None
    is_narrow: bool


def host_array(text: str) -> str:
    """Return the name of the host's array, or of the container that owns it, in what a copy is given; or ""."""
    found = _OWNED.fullmatch(text.strip())
    return found["name"] if found else pointer_named(text)


def wrong_copies(kernel: KernelFile, found: Found, code: str) -> Iterator[HostSlip]:
    """Yield where too little is allocated or copied, or in the wrong direction, in the function that launches.

    Where the bytes are a name, it is where that is set; the last number is the line of the call or launch then.
    """
    site = kernel.site
    function = function_around(site.node) if site is not None else None
    if (
        site is None
        or function is None
        or not isinstance(found.rule, OwnLaunch)
        or site.syntax.text != kernel.opened.file.text
    ):
        return
    every = [*host_calls(code), *helped_allocations(code)]
    calls = [call for call in every if function.start_byte <= call.at < function.end_byte]
    device = {pointer_named(call.arguments[0]) for call in calls if call.what in _ON_DEVICE and call.arguments}
    device.discard("")
    yield from alone(_turned(calls, device))
    passed = zip(found.roles.arguments, map(pointer_named, site.arguments), strict=False)
    elsewhere = {pointer_named(call.arguments[0]) for call in host_calls(code) if call.what in _ON_DEVICE}
    given = {
        array
        for array in map(pointer_named, site.arguments)
        if _is_parameter(site, function, array) or (array in elsewhere and _is_member(function, array, code))
    }
    own = [(name, array) for name, array in passed if name in MATRICES and array in device | given]
    added = {name for name, _ in own if name == "C" and adds_to_c(kernel, found)}
    short = [(array, list(_short(found, calls, array, name, code, is_added_to=name in added))) for name, array in own]
    names = [array for array, slips in short if slips]
    slips = [slip for _, some in short for slip in some]
    if len(names) == 1:
        (one,) = (each for each in own if each[1] in names)
        for other in own:
            if other[1] not in names and _are_exchanged(found, calls, one, other, code):
                said = f"{one[1]} has just the bytes for the place of {other[1]}, and {other[1]} those for its"
                yield site.node.start_byte, f"{said}: this launch exchanges them.", None
                return
    if len(names) > 1 and not found.roles.is_of_structs and not all(slip.is_narrow for slip in slips):
        yield _of_several(site, names, slips)
        return
    for slip in slips:
        others = [each for each in own if each[1] not in names]
        is_of_another = any(_is_right_of(found, calls, other, slip, code) for other in others)
        at = slip.call.at if is_of_another or slip.counted is None else slip.counted
        yield at, slip.said, None if at == slip.call.at else code.count("\n", 0, slip.call.at) + 1
    for name, array in own:
        if name != "C" and array in device:
            yield from alone(_never_filled(site, calls, function, array))


def _of_several(site: LaunchSite, names: list[str], slips: list[_Short]) -> HostSlip:
    """Return the launch that passes too large sizes, or the only name by which all that is too short is counted."""
    said = f"{' and '.join(names)} are too short for what {{}} passes as their sizes."
    counted = {slip.counted for slip in slips}
    at = counted.pop() if len(counted) == 1 else None
    if at is None:
        return site.node.start_byte, said.format("this launch"), None
    return at, said.format(f"the launch of line {site.line}"), site.line


def _are_exchanged(
    found: Found, calls: list[HostCall], one: tuple[str, str], other: tuple[str, str], code: str
) -> bool:
    """Return whether two arrays are allocated and copied with just the bytes that each other's place needs."""
    for (_, array), (name, _) in ((one, other), (other, one)):
        own = [call for call in calls if (call.is_allocation or call.is_copy) and _names(call, array)]
        try:
            is_right = all(given == needed for call in own for given, needed in _bytes_at(found, call, name, code))
        except LaunchError:
            return False
        if not is_right or not any(call.is_allocation for call in own):
            return False
    return True


def _names(call: HostCall, array: str) -> bool:
    return array in map(pointer_named, call.arguments[: 2 if call.is_copy else 1])


def _is_right_of(found: Found, calls: list[HostCall], other: tuple[str, str], slip: _Short, code: str) -> bool:
    """Return whether the name that counts too few bytes counts just those of another array, which it is given for."""
    name, array = other
    for call in calls:
        is_given = _is_first(call, array) if call.is_allocation else call.is_copy and _is_of(call, array, name)
        if is_given and slip.counted is not None and _where_set(found, call) == slip.counted:
            with suppress(LaunchError):
                return all(given == needed for given, needed in _bytes_at(found, call, name, code))
    return False


def _where_set(found: Found, call: HostCall) -> int | None:
    """Return where the function sets the name that a call is given as its bytes; None for what is no such name."""
    with suppress(LaunchError):
        node = set_before(at_call(found, call).site, call.nbytes)
        return node.start_byte if node is not None else None
    return None


def _bytes_at(found: Found, call: HostCall, name: str, code: str) -> list[tuple[int, int]]:
    """Return the bytes that a call is given and those that A, B or C has, at each of the sizes.

    Raises LaunchError where they are not known.
    """
    text = written_out(call.nbytes, code[: call.at], found.dtypes[name].itemsize)
    rule = at_call(found, call)
    return [(rule.number(text, found.roles, each), _needed(found, name, each)) for each in _sizes(found)]


def _is_parameter(site: LaunchSite, function: Node, array: str) -> bool:
    """Return whether a function is given an array, which another one has allocated."""
    listed = site.syntax.source(function.child_by_field_name("declarator"))
    return bool(array) and re.search(rf"\*\s*(?:const\s+|__restrict__\s+)?{array}\b", listed) is not None


def _is_member(function: Node, array: str, code: str) -> bool:
    """Return whether a function of a class uses an array that it neither declares nor takes, as the class's own."""
    own = rf"\*\s*(?:const\s+|__restrict__\s+)?{re.escape(array)}\b"
    is_declared = re.search(own, code[function.start_byte : function.end_byte]) is not None
    return not is_declared and re.search(r"\b(?:class|struct)\b", code) is not None


def adds_to_c(kernel: KernelFile, found: Found) -> bool:
    """Return whether a kernel adds to the elements of C, and so needs what it holds before."""
    name = re.escape(kernel.signature.parameters[found.roles.arguments.index("C")].name)
    adds = rf"\batomic\w*\s*\([^;]*\b{name}\b|\b{name}\s*\[[^\];]*\]\s*\+="
    return re.search(adds, kernel.body) is not None


def _is_cleared(call: HostCall, array: str) -> bool:
    """Return whether a call sets an array to 0."""
    return call.what.startswith("Memset") and _is_first(call, array) and call.arguments[1:2] == ["0"]


def _turned(calls: list[HostCall], device: set[str]) -> Iterator[tuple[int, str]]:
    """Yield copies whose direction is not that of their pointers."""
    for call in calls:
        if not call.is_copy or len(call.arguments) < 4:
            continue
        given = call.arguments[3].strip().removeprefix("cudaMemcpy")
        for side, turned in zip(call.arguments, ("DeviceToHost", "HostToDevice"), strict=False):
            if pointer_named(side) in device and given == turned:
                yield call.at, f"{side.strip()} was allocated on the device, and this copy says cudaMemcpy{given}."


def _short(
    found: Found, calls: list[HostCall], array: str, name: str, before: str, *, is_added_to: bool
) -> Iterator[_Short]:
    """Yield the allocation, the copy and, of what a kernel adds to, the `cudaMemset` of fewer bytes than the array.

    before: the function's code and what stands before it.
    """
    own = {
        "allocated": [call for call in calls if call.is_allocation and _is_first(call, array)],
        "copied": [call for call in calls if call.is_copy and _is_of(call, array, name)],
        "cleared": [call for call in calls if is_added_to and _is_cleared(call, array)],
    }
    for done, some in own.items():
        if len(some) != 1 or not some[0].nbytes or (done == "copied" and _is_summed(found, name)):
            continue
        try:
            bytes_of = _bytes_at(found, some[0], name, before)
        except LaunchError:
            continue
        is_of_elements = all(given * found.dtypes[name].itemsize == needed for given, needed in bytes_of)
        is_own = len({given for given, _ in bytes_of}) < len(bytes_of) and not is_of_elements
        if is_own and not is_of_handle(some[0].nbytes, before[: some[0].at]):
            continue  # a number of the file's own, for its own sizes
        short = [(pair, sizes) for pair, sizes in zip(bytes_of, _sizes(found), strict=True) if pair[0] < pair[1]]
        if short:
            (given, needed), sizes = short[0]
            said = f"With {sizes.said(found.roles.operation)}, {given:,} bytes of {array} are {done}"
            said = f"{said}, and it has {needed:,}: a part is missing."
            bytes_each = element_bytes(some[0].nbytes, before) if "sizeof" in some[0].nbytes else None
            is_narrow = bytes_each is not None and all(
                each * found.dtypes[name].itemsize == whole * bytes_each for each, whole in bytes_of
            )
            yield _Short(some[0], said, _where_set(found, some[0]), is_narrow)


def _is_summed(found: Found, name: str) -> bool:
    """Return whether C may be one sum, or several of which the host takes the first."""
    return name == "C" and is_partial(found.roles.operation)


def _sizes(found: Found) -> tuple[Sizes, ...]:
    roles = found.roles
    if roles.fixed:
        return roles.fixed[:1]
    return tuple(roles.sized(sizes.of_family(roles.family).of_operation(roles.operation)) for sizes in SIZES)


def at_call(found: Found, call: HostCall) -> OwnLaunch:
    """Return the launch as if it stood where a call stands: until then, a name may have another value."""
    assert isinstance(found.rule, OwnLaunch)
    site = found.rule.site
    nodes = [node for node in descend(site.syntax.root, "call_expression") if node.start_byte == call.at]
    if not nodes:
        raise LaunchError("The call is not understood.")
    return replace(found.rule, site=replace(site, node=nodes[0]))


def _needed(found: Found, name: str, sizes: Sizes) -> int:
    """Return the bytes of A, B or C; of partial sums those of one."""
    operation = found.roles.operation
    if name == "C":
        slices = found.roles.slices_in(found.rule.at(found.roles, sizes).grid)
        count = 1 if is_partial(operation) else c_elements(operation, sizes, 1, slices)
    else:
        count = prod(sizes.ab_shapes(operation)["AB".index(name)])
    return count * found.dtypes[name].itemsize


def _never_filled(site: LaunchSite, calls: list[HostCall], function: Node, array: str) -> Iterator[tuple[int, str]]:
    """Yield the allocation of an input that nothing but this launch is given, where others are filled by copies."""
    if not any("HostToDevice" in "".join(call.arguments) for call in calls):
        return
    code, own = site.syntax.code, [call for call in calls if call.is_allocation and _is_first(call, array)]
    for use in re.finditer(rf"\b{re.escape(array)}\b", code[function.start_byte : function.end_byte]):
        at = function.start_byte + use.start()
        before = code[function.start_byte : at]
        is_given = site.node.start_byte <= at < site.node.end_byte
        if not is_given and not _LEFT.search(before):
            return
    if len(own) == 1:
        yield own[0].at, f"{array} is allocated and given to the kernel, and nothing fills it."


def _is_of(call: HostCall, array: str, name: str) -> bool:
    """Return whether a copy fills an input, or takes the result."""
    place = 1 if name == "C" else 0
    return len(call.arguments) > place and pointer_named(call.arguments[place]) == array


def _is_first(call: HostCall, array: str) -> bool:
    return bool(call.arguments) and pointer_named(call.arguments[0]) == array


def copied_back(code: str, array: str, after: int) -> tuple[int, str] | None:
    """Return the end of the copy of a device array to the host behind a place, and the host's name for it."""
    for call in host_calls(code):
        if call.is_copy and call.at > after and len(call.arguments) >= 4 and pointer_named(call.arguments[1]) == array:
            return code.index(";", call.at), host_array(call.arguments[0])
    return None
