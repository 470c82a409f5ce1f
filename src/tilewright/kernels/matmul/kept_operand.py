"""Launches of products one of whose operands stays the same: what is made of it once, and what each product launches.

Kernels that prepare operands (repack them, or split them into parts) take one or two in a launch. So one launch for two
becomes two for one each, and what is made of the constant operand moves from the workspace to memory that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tilewright.kernels.epilogue import NO_ADDRESS
from tilewright.kernels.launch import KEPT, Argument, Arguments, Launch, Launches, Pointer, Prepared, Scalar
from tilewright.kernels.matmul.split_float32 import WORKSPACE_MULTIPLE

PREPARING = ("matmul/repack", "matmul/repack_float32", "matmul/largest_exponents", "matmul/split_float32")
"""Kernels whose launches have one or two operands: ``from_1``, ``from_2``, and more arguments numbered alike."""
NUMBERS = ("1", "2")


def kept_apart(whole: Launches, constant: Prepared) -> tuple[Launches, Launches]:
    """Return the launches that prepare the constant operand, and those of a product for which that is done.

    ``workspace_bytes`` of the first are the bytes to keep: its launches name the buffer `KEPT`, and no workspace.
    """
    once: list[Launch] = []
    each: list[Launch] = []
    for launch in whole.launches:
        if launch.kernel not in PREPARING:
            each.append(_moved(launch, constant))
            continue
        for number, buffer in _operands(launch):
            (once if buffer == constant.buffer else each).append(_moved(_alone(launch, number), constant))
    kept_bytes = constant.end_bytes - constant.offset_bytes
    writes_more = any(_is_working(argument) for launch in once for argument in launch.arguments.values())
    rest = replace(
        whole,
        launches=tuple(each),
        workspace_bytes=whole.workspace_bytes - kept_bytes,
        prepared=(),
    )
    once = [_without_workspace(launch, kept_bytes) for launch in once]
    return Launches(tuple(once), kept_bytes + WORKSPACE_MULTIPLE * writes_more), rest


def _operands(launch: Launch) -> Iterator[tuple[str, str]]:
    """Yield number and buffer of each operand that a launch prepares."""
    for number in NUMBERS:
        source = launch.arguments[f"from_{number}"]
        if isinstance(source, Pointer):
            yield number, source.buffer


def _alone(launch: Launch, number: str) -> Launch:
    """Return the launch for one of its operands, as the first; there is no second."""
    arguments: Arguments = {}
    for name, argument in launch.arguments.items():
        stem, _, member = name.partition(".")
        if not stem.endswith(tuple(f"_{each}" for each in NUMBERS)):
            arguments[name] = argument
        elif stem.endswith("_1"):
            of_it = f"{stem.removesuffix('_1')}_{number}"
            arguments[name] = launch.arguments[f"{of_it}.{member}" if member else of_it]
        else:
            arguments[name] = _nothing(argument)
    blocks = arguments["matrix_1.blocks"]
    assert isinstance(blocks, Scalar)
    return replace(launch, grid=(int(blocks.value), 1, 1), arguments=arguments)


def _nothing(argument: Argument) -> Argument:
    return Scalar(argument.ctype, 0) if isinstance(argument, Scalar) else NO_ADDRESS


def _moved(launch: Launch, constant: Prepared) -> Launch:
    """Return the launch with places of the constant operand in `KEPT`; what lies behind them in the workspace moves."""
    return replace(launch, arguments={name: _at(each, constant) for name, each in launch.arguments.items()})


def _at(argument: Argument, constant: Prepared) -> Argument:
    if isinstance(argument, Scalar) or argument.buffer != "workspace":
        return argument
    start, end = constant.offset_bytes, constant.end_bytes
    if argument.offset_bytes < start:
        return argument
    if argument.offset_bytes < end:
        return replace(argument, buffer=KEPT, offset_bytes=argument.offset_bytes - start)
    return replace(argument, offset_bytes=argument.offset_bytes - (end - start))


def _without_workspace(launch: Launch, unread_offset: int) -> Launch:
    """Return the launch with what it writes for later launches of the same product where nobody reads it."""
    unread = Pointer(KEPT, unread_offset)
    return replace(launch, arguments={k: unread if _is_working(v) else v for k, v in launch.arguments.items()})


def _is_working(argument: Argument) -> bool:
    return isinstance(argument, Pointer) and argument.buffer == "workspace"
