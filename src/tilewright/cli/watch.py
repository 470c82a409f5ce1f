"""`tilewright watch`: a kernel that really ran, thread by thread, as one HTML file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from . import PASSED
from .check_inputs import named, watched_arrays
from .memories import is_file
from .options import DtypeName, OperationName
from .refusals import Refusal
from .screen import Bar, error_screen, screen
from .within import MemoryLimit, TimeLimit, limits_of, status_within
from .writing import check_ending, check_outputs, write_whole

FOR_FILES = "Of a file: as in check."
_INDEX = re.compile(r"(\d+)(?:,(\d+))?(?:,(\d+))?$")
_PHASES = re.compile(r"(\d+)(?:-(\d+))?$")


def watch(
    kernel: Annotated[str, typer.Argument(help="Such as matmul/tiled; or a CUDA C++ file; or a trace (.json).")],
    size: Annotated[
        tuple[int, int, int] | None,
        typer.Option(metavar="M N K", help="C is M x N, K the inner size; of dot 1 1 K. Small ones."),
    ] = None,
    tile: Annotated[int | None, typer.Option(help="Of a kernel of the catalogue.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The page: watch.html, if no file is named.")
    ] = None,
    gif: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the first block as an animation.")] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw its phases side by side.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="GIF and PNG for a dark page.")] = False,
    trace_path: Annotated[Path | None, typer.Option("--trace", metavar="FILE", help="Write the trace as JSON.")] = None,
    show_block: Annotated[
        list[str] | None, typer.Option(metavar="X,Y", help="Record this block. Without it: all of few, else the first.")
    ] = None,
    show_thread: Annotated[list[str] | None, typer.Option(metavar="X,Y", help="Record this thread alone.")] = None,
    show_phases: Annotated[str | None, typer.Option(metavar="FIRST-LAST", help="Record these phases, from 0.")] = None,
    without_barrier: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Take out a __syncthreads() of the catalogue's kernel: 1, 2.")
    ] = None,
    dtype: Annotated[DtypeName | None, typer.Option(help="Of a kernel of the catalogue: float32 without it.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the numbers in A and B.")] = 0,
    schedule_seed: Annotated[
        int | None, typer.Option(min=0, help="Let warps take turns at random. Without it: one after the other.")
    ] = None,
    symbol: Annotated[str | None, typer.Option(help="Of a file: this kernel.")] = None,
    operation: Annotated[OperationName | None, typer.Option(help=FOR_FILES)] = None,
    arguments: Annotated[str | None, typer.Option("--args", metavar="ROLES", help=FOR_FILES)] = None,
    block: Annotated[str | None, typer.Option(metavar="X,Y,Z", help=FOR_FILES)] = None,
    grid: Annotated[str | None, typer.Option(metavar="X,Y,Z", help=FOR_FILES)] = None,
    shared_bytes: Annotated[str | None, typer.Option(metavar="BYTES", help=FOR_FILES)] = None,
    define: Annotated[list[str] | None, typer.Option("--define", "-D", metavar="NAME=VALUE", help=FOR_FILES)] = None,
    template: Annotated[list[str] | None, typer.Option(metavar="ARGUMENT", help=FOR_FILES)] = None,
    zero_output: Annotated[bool, typer.Option("--zero-output", help=FOR_FILES)] = False,
    array: Annotated[
        list[str] | None, typer.Option(metavar="x=8x8", help="Of a file's kernel that is no product: shape or x.npy.")
    ] = None,
    result: Annotated[
        list[str] | None, typer.Option("--result", metavar="y=8x8", help="The same: what holds nothing before.")
    ] = None,
    scalar: Annotated[list[str] | None, typer.Option(metavar="n=5", help="The same: a number.")] = None,
    expect: Annotated[list[str] | None, typer.Option(metavar="y=y.npy", help="The same: what should come out.")] = None,
    reference: Annotated[
        str | None, typer.Option(metavar="FILE.py:FUNCTION", help="The same: what computes it.")
    ] = None,
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
) -> int:
    """Run a kernel on a small problem and write a page that plays what every thread did."""
    if output is None and gif is None and png is None:
        output = Path("watch.html")
    check_outputs([path for path in (output, trace_path, gif, png) if path is not None])
    check_ending(output, "a page", ".html", ".htm")
    check_ending(gif, "an animation", ".gif")
    check_ending(png, "a picture", ".png")
    if gif is not None or png is not None:
        from tilewright.lab.watch.pictures.layout import font

        font(12)  # refuses before anything runs where Pillow is missing
    limits = limits_of(time_limit, memory_limit)
    is_program = is_file(kernel) and not kernel.endswith(".json")
    if not is_program and (status := status_within("the run", time_limit, memory_limit)) is not None:
        return status
    selection = _selection(show_block, show_thread, show_phases)
    file_options: dict[str, Any] = {
        "symbol": symbol or "",
        "operation": "" if operation is None else operation.value,
        "arguments": arguments or "",
        "block": block or "",
        "grid": grid or "",
        "shared_bytes": shared_bytes or "",
        "defines": named(define or [], "-D", "NAME=VALUE", default="1"),
        "template_arguments": tuple(template or ()),
        "zero_output": zero_output,
    }
    with Bar(error_screen()).running(f"recording {kernel}"):
        document = _document(
            kernel,
            size=size,
            tile=tile,
            dtype=None if dtype is None else dtype.value,
            seed=seed,
            without_barriers=tuple(without_barrier or ()),
            schedule_seed=schedule_seed,
            time_limit_seconds=limits.seconds,
            memory_limit_bytes=limits.memory_bytes,
            **selection,
            **file_options,
            **watched_arrays(array or [], result or [], scalar or [], expect or [], reference),
        )
    _write_pictures(document, gif, png, dark=dark)
    _write(document, output, trace_path)
    return PASSED


def _document(kernel: str, **options: Any) -> dict[str, Any]:
    from tilewright.lab.check.find.finding_out import REFUSALS
    from tilewright.lab.trace.subject import TraceError
    from tilewright.lab.watch.recording import watch as record

    try:
        return dict(record(kernel, **options).document)
    except (*REFUSALS, TraceError) as error:
        raise Refusal(str(error)) from error


def _selection(blocks: list[str] | None, threads: list[str] | None, phases: str | None) -> dict[str, Any]:
    return {
        "blocks": [_index(text, "--show-block") for text in blocks] if blocks else None,
        "threads": [_index(text, "--show-thread") for text in threads] if threads else None,
        "phases": _phases(phases) if phases else None,
    }


def _index(text: str, option: str) -> tuple[int, int, int]:
    match = _INDEX.match(text)
    if match is None:
        raise Refusal(f"{option} takes X, X,Y or X,Y,Z, counted from 0, not {text!r}.")
    x, y, z = (int(part or 0) for part in match.groups())
    return x, y, z


def _phases(text: str) -> tuple[int, int]:
    match = _PHASES.match(text)
    if match is None or int(match[2] or match[1]) < int(match[1]):
        raise Refusal(f"--show-phases takes FIRST-LAST or one phase, counted from 0, not {text!r}.")
    return int(match[1]), int(match[2] or match[1])


def _write_pictures(document: dict[str, Any], gif: Path | None, png: Path | None, *, dark: bool) -> None:
    from tilewright.lab.watch.pictures import gif_of, png_of

    for path, draw in ((gif, gif_of), (png, png_of)):
        if path is not None:
            content = draw(document, dark=dark)
            write_whole(path, content)
            screen().print(f"{path}: {len(content) / 1000:,.0f} kB.", markup=False, soft_wrap=True)


def _write(document: dict[str, Any], output: Path | None, trace_path: Path | None) -> None:
    from tilewright.lab.trace.document import text_of
    from tilewright.lab.trace.subject import line_said
    from tilewright.lab.watch.lesson import with_lesson
    from tilewright.lab.watch.page import page_of

    console = screen()
    steps = sum(len(block["steps"]) for block in document["blocks"])
    count = len(document["blocks"])
    recorded = f"{steps:,} steps of {count} {'block' if count == 1 else 'blocks'}"
    if output is None:
        console.print(f"{recorded}.", markup=False)
    else:
        page = page_of(with_lesson(document)).encode()
        write_whole(output, page)
        size = f"{len(page) / 1000:,.0f} kB"
        console.print(f"{output}: {recorded}, {size}. Any browser opens it.", markup=False, soft_wrap=True)
    if trace_path is not None:
        write_whole(trace_path, text_of(document).encode())
    if document["recorded"]["cut"]:
        console.print(document["recorded"]["cut"], markup=False, soft_wrap=True)
    for finding in document["findings"]:
        where = line_said(document, finding["line"])
        console.print(f"{finding['kind']}, {where}: {finding['message']}", markup=False)
