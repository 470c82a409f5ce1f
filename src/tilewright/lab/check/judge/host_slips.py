"""Mistakes of the host that its text shows, though it is not run: what it copies, what it adds up, what it clears.

Only what can hardly be meant otherwise is an error: a right host that is written in another way is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import prod

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source.macros import code_only

from .capped_grids import elements_left_by_a_cap
from .causes import CAUSE
from .copied_arrays import misplaced_copies
from .host_calls import alone, host_calls, pointer_named
from .host_copies import wrong_copies
from .host_memory import wrong_memory
from .host_partials import lost_sums
from .host_sums import narrow_host_sums
from .host_waits import unwaited_reads
from .last_block import sums_left_by_the_last_block
from .next_launch import sums_left_out
from .owners_copied import copied_owners
from .panels import panels_left
from .passed_lengths import wrong_lengths
from .passed_sizes import wrong_sizes
from .pitches import pitches_in_elements
from .second_launch import counters_left
from .swapped_arrays import stale_copies
from .uncleared import uncleared
from .unordered_streams import unordered_launches
from .verdicts import Judgement
from .written_bytes import element_bytes

KIND = "host code"
_SIZEOF = re.compile(r"\*?\s*sizeof\s*\([^()]*\)\s*\*?")
LONG, MOST_THREADS = 1 << 22, 1024
"""A size with which what grows is large, and the most threads of a block."""


def with_host_slips(findings: Iterable[Finding], kernel: KernelFile, found: Found) -> list[Finding]:
    """Return findings with those of the host: first that of the launch, to which what is found in it may be due."""
    slips, line = host_slips(kernel, found), kernel.site.line if kernel.site else 0
    of_launch = [slip for slip in slips if slip.place[1] == line]
    return [*of_launch, *findings, *(slip for slip in slips if slip not in of_launch)]


def host_slips(kernel: KernelFile, found: Found) -> list[Finding]:
    """Return the mistakes in the host code of a kernel with these roles."""
    code = code_only(kernel.opened.file.text)
    slips = [*alone(_turned_launch(kernel, found)), *alone(short_copies(code)), *wrong_copies(kernel, found, code)]
    slips += alone([*misplaced_copies(kernel, found, code), *wrong_memory(kernel, found, code)])
    slips += [*alone(lost_sums(kernel, found, code)), *pitches_in_elements(kernel, found, code)]
    slips += [*alone(panels_left(kernel)), *unordered_launches(kernel)]
    slips += alone([*_exchanged(kernel, found), *sums_left_by_the_last_block(kernel, found)])
    slips += [*sums_left_out(kernel, found), *alone(counters_left(kernel, found, code))]
    slips += alone([*stale_copies(kernel, found, code), *narrow_host_sums(kernel, found, code)])
    slips += alone([*elements_left_by_a_cap(kernel, found), *copied_owners(kernel, code)])
    slips += alone([*wrong_lengths(kernel, found), *wrong_sizes(kernel, found)])
    slips += uncleared(kernel, found, code)
    advice = "Check the kernel and its host together: on a GPU the results are wrong."
    name = kernel.opened.file.name
    first = {at: (said, other) for at, said, other in reversed(slips)}  # one for each place
    findings = [
        Finding(
            KIND,
            ERROR,
            (name, code.count("\n", 0, at) + 1),
            said,
            advice,
            other=(name, other) if other is not None else None,
        )
        for at, (said, other) in reversed(first.items())
    ]
    for launch, line in unwaited_reads(kernel, found):
        said = (
            f"Line {line} reads what this launch writes, and nothing waits for its end, as cudaDeviceSynchronize does."
        )
        findings.append(Finding(KIND, ERROR, (name, launch.line), said, advice, other=(name, line)))
    return findings


def short_copies(code: str) -> Iterator[tuple[int, str]]:
    """Yield copies of as many bytes as the array has elements: `cudaMalloc(&p, n * sizeof(float))`, but `n` copied.

    So is a `cudaMemset` of so many.
    """
    sizes: dict[str, str] = {}
    for call in host_calls(code):
        arguments = call.arguments
        if call.is_allocation and len(arguments) == 2 and "sizeof" in arguments[1]:
            sizes[pointer_named(arguments[0])] = arguments[1]
        elif len(arguments) >= 3:
            places = arguments[:2] if call.is_copy else arguments[:1]
            whole = next((sizes[name] for name in map(pointer_named, places) if name in sizes), "")
            own, whole_bytes = element_bytes(arguments[2], code), element_bytes(whole, code)
            if whole and _count(whole) == _count(arguments[2]) and own is not None and own < (whole_bytes or 4):
                done = "copied" if call.is_copy else "set"
                said = f"{arguments[2].strip()} bytes are {done}, and the array has {whole.strip()}: a part is missing."
                yield call.at, said


def _count(text: str) -> str:
    """Return a number of bytes without the bytes of an element."""
    return re.sub(r"_\b", "", "".join(_SIZEOF.sub("", text).split()))


def exchanged_names(kernel: KernelFile, found: Found, judgement: Judgement) -> Finding | None:
    """Return the finding that names the launch of a wrong product that passes names in another order, or None."""
    for at, said in _exchanged(kernel, found) if judgement.failing else ():
        line = kernel.opened.file.text.count("\n", 0, at) + 1
        advice = "Pass them in the kernel's order; what is found below follows from it."
        return Finding(CAUSE, ERROR, (kernel.opened.file.name, line), said, advice, details={"change": said})
    return None


def _exchanged(kernel: KernelFile, found: Found) -> Iterator[tuple[int, str]]:
    """Yield the launch of a product that passes names in another order than the kernel takes them.

    Of a product of matrices by columns, the sizes and the matrices are both exchanged: that may be meant.
    """
    site, parameters = kernel.site, kernel.signature.parameters
    is_own = isinstance(found.rule, OwnLaunch) and site is not None and len(site.arguments) == len(parameters)
    if site is None or not is_own or found.roles.operation not in ("matmul", "reduced_matmul"):
        return
    turned: dict[bool, list[str]] = {}
    for parameter, passed in zip(parameters, site.arguments, strict=True):
        turned.setdefault(parameter.is_pointer, [])
        alike = [each.name for each in parameters if each.is_pointer == parameter.is_pointer]
        if passed != parameter.name and passed in alike and parameter.name in site.arguments:
            turned[parameter.is_pointer].append(passed)
    exchanged = [names for names in turned.values() if names]
    if len(exchanged) == 1 and len(exchanged[0]) > 1:
        names = ", ".join(exchanged[0])
        yield (
            site.node.start_byte,
            f"This launch passes {names} in another order than {kernel.signature.name} takes them.",
        )


def _turned_launch(kernel: KernelFile, found: Found) -> Iterator[tuple[int, str]]:
    """Yield a launch whose blocks grow with the sizes, up to more threads than a block has, and whose grid does not.

    `<<<block, grid>>>` is right while the matrices are small.
    """
    site, roles = kernel.site, found.roles
    if site is None or not isinstance(found.rule, OwnLaunch) or found.rule.is_guess or roles.fixed:
        return
    few, many = (
        roles.sized(Sizes(*[side] * 3).of_family(roles.family).of_operation(roles.operation)) for side in (64, LONG)
    )
    try:
        small, large = (found.rule.at(roles, sizes) for sizes in (few, many))
    except LaunchError:
        return
    threads = prod(large.block)
    if small.grid == large.grid and prod(large.grid) > 1 and threads > MOST_THREADS and small.block != large.block:
        with_many = f"With {many.said(roles.operation)}, a block has {threads:,} threads, {MOST_THREADS:,} are possible"
        yield (
            site.node.start_byte,
            f"{with_many}, and the grid has {prod(large.grid):,} blocks at any size: grid and block are exchanged.",
        )
