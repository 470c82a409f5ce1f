"""The errors of planning. Each message is a sentence that says what was given and what is accepted."""

from __future__ import annotations


class PlanError(ValueError):
    """There is no plan for the request; the message says what was given and what is accepted."""


class UnknownOperationError(PlanError):
    """There is no operation of that name."""


class UnknownKernelError(PlanError):
    """The operation has no kernel of that name."""
