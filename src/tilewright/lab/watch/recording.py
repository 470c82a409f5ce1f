"""A recorded run of a kernel, to play in a notebook, or to save as a page, a trace or a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy

from tilewright.call.arguments import check_size
from tilewright.choose.printable import escape as printable_escape
from tilewright.choose.printable import printable
from tilewright.kept.whole_files import write_whole
from tilewright.lab.check.options import options_of
from tilewright.lab.check.other_inputs import reference_of
from tilewright.lab.limited import Limits, default_memory_bytes
from tilewright.lab.pipeline.record import is_pipeline, record_pipeline
from tilewright.lab.trace.document import document_of, text_of
from tilewright.lab.trace.naming import is_file, subject_named
from tilewright.lab.trace.other_subject import Given
from tilewright.lab.trace.record import record
from tilewright.lab.trace.subject import TraceError, line_said
from tilewright.lab.trace.trace import Extent, Selection, Trace

from .lesson import with_lesson
from .of_file import document_of_file
from .page import page_of
from .reading import read_document

HEIGHT_PX = 760
Index = int | tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Recording:
    """A recorded run of a kernel, with the page that plays it. document: see docs/trace.md.

    trace: for a kernel of the catalogue; None for a user's file, or if the document was read from a file.
    """

    document: Mapping[str, Any]
    trace: Trace | None = None

    def page(self, theme: str = "auto") -> str:
        """Return the page as one HTML document. theme: "auto" (as the system), "light" or "dark"."""
        return page_of(with_lesson(self.document), theme)

    def frame(self, *, height_px: int = HEIGHT_PX, theme: str = "auto") -> str:
        """Return a sandboxed iframe with the page: its script runs, but cannot access the page around it."""
        name = printable_escape(f"{self.document['kernel']['name']}, step by step")
        style = f"width:100%;height:{height_px}px;border:0;resize:vertical;overflow:auto"
        inside = escape(self.page(theme))
        return (
            f'<iframe title="{name}" sandbox="allow-scripts" allow="fullscreen" style="{style}" '
            f'srcdoc="{inside}"></iframe>'
        )

    def save(self, path: str | Path, *, dark: bool = False) -> Path:
        """Write the format of the name's ending: .html (the page), .json (the trace), .gif or .png (with Pillow).

        dark: for pictures. Raises TraceError for another ending; OSError if the file cannot be written.
        """
        path = Path(path)
        match path.suffix.lower():
            case ".html" | ".htm":
                content = self.page().encode()
            case ".json":
                content = text_of(dict(self.document)).encode()
            case ".gif" | ".png" as ending:
                from .pictures import gif_of, png_of

                content = (gif_of if ending == ".gif" else png_of)(dict(self.document), dark=dark)
            case ending:
                raise TraceError(f"A recording is saved as .html, .json, .gif or .png, not as {ending or path.name!r}.")
        write_whole(path, lambda file: file.write(content))
        return path

    @cached_property
    def _frame(self) -> str:
        return self.frame()

    def _repr_html_(self) -> str:
        """Return the player as HTML."""
        return self._frame

    def __str__(self) -> str:
        """Return a summary in a sentence or two."""
        blocks = self.document["blocks"]
        steps = sum(len(block["steps"]) for block in blocks)
        count = "1 block" if len(blocks) == 1 else f"{len(blocks)} blocks"
        said = [f"{self.document['kernel']['name']}: {steps:,} steps of {count}.", self.document["recorded"]["cut"]]
        said += [
            f"{f['kind']}, {line_said(self.document, f['line'])}: {f['message']}" for f in self.document["findings"]
        ]
        return printable(" ".join(filter(None, said)))

    __repr__ = __str__


def watch(
    kernel: str | Path,
    size: tuple[int, int, int] | None = None,
    *,
    tile: int | None = None,
    dtype: str | None = None,
    seed: int = 0,
    without_barriers: Sequence[int] = (),
    blocks: Sequence[Index] | None = None,
    threads: Sequence[Index] | None = None,
    phases: tuple[int, int] | None = None,
    schedule_seed: int | None = None,
    arrays: Mapping[str, Any] | None = None,
    results: Mapping[str, int | tuple[int, ...]] | None = None,
    scalars: Mapping[str, int | float] | None = None,
    expect: Mapping[str, Any] | None = None,
    reference: str | Callable[..., Any] | None = None,
    time_limit_seconds: float = 300.0,
    memory_limit_bytes: int | None = None,
    **of_file: Any,
) -> Recording:
    """Run a kernel on the emulator and record what every thread does; a notebook shows the recording as a player.

    A file is read, compiled and run in a child process with limits; a reference function is called in this one.

    Args:
        kernel: such as "matmul/tiled"; or the path of a CUDA C++ file, or of a trace (.json).
        size: m, n and k, which must be small. None: an example of the operation.
        tile: of a kernel of the catalogue.
        dtype: of a kernel of the catalogue: "float32" or "float64"; float16 for kernels of 16-bit types.
        seed: of the numbers in A and B.
        without_barriers: barriers to remove from a kernel of the catalogue, counted from 1 in its source.
        blocks: blockIdx of the blocks to record; None for all of them if they are few, else the first.
        threads: threadIdx of the threads to record; None for all.
        phases: the first and the last phase to record; None for all.
        schedule_seed: of a random order of warps; None for round robin.
        arrays: for a file's kernel that is not a product: the contents of its pointers, by parameter name. An int or a
            tuple is a shape, to be filled with small whole numbers.
        results: shapes of pointers without initial contents (0 with zero_output=True).
        scalars: the other arguments, by name.
        expect: the arrays' expected contents after the launch, by name.
        reference: instead of expect: a function of the given arrays and scalars, by name, that returns the expected
            arrays, or "file.py:function".
        time_limit_seconds: of a file's run.
        memory_limit_bytes: of a file's run; None for a quarter of the machine's memory.
        of_file: the options of a file, as fields of tilewright.lab.check.options.Options: symbol,
            operation, arguments, block, grid, shared_bytes, defines, template_arguments, zero_output.

    Raises:
        TraceError: it cannot be recorded.
        PlanError, UnknownKernelError: the catalogue has no such kernel, or it does not take that problem.
        SourceError, CompileError, CheckError, RolesError, LaunchError: the file cannot be run.
    """
    if str(kernel).endswith(".json"):
        given = [size, tile, dtype, blocks, threads, phases, schedule_seed, arrays, results, scalars, expect, reference]
        if seed or without_barriers or any(each is not None for each in (*given, *filter(None, of_file.values()))):
            raise TraceError(f"{kernel} is a trace: it is played as it was recorded, without other options.")
        return Recording(read_document(Path(kernel)))
    selection = Selection(
        blocks=None if blocks is None else tuple(_index(block) for block in blocks),
        threads=None if threads is None else tuple(_index(thread) for thread in threads),
        phases=phases,
    )
    asked_size, options = None if size is None else check_size(size), options_of(of_file, seed)
    works_on = _given(arrays, results, scalars, expect, reference)
    if is_file(str(kernel)) and tile is None and dtype is None and not without_barriers:
        limits = Limits(time_limit_seconds, memory_limit_bytes or default_memory_bytes())
        return Recording(
            document_of_file(str(kernel), asked_size, selection, schedule_seed, options, works_on, limits=limits)
        )
    subject = subject_named(
        str(kernel),
        asked_size,
        tile=tile,
        dtype=dtype,
        without=tuple(without_barriers),
        options=options,
        given=works_on,
    )
    if is_pipeline(subject):
        return Recording(record_pipeline(subject, selection, schedule_seed=schedule_seed))
    trace = record(subject, selection, schedule_seed=schedule_seed)
    return Recording(document_of(trace), trace)


def _given(
    arrays: Mapping[str, Any] | None,
    results: Mapping[str, int | tuple[int, ...]] | None,
    scalars: Mapping[str, int | float] | None,
    expect: Mapping[str, Any] | None,
    reference: str | Callable[..., Any] | None,
) -> Given:
    known = {name: numpy.asarray(array) for name, array in expect.items()} if expect else None
    return Given(
        arrays={name: _array(array) for name, array in (arrays or {}).items()},
        results={name: (shape,) if isinstance(shape, int) else tuple(shape) for name, shape in (results or {}).items()},
        scalars=scalars or {},
        expect=known,
        reference=None if reference is None else reference_of(reference),
    )


def _array(given: Any) -> Any:
    if isinstance(given, int):
        return (given,)
    return given if isinstance(given, tuple) else numpy.asarray(given)


def _index(index: Index) -> Extent:
    """Return x, y and z of an index, whose last ones may be omitted."""
    given = (index,) if isinstance(index, int) else tuple(index)
    if not 1 <= len(given) <= 3:
        raise TraceError(f"An index has x, y and z, or the first of them, counted from 0, not {index!r}.")
    x, y, z = (*given, 0, 0)[:3]
    return x, y, z
