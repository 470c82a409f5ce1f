"""The files that a source includes: each is found, checked and read here, so that NVRTC opens none of the user's files.

A compiler prints lines that it cannot read: if a file could include anything, it could show any file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tilewright.compile.nvrtc import header_folders
from tilewright.lab.source.cuda_file import MAX_FILE_BYTES, CudaFile, SourceError, decode
from tilewright.lab.source.macros import Macros, logical_lines
from tilewright.lab.source.stand_ins import HOST_TYPES, DeviceNames, read_before, stand_in

MAX_HEADERS = 256
MAX_TOTAL_BYTES = 16 << 20
MAX_NAME_BYTES, MAX_PATH_BYTES = 255, 1000

_HASH = r"\s*(?:#|%:|\?\?=)\s*"
_INCLUDE = re.compile(_HASH + r"(?P<word>include|include_next|import|embed)\b(?P<rest>.*)", re.DOTALL)
_LINE = re.compile(_HASH + r"(?:line\b|\d)")
_CONDITION = re.compile(_HASH + r"(?:el)?if\b(?P<rest>.*)", re.DOTALL)
_ALIAS = re.compile(r"\binclude_alias\b")
_GOES_ON = re.compile(_HASH + r"(?:(?:include|include_next|import|embed)\b\s*)?/\*")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LITERAL = re.compile(r'\s*(?:"(?P<quoted>[^"]*)"|<(?P<angled>[^>]*)>)\s*(?://.*|/\*.*)?$', re.DOTALL)
_PROBE = re.compile(r"__has_(?:include|embed)\w*")
_ASSEMBLER_FILE = re.compile(r"\.(?:incbin|include)\b")


@dataclass(frozen=True)
class Include:
    """An `#include` as written."""

    written: str
    is_quoted: bool
    line: int


@dataclass
class Included:
    """What a source includes: the user's files and stand-ins by the name written, and notes on what stands in."""

    files: dict[str, CudaFile] = field(default_factory=dict)
    host_headers: list[Include] = field(default_factory=list)
    unknown: list[tuple[str, Include]] = field(default_factory=list)

    def stand_ins(self, used: DeviceNames, cuda_major: int) -> dict[str, str]:
        """Return the texts of the headers that are no files of the user's or of CUDA's; `used`: by the device."""
        cuda_std = {
            header.name for folder in header_folders(cuda_major) for header in (folder / "cuda" / "std").glob("*")
        }
        texts = {
            include.written: stand_in(include.written, used=used, cuda_std=cuda_std) or ""
            for include in [*self.host_headers, *(include for _, include in self.unknown)]
        }
        return {**texts, HOST_TYPES: read_before(used, cuda_std=cuda_std)}

    @property
    def notes(self) -> list[str]:
        """A sentence for each header that is neither known nor there."""
        return [
            f"{name}:{include.line}: {include.written} is not in the file's folder nor among CUDA's headers; "
            "an empty file stands in."
            for name, include in self.unknown
        ]


def gather(file: CudaFile, cuda_major: int = 13) -> Included:
    """Return what a file includes, and what that includes.

    Raises:
        SourceError: an include is not literal, leads outside of the file's folder and CUDA's headers, or can't be read;
            the text asks whether files exist, or renames its lines; two files would have one name.
    """
    found = Included()
    total = len(file.text)
    todo = [file]
    while todo:
        includer = todo.pop()
        name = _shown(includer, file)
        for include in includes_of(includer.text, name):
            place = f"{name}:{include.line}"
            path = _place_of(include, includer, file, place, cuda_major)
            if path is None:
                _stand_in_for(include, name, found, cuda_major)
            elif _is_new(include, path, found, place):
                header = CudaFile(path, _read(path, place, include.written))
                total += len(header.text)
                if len(found.files) >= MAX_HEADERS or total > MAX_TOTAL_BYTES:
                    raise SourceError(
                        f"{file.name} includes more than {MAX_HEADERS} files, or {MAX_TOTAL_BYTES} characters."
                    )
                found.files[include.written] = header
                todo.append(header)
    return found


def _place_of(include: Include, includer: CudaFile, root: CudaFile, place: str, cuda_major: int) -> Path | None:
    """Return the user's file that is included, or None when it is CUDA's or none is there."""
    _refuse_escape(include.written, place)
    path = _user_file(include, includer, root, place) if include.is_quoted else None
    if path is None and not _is_known(include.written) and not _in_cuda(include.written, cuda_major):
        path = _user_file(include, includer, root, place)
    return path


def _stand_in_for(include: Include, name: str, found: Included, cuda_major: int) -> None:
    if any(include.written == other.written for other in [*found.host_headers, *(each for _, each in found.unknown)]):
        return
    if _is_known(include.written):
        found.host_headers.append(include)
    elif not _in_cuda(include.written, cuda_major):
        found.unknown.append((name, include))


def _is_new(include: Include, path: Path, found: Included, place: str) -> bool:
    known = found.files.get(include.written)
    if known is not None and known.path != path:
        raise SourceError(
            f"{place} includes {include.written!r}, and another file includes a different one by that name: "
            "give them different names."
        )
    return known is None


def includes_of(text: str, name: str) -> Iterator[Include]:
    """Yield a text's includes, also those in comments and in branches that are not compiled.

    Raises:
        SourceError: one is not literal, or the text does what would let it look at other files.
    """
    _refuse_probes(text, name)
    # NVRTC splices lines that end in a backslash. A raw string undoes that, so each line is looked at alone too.
    both = {*logical_lines(text), *enumerate(re.split(r"\r\n|\n|\r", text), 1)}
    for line, content in sorted(both):
        for form in _forms(content):
            include = _include_in(form, line, name)
            if include is not None:
                yield include


def _forms(line: str) -> set[str]:
    """Return the forms of a line that a compiler may see: as it is, without comments, or after one that ends in it."""
    if "/*" not in line and "*/" not in line:
        return {line}
    bare = _COMMENT.sub(" ", line)
    return {each for form in (line, bare) for each in (form, form.partition("*/")[2], form.rpartition("*/")[2])}


def _include_in(line: str, number: int, name: str) -> Include | None:
    if _GOES_ON.match(_COMMENT.sub(" ", line)):
        raise SourceError(f"{name}:{number}: a comment in a directive must end on its line.")
    match = _INCLUDE.match(line)
    if match is None:
        if _LINE.match(line):
            raise SourceError(
                f"{name}:{number}: a #line directive renames the lines that errors and findings name: remove it."
            )
        return None
    if match["word"] != "include":
        raise SourceError(f"{name}:{number}: #{match['word']} is not accepted: #include takes a file's literal name.")
    literal = _LITERAL.match(match["rest"])
    if literal is None:
        # `#include` and a comment: the form without it says more.
        if match["rest"].lstrip().startswith("/*"):
            return None
        raise SourceError(
            f"{name}:{number}: #include takes a literal name, in quotes or angle brackets; "
            "one that a macro makes is not accepted."
        )
    quoted = literal["quoted"]
    return Include(quoted if quoted is not None else literal["angled"], quoted is not None, number)


def _refuse_probes(text: str, name: str) -> None:
    joined = re.sub(r"\\[ \t]*\r?\n", "", text)
    probe = _PROBE.search(joined)
    if probe is not None:
        raise SourceError(f"{name}: {probe[0]} asks which files exist, and is not accepted.")
    if _ALIAS.search(joined):
        raise SourceError(f"{name}: #pragma include_alias is not accepted.")
    assembler = _ASSEMBLER_FILE.search(joined)
    if assembler is not None and re.search(r"\basm\b|\b__asm", joined):
        raise SourceError(f"{name}: {assembler[0]} in assembler reads a file, and is not accepted.")
    if "??=" in joined or "??/" in joined:
        raise SourceError(f"{name}: trigraphs are not accepted; C++17 has none.")
    _refuse_pasted_conditions(text, name)


def _refuse_pasted_conditions(text: str, name: str) -> None:
    """Refuse an #if whose words are pasted together: it may ask for files under a name that is not in the text."""
    macros = Macros([text])
    pasting = {
        each for each, found in macros.all.items() for macro in found if "##" in macro.body or "%:%:" in macro.body
    }
    if not pasting:
        return
    for _ in range(len(macros.all)):
        more = {each for each in macros.all if macros.words_behind({each}) & pasting} - pasting
        if not more:
            break
        pasting |= more
    for line, content in logical_lines(text):
        condition = next((found for form in _forms(content) if (found := _CONDITION.match(form))), None)
        if condition is not None and set(re.findall(r"\w+", condition["rest"])) & pasting:
            raise SourceError(f"{name}:{line}: an #if on a macro that pastes words with ## is not accepted.")


def _refuse_escape(written: str, place: str) -> None:
    parts = written.split("/")
    is_odd = not written or any(ord(character) < 32 or character in '\\:~%$"' for character in written)
    sizes = [len(part.encode(errors="replace")) for part in parts]
    if max(sizes) > MAX_NAME_BYTES or sum(sizes) + len(sizes) > MAX_PATH_BYTES:
        raise SourceError(
            f"{place} includes {written[:60] + '...'!r}: a path has at most {MAX_PATH_BYTES:,} bytes, "
            f"and a name in it {MAX_NAME_BYTES}."
        )
    if is_odd or written.startswith("/") or ".." in parts:
        raise SourceError(
            f"{place} includes {written!r}: a file is included by its path inside of the folder, "
            "without a leading / or any .. in it."
        )


def _user_file(include: Include, includer: CudaFile, root: CudaFile, place: str) -> Path | None:
    for folder in dict.fromkeys([includer.folder, root.folder]):
        candidate = folder / include.written
        try:
            if not candidate.is_file():
                continue
            resolved = candidate.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            continue
        if not resolved.is_relative_to(root.folder):
            raise SourceError(f"{place} includes {include.written!r}, which leads out of the file's folder.")
        return resolved
    return None


def _in_cuda(written: str, cuda_major: int) -> bool:
    for folder in header_folders(cuda_major):
        candidate = folder / written
        if candidate.is_file() and candidate.resolve().is_relative_to(folder.resolve()):
            return True
    return False


def _is_known(written: str) -> bool:
    return stand_in(written) is not None


def _read(path: Path, place: str, written: str) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SourceError(f"{place} includes {written!r}, which can't be read: {error.strerror}.") from error
    if len(data) > MAX_FILE_BYTES:
        raise SourceError(f"{place} includes {written!r}, which has more than {MAX_FILE_BYTES} bytes.")
    return decode(data, written)


def _shown(file: CudaFile, root: CudaFile) -> str:
    if file is root:
        return file.name
    return file.path.relative_to(root.folder).as_posix()
