"""What a plan refuses. Each message is a sentence that says what was given and what is accepted."""

from __future__ import annotations


class PlanError(ValueError):
    """There is no plan for what was asked; the message says what was given and what is accepted."""


class UnknownOperationError(PlanError):
    """No operation has the name that was asked for."""


class UnknownKernelError(PlanError):
    """No kernel of the operation has the name that was asked for."""
