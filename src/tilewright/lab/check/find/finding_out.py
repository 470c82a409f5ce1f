"""Finds a kernel's roles and launch, together with its template arguments and the constants that are sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.statuses import NEEDS_LAUNCH
from tilewright.lab.source import CompileError, KernelSignature, SourceError

from .candidate import Candidate, Found
from .candidates import candidate_of, operations_of, size_choices
from .described_launch import with_described_launch
from .fixed_sizes import find_any_roles
from .guessing import find_guessed
from .kernel_file import KernelFile, OpenedFile
from .launches import LaunchError
from .other_kinds import find_kinds, given_kind
from .roles import QuestionError, RolesError
from .said_launch import with_said_launch
from .template_guesses import template_guesses

REFUSALS = (CheckError, CompileError, LaunchError, RolesError, SourceError)
"""Errors that make a kernel impossible to check."""
_PRODUCT = re.compile(r"mul|gemm|gemv|matvec|mm\b|dot|produ|linear|skalar|scal", re.IGNORECASE)
"""What kernels that compute products are called."""


@dataclass(frozen=True)
class KnownKernel:
    """A kernel of a file, the candidate that was searched, and what was found.

    rivals: what a wrong kernel may be meant for as well, if it is of another kind than a product.
    """

    kernel: KernelFile
    candidate: Candidate
    found: Found
    rivals: tuple[Found, ...] = ()


def find_out(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel:
    """Return the kernel with its arguments' roles and its launch.

    Guesses of constants or template arguments that do not compile are dropped; errors of the file itself are raised.

    Raises:
        CheckError, CompileError, LaunchError, RolesError, SourceError: each with a sentence.
    """
    options = with_said_launch(opened, signature, options)
    if options.operation in KINDS:
        return _of_said_kind(opened, signature, options)
    described = with_described_launch(opened, signature) if not options.block else None
    if described is None:
        return _find_out(opened, signature, options)
    try:
        said = _find_out(described, signature, options)
    except REFUSALS:
        return _find_out(opened, signature, options)
    if said.found.fits:
        return said
    try:
        guessed = _find_out(opened, signature, options)
    except REFUSALS:
        return said
    return guessed if guessed.found.fits else said


def _find_out(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel:
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
        nearest = _or_of_other_kind(opened, signature, options, nearest)
    is_near = nearest is not None and (nearest.found.is_near or nearest.found.always_stops or nearest.rivals)
    if not is_near and not isinstance(failed, CompileError):
        nearest = _right_otherwise(opened, signature, options) or nearest
    if nearest is not None:
        return nearest
    assert failed is not None
    raise failed


def _or_of_other_kind(
    opened: OpenedFile, signature: KernelSignature, options: Options, nearest: KnownKernel | None
) -> KnownKernel | None:
    """Return a kernel that no product fits as one of another kind, if it is that, or else what it was."""
    if options.arguments or options.operation:
        return nearest
    other = _of_other_kind(opened, signature, options)
    if other is None or other.found.fits:
        return other or nearest
    if nearest is None:
        return _right_otherwise(opened, signature, options) or other
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


def _of_other_kind(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel | None:
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
    return _launched_otherwise(opened, signature, options) or nearest


def _launched_otherwise(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel | None:
    """Return the kernel with the file's own launch and the kind that another launch makes it right as."""
    kernel = KernelFile(opened, signature, options)
    if not kernel.sites or options.block:
        return None
    kernel.sites = []
    try:
        right = [found.roles for found in find_kinds(candidate_of(kernel, is_other=True)) if found.fits]
        if not right or right[0].constants or "=" in right[0].family:
            return None
        said = replace(options, arguments=",".join(right[0].arguments), operation=right[0].operation)
        settled = KernelFile(opened, signature, said)
        candidate = candidate_of(settled, is_other=True)
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
        otherwise = find_guessed(candidate_of(kernel), operations_of(kernel))
    except REFUSALS:
        return None
    roles = otherwise.roles
    if not otherwise.fits or roles.constants or roles.transposed or roles.fixed or roles.family:
        return None
    if not roles.is_bijective:
        return None  # of many sizes some repeat: that the file's own launch is wrong would be a guess
    said = replace(options, arguments=",".join(roles.arguments), operation=roles.operation)
    settled = KernelFile(opened, signature, said)
    try:
        candidate = candidate_of(settled)
        found = find_any_roles(candidate, operations_of(settled))
    except REFUSALS:
        return None
    if not found.fits:
        settled.notes.append(
            f"{signature.name} is right with {otherwise.rule.said}, and not with the file's own launch."
        )
    return KnownKernel(settled, candidate, found)


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
