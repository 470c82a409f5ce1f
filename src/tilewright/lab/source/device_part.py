"""The device's part of a file: what NVRTC takes of it, on the same lines and columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilewright.lab.source.conditionals import parsed
from tilewright.lab.source.keeping import Kept, keep_device_part
from tilewright.lab.source.launches import LaunchSite, launches
from tilewright.lab.source.macros import Macros
from tilewright.lab.source.signatures import KernelSignature, kernels
from tilewright.lab.source.unpacking import with_fields_named


@dataclass(frozen=True)
class DevicePart:
    """What of a text is for the device.

    text: as many lines, each kept character in its place, the host's code blanked. kernels, launches: in the order of
    the text. was_rewritten: whether anything was blanked. notes: sentences for whom it may concern. hidden: names of
    the host's that were blanked, with line and kind.
    """

    text: str
    kernels: list[KernelSignature]
    launches: list[LaunchSite]
    was_rewritten: bool
    notes: list[str] = field(default_factory=list)
    hidden: dict[str, tuple[int, str]] = field(default_factory=dict)
    needs_default_device: bool = False


def device_part(text: str, name: str = "the file") -> DevicePart:
    """Return the device's part of a text that stands alone.

    Raises:
        SourceError: the text can't be parsed within its limits.
    """
    syntax = parsed(text, Macros([text]), name, {})
    return _part(keep_device_part([syntax])[0], name)


def _part(kept: Kept, name: str) -> DevicePart:
    notes = []
    if kept.syntax.has_errors:
        notes.append(
            f"{name} has lines that the parser can't read for certain; they were kept as far as they name the device."
        )
    return DevicePart(
        kept.text,
        with_fields_named(kernels(kept.syntax, kept.items), kept.text),
        launches(kept.syntax),
        kept.was_rewritten,
        notes,
        kept.hidden,
        kept.needs_default_device,
    )
