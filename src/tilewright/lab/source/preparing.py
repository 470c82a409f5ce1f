"""A file read, with all that it includes: parsed, and its device part kept, ready to be compiled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from tilewright.lab.source.changes import Edit, edited
from tilewright.lab.source.conditionals import parsed
from tilewright.lab.source.cuda_file import CudaFile
from tilewright.lab.source.includes import Included, gather
from tilewright.lab.source.keeping import Kept, keep_device_part
from tilewright.lab.source.launches import LaunchSite, launches
from tilewright.lab.source.macros import Macros, code_only, words
from tilewright.lab.source.signatures import KernelSignature, kernels
from tilewright.lab.source.stand_ins import DeviceNames
from tilewright.lab.source.unpacking import with_fields_named

_UNNAMED = re.compile(r"\b(?P<inline>inline\s+)?namespace(?:\s|\[\[[^\]]*\]\])*\{")


@dataclass(frozen=True)
class DevicePart:
    """What of a text is for the device.

    text: as many lines, each kept character in its place, the host's code blanked. kernels, launches: in the order of
    the text. was_rewritten: whether anything was blanked. notes: sentences for the user. hidden: blanked names of the
    host, with line and kind.
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


@dataclass(frozen=True)
class Prepared:
    """A file and its headers, read and parsed; `kept` is in the order of `names`, the file itself first."""

    file: CudaFile
    included: Included
    names: list[str]
    kept: list[Kept]
    signatures: list[KernelSignature]
    launches: list[LaunchSite]
    headers: dict[str, str]

    @property
    def needs_default_device(self) -> bool:
        """Whether some `constexpr` function without annotations is the device's."""
        return any(kept.needs_default_device for kept in self.kept)

    @property
    def was_rewritten(self) -> bool:
        """Whether host code was blanked, in the file or a header."""
        return any(kept.was_rewritten for kept in self.kept)

    @property
    def was_guessed(self) -> bool:
        """Whether the parser had to guess somewhere."""
        return any(kept.syntax.has_errors for kept in self.kept)

    def texts(self, edits: Mapping[str, Sequence[Edit]], *, as_it_is: bool = False) -> tuple[str, dict[str, str]]:
        """Return the file's text and its headers' by name, edited; `as_it_is` with the host's code."""
        of_files = {
            name: _seen(edited(kept.syntax.text if as_it_is else kept.text, edits.get(name, ())))
            for name, kept in zip(self.names, self.kept, strict=True)
        }
        return of_files.pop(self.names[0]), self.headers | of_files


def prepare(file: CudaFile, defines: Mapping[str, str] | None = None) -> Prepared:
    """Read and parse a file and what it includes; `defines` are the macros that it is to be compiled with.

    Raises:
        SourceError: an include is refused, or a text can't be parsed within its limits.
    """
    included = gather(file, cuda_major())
    names = [file.name, *included.files]
    texts = [file.text, *(header.text for header in included.files.values())]
    macros = Macros(texts)
    syntaxes = [parsed(text, macros, name, defines or {}) for text, name in zip(texts, names, strict=True)]
    syntaxes[0].included += syntaxes[1:]
    kept = keep_device_part(syntaxes)
    device_words = set().union(*(words(_device_code(each)) for each in kept))
    used = DeviceNames.of(map(_device_code, kept), device_words)
    headers = included.stand_ins(used, cuda_major())
    signatures = [signature for each in kept for signature in kernels(each.syntax, each.items)]
    return Prepared(file, included, names, kept, signatures, launches(syntaxes[0]), headers)


def cuda_major() -> int:
    """Return the major version of CUDA whose compiler is installed; 13 when none is."""
    try:
        return int(version("cuda-bindings").partition(".")[0])
    except (PackageNotFoundError, ValueError):
        return 13


def _seen(text: str) -> str:
    """Return a text whose kernels without a namespace's name are not left out as what no other file can see."""
    edits: list[Edit] = []
    for match in _UNNAMED.finditer(code_only(text)):
        start, brace = match.start(), match.end() - 1
        edits += [Edit(start, start, "" if match["inline"] else "inline "), Edit(brace, brace, " tilewright_unnamed ")]
    return edited(text, edits)


def _device_code(kept: Kept) -> str:
    return "".join(kept.syntax.code[item.start : item.end] + "\n" for item in kept.items)
