"""Makes the search's candidate from a kernel and the user's options: slots to fill, and launches to try."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from tilewright.lab.check.element_types import dtype_of, is_integer
from tilewright.lab.check.kind import Kind
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import CheckError
from tilewright.lab.source import Parameter
from tilewright.lab.source.macros import code_only

from .block_shapes import Block, block_shapes, launch_bound, tiles_of_threads
from .candidate import Candidate
from .coverage import Probe, launches_seen
from .hypotheses import FREE_SIZES, Slots, slots_of
from .kernel_file import KernelFile, parameters_of
from .launches import FormulaLaunch, LaunchError, LaunchRule, grids_of_kind, guesses, in_words_of
from .layers import bias_word, shift_word
from .own_launch import DEFAULT_SIDE, OwnLaunch, own_launch
from .plain_numbers import STEP, factor_words, steps_of_vectors
from .roles import MATRICES, NULL, PASSED, parse_roles
from .search import OPERATIONS
from .spare_arrays import spare_words, totals_word
from .stated_block import stated_shapes

MOST_BLOCKS = 6
"""The most block shapes that are tried on a kernel of another kind."""
WARP = 32
LARGEST_SIDE = 32
"""A constant above this is hardly a tile's side."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:\\\n|.)*", re.MULTILINE)
_VOID = re.compile(r"\(\s*void\s*\)\s*\w+\s*;")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def candidate_of(kernel: KernelFile, free: Sequence[str] | None = None, *, is_other: bool = False) -> Candidate:
    """Return the candidate for a kernel. free: constants of the file to treat as sizes; None for the likeliest.

    is_other: it may be of another kind than a product.

    Raises:
        RolesError: it can't be a kernel of any operation, or --args does not fit it.
        CheckError: a template lacks its arguments, or only one of --block and --grid is given.
    """
    signature = kernel.signature
    if signature.template_parameters and not kernel.template_arguments:
        shown = ", ".join(signature.template_parameters)
        raise CheckError(
            f"{signature.name} is a template of <{shown}>, and no launch in the file says which: give --template, once "
            "for each."
        )
    parameters = parameters_of(kernel)
    rule = launch_of(kernel, parameters)
    slots = _slots(kernel, parameters, rule, free, is_other=is_other)
    comments = _COMMENT.findall(kernel.opened.file.text)
    return Candidate(
        name=kernel.signature.name,
        slots=slots,
        stand=kernel.searching_stand,
        rules=_Guesses(kernel, slots) if rule is None else lambda _: [rule],
        shared_extents=kernel.shared_extents,
        computes_arguments=isinstance(rule, OwnLaunch),
        is_guessed=rule is None or rule.is_guess,
        is_batched="blockIdx.z" in kernel.indices,
        is_flat=not any(index.endswith("y") for index in kernel.indices),
        looks_like_dot=slots.count == 1 and "threadIdx.y" not in kernel.indices,
        numbers=kernel.numbers,
        text=kernel.opened.file.text,
        about=" ".join([kernel.body, *comments]),
        title=" ".join([kernel.signature.name, *comments]),
        operation=kernel.options.operation,
        multiples_of=kernel.options.multiples_of or 1,
    )


def operations_of(kernel: KernelFile) -> Sequence[str]:
    """Return the operations that the kernel may compute."""
    if kernel.options.operation:
        return [kernel.options.operation]
    is_matrix = {"rows", "cols"} & set(_WORD.findall(kernel.options.arguments or ""))
    return [operation for operation in OPERATIONS if operation != "dot" or not is_matrix]


def launch_of(kernel: KernelFile, parameters: Sequence[Parameter]) -> LaunchRule | None:
    """Return the launch given by the user, else the file's own, else None, which means that it must be guessed."""
    options = kernel.options
    if bool(options.block) != bool(options.grid):
        raise CheckError("--block and --grid belong together: give both, or neither.")
    if options.block:
        known = tuple(kernel.known_numbers.items())
        return FormulaLaunch(options.block, options.grid, options.shared_bytes or "0", known)
    for site in kernel.sites:
        if len(site.arguments) != len(parameters):
            continue
        texts = [site.arguments[i] for i in _whole_numbers(parameters)]
        names = [name for name, constant in kernel.constants.items() if constant.is_literal]
        try:
            launch = own_launch(site, kernel.opened.file.text, texts, names)
        except LaunchError as error:
            kernel.notes.append(f"{error} Launches were guessed instead; --block and --grid say which is right.")
            continue
        for name in launch.taken_for_sides:
            kernel.notes.append(
                f"{name}, which only the running program knows, was taken for {DEFAULT_SIDE} in the launch of line "
                f"{site.line}; --block and --grid say which is right."
            )
        return launch
    return None


class _Guesses:
    """Guessed launches of a kernel, made on demand and kept."""

    def __init__(self, kernel: KernelFile, slots: Slots) -> None:
        self._kernel, self._slots = kernel, slots
        self._is_stated = False
        self._made: dict[str, list[LaunchRule]] = {}
        self._sources: dict[str, Iterator[LaunchRule]] = {}

    def __call__(self, operation: str) -> Iterator[LaunchRule]:
        """Yield the launches for an operation: those already made, then more."""
        made = self._made.setdefault(operation, [])
        source = self._sources.setdefault(operation, self._make(operation))
        yield from list(made)
        for rule in source:
            made.append(rule)
            yield rule

    def _make(self, operation: str) -> Iterator[LaunchRule]:
        kernel = self._kernel
        if operation in KINDS:
            yield from self._of_kind(KINDS[operation])
            return
        bound = launch_bound(kernel.text_with_head, kernel.known_numbers)
        shapes = self._shapes(bound)
        seen: list[FormulaLaunch] = []
        for block in shapes if operation != "dot" else ():
            for rule in launches_seen(self._probe(), block, operation):
                seen.append(rule)
                if rule.covers:
                    yield rule
        yield from (rule for rule in seen if not rule.covers)
        if operation == "dot":
            yield from self._of_dot(shapes)
            return
        dynamic = "0"
        if kernel.has_dynamic_shared:
            dynamic = kernel.options.shared_bytes or str(
                max(self._slots.dtypes[i].itemsize for i in self._slots.pointers)
            )
        for rule in guesses(operation, kernel.shared_extents, kernel.indices, kernel.numbers):
            count = product_of(rule.block)
            if self._is_stated and block_of(rule.block) not in shapes:
                continue
            yield rule if dynamic == "0" else replace(rule, shared_bytes=f"{dynamic}*{count}")

    def _shapes(self, bound: int = 0) -> list[Block]:
        """Return the blocks to try: the one that a comment states, else guesses."""
        kernel = self._kernel
        tiles = tiles_of_threads(kernel.body, dict(kernel.shared_tiles))
        guessed = block_shapes(kernel.indices, kernel.shared_extents, kernel.numbers, bound, tiles)
        guessed = [block for block in guessed if block not in kernel.options.refused_blocks]
        shapes = stated_shapes(kernel, guessed)
        self._is_stated = shapes != guessed
        return shapes

    def _of_dot(self, shapes: Sequence[Block]) -> Iterator[LaunchRule]:
        """Yield launches of a dot product: one or two elements per thread, or one block for all."""
        kernel = self._kernel
        bytes_each = max(self._slots.dtypes[i].itemsize for i in self._slots.pointers)
        for block in shapes or [(1, 1, 1)]:
            threads = prod(block)
            if threads <= WARP and "blockDim.x" in kernel.indices and kernel.signature.shared_arrays:
                continue  # a single warp hides a barrier that is missing
            shared = "0"
            if kernel.has_dynamic_shared:
                shared = kernel.options.shared_bytes or str(threads * bytes_each)
            is_of_one = "blockIdx.x" not in kernel.indices or "gridDim.x" in kernel.indices
            for grid in (f"ceil(inner/{threads})", *(["1"] if is_of_one else []), f"ceil(inner/{2 * threads})"):
                yield FormulaLaunch(
                    ",".join(map(str, block)).removesuffix(",1").removesuffix(",1"),
                    grid,
                    shared,
                    is_guess=True,
                    covers=len(self._slots.sizes) + len(self._slots.constants) == 1 and block == shapes[0],
                )

    def _of_kind(self, kind: Kind) -> Iterator[LaunchRule]:
        """Yield launches of a kernel of another kind: the grid counts the elements, or what the blocks write shows."""
        kernel = self._kernel
        shapes = self._shapes()[:MOST_BLOCKS]
        for block in shapes or [(1, 1, 1)]:
            bytes_each = max(self._slots.dtypes[i].itemsize for i in self._slots.pointers)
            shared = str(prod(block) * bytes_each) if kernel.has_dynamic_shared else "0"
            if kernel.has_dynamic_shared and kernel.options.shared_bytes:
                shared = kernel.options.shared_bytes
            sides = ",".join(map(str, block)).removesuffix(",1").removesuffix(",1")
            has_blocks = any(index.startswith("blockIdx") for index in kernel.indices)
            grids = list(grids_of_kind(kind, block, kernel.shared_extents)) if has_blocks else ["1"]
            for grid in grids:
                if grid == "1" and has_blocks and "gridDim.x" not in kernel.indices:
                    continue
                yield FormulaLaunch(sides, grid, shared, is_guess=True)
            if len(kind.c) == len(kind.a) == 2:
                for seen in launches_seen(self._probe(), block, "matmul"):
                    yield replace(seen, grid=in_words_of(kind, seen.grid), c=None)

    def _probe(self) -> Probe:
        slots, kernel = self._slots, self._kernel
        return Probe(
            lambda side: kernel.searching_stand(
                dict.fromkeys((*slots.constants, *(n for n, _ in slots.settled)), side)
            ),
            len(slots.parameters),
            {i: slots.dtypes[i] for i in slots.pointers},
            frozenset(i for i, dtype in slots.dtypes.items() if not is_integer(dtype) and i not in slots.pointers),
            any(index.startswith("gridDim") for index in kernel.indices),
            kernel.has_dynamic_shared,
        )


def block_of(block: str) -> Block:
    """Return the three sides of a block, of which the last are often left out."""
    x, y, z = (*(int(side) for side in block.split(",")), 1, 1)[:3]
    return x, y, z


def product_of(block: str) -> int:
    """Return the threads of a block."""
    return prod(int(side) for side in block.split(","))


def _slots(
    kernel: KernelFile,
    parameters: Sequence[Parameter],
    rule: LaunchRule | None,
    chosen: Sequence[str] | None,
    *,
    is_other: bool,
) -> Slots:
    options, name = kernel.options, kernel.signature.name
    settled = list(kernel.size_constants.items())
    pointers = [i for i, p in enumerate(parameters) if p.is_pointer]
    spare = len(pointers) > len(MATRICES)
    unused = {i: NULL for i in pointers if spare and not _uses(kernel, parameters[i].name)}
    unused |= spare_words(kernel.body, parameters)
    unused |= bias_word(kernel.body, parameters, list(unused))
    unused |= shift_word(kernel.body, parameters, list(unused)) if is_other else {}
    if is_other and re.search(KINDS["block_prefix_sums"].words, kernel.opened.file.text, re.IGNORECASE):
        unused |= totals_word(kernel.body, parameters)
    said: dict[int, str] = {}
    whole = _whole_numbers(parameters)
    if options.arguments:
        roles = parse_roles(options.arguments, options.operation, parameters, kernel.size_constants)
        said = dict(enumerate(roles.arguments))
        if isinstance(rule, OwnLaunch):
            settled += [(text, said[i]) for i in whole if (text := rule.site.arguments[i]) in rule.roots]
    elif isinstance(rule, OwnLaunch):
        said = {i: PASSED + text for i in whole if rule.knows(text := rule.site.arguments[i])}
    free = chosen if chosen is not None else free_constants(kernel, rule, has_sizes=bool(whole))
    steps = (
        {}
        if options.arguments
        else dict(steps_of_vectors(kernel.body, parameters, whole, code_only(kernel.opened.file.text)))
    )
    plain = {} if options.arguments else factor_words(kernel.body, parameters, whole) | dict.fromkeys(steps, STEP)
    if isinstance(rule, OwnLaunch):
        settled += [(text, STEP) for i in steps if (text := rule.site.arguments[i]) in rule.roots]
    taken = {n for n, _ in settled}
    return slots_of(
        parameters,
        name,
        constants=[n for n in free if n not in taken],
        said=unused
        | {i: word for i, word in said.items() if i in whole or word in MATRICES or options.arguments}
        | plain,
        steps=steps,
        settled=settled,
        is_other=is_other,
        counts=[name for name in rule.counts if name in free] if isinstance(rule, OwnLaunch) else (),
        places={root: i for root, text in rule.passed_as for i in whole if rule.site.arguments[i] == text}
        if isinstance(rule, OwnLaunch)
        else {},
        is_added="atomicAdd" in kernel.body,
    )


def _uses(kernel: KernelFile, name: str) -> bool:
    """Return whether the kernel does more with a parameter than to take it and to name it in `(void)name`.

    A member of a struct counts as used, and so does what a macro names.
    """
    word = re.compile(rf"\b{re.escape(name)}\b")
    macros = " ".join(_MACRO.findall(code_only(kernel.opened.file.text)))
    return "." in name or len(word.findall(_VOID.sub("", kernel.body))) > 1 or word.search(macros) is not None


def size_choices(kernel: KernelFile) -> list[list[str] | None]:
    """Return choices of the file's constants that may be sizes, the likeliest first; None stands for all of them.

    A constant in a kernel may be a size, a tile or the number of lanes of a warp. If enough sizes are known without
    the constants, the first choice is to leave them as they are in the file.
    """
    parameters = parameters_of(kernel)
    rule = launch_of(kernel, parameters)
    whole = _whole_numbers(parameters)
    free = free_constants(kernel, rule, has_sizes=bool(whole))
    inner = [name for name in free if name in kernel.literal_constants_of_kernel()]
    if not inner or kernel.options.arguments:
        return [None]
    others = [name for name in free if name not in inner]
    if isinstance(rule, OwnLaunch) and (len(others) >= FREE_SIZES or not set(inner) - set(others) - set(rule.roots)):
        if others and all(re.search(rf"::\s*{name}\b", kernel.body) for name in inner):
            return [others]  # what a struct says of tiles
        return [others, None] if others else [None]
    large = [name for name in inner if kernel.constants[name].value > LARGEST_SIDE]
    choices: list[list[str] | None] = []
    if isinstance(rule, OwnLaunch):
        own = [name for name in free if name in rule.roots]
        choices = [None, own] if own != free else [None]
    elif large and len(large) < len(inner):
        choices = [[*others, *large], None]
    else:
        choices = [None]
    choices += [[*others, *(name for name in inner if name != left)] for left in inner] if len(inner) > 1 else []
    return [*choices, others] if others not in choices else choices


def free_constants(kernel: KernelFile, rule: LaunchRule | None, *, has_sizes: bool) -> list[str]:
    """Return the names, other than parameters, that are sizes: those that the file's launch or the kernel uses.

    The number of blocks of a grid-stride loop is not a size: any number of blocks works.
    """
    in_kernel = [*kernel.literal_constants_of_kernel(), *kernel.size_variables]
    if isinstance(rule, OwnLaunch):
        tiles = rule.block_names
        roots = [name for name in rule.roots if name not in kernel.options.defines]
        if "gridDim.x" in kernel.indices and (has_sizes or set(in_kernel) - tiles):
            passed = {word for text in rule.site.arguments for word in _WORD.findall(text)}
            own = [name for name in roots if name in in_kernel or name in passed or name not in kernel.constants]
            whole = [rule.site.arguments[i] for i in _whole_numbers(parameters_of(kernel))]
            computed = [text for text in whole if text.isidentifier() and rule.knows(text)]  # as n = width * height
            roots = own or (computed if roots else [])
        return [*roots, *(name for name in in_kernel if name not in roots and name not in tiles)]
    return (
        list(kernel.size_variables) if has_sizes else [name for name in in_kernel if name not in kernel.options.defines]
    )


def _whole_numbers(parameters: Sequence[Parameter]) -> list[int]:
    found = []
    for i, parameter in enumerate(parameters):
        dtype = None if parameter.is_pointer else dtype_of(parameter.element_type)
        if dtype is not None and is_integer(dtype):
            found.append(i)
    return found
