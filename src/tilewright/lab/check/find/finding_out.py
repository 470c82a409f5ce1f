"""Finds a kernel's roles and launch, together with its template arguments and the constants that are sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.source import CompileError, KernelSignature

from .candidate import Candidate, Found
from .candidates import candidate_of, operations_of, size_choices
from .fixed_sizes import find_any_roles
from .guessing import find_guessed
from .kernel_file import KernelFile, OpenedFile
from .launches import LaunchError
from .roles import RolesError
from .said_launch import with_said_launch
from .template_guesses import template_guesses


@dataclass(frozen=True)
class KnownKernel:
    """A kernel of a file, the candidate that was searched, and what was found."""

    kernel: KernelFile
    candidate: Candidate
    found: Found


def find_out(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel:
    """Return the kernel with its arguments' roles and its launch.

    Guesses of constants or template arguments that do not compile are dropped; errors of the file itself are raised.

    Raises:
        CheckError, CompileError, LaunchError, RolesError, SourceError: each with a sentence.
    """
    options = with_said_launch(opened, signature, options)
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
    if nearest is None and not isinstance(failed, CompileError):
        nearest = _right_otherwise(opened, signature, options)
    if nearest is not None:
        return nearest
    assert failed is not None
    raise failed


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
    except (CheckError, CompileError, LaunchError, RolesError):
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
    except (CheckError, CompileError, LaunchError, RolesError):
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
