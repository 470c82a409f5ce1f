"""Plans of products one of whose operands is constant: what is made of it is computed once and kept."""

from __future__ import annotations

from dataclasses import replace

from tilewright.choose.plan import Plan
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.kept_operand import kept_apart


def with_constant(plan: Plan, operand: str) -> tuple[Plan, Launches | None]:
    """Return the plan of a product for which what is made of ``operand``, "A" or "B", is kept, and what makes it.

    The results are the same, bit by bit. Of the launches that make it, ``workspace_bytes`` are the bytes to keep.
    None if the plan's kernels read the operand as it lies.
    """
    prepared = next((each for each in plan.prepared if each.buffer == operand), None)
    if prepared is None:
        return nothing_kept(plan, operand, "no launch makes anything of it that a later call could use"), None
    whole = Launches(plan.launches, plan.workspace_bytes)
    once, rest = kept_apart(whole, prepared)
    kernels = " and ".join(launch.kernel for launch in once.launches)
    reason = (
        f"{operand} is constant: what {kernels} made of it when the plan was made is kept, "
        f"in {once.workspace_bytes:,} bytes."
    )
    found = replace(
        plan,
        launches=rest.launches,
        workspace_bytes=rest.workspace_bytes,
        reasons=(*plan.reasons, reason),
        prepared=(),
        constant=operand,
        kept_bytes=once.workspace_bytes,
    )
    return found, once


def nothing_kept(plan: Plan, operand: str, why: str) -> Plan:
    """Return the plan with the reason, half a sentence, why nothing of a constant operand is kept."""
    return replace(plan, reasons=(*plan.reasons, f"Nothing of {operand} is kept: {why}."), constant=operand)
