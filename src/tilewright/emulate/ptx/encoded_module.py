"""A module as the interpreter takes it: rows of integers, and what a launch must know of each function."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilewright.emulate.ptx.operands import Constants
from tilewright.emulate.ptx.parser import Variable


@dataclass
class FunctionCode:
    """Where a function's rows are, and what a launch must know of it."""

    name: str
    is_kernel: bool
    entry: int
    frame_bytes: int
    local_bytes: int
    shared_bytes: int
    parameters: list[Variable]
    parameter_offsets: list[int]
    unwritten_reads: list[int]  # rows that may read a register before anything is written to it
    calls: list[str] = field(default_factory=list)
    calls_pointers: bool = False
    waits: bool = False
    copies_async: bool = False
    has_events: bool = False  # it has mbarriers, clusters or copies in bulk
    uses_warpgroups: bool = False
    limits: dict[str, list[int]] = field(default_factory=dict)  # of a launch, by the directive
    waits_for_grid: bool = False  # cooperative_groups::this_grid().sync()
    reserves_shared: bool = False  # it uses what system software has of shared memory
    parallel: bool = True
    shared: list[tuple[str, int, int]] = field(default_factory=list)  # static arrays it may use: symbol, offset, bytes
    dynamic: list[str] = field(default_factory=list)  # symbols of `extern __shared__` arrays
    dynamic_aligns: list[int] = field(default_factory=list)


@dataclass
class ModuleCode:
    """A module as the interpreter takes it."""

    rows: list[list[int]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    uncounted: list[bool] = field(default_factory=list)
    elements: list[int] = field(default_factory=list)
    lines: list[tuple[int, int]] = field(default_factory=list)
    line_numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    callers: dict[int, tuple[int, int] | None] = field(default_factory=dict)  # of a row (parser.Instruction)
    constants: Constants = field(default_factory=Constants)
    calls: list[list[int]] = field(default_factory=list)
    copies: list[tuple[int, int, int]] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)
    functions: dict[str, FunctionCode] = field(default_factory=dict)
    frame_bytes: int = 0  # of one frame of every function
    frame_step: int = 0  # between levels of calls; 0 where no function can call itself


@dataclass
class Symbols:
    """Names that instructions may use as addresses."""

    variables: dict[str, int]  # module-scope .global and .const: index into Module.variables
    shared: dict[str, int]  # static shared: offset
    dynamic: dict[str, int]  # extern shared: alignment
    functions: dict[str, int]  # row of ModuleCode.calls that describes the function
