"""The statuses of a launch, a kernel or a check."""

from __future__ import annotations

RIGHT, WRONG, FAULT, REFUSED = "right", "wrong", "fault", "refused"
NOT_RUN = "not run"
NOT_EMULATED, NEEDS_LAUNCH, NOT_REACHED = "not emulated", "needs its launch", "not reached"
"""Why a kernel is pending: neither a verdict nor its author's mistake."""
