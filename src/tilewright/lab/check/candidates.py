"""From a kernel and what the user said to what the search tries: slots to fill, and launches to try."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tilewright.lab.source import Parameter

from .candidate import Candidate
from .element_types import dtype_of, is_integer
from .hypotheses import Slots, slots_of
from .kernel_file import KernelFile, parameters_of
from .launches import FormulaLaunch, LaunchError, LaunchRule, guesses
from .options import CheckError
from .own_launch import DEFAULT_SIDE, OwnLaunch, own_launch
from .roles import MATRICES, PASSED, parse_roles
from .search import OPERATIONS

_WORD = re.compile(r"[A-Za-z_]\w*")


def candidate_of(kernel: KernelFile) -> Candidate:
    """Return what to try for a kernel.

    Raises:
        RolesError: it can't be an operation's kernel, or --args does not fit it.
        CheckError: a template lacks its arguments, or --block comes without --grid or the other way round.
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
    return Candidate(
        name=kernel.signature.name,
        slots=_slots(kernel, parameters, rule),
        stand=kernel.searching_stand,
        rules=lambda operation: [rule] if rule is not None else _guesses(kernel, operation),
        shared_extents=kernel.shared_extents,
        computes_arguments=isinstance(rule, OwnLaunch),
        numbers=kernel.numbers,
        multiples_of=kernel.options.multiples_of or 1,
    )


def operations_of(kernel: KernelFile) -> Sequence[str]:
    """Return the operations that come into question."""
    if kernel.options.operation:
        return [kernel.options.operation]
    is_matrix = {"rows", "cols"} & set(_WORD.findall(kernel.options.arguments or ""))
    return [operation for operation in OPERATIONS if operation != "dot" or not is_matrix]


def launch_of(kernel: KernelFile, parameters: Sequence[Parameter]) -> LaunchRule | None:
    """Return the launch that the user gives, else the file's own, else None: guesses are needed."""
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


def _guesses(kernel: KernelFile, operation: str) -> list[LaunchRule]:
    if kernel.has_dynamic_shared and not kernel.options.shared_bytes:
        raise CheckError(
            f"{kernel.signature.name} uses dynamic shared memory, and no launch in the file says how much: "
            "give --shared-bytes, with --block and --grid."
        )
    return list(guesses(operation, kernel.shared_extents, kernel.indices, kernel.numbers))


def _slots(kernel: KernelFile, parameters: Sequence[Parameter], rule: LaunchRule | None) -> Slots:
    options, name = kernel.options, kernel.signature.name
    settled = list(kernel.size_constants.items())
    said: dict[int, str] = {}
    whole = _whole_numbers(parameters)
    if options.arguments:
        roles = parse_roles(options.arguments, options.operation, parameters, kernel.size_constants)
        said = dict(enumerate(roles.arguments))
        if isinstance(rule, OwnLaunch):
            settled += [(text, said[i]) for i in whole if (text := rule.site.arguments[i]) in rule.roots]
    elif isinstance(rule, OwnLaunch):
        said = {i: PASSED + rule.site.arguments[i] for i in whole}
    free = _free_constants(kernel, rule, has_sizes=bool(whole))
    taken = {n for n, _ in settled}
    return slots_of(
        parameters,
        name,
        constants=[n for n in free if n not in taken],
        said={i: word for i, word in said.items() if i in whole or word in MATRICES or options.arguments},
        settled=settled,
    )


def _free_constants(kernel: KernelFile, rule: LaunchRule | None, *, has_sizes: bool) -> list[str]:
    """Return names that are sizes but no parameters: those that the own launch follows from, and the kernel's.

    A number of blocks that a kernel with a loop over the grid never names is none: any number of them does.
    """
    in_kernel = kernel.literal_constants_of_kernel()
    if isinstance(rule, OwnLaunch):
        tiles = rule.block_names
        roots = [name for name in rule.roots if name not in kernel.options.defines]
        if "gridDim.x" in kernel.indices and (has_sizes or set(in_kernel) - tiles):
            passed = {word for text in rule.site.arguments for word in _WORD.findall(text)}
            roots = [name for name in roots if name in in_kernel or name in passed or name not in kernel.constants]
        return [*roots, *(name for name in in_kernel if name not in roots and name not in tiles)]
    return [] if has_sizes else [name for name in in_kernel if name not in kernel.options.defines]


def _whole_numbers(parameters: Sequence[Parameter]) -> list[int]:
    found = []
    for i, parameter in enumerate(parameters):
        dtype = None if parameter.is_pointer else dtype_of(parameter.element_type)
        if dtype is not None and is_integer(dtype):
            found.append(i)
    return found
