"""How a launch, a kernel or a check can end, in a word each."""

from __future__ import annotations

RIGHT, WRONG, FAULT, REFUSED = "right", "wrong", "fault", "refused"
NOT_RUN = "not run"
NOT_EMULATED, NEEDS_LAUNCH = "not emulated", "needs its launch"
"""Why a kernel is pending: not its author's mistake, and no verdict."""
