"""Accesses out of shared memory: shown where the host counts its bytes, or with the declaration of the array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source import LaunchSite

from .launch_causes import set_before

UNNAMED = "dynamic shared memory"
"""What an access is of where not even the first byte of the array was given."""


def of_given_bytes(
    kernel: KernelFile, found: Found, tested: Sequence[Sizes], findings: Sequence[Finding]
) -> list[Finding]:
    """Return the findings of a kernel whose launch the file gives, each at its place.

    One of an access out of a shared array of a fixed size names the array's declaration as well.
    """
    findings = [_with_declaration(kernel, each) for each in findings]
    if not isinstance(found.rule, OwnLaunch) or found.rule.is_guess or not tested:
        return findings
    given = found.rule.at(found.roles, tested[0]).shared_bytes
    return [at_launch(kernel, found.rule.site, given, each) for each in findings]


def _with_declaration(kernel: KernelFile, finding: Finding) -> Finding:
    lines = {each.name: each.line for each in kernel.signature.shared_arrays}
    line = lines.get(array_of(finding))
    if (
        finding.kind not in ("out of bounds", "inner dimension")
        or finding.other is not None
        or line in (None, finding.place[1])
    ):
        return finding
    return replace(finding, other=(finding.place[0], line))


def array_of(finding: Finding) -> str:
    """Return the array that a finding is of."""
    return finding.address.partition("[")[0].partition("+")[0]


def is_of_dynamic(kernel: KernelFile, finding: Finding) -> bool:
    """Return whether a finding is an access outside of dynamic shared memory."""
    is_outside = finding.kind == "out of bounds" and finding.severity == ERROR
    return is_outside and array_of(finding) in {*kernel.dynamic_arrays, UNNAMED}


def at_launch(kernel: KernelFile, site: LaunchSite, shared_bytes: int, finding: Finding) -> Finding:
    """Return a finding of an access out of such an array at the launch, with that of the access as the other line.

    Where the launch gives a name for the bytes, it is the line that sets it.
    """
    if not is_of_dynamic(kernel, finding) or site.syntax.text != kernel.opened.file.text:
        return finding
    given = f"The launch gives {shared_bytes:,} bytes of shared memory."
    advice = "Pass as many bytes as the kernel uses, or let it use no more."
    counted = set_before(site, site.shared_text)
    place = (finding.place[0], site.syntax.line(counted) if counted is not None else site.line)
    return replace(finding, place=place, other=finding.place, message=f"{given} {finding.message}", advice=advice)
