"""A kernel of a user's file as the subject of a trace; its roles and launch are found as in `tilewright check`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.finding_out import find_out
from tilewright.lab.check.find.kernel_file import KernelFile, choose_kernels, open_file
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.judge.cases import Case, case_of, starts_at_zero
from tilewright.lab.check.judge.verdicts import budget_of
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import Options
from tilewright.lab.check.run.execution import Array, Stand
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.source.cuda_file import CudaFile, read_cuda_file

from .subject import Listing, Product, Subject, TraceError, check_extent, largest_number, listing_of, small_numbers

LARGEST_TILE = 32
TILES = (64, 128, 256, 512, 1024)
"""Tried in turn where the launch takes no smaller problem, as one of n / 256 blocks."""


def file_subject(path: str | Path, sizes: Sizes | None, options: Options) -> Subject:
    """Return a kernel of a user's file with a problem.

    sizes: None for two by two tiles, in two phases, or the next larger ones that the launch takes.

    Raises:
        SourceError, CompileError, CheckError, RolesError, LaunchError: each with a sentence.
        TraceError: the problem is too large, or its numbers are bfloat16.
    """
    opened = open_file(path)
    known = find_out(opened, choose_kernels(opened, options.symbol)[0], options)
    kernel, found = known.kernel, known.found
    case = _case(kernel, found, sizes)
    operation = found.roles.operation
    stand = kernel.stand(found.roles.constants_at(case.sizes))
    is_product = operation not in KINDS
    return Subject(
        name=kernel.signature.name,
        listing=file_listing(opened.file, stand),
        operation=operation if is_product else "",
        stand=stand,
        arguments=tuple(case.arguments),
        geometry=case.geometry,
        budget=budget_of(case.sizes),
        tile=found.tile if kernel.shared_extents else None,
        product=Product(case.sizes, case.a, case.b) if is_product else None,
        scalars={} if is_product else case.sizes.named(operation),
        compared=partial(_right, case),
        notes=(*kernel.notes, f"Arguments and launch: {found.how}; {found.rule.said}."),
    )


def _case(kernel: KernelFile, found: Found, given: Sizes | None) -> Case:
    """Return the launch at the sizes given, or at the smallest of two tiles a side that it takes."""
    roles, tile = found.roles, min(found.tile, LARGEST_TILE)
    refused: LaunchError | None = None
    for side in (tile, *(each for each in TILES if each > tile)):
        sizes = (given or Sizes(2 * side, 2 * side, 2 * side)).of_family(roles.family).of_operation(roles.operation)
        sizes = roles.fixed[0] if roles.fixed else sizes
        try:
            check_extent(roles.operation, sizes)
            return case_of(
                found,
                sizes,
                kernel.options.seed,
                zero=starts_at_zero(kernel, found),
                drawn=partial(_small, found, sizes.inner),
            )
        except LaunchError as error:
            refused = refused or error
        except TraceError:
            if refused is None:
                raise
            break
        if given or roles.fixed:
            break
    assert refused is not None
    raise refused


def _small(found: Found, inner: int, a: Array, b: Array, generator: Any) -> tuple[Array, Array]:
    """Return A and B of these shapes and types with small whole numbers, which can be read in a cell."""
    largest = min(largest_number(dtype, inner) for dtype in found.dtypes.values())
    return small_numbers(a.shape, a.dtype, largest, generator), small_numbers(b.shape, b.dtype, largest, generator)


def _right(case: Case, c: Array) -> Array:
    return case.compare(c).right


def file_listing(file: CudaFile, stand: Stand) -> Listing:
    """Return the listing of a user's file and the files of its folder that it includes."""

    def text_of(name: str) -> str | None:
        path = (file.folder / name).resolve()
        is_shown = path.is_relative_to(file.folder) and path.is_file()
        return read_cuda_file(path).text if is_shown else None

    return listing_of(file.name, file.text, stand.module, text_of)
