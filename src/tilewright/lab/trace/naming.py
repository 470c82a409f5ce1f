"""From a name, of a kernel of the catalogue or of a file, to the subject of a trace."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from tilewright.kernels import Kernel, find
from tilewright.lab.check.find.roles import RolesError
from tilewright.lab.check.options import Options
from tilewright.lab.check.sizes import Sizes

from .catalogue_subject import catalogue_subject
from .file_subject import file_subject
from .other_subject import Given, how_to_give, other_subject
from .subject import Subject, TraceError

EXAMPLE_SIZES = {"matmul": (4, 4, 4), "reduced_matmul": (8, 8, 8), "dot": (1, 1, 64)}
"""Default m, n and k by operation: seed 002's example, the thesis's figure 4.3, two blocks of a warp."""
EXAMPLE_SIZES_OF_HALVES = {"matmul": (16, 16, 16)}
"""The defaults for kernels of 16-bit types: one instruction of a tensor core."""
PIPELINE_SIZES = {"matmul": (128, 128, 512)}
"""The defaults for kernels of one chip, which load a tile of k after the other into stages: each is filled twice."""
SIZES_OF = {"matmul/matrix_vector": (16, 1, 16)}
"""The defaults for a kernel that takes no others' sizes."""
EXAMPLE_TILES = {"matmul": 2, "reduced_matmul": 2, "dot": 32}
"""The tiles for the default sizes."""
TILE = 4
"""The default tile for given sizes."""


def subject_named(
    kernel: str,
    size: tuple[int, int, int] | None,
    *,
    tile: int | None = None,
    dtype: str | None = None,
    without: tuple[int, ...] = (),
    options: Options | None = None,
    given: Given | None = None,
) -> Subject:
    """Return the subject called `kernel`: `matmul/tiled`, or the path of a CUDA C++ file.

    size: m, n and k. tile, dtype, without: for the catalogue's kernels; dtype: None for float32, or float16 for
    kernels of 16-bit types. options: for files; their seed is for both.
    given: the inputs of a file's kernel that is not a product.

    Raises:
        TraceError: an option is of the other kind, or the problem is too large.
        PlanError, UnknownKernelError, UnknownOperationError: of a kernel of the catalogue.
        SourceError, CompileError, CheckError, RolesError, LaunchError: of a file.
    """
    options = options or Options()
    if is_file(kernel):
        if tile is not None or without or dtype is not None:
            raise TraceError(
                "A tile, a type, left-out barriers are of catalogued kernels; a file says its tile itself."
            )
        return _of_file(kernel, size, options, given)
    if given:
        raise TraceError(f"{kernel} is no file, and arrays and numbers by name are of a file's kernel.")
    usual = asdict(Options(seed=options.seed))
    of_file = [name for name, value in asdict(options).items() if value != usual[name]]
    if of_file:
        raise TraceError(f"{kernel} is no file, and {of_file[0].replace('_arguments', '')} is an option of files.")
    operation, _, idea = kernel.partition("/")
    if not idea:
        raise TraceError(f"{kernel!r} names no kernel; write it as in matmul/tiled, or name a CUDA C++ file.")
    found = find(operation, idea)
    if found.tile is not None and tile is None:
        tile = TILE if size and operation != "dot" else EXAMPLE_TILES[operation]
    m, n, k = size or SIZES_OF.get(found.name) or _usual_sizes(found)[operation]
    return catalogue_subject(found, Sizes(m, k, n), tile, dtype, options.seed, without)


def _usual_sizes(kernel: Kernel) -> dict[str, tuple[int, int, int]]:
    if kernel.only is not None:
        return PIPELINE_SIZES
    return EXAMPLE_SIZES if "float32" in kernel.since else EXAMPLE_SIZES_OF_HALVES


def _of_file(path: str, size: tuple[int, int, int] | None, options: Options, given: Given | None) -> Subject:
    if given:
        if size is not None:
            raise TraceError("A size is of products; a kernel that works on given arrays has sizes among its numbers.")
        return other_subject(path, given, options)
    try:
        return file_subject(path, None if size is None else Sizes(size[0], size[2], size[1]), options)
    except RolesError as error:
        example = "" if options.arguments or options.operation else how_to_give(path, options)
        if not example:
            raise
        raise TraceError(f"{error} If it is no product, say what it works on, by name, such as {example}.") from error


def is_file(kernel: str) -> bool:
    """Return whether a name is a file's, not one of the catalogue."""
    return kernel.endswith((".cu", ".cuh")) or Path(kernel).is_file()
