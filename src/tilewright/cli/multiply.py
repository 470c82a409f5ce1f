"""`tilewright multiply`: a product of matrices in files, within a memory limit."""

from __future__ import annotations

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
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be moved, and do nothing.")] = False,
) -> None:
    """Multiply matrices in files that may be larger than the memory."""
    from tilewright.arrays.stores.memory import ArrayStore
    from tilewright.arrays.stores.opened import create_path, is_there, new_chunks, open_path
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
        out = ArrayStore(numpy.broadcast_to(numpy.zeros((), asked.dtype), asked.out.shape), "C")
        out.is_writable = True
        out.written_chunks = new_chunks(out.shape) if output.endswith(".zarr") else None
    planned = explain_streamed(operation, left, right, out, **how)  # refused before anything is made
    if plan:
        screen().print(str(planned), markup=False, soft_wrap=True)
        return
    if not is_there(output):
        out = create_path(output, "C", out.shape, out.dtype)
    multiply_streamed(operation, left, right, out, resume=resume, progress=error_screen().is_terminal, **how)
