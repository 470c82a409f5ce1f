"""A kernel with its roles and its launch found out: also what its template and its constants are taken for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.lab.source import CompileError, KernelSignature

from .candidate import Candidate, Found
from .candidates import candidate_of, operations_of, size_choices
from .fixed_sizes import find_any_roles
from .kernel_file import KernelFile, OpenedFile
from .options import Options
from .roles import RolesError
from .template_guesses import template_guesses


@dataclass(frozen=True)
class KnownKernel:
    """A kernel of a file, what was tried of it, and what was found."""

    kernel: KernelFile
    candidate: Candidate
    found: Found


def find_out(opened: OpenedFile, signature: KernelSignature, options: Options) -> KnownKernel:
    """Return the kernel with what its arguments are and how it is launched.

    What does not compile with a constant's value changed, or with a template's arguments guessed, is no reading of the
    file and is dropped; what the file itself gets wrong is raised.

    Raises:
        CheckError, CompileError, LaunchError, RolesError, SourceError: each with a sentence.
    """
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
    if nearest is not None:
        return nearest
    assert failed is not None
    raise failed


def _instances(opened: OpenedFile, signature: KernelSignature, options: Options) -> Iterator[KernelFile]:
    """Yield the kernel as the file instantiates it; of a template without a launch its usual instances."""
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
