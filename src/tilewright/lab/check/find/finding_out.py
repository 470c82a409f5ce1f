"""Finds a kernel's roles and launch, together with its template arguments and the constants that are sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from math import prod

from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.statuses import NEEDS_LAUNCH
from tilewright.lab.source import CompileError, KernelSignature, SourceError

from .block_shapes import Block
from .candidate import Candidate, Found
from .candidates import block_of, candidate_of, launch_of, operations_of, size_choices
from .changed_texts import changed_texts
from .described_launch import is_described, with_described_launch
from .fixed_sizes import find_any_roles
from .guessing import find_guessed
from .kernel_file import KernelFile, OpenedFile, parameters_of
from .launches import FormulaLaunch, LaunchError
from .other_instances import of_other_text
from .other_kinds import find_kinds, given_kind
from .own_launch import OwnLaunch, is_capped
from .plain_slips import Slip, plain_slips
from .products import PRODUCT_WORDS
from .roles import QuestionError, RolesError
from .said_launch import with_said_launch
from .template_guesses import template_guesses

REFUSALS = (CheckError, CompileError, LaunchError, RolesError, SourceError)
"""Errors that make a kernel impossible to check."""
MOST_OTHER_BLOCKS = 3
_PRODUCT = re.compile(rf"{PRODUCT_WORDS}|gemv|matvec", re.IGNORECASE)
"""What kernels that compute products are called."""


@dataclass(frozen=True)
class KnownKernel:
    """A kernel of a file, the candidate that was searched, and what was found.

    rivals: what a wrong kernel may be meant for as well, if it is of another kind than a product. slip, mended: the
    slip without which it is right as what was found, and the kernel without it.
    """

    kernel: KernelFile
    candidate: Candidate
    found: Found
    rivals: tuple[Found, ...] = ()
    slip: Slip | None = None
    mended: KnownKernel | None = None


def find_out(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel:
    """Return the kernel with its arguments' roles and its launch.

    Guesses of constants or template arguments that do not compile are dropped; errors of the file itself are raised.

    Raises:
        CheckError, CompileError, LaunchError, RolesError, SourceError: each with a sentence.
    """
    options = with_said_launch(opened, signature, options)
    if options.operation in KINDS:
        return _of_said_kind(opened, signature, options)
    try:
        known = _as_described(opened, signature, options)
    except CompileError:
        raise
    except REFUSALS:
        slipped = _with_slip(opened, signature, options)
        if slipped is None:
            raise
        return slipped
    return known if known.found.fits else _with_slip(opened, signature, options) or known


def _with_slip(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel | None:
    """Return a kernel that no roles explain with those that explain it without a slip, or None."""
    known = (_mended(opened, signature, options, slip) for slip in plain_slips(opened.file.text))
    return next((each for each in known if each is not None), None)


def with_changes(opened: OpenedFile, signature: KernelSignature, options: Options) -> Iterator[KnownKernel]:
    """Yield a kernel that nothing explains with the roles that explain it after a small change of its text."""
    options = with_said_launch(opened, signature, options)
    described = with_described_launch(opened, signature) if not options.block else None
    for kernel in islice(_instances(described or opened, signature, options), 1):
        for slip in changed_texts(kernel, opened.file.text):
            known = _mended(opened, signature, options, slip)
            if known is not None:
                yield known


def _mended(opened: OpenedFile, signature: KernelSignature, options: Options, slip: Slip) -> KnownKernel | None:
    """Return a kernel with the roles that explain it without a slip, or None."""
    try:
        other = of_other_text(opened, signature, slip.text)
        mended = _as_described(*other, options, by_own_launch=True) if other is not None else None
        if mended is None or not mended.found.fits:
            return None
        is_described = mended.kernel.opened.file.text != slip.text
        own = with_described_launch(opened, signature) if is_described else opened
        kernel = KernelFile(own or opened, signature, mended.kernel.options)
        found = replace(mended.found, fits=False, how=f"{mended.found.roles} fits without a slip")
        return KnownKernel(kernel, mended.candidate, found, slip=slip, mended=mended)
    except REFUSALS:
        return None


def _as_described(
    opened: OpenedFile, signature: KernelSignature, options: Options, *, by_own_launch: bool = False
) -> KnownKernel:
    """Return the kernel with the launch that a comment describes, or else with the file's own or a guessed one.

    by_own_launch: do not look whether another launch than the file's own makes it right.
    """
    described = with_described_launch(opened, signature) if not options.block else None
    if described is None:
        return _find_out(opened, signature, options, by_own_launch=by_own_launch)
    try:
        said = _find_out(described, signature, options, by_own_launch=by_own_launch)
    except REFUSALS:
        return _find_out(opened, signature, options, by_own_launch=by_own_launch)
    if said.found.fits:
        return said
    try:
        guessed = _find_out(opened, signature, options, by_own_launch=by_own_launch)
    except REFUSALS:
        return said
    return guessed if guessed.found.fits else said


def _find_out(
    opened: OpenedFile, signature: KernelSignature, options: Options, *, by_own_launch: bool = False
) -> KnownKernel:
    nearest: KnownKernel | None = None
    failed: Exception | None = None
    for kernel in _instances(opened, signature, options):
        for free in size_choices(kernel):
            try:
                candidate = candidate_of(kernel, free)
                known = KnownKernel(kernel, candidate, find_any_roles(candidate, operations_of(kernel)))
            except (CompileError, RolesError) as error:
                failed = error if failed is None or isinstance(failed, CompileError) else failed
                continue
            if known.found.fits:
                return known
            nearest = nearest or known
    if nearest is not None or not isinstance(failed, CompileError):
        nearest = _or_of_other_kind(opened, signature, options, nearest, by_own_launch=by_own_launch)
    is_near = nearest is not None and (nearest.found.is_near or nearest.found.always_stops or nearest.rivals)
    is_near = is_near and nearest is not None and not nearest.found.rule.is_guess
    is_near = is_near and nearest is not None and (nearest.found.roles.is_bijective or nearest.found.always_stops)
    is_settled = is_near or (by_own_launch and not _is_of_unknown_block(opened, signature, options))
    if not is_settled and not isinstance(failed, CompileError):
        nearest = _right_otherwise(opened, signature, options) or nearest
    if nearest is not None:
        return nearest
    assert failed is not None
    raise failed


def _or_of_other_kind(
    opened: OpenedFile,
    signature: KernelSignature,
    options: Options,
    nearest: KnownKernel | None,
    *,
    by_own_launch: bool,
) -> KnownKernel | None:
    """Return a kernel that no product fits as one of another kind, if it is that, or else what it was."""
    if options.arguments or options.operation:
        return nearest
    try:
        other = _of_other_kind(opened, signature, options, by_own_launch=by_own_launch)
    except QuestionError:  # of a kind that nothing in the file speaks of
        if nearest is None or not nearest.found.is_near or not _PRODUCT.search(nearest.candidate.title):
            raise
        return nearest
    if other is None or other.found.fits or other.kernel.options.arguments:  # right as that with another launch
        return other or nearest
    if nearest is None:
        return (None if by_own_launch else _right_otherwise(opened, signature, options)) or other
    return nearest if _PRODUCT.search(other.candidate.title) else replace(other, rivals=(*other.rivals, nearest.found))


def _of_said_kind(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel:
    """Return the kernel as one of the kind that the user names; raise QuestionError if it is nothing like that."""
    found = _of_other_kind(opened, signature, options)
    if found is None:
        said = KINDS[options.operation].said
        raise QuestionError(
            f"{signature.name} computes nothing like {said} in any order of its arguments: give --block and --grid, "
            f"and if need be --args, which name {', '.join(KINDS[options.operation].arrays)} and sizes.",
            NEEDS_LAUNCH,
        )
    return found


def _of_other_kind(
    opened: OpenedFile, signature: KernelSignature, options: Options, *, by_own_launch: bool = False
) -> KnownKernel | None:
    """Return the kernel as one of another kind than a product, with the kinds that it may be meant for; else None."""
    nearest: KnownKernel | None = None
    for kernel in _instances(opened, signature, options):
        for free in size_choices(kernel):
            try:
                candidate = candidate_of(kernel, free, is_other=True)
                found = find_kinds(candidate)
            except QuestionError:
                raise
            except (CheckError, CompileError, LaunchError, RolesError):
                continue
            if found and found[0].fits:
                return KnownKernel(kernel, candidate, found[0])
            if found and nearest is None:
                nearest = KnownKernel(kernel, candidate, found[0], tuple(found[1:]))
    return (None if by_own_launch else _launched_otherwise(opened, signature, options)) or nearest


def _launched_otherwise(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel | None:
    """Return the kernel with the file's own launch and the kind that another launch makes it right as."""
    kernel = KernelFile(opened, signature, options)
    if not kernel.sites or options.block:
        return None
    kernel.sites = []
    try:
        right = [found.roles for found in find_kinds(candidate_of(kernel, is_other=True)) if found.fits]
        if not right or right[0].constants or "=" in right[0].family or not right[0].is_bijective:
            return None
        said = replace(options, arguments=",".join(right[0].arguments), operation=right[0].operation)
        settled = KernelFile(opened, signature, said)
        candidate = candidate_of(settled, _unsaid_roots(settled), is_other=True)
        if settled.site is not None and any(is_capped(settled.site, text) for text in settled.site.arguments):
            return None  # it need not be right with more than the host ever passes
        return KnownKernel(settled, candidate, given_kind(candidate, right[0].operation))
    except (CheckError, CompileError, LaunchError, RolesError):
        return None


def _right_otherwise(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel | None:
    """Return the kernel with the file's own launch, and the roles with which another launch makes it right.

    If a kernel is right with some launch, then the file's launch is wrong, not the kernel.
    """
    kernel = KernelFile(opened, signature, options)
    if not kernel.sites or options.block or options.arguments:
        return None
    kernel.sites = []
    try:
        candidate = candidate_of(kernel)
        otherwise = find_guessed(candidate, operations_of(kernel))
    except REFUSALS:
        return None
    roles = otherwise.roles
    if otherwise.fits and _is_of_unknown_block(opened, signature, options):
        return KnownKernel(kernel, candidate, otherwise)
    is_of_vector = roles.family in ("", "cols=1", "rows=1")
    if not otherwise.fits or roles.constants or roles.transposed or roles.fixed or not is_of_vector:
        return None
    if not roles.is_bijective:
        return None  # of many sizes some repeat: that the file's own launch is wrong would be a guess
    said = replace(options, arguments=",".join(roles.arguments), operation=roles.operation)
    settled = KernelFile(opened, signature, said)
    try:
        candidate = candidate_of(settled, _unsaid_roots(settled))
        found = find_any_roles(candidate, operations_of(settled))
    except REFUSALS:
        return None
    if roles.family:  # a matrix times a vector: arguments alone do not say so
        found = replace(found, roles=replace(found.roles, family=roles.family))
    if not found.fits:
        settled.notes.append(
            f"{signature.name} is right with {otherwise.rule.said}, and not with the file's own launch."
        )
    return KnownKernel(settled, candidate, found)


def _unsaid_roots(kernel: KernelFile) -> list[str] | None:
    """Return the sizes of the file's own launch that are passed as no argument: the roles of those are said already.

    A constant that its shared memory alone depends on is none.
    """
    rule = launch_of(kernel, parameters_of(kernel))
    if not isinstance(rule, OwnLaunch):
        return None
    counts = kernel.constants.keys() if "gridDim.x" in kernel.indices else set()  # of blocks that go on by the grid
    return [root for root in rule.roots if root not in rule.site.arguments and root not in counts]


def _is_of_unknown_block(opened: OpenedFile, signature: KernelSignature, options: Options) -> bool:
    """Return whether only the running program knows the sides of the block, so that they were taken for usual ones."""
    kernel = KernelFile(opened, signature, options)
    rule = launch_of(kernel, parameters_of(kernel))
    return rule is not None and rule.is_guess


def launched_by_guess(known: KnownKernel, opened: OpenedFile, options: Options) -> KnownKernel | None:
    """Return a kernel with a guessed launch that fits, in place of one that was read from a comment or in part.

    opened: the file as it is. What was understood of such a launch may be wrong, and the kernel right.
    """
    signature = known.kernel.signature
    options = with_said_launch(opened, signature, options)
    if options.block or not (known.found.rule.is_guess or is_described(known.kernel.opened)):
        return None
    if isinstance(known.found.rule, FormulaLaunch):
        return None  # guessed already
    bare = replace(opened, part=replace(opened.part, launches=[]))
    options = replace(options, template_arguments=known.kernel.template_arguments)
    try:
        guessed = _find_out(bare, signature, options)
    except REFUSALS:
        return None
    return guessed if guessed.found.fits else None


def launched_by_other_guesses(known: KnownKernel, opened: OpenedFile, options: Options) -> Iterator[KnownKernel]:
    """Yield a kernel with guessed launches of other blocks that fit, where the block is a guess and only constants
    of the file say how large it is meant to be. Smaller blocks would hide a missing barrier.
    """
    signature, rule = known.kernel.signature, known.found.rule
    is_guess = isinstance(rule, FormulaLaunch) and rule.is_guess
    if not is_guess or any(index.startswith("blockDim") for index in known.kernel.indices):
        return
    options = with_said_launch(opened, signature, options)
    refused: list[Block] = []
    for _ in range(MOST_OTHER_BLOCKS):
        refused.append(block_of(rule.block if isinstance(rule, FormulaLaunch) else ""))
        try:
            other = _find_out(opened, signature, replace(options, refused_blocks=tuple(refused)))
        except REFUSALS:
            return
        rule = other.found.rule
        if not isinstance(rule, FormulaLaunch) or block_of(rule.block) in refused:
            return
        if other.found.fits and prod(block_of(rule.block)) >= prod(refused[0]):
            yield other


def _instances(opened: OpenedFile, signature: KernelSignature, options: Options) -> Iterator[KernelFile]:
    """Yield the kernel as the file instantiates it; for a template without a launch, its usual instances."""
    kernel = KernelFile(opened, signature, options)
    if not signature.template_parameters or kernel.template_arguments:
        yield kernel
        return
    guesses = template_guesses(opened.file.text, signature)
    for arguments in guesses:
        guessed = KernelFile(opened, signature, replace(options, template_arguments=arguments))
        guessed.notes.append(
            f"No launch says what the template {signature.name} is made for; <{', '.join(arguments)}> was taken, "
            "--template says which is right."
        )
        yield guessed
    if not guesses:
        yield kernel
