"""`tilewright multiply`: a product of matrices in files, within a memory limit."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import numpy
import typer

from .refusals import Refusal
from .screen import error_screen, screen

KINDS = "a file .npy, a folder .zarr, or FILE.h5:DATASET"


def multiply(
    a: Annotated[str, typer.Argument(metavar="A", help=f"A (m, k): {KINDS}.")],
    b: Annotated[str, typer.Argument(metavar="B", help="B (k, n), likewise.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="C", help="Where C goes, likewise.")],
    memory_limit: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Such as 4GiB. Without it: half of what is free.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue from the tiles of C that are whole.")] = False,
    reduced: Annotated[bool, typer.Option("--reduced", help="The reduced product (RMM) instead.")] = False,
    device: Annotated[str, typer.Option(help="auto, host, gpu, or GPUs such as cuda:0,cuda:1.")] = "auto",
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of a Dask cluster whose workers compute, as tcp://host:8786.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be moved, and do nothing.")] = False,
) -> None:
    """Multiply matrices in files that may be larger than the memory."""
    from tilewright.arrays.stores.opened import create_path, is_there, open_path
    from tilewright.call.streamed.product import explain_streamed, multiply_streamed
    from tilewright.call.streamed.request import check_streamed

    operation = "reduced_matmul" if reduced else "matmul"
    left, right = open_path(a, "A"), open_path(b, "B")
    how: dict[str, Any] = {"memory_limit": memory_limit, "device": device.split(",") if "," in device else device}
    if is_there(output):
        out: Any = open_path(output, "C", writable=not plan)
        out.is_writable = True  # a plan writes nothing
    else:
        asked = check_streamed(operation, left, right, None, {}, runs=False)
        if asked.dtype == "bfloat16":
            raise Refusal(f"C would be of bfloat16, and files of float32 are made; make {output} first.")
        out = _unmade(output, asked.dtype, asked.out.shape, by_workers=scheduler is not None)
    with ExitStack() as held:
        how["engine"] = held.enter_context(_client_of(scheduler)) if scheduler is not None else None
        planned = explain_streamed(operation, left, right, out, **how)  # refused before anything is made
        if plan:
            screen().print(str(planned), markup=False, soft_wrap=True)
            return
        if not is_there(output):
            out = create_path(output, "C", out.shape, out.dtype)
        multiply_streamed(operation, left, right, out, resume=resume, progress=error_screen().is_terminal, **how)


def _unmade(output: str, dtype: str, shape: tuple[int, int], *, by_workers: bool) -> Any:
    """What a plan has to know of an output that is not there yet; for workers also that it will have a path."""
    from tilewright.arrays.stores.memory import ArrayStore
    from tilewright.arrays.stores.opened import new_chunks, split_dataset

    out: Any = ArrayStore(numpy.broadcast_to(numpy.zeros((), dtype), shape), "C")
    out.is_writable = True
    out.written_chunks = new_chunks(shape) if output.endswith(".zarr") else None
    if by_workers:
        out.kind, out.path = "hdf5" if split_dataset(output)[1] else "file", Path(output)
        out.location = lambda: {"kind": out.kind, "path": output}
    return out


def _client_of(address: str) -> Any:
    """A client of a scheduler that somebody has started."""
    try:
        from distributed import Client
    except ImportError as error:
        raise Refusal('--scheduler needs Dask: pip install "tilewright[dask]".') from error
    try:
        return Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Refusal(f"No scheduler of Dask's answers at {address}.") from error
